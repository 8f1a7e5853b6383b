"""Tasks of networks, to reconstruct images or to classify them: inputs, targets, errors, curves."""

from pathlib import Path

import numpy as np
import pandas as pd
import torch

from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.data.supervised import Images
from lib.dp_mac.evaluation import Evaluate, accuracies, squared_errors
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.preparation import Preparation, Projection, fitted


def preparation_of(series: dict) -> Preparation | None:
    """How a series' block of the configuration prepares images; None where it takes them as they are."""
    return Preparation(**series["preparation"]) if series.get("preparation") else None


def projections_of(
    series: dict, images: Images, seed: int, job: tuple[str, ...], names: list[str]
) -> list[Projection] | None:
    """Return a projection for each run, with noise of its own, or None where the series takes images as they are."""
    preparation = preparation_of(series)
    if preparation is None:
        return None
    rows = images.x.reshape(len(images.x), -1)
    return [fitted(preparation, rows, seed, *job, name, "preparation") for name in names]


def prepared(x: np.ndarray, projections: list[Projection] | None) -> np.ndarray:
    """Images (n, h, w) as rows (n, features), or, where each of R runs sees them in its own way, (R, n, features)."""
    rows = x.reshape(len(x), -1)
    return rows if projections is None else np.stack([projection(rows) for projection in projections])


def network_of(images: Images, series: dict) -> MacNetwork:
    """Return the network of a series' block, its input and output as wide as what it is given and its targets need.

    The block's `classes` are the dataset's, not counted, since labels are private; InputError where a label is beyond.
    """
    settings, preparation, classes = series["network"], preparation_of(series), series["classes"]
    inputs = (preparation and preparation.components) or images.x[0].size
    outputs = inputs if settings["output"] == "squared_error" else stated_classes(images, classes)
    sizes = (inputs, *settings["hidden"], outputs)
    return MacNetwork(sizes, **{name: value for name, value in settings.items() if name != "hidden"})


def stated_classes(images: Images, classes: int) -> int:
    """Return the number of classes that was stated; InputError where a label is beyond them."""
    largest = max(images.labels.max(), images.test_labels.max())
    if largest >= classes:
        raise InputError(f"classes: {classes}, but a label is {largest}; allowed is {largest + 1} or more")
    return classes


def inputs_and_targets(
    network: MacNetwork, images: Images, projections: list[Projection] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Training set as rows x (n, features), y (n, outputs), float32: the images themselves, or one unit a class.

    With projections, what is made of images is (R, n, ...).
    """
    x = prepared(images.x, projections)
    if network.output == "squared_error":
        return x, x
    return x, np.eye(network.sizes[-1], dtype=np.float32)[images.labels]


def evaluation(
    network: MacNetwork, images: Images, projections: list[Projection] | None, device: torch.device
) -> Evaluate:
    """Measures R networks, given their weights, on both sets: train_error and test_error, or accuracies; (R,) each."""
    sets = {}
    for name, x, labels in (
        ("train", images.x, images.labels),
        ("test", images.test_x, images.test_labels),
    ):
        rows = torch.from_numpy(prepared(x, projections)).to(device)
        sets[name] = rows, torch.from_numpy(labels).to(device)

    def errors(weights: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        return {f"{name}_error": squared_errors(network, weights, x, x) for name, (x, _) in sets.items()}

    def rights(weights: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        return {f"{name}_accuracy": accuracies(network, weights, x, labels) for name, (x, labels) in sets.items()}

    return errors if network.output == "squared_error" else rights


def write_curves(path: str | Path, curves: dict[str, np.ndarray], repetitions: list[int]) -> None:
    """Write a row for each repetition and epoch.

    curves: (R, epochs + 1) for each measure, before training and after each epoch; repetitions: the R numbers.
    """
    points = next(iter(curves.values())).shape[1]
    columns = {"repetition": np.repeat(repetitions, points), "epoch": np.tile(np.arange(points), len(repetitions))}
    frame = pd.DataFrame(columns | {name: values.ravel() for name, values in curves.items()})
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.8g")


def named_weights(weights: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Weights (R, in, out) of every layer under the names that files give them."""
    return {f"weight.{layer}": weight for layer, weight in enumerate(weights)}


def weights_of(arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Return the weights of every layer from `named_weights`, whatever else stands beside them."""
    return [arrays[f"weight.{layer}"] for layer in range(sum(name.startswith("weight.") for name in arrays))]


def named_projections(projections: list[Projection] | None) -> dict[str, np.ndarray]:
    """Centres (R,) and bases (R, d, k), where there are any, under the names that files give them."""
    if projections is None:
        return {}
    found = {"centre": np.array([projection.centre for projection in projections])}
    bases = [projection.basis for projection in projections if projection.basis is not None]
    if bases:
        found["basis"] = np.stack(bases)
    return found


def projections_from(arrays: dict[str, np.ndarray]) -> list[Projection] | None:
    """Return the projections from `named_projections`."""
    if "centre" not in arrays:
        return None
    bases = arrays.get("basis", [None] * len(arrays["centre"]))
    return [Projection(float(centre), basis) for centre, basis in zip(arrays["centre"], bases, strict=True)]

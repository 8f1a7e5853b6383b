"""Networks that a curve trained, read back with the images they were trained on."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from lib.core.errors import InputError
from lib.core.files import load_arrays
from lib.data.supervised import Images
from lib.dp_mac.curves import SHOWN, least_cost, without_exponent
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.preparation import Projection
from lib.dp_mac.series import series_images
from lib.dp_mac.statements import stated
from lib.dp_mac.task import network_of, prepared, projections_from, weights_of
from lib.reporting.records import read_record
from pate_accountant.rounding import shown


@dataclass(frozen=True)
class TrainedNetworks:
    """R repetitions of one curve.

    name: its series' title, variant and level. title: the same in the words of figures, with what it costs. series: how
    it was trained, and what tables say of it. weights: (R, in, out) a layer. paper_epsilon: None without noise.
    projections: of each repetition, or None where it receives images as they are.
    """

    name: str
    title: str
    series: dict
    network: MacNetwork
    weights: list[torch.Tensor]
    images: Images
    paper_epsilon: float | None
    projections: list[Projection] | None

    @property
    def private(self) -> bool:
        """Whether it was trained with noise."""
        return self.paper_epsilon is not None

    def rows(self, x: np.ndarray) -> torch.Tensor:
        """Images (n, h, w) as the networks are given them, (n, features) or (R, n, features)."""
        return torch.from_numpy(prepared(x, self.projections))


def read_networks(
    record_path: str | Path,
    weights_path: str | Path,
    data: str | Path,
    seed: int,
    series: Mapping[str, Mapping],
) -> TrainedNetworks:
    """Load the networks of a curve; data: the prepared dataset, which is divided as for training, by the preset's seed.

    series: what tables say of each, by name: label, title, variant, stands_for and protocol.
    Raises InputError where the data are not those of the record.
    """
    record = read_record(record_path)
    given = record["parameters"]
    own = {**given["series"], **series[record["job"][0]]}
    images = series_images(data, own, seed, record["dataset"])
    if images.fingerprint != record["fingerprint"]:
        raise InputError(f"{data}: not the data that {record_path} is about")
    name = own["title"] if own["variant"] == "main" else f"{own['title']}, {own['variant']}"
    if given["noise"] != "none":
        kind = {"printed": "", "needed": " (needed)"}[given["noise"]]
        name += f", ε = {shown(given['paper_epsilon'])}{kind}"
    title = f"{own['title']}, {SHOWN.get(own['variant'], own['variant'])}"
    if given["noise"] != "none":
        kind = {"printed": "", "needed": ", with the noise it requires"}[given["noise"]]
        costs = without_exponent(least_cost(stated(given["spent"])))
        title += f", ε = {shown(given['paper_epsilon'])}{kind} (costs {costs})"
    arrays = load_arrays(weights_path)
    weights = [torch.from_numpy(weight) for weight in weights_of(arrays)]
    return TrainedNetworks(
        name,
        title,
        own,
        network_of(images, own),
        weights,
        images,
        given["paper_epsilon"],
        projections_from(arrays),
    )

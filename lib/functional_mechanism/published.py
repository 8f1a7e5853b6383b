"""The public code of Phan, Wu and Dou's private convolutional deep belief network, as it trains: no guarantee.

The training that the method's accuracies are quoted for, rebuilt from its code (pCDBN in the authors' public
repository: layers, constants, noise, optimiser), so that it can be run beside `lib.functional_mechanism.cdbn`. Why
its epsilon means nothing:

* No coefficients are released. Every step, of hidden layers and output alike, goes back to the private images and
  labels, with new noise of the whole epsilon; steps, layers and batches are not composed.
* Hidden layers: 5 Laplace numbers a step, shared by all filters, are added to the constants of the Chebyshev
  polynomial, whose arguments, and the input that is reconstructed, are the images without noise.
* Output layer: one Laplace vector a step, the same for all records and classes, is added to the features; the labels
  have none: where the output's weights are 0, the gradient of its biases is exact class counts. The dense layer before
  it is trained through it, without noise of its own; its normalisation sees the batch.
* The sensitivity of a hidden layer is measured on the batch and is no bound (`sensitivity.published_hidden`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from lib.core.checkpoint import Checkpoint, State
from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.functional_mechanism.cdbn import Trained, checked
from lib.functional_mechanism.release import BATCH
from lib.functional_mechanism.sensitivity import (
    PUBLISHED_CHEBYSHEV,
    padded,
    published_chebyshev,
    published_hidden,
    published_output,
)

STRIDE = 2


@dataclass(frozen=True, kw_only=True)
class PublishedSettings:
    """The defaults of the public code's class, but for `pretraining_epochs`, 10 there, and `epochs`, 2400.

    Its script passes 32 and 64 filters and a rate of 2e-4. filters: of each hidden layer; all have `size` and a stride
    of 2. units: of the dense layer. batch: images, drawn in a new order each epoch. pretraining_epochs: of each hidden
    layer. epochs: 162 where the accuracies are quoted. Raises InputError for what is not allowed.
    """

    filters: tuple[int, ...] = (10, 10)
    size: int = 5
    units: int = 25
    batch: int = 3600
    pretraining_epochs: int = 1
    pretraining_rate: float = 0.01
    epochs: int = 162
    rate: float = 0.01

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not self.filters or min(*self.filters, self.size, self.units, self.batch, self.epochs) < 1:
            raise InputError(f"{self}: filters, size, units, batch and epochs must be at least 1")
        if self.pretraining_epochs < 0 or not (self.pretraining_rate > 0 and self.rate > 0):
            raise InputError(f"{self}: pretraining_epochs at least 0, both rates positive")


@dataclass(frozen=True)
class PublishedNetwork:
    """Weights and biases: hidden (filters, channels * size^2) a layer, dense (units, n), output (classes, units)."""

    settings: PublishedSettings
    hidden: list[tuple[torch.Tensor, torch.Tensor]]
    dense: tuple[torch.Tensor, torch.Tensor]
    output: tuple[torch.Tensor, torch.Tensor]

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """The last maps, flat (N, n), of images x."""
        return torch.cat([maps(batch, self.hidden, self.settings.size).flatten(1) for batch in x.split(BATCH)])

    def scores(self, features: torch.Tensor) -> torch.Tensor:
        """(N, classes), without noise; the normalisation is by the N records given, as in the public code."""
        return F.linear(dense_units(features, self.dense), *self.output)


def maps(x: torch.Tensor, hidden: list[tuple[torch.Tensor, torch.Tensor]], size: int) -> torch.Tensor:
    """Sigmoid maps of the hidden layers, one after the other, of x (N, channels, side, side)."""
    for weight, bias in hidden:
        x = torch.sigmoid(convolution(x, weight, bias, size))
    return x


def convolution(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, size: int) -> torch.Tensor:
    """(N, filters, side / 2, side / 2)."""
    return F.conv2d(padded(x, size, STRIDE), weight.unflatten(1, (-1, size, size)), bias, stride=STRIDE)


def dense_units(features: torch.Tensor, dense: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """The dense layer's units, normalised over the batch, in [0, 1]."""
    sums = F.linear(features, *dense)
    centred = sums - sums.mean(0)
    return (centred / (sums.var(0, correction=0) + 1e-3).sqrt()).clamp(0, 1)


def truncated(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """N(0, 0.1^2), cut off at two deviations."""
    drawn = rng.standard_normal(shape)
    while (far := np.abs(drawn) > 2).any():
        drawn[far] = rng.standard_normal(far.sum())
    return torch.tensor(0.1 * drawn, dtype=torch.float32)


def pretraining_cost(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, size: int, noise: np.ndarray
) -> torch.Tensor:
    """The public code's contrast of a batch and its reconstruction; noise (2, 5), of the two passes' constants."""

    def units(v: torch.Tensor, added: np.ndarray) -> torch.Tensor:
        h = convolution(v, weight, bias, size)
        # it adds to 32 times the constants
        noisy = {p: value + extra / 32 for (p, value), extra in zip(PUBLISHED_CHEBYSHEV.items(), added, strict=True)}
        return published_chebyshev(h / h.max(), noisy).clamp(0, 1)

    first = units(x, noise[0])
    filters = weight.unflatten(1, (-1, size, size)).permute(1, 0, 3, 2)
    reconstructed = torch.sigmoid(F.conv2d(F.interpolate(first, size=x.shape[-1]), filters, padding="same"))
    return (units(reconstructed, noise[1]) - first).abs().mean() + (reconstructed - x).abs().mean()


def output_cost(scores: torch.Tensor, one_hot: torch.Tensor) -> torch.Tensor:
    """Sum of the logistic units' cross-entropies, ln(1 + e^-|s|) by Taylor to degree 2, as in the public code."""
    size = -scores.abs()
    return (scores.clamp(min=0) - scores * one_hot + math.log(2) + size / 2 + size**2 / 8).sum()


def train_published(
    settings: PublishedSettings,
    x: np.ndarray,
    y: np.ndarray,
    classes: int,
    epsilon: float | None,
    seed: int,
    job: tuple[str, ...],
    name: str,
    device: torch.device,
    evaluate: Callable[[PublishedNetwork], float],
    checkpoint: Checkpoint | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Trained:
    """The network and its curve, as `cdbn.train_cdbn`'s, by the public code's training: **not** epsilon-DP.

    epsilon: of which the code computes its noise, None for none. The state is saved after pre-training and then at
    epochs' ends. Raises InputError for what is not allowed.
    """
    checked(x, y, classes, epsilon)
    images = torch.tensor(x, dtype=torch.float32, device=device)
    labels = torch.from_numpy(y.astype(np.int64)).to(device)
    saved = (checkpoint.load() if checkpoint else None) or {}

    def draw(role: str) -> np.random.Generator:
        return generator(seed, *job, name, role)

    def laplace(role: str, sensitivity: float, shape: tuple[int, ...]) -> np.ndarray:
        scale = 0.0 if epsilon is None else sensitivity / (epsilon * settings.batch)
        return draw(role).laplace(0.0, 1.0, shape) * scale

    def batches(role: str) -> list[torch.Tensor]:
        return list(torch.from_numpy(draw(role).permutation(len(images))).to(device).split(settings.batch))

    hidden = []
    for layer, filters in enumerate(settings.filters):
        if saved:
            hidden.append(tuple(torch.tensor(saved[f"hidden.{layer}.{part}"], device=device) for part in (0, 1)))
        else:
            hidden.append(_pretrained(images, settings, layer, filters, batches, laplace, draw))
        images = torch.cat([maps(batch, hidden[-1:], settings.size) for batch in images.split(BATCH)])
    features = images.flatten(1)
    start = draw("weights of the output")
    parts = [
        truncated(start, settings.units, features.shape[1]).to(device),
        torch.zeros(settings.units, device=device),
        truncated(start, classes, settings.units).to(device),
        torch.zeros(classes, device=device),
    ]
    for part in parts:
        part.requires_grad_()
    adam = torch.optim.Adam(parts, lr=settings.rate)
    network = PublishedNetwork(settings, hidden, (parts[0], parts[1]), (parts[2], parts[3]))
    curve = _restore(saved, parts, adam)

    def state() -> State:
        kept = {f"hidden.{layer}.{part}": pair[part] for layer, pair in enumerate(hidden) for part in (0, 1)}
        kept["curve"] = np.array(curve)
        for index, part in enumerate(parts):
            kept[f"part.{index}"] = part.detach()
            kept |= {f"adam.{index}.{key}": value for key, value in adam.state.get(part, {}).items()}
        return kept

    def note() -> None:
        with torch.no_grad():
            curve.append(evaluate(network))

    if not curve:
        note()
        if checkpoint:
            checkpoint.save(state())
    sensitivity = published_output(settings.units, classes)
    for epoch in range(len(curve), settings.epochs + 1):
        for step, rows in enumerate(batches(f"order of epoch {epoch}")):
            noise = laplace(f"noise of epoch {epoch}, step {step}", sensitivity, (settings.units,))
            units = dense_units(features[rows], network.dense) + torch.from_numpy(noise).float().to(device)
            adam.zero_grad()
            output_cost(F.linear(units, *network.output), F.one_hot(labels[rows], classes)).backward()
            adam.step()
        note()
        progress(epoch, settings.epochs)
        if checkpoint and checkpoint.due():
            checkpoint.save(state())
    return Trained(network, np.array(curve))


def _pretrained(
    images: torch.Tensor,
    settings: PublishedSettings,
    layer: int,
    filters: int,
    batches: Callable[[str], list[torch.Tensor]],
    laplace: Callable[[str, float, tuple[int, ...]], np.ndarray],
    draw: Callable[[str], np.random.Generator],
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight and bias of a hidden layer."""
    width = images.shape[1] * settings.size**2
    weight = truncated(draw(f"weights of layer {layer}"), filters, width).to(images.device).requires_grad_()
    bias = torch.zeros(filters, device=images.device, requires_grad=True)
    adam = torch.optim.Adam([weight, bias], lr=settings.pretraining_rate)
    for epoch in range(settings.pretraining_epochs):
        for step, rows in enumerate(batches(f"order of layer {layer}, epoch {epoch}")):
            batch = images[rows]
            role = f"noise of layer {layer}, epoch {epoch}, step {step}"
            noise = laplace(role, published_hidden(batch, settings.size), (2, len(PUBLISHED_CHEBYSHEV)))
            adam.zero_grad()
            pretraining_cost(batch, weight, bias, settings.size, noise).backward()
            adam.step()
    return weight.detach(), bias.detach()


def _restore(saved: State, parts: list[torch.Tensor], adam: torch.optim.Adam) -> list[float]:
    """Weights and Adam's state as they were saved; the curve so far, empty without a state."""
    if not saved:
        return []
    with torch.no_grad():
        for index, part in enumerate(parts):
            part.copy_(torch.tensor(saved[f"part.{index}"]))
            prefix = f"adam.{index}."
            keys = [key for key in saved if key.startswith(prefix)]
            if keys:
                adam.state[part] = {
                    key.removeprefix(prefix): torch.tensor(saved[key], device="cpu" if "step" in key else part.device)
                    for key in keys
                }
    return list(saved["curve"])


def claim(epsilon: float, delta: float) -> dict[str, Any]:
    """State what the paper claims of this training, as keywords of `PrivacyStatement.data_independent`.

    Nothing of it holds.
    """
    return {
        "epsilon": epsilon,
        "delta": delta,
        "accountant": "the paper's claim",
        "conversion": "none",
        "neighbouring": "replace_one",
        "proved_bound": False,
    }

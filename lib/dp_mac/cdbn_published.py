"""The public code of Phan, Wu and Dou's private convolutional deep belief network, as it trains: no guarantee.

The training that the method's accuracies are quoted for, rebuilt from its code (pCDBN in the authors' public
repository: layers, constants, noise, optimiser), so that it can be run beside `lib.dp_mac.cdbn`. Why
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from lib.core.checkpoint import State
from lib.core.seeding import Draws
from lib.dp_mac.cdbn import Trained, checked
from lib.dp_mac.cdbn_release import BATCH
from lib.dp_mac.cdbn_sensitivity import (
    PUBLISHED_CHEBYSHEV,
    padded,
    published_chebyshev,
    published_hidden,
    published_output,
)
from lib.dp_mac.cdbn_settings import PublishedSettings
from lib.training.context import Context
from lib.training.epochs import Measured, run_to_end, under
from lib.training.optimizer_state import optimizer_state, restore_optimizer

STRIDE = 2


@dataclass(frozen=True)
class PublishedNetwork:
    """Weights and biases: hidden (filters, channels * size^2) a layer, dense (units, n), output (classes, units)."""

    settings: PublishedSettings
    hidden: list[tuple[torch.Tensor, torch.Tensor]]
    dense: tuple[torch.Tensor, torch.Tensor]
    output: tuple[torch.Tensor, torch.Tensor]

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """Return the last maps, flat (N, n), of images x."""
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
    """Return the dense layer's units, normalised over the batch, in [0, 1]."""
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
    """Return the code's contrast of a batch and its reconstruction; noise (2, 5), of the two passes' constants."""

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


@dataclass(frozen=True)
class PublishedDraws(Draws):
    """The random numbers of a run, each a function of its role alone. epsilon: of the noise, None for none."""

    batch: int
    epsilon: float | None

    def laplace(self, role: str, sensitivity: float, shape: tuple[int, ...]) -> np.ndarray:
        """Noise for the mean of a batch."""
        scale = 0.0 if self.epsilon is None else sensitivity / (self.epsilon * self.batch)
        return self.generator(role).laplace(0.0, 1.0, shape) * scale

    def batches(self, role: str, samples: torch.Tensor) -> Sequence[torch.Tensor]:
        """Rows of the samples in a new order, batch by batch, on their device."""
        return torch.from_numpy(self.generator(role).permutation(len(samples))).to(samples.device).split(self.batch)


class PublishedTrainer:
    """The dense layer and the output in training; a step is an epoch."""

    epoch_steps = 1

    def __init__(
        self,
        settings: PublishedSettings,
        hidden: list[tuple[torch.Tensor, torch.Tensor]],
        features: torch.Tensor,
        labels: torch.Tensor,
        classes: int,
        draws: PublishedDraws,
    ) -> None:
        """features (N, n): of the images by the `hidden` layers, which stay as they are. labels (N,)."""
        self._features, self._labels, self._classes, self._draws = features, labels, classes, draws
        start, device = draws.generator("weights of the output"), features.device
        self._parts = [
            truncated(start, settings.units, features.shape[1]).to(device),
            torch.zeros(settings.units, device=device),
            truncated(start, classes, settings.units).to(device),
            torch.zeros(classes, device=device),
        ]
        for part in self._parts:
            part.requires_grad_()
        self._adam = torch.optim.Adam(self._parts, lr=settings.rate)
        weight, bias, output, shift = self._parts
        self.network = PublishedNetwork(settings, hidden, (weight, bias), (output, shift))
        self.step, self.steps = 0, settings.epochs

    def advance(self) -> None:
        """One epoch."""
        units, epoch = self.network.settings.units, self.step + 1
        sensitivity = published_output(units, self._classes)
        for step, rows in enumerate(self._draws.batches(f"order of epoch {epoch}", self._labels)):
            noise = self._draws.laplace(f"noise of epoch {epoch}, step {step}", sensitivity, (units,))
            noisy = dense_units(self._features[rows], self.network.dense) + torch.from_numpy(noise).float().to(
                rows.device
            )
            self._adam.zero_grad()
            one_hot = F.one_hot(self._labels[rows], self._classes)
            output_cost(F.linear(noisy, *self.network.output), one_hot).backward()
            self._adam.step()
        self.step = epoch

    def state(self) -> State:
        """All that `restore` needs to go on from here."""
        parts = {f"part.{index}": part.detach() for index, part in enumerate(self._parts)}
        return {"step": self.step} | parts | optimizer_state(self._adam)

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned."""
        self.step = int(state["step"])
        with torch.no_grad():
            for index, value in under("part", state).items():
                self._parts[int(index)].copy_(torch.as_tensor(value))
        restore_optimizer(self._adam, state)


def train_published(
    settings: PublishedSettings,
    x: np.ndarray,
    y: np.ndarray,
    classes: int,
    epsilon: float | None,
    evaluate: Callable[[PublishedNetwork], float],
    context: Context,
) -> Trained:
    """Train a network as the public code does, with its curve as of `cdbn.train_cdbn`: **not** epsilon-DP.

    epsilon: of which the code computes its noise, None for none. The state is saved after pre-training and then at
    epochs' ends. Raises InputError for what is not allowed.
    """
    checked(x, y, classes, epsilon)
    images = torch.tensor(x, dtype=torch.float32, device=context.device)
    labels = torch.from_numpy(y.astype(np.int64)).to(context.device)
    saved = context.saved()
    draws, hidden = PublishedDraws(context.seed, context.job, settings.batch, epsilon), []
    for layer, filters in enumerate(settings.filters):
        if saved:
            weight, bias = (torch.tensor(saved[f"hidden.{layer}.{part}"], device=context.device) for part in (0, 1))
            hidden.append((weight, bias))
        else:
            hidden.append(_pretrained(images, settings, layer, filters, draws))
        images = torch.cat([maps(batch, hidden[-1:], settings.size) for batch in images.split(BATCH)])
    trainer = PublishedTrainer(settings, hidden, images.flatten(1), labels, classes, draws)

    @torch.no_grad()
    def accuracy() -> dict[str, torch.Tensor]:
        return {"accuracy": torch.tensor([evaluate(trainer.network)], dtype=torch.float64)}

    measured = Measured(trainer, accuracy)
    more = {f"hidden.{layer}.{part}": pair[part] for layer, pair in enumerate(hidden) for part in (0, 1)}
    if not saved:
        context.save(more | measured.state())
    run_to_end(measured, context, saved, more)
    return Trained(trainer.network, measured.curves["accuracy"][0])


def _pretrained(
    images: torch.Tensor,
    settings: PublishedSettings,
    layer: int,
    filters: int,
    draws: PublishedDraws,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight and bias of a hidden layer."""
    width = images.shape[1] * settings.size**2
    weight = truncated(draws.generator(f"weights of layer {layer}"), filters, width).to(images.device).requires_grad_()
    bias = torch.zeros(filters, device=images.device, requires_grad=True)
    adam = torch.optim.Adam([weight, bias], lr=settings.pretraining_rate)
    for epoch in range(settings.pretraining_epochs):
        for step, rows in enumerate(draws.batches(f"order of layer {layer}, epoch {epoch}", images)):
            batch = images[rows]
            role = f"noise of layer {layer}, epoch {epoch}, step {step}"
            noise = draws.laplace(role, published_hidden(batch, settings.size), (2, len(PUBLISHED_CHEBYSHEV)))
            adam.zero_grad()
            pretraining_cost(batch, weight, bias, settings.size, noise).backward()
            adam.step()
    return weight.detach(), bias.detach()


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

"""A private convolutional deep belief network, after Phan, Wu and Dou 2017 ("pCDBN", "DP-CDBN"), by releases alone.

Hidden layer after hidden layer, then the output: `release` gives the coefficients of the layer's polynomial objective,
with Laplace noise; the functions here named `fit_` train on these and see no data. From the paper: the order, filters
with a stride of 2, an energy-based objective of the hidden layers and the logistic units' cross-entropy of the output,
both as polynomials, the functional mechanism. Ours, because the paper's leaves no release to train on: the degree (2),
the objective below, whose part without data is exact, filters kept orthogonal, units scaled by released moments in the
place of batch normalisation, features averaged over a grid in the place of a dense layer that would need releases of
its own, clipping, and the split of epsilon.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from lib.core.errors import InputError
from lib.dp_mac.cdbn_release import BATCH, Moments, OutputCoefficients, release_hidden, release_output
from lib.dp_mac.cdbn_sensitivity import patches, with_one
from lib.dp_mac.cdbn_settings import CdbnSettings
from lib.dp_mac.chebyshev import softplus
from lib.training.context import Context

FLOOR = 1e-4  # least variance that a unit is scaled by


@dataclass(frozen=True)
class Cdbn:
    """A network: hidden, a tensor (filters, 1 + inputs) a layer, constant first; output (classes, 1 + features)."""

    settings: CdbnSettings
    hidden: list[torch.Tensor]
    output: torch.Tensor | None = None

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """Return the inputs of the output layer for images.

        x (N, channels, side, side) in [0, 1]; returned (N, features) in [0, 1].
        """
        return torch.cat([self._features(batch) for batch in x.split(BATCH)])

    def _features(self, x: torch.Tensor) -> torch.Tensor:
        for weight, size in zip(self.hidden, self.settings.sizes, strict=True):
            x = hidden_units(x, weight, size, self.settings.stride)
        return F.adaptive_avg_pool2d(x, self.settings.grid).flatten(1)

    def scores(self, features: torch.Tensor) -> torch.Tensor:
        """One number a class, (N, classes), of features (N, features); the largest is the prediction."""
        assert self.output is not None
        return with_one(features).double() @ self.output.T


Evaluate = Callable[[Cdbn], float]


def hidden_units(x: torch.Tensor, weight: torch.Tensor, size: int, stride: int) -> torch.Tensor:
    """Return a layer's maps (N, filters, side, side), in [0, 1], of its input x (N, channels, side, side)."""
    weight, side = weight.float(), -(-x.shape[-1] // stride)
    units = torch.sigmoid(patches(x, size, stride) @ weight[:, 1:].T + weight[:, 0])
    return units.transpose(1, 2).unflatten(2, (side, side))


def normalised(moments: Moments) -> torch.Tensor:
    """Divide released moments by their released count, and set eigenvalues below 0 to 0 (Zhang et al. 2012, 6.2)."""
    values, vectors = torch.linalg.eigh(moments.matrix / moments.matrix[0, 0].clamp(min=1.0))
    return (vectors * values.clamp(min=0)) @ vectors.T


def hidden_objective(
    moments: torch.Tensor, weight: torch.Tensor, visible: torch.Tensor, quadratic: np.ndarray
) -> torch.Tensor:
    """Mean negative log-likelihood of patches under a restricted Boltzmann machine, its data term a polynomial.

    moments: (1 + n, 1 + n), `normalised`. weight (K, 1 + n): the hidden units' biases, then their filters; visible
    (n,): the visible units' biases c. With free energy -c p - sum_k ln(1 + e^{x_k}), x_k = weight_k q, it is the free
    energy's mean plus ln Z. The former is a polynomial in the weights by `quadratic`, (3,), for ln(1 + e^x), and
    depends on the data by the moments only; ln Z depends on no data, and is summed over all 2^K hidden states.
    """
    count = len(weight)
    states = (torch.arange(2**count, device=weight.device)[:, None] >> torch.arange(count, device=weight.device)) & 1
    states = states.double()
    log_z = torch.logsumexp(states @ weight[:, 0] + F.softplus(visible + states @ weight[:, 1:]).sum(1), 0)
    linear, square = weight @ moments[0], ((weight @ moments) * weight).sum(1)
    return log_z - visible @ moments[0, 1:] - (quadratic[0] + quadratic[1] * linear + quadratic[2] * square).sum()


def projected(weight: torch.Tensor, radius: float) -> torch.Tensor:
    """Return filters made orthogonal and equally long (the nearest such), and no row above radius / sqrt(1 + n).

    Then |weight_k q| <= radius for every patch, as |q|_2 <= sqrt(1 + n): the polynomial is within its interval. A
    polynomial of degree 2 cannot tell filters apart; without orthogonality all become the leading eigenvector.
    """
    left, lengths, right = torch.linalg.svd(weight[:, 1:], full_matrices=False)
    weight = torch.cat([weight[:, :1], left @ right * lengths.mean()], dim=1)
    return weight * (radius / math.sqrt(weight.shape[1]) / weight.norm(dim=1).max()).clamp(max=1.0)


def fit_hidden(
    moments: Moments, filters: int, settings: CdbnSettings, rng: np.random.Generator
) -> tuple[torch.Tensor, np.ndarray]:
    """Weights (filters, 1 + n) trained on released moments, and the objective before each step and at the end.

    The gain and threshold, and mean and variance of a unit's input, from the moments, are already in the weights.
    """
    mean = normalised(moments)
    n, device = len(mean) - 1, mean.device
    quadratic = softplus(settings.radius).coefficients
    weight = torch.from_numpy(0.1 * rng.standard_normal((filters, 1 + n))).to(device).requires_grad_()
    visible = torch.zeros(n, dtype=torch.float64, device=device, requires_grad=True)
    adam = torch.optim.Adam([weight, visible], lr=settings.hidden_rate)
    curve = []
    for _ in range(settings.hidden_steps):
        with torch.no_grad():
            weight.copy_(projected(weight, settings.radius))
        adam.zero_grad()
        objective = hidden_objective(mean, weight, visible, quadratic)
        objective.backward()
        curve.append(objective.item())
        adam.step()
    weight = projected(weight.detach(), settings.radius)
    curve.append(hidden_objective(mean, weight, visible.detach(), quadratic).item())
    centre = weight @ mean[0]
    deviation = (((weight @ mean) * weight).sum(1) - centre**2).clamp(min=FLOOR).sqrt()
    scaled = settings.gain * weight / deviation[:, None]
    scaled[:, 0] -= settings.gain * centre / deviation + settings.threshold
    return scaled, np.array(curve)


def output_objective(released: OutputCoefficients, settings: CdbnSettings) -> tuple[torch.Tensor, torch.Tensor]:
    """b (classes, m) and A (m, m) of the output's objective, sum_c w_c A w_c - b_c w_c, from released coefficients.

    Cross-entropy of logistic units, sum over records of ln(1 + e^{w_c q}) - y_c w_c q, with the Chebyshev polynomial in
    it, over the released count: A is a_2 times the moments, with eigenvalues raised to 0 and then by `ridge` times what
    the noise has at most, about 2 sqrt(m) its deviation sqrt(2) scale; b_c = class sums less 1/2 of all sums.
    """
    quadratic = softplus(settings.radius).coefficients
    matrix, scale = released.quadratic.matrix, released.quadratic.scale
    count = released.linear[:, 0].sum().clamp(min=1.0)
    values, vectors = torch.linalg.eigh(matrix)
    raised = values.clamp(min=0) + max(settings.ridge * 2 * math.sqrt(2 * len(matrix)) * scale, FLOOR * count.item())
    linear = released.linear - quadratic[1] * released.linear.sum(0)
    return linear / count, quadratic[2] * (vectors * raised) @ vectors.T / count


def fit_output(
    released: OutputCoefficients, settings: CdbnSettings, note: Callable[[int, torch.Tensor], None]
) -> tuple[torch.Tensor, np.ndarray]:
    """Weights (classes, m) trained on released coefficients, and the objective after each epoch.

    Calls note(epoch, weights) before training (epoch 0) and after each epoch.
    """
    linear, matrix = output_objective(released, settings)
    weight = torch.zeros_like(linear).requires_grad_()
    adam = torch.optim.Adam([weight], lr=settings.output_rate)
    curve = []
    note(0, weight.detach())
    for epoch in range(1, settings.epochs + 1):
        for _ in range(settings.epoch_steps):
            weight.grad = 2 * weight.detach() @ matrix - linear
            adam.step()
        found = weight.detach()
        curve.append(((found @ matrix) * found - linear * found).sum().item())
        note(epoch, found)
    return weight.detach(), np.array(curve)


@dataclass(frozen=True)
class Trained:
    """A network, `Cdbn` or `PublishedNetwork`, and what `evaluate` gave before training and after each epoch."""

    network: Any
    curve: np.ndarray

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the network's tensors, by the names of the fields and the places that hold them."""
        arrays: dict[str, np.ndarray] = {}
        for field in fields(self.network):
            arrays |= _arrays(field.name, getattr(self.network, field.name))
        return arrays


def _arrays(name: str, part: object) -> dict[str, np.ndarray]:
    if isinstance(part, torch.Tensor):
        return {name: part.detach().cpu().numpy()}
    inner = enumerate(part) if isinstance(part, list | tuple) else ()
    return {key: array for place, each in inner for key, array in _arrays(f"{name}.{place}", each).items()}


def checked(x: np.ndarray, y: np.ndarray, classes: int, epsilon: float | None) -> None:
    """InputError for images, labels or an epsilon that do not fit."""
    if x.ndim != 4 or x.shape[2] != x.shape[3] or not len(x):
        raise InputError(f"images {x.shape}: allowed are (N, channels, side, side), one or more")
    if not (x.min() >= 0 and x.max() <= 1):
        raise InputError("images: all pixels must lie in [0, 1]")
    if y.shape != (len(x),) or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= classes:
        raise InputError(f"labels {y.shape}: {len(x)} whole numbers from 0 to {classes - 1}")
    if epsilon is not None and not (math.isfinite(epsilon) and epsilon > 0):
        raise InputError(f"epsilon {epsilon}: it must be positive and finite, or None")


def train_cdbn(
    settings: CdbnSettings,
    x: np.ndarray,
    y: np.ndarray,
    classes: int,
    epsilon: float | None,
    evaluate: Evaluate,
    context: Context,
) -> Trained:
    """Train a network on images x (N, channels, side, side), in [0, 1], with labels y (N,) below `classes`, epsilon-DP.

    Add-or-remove-one, delta 0, whatever the number of epochs; epsilon None: not private. evaluate: from the network,
    what its curve holds, before training and after each epoch. The checkpoint keeps hidden layers; noise is keyed by
    the context's job and the layer, so that going on releases the same numbers. Progress counts hidden layers and
    epochs. Raises InputError for what is not allowed.
    """
    checked(x, y, classes, epsilon)
    spent = [epsilon and epsilon * share for share in settings.shares]
    images, layers = torch.tensor(x, dtype=torch.float32, device=context.device), len(settings.filters)
    total = layers + settings.epochs
    saved = context.saved()
    hidden = [torch.tensor(saved[str(done)], device=context.device) for done in range(len(saved))]
    for layer in range(layers):
        size, stride = settings.sizes[layer], settings.stride
        if layer == len(hidden):
            draw = context.generator(f"noise of layer {layer}")
            moments = release_hidden(images, size, stride, settings.clips[layer], spent[layer], draw)
            start = context.generator(f"weights of layer {layer}")
            hidden.append(fit_hidden(moments, settings.filters[layer], settings, start)[0])
            context.save({str(done): weight for done, weight in enumerate(hidden)})
        images = torch.cat([hidden_units(batch, hidden[layer], size, stride) for batch in images.split(BATCH)])
        context.progress(layer + 1, total)
    features = F.adaptive_avg_pool2d(images, settings.grid).flatten(1)
    labels = torch.from_numpy(y.astype(np.int64)).to(context.device)
    draw = context.generator("noise of the output")
    released = release_output(features, labels, classes, settings.clips[-1], (spent[-2], spent[-1]), draw)
    curve = []

    def note(epoch: int, weight: torch.Tensor) -> None:
        curve.append(evaluate(Cdbn(settings, hidden, weight)))
        if epoch:
            context.progress(layers + epoch, total)

    weight, _ = fit_output(released, settings, note)
    return Trained(Cdbn(settings, hidden, weight), np.array(curve))


def accuracy(x: np.ndarray, y: np.ndarray, device: torch.device) -> Evaluate:
    """Return an `evaluate`: accuracy on x, y (as in `train_cdbn`); the features are computed once a network."""
    images, labels = torch.tensor(x, dtype=torch.float32, device=device), torch.from_numpy(y).to(device)
    kept: dict[str, Any] = {}

    def evaluate(network: Cdbn) -> float:
        if kept.get("hidden") is not network.hidden:
            kept.update(hidden=network.hidden, features=network.features(images))
        return (network.scores(kept["features"]).argmax(1) == labels).double().mean().item()

    return evaluate


def guarantee(epsilon: float, delta: float, replace_one: bool = False) -> dict[str, Any]:
    """State what `train_cdbn` with this epsilon guarantees, as keywords of `PrivacyStatement.data_independent`.

    The Laplace noise's delta is 0, so any delta may be stated.
    """
    return {
        "epsilon": 2 * epsilon if replace_one else epsilon,
        "delta": delta,
        "accountant": "sum of pure epsilons",
        "conversion": "none",
        "neighbouring": "replace_one" if replace_one else "add_or_remove_one",
        "proved_bound": True,
    }

"""The networks of all methods that train by gradients: plain, by DP-SGD, and students on released labels."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import torch
from torch import nn

from lib.core.errors import InputError
from lib.leaderboard.method_settings import NetworkSettings
from lib.models.chain import Chain
from lib.models.mlp import StackedMLP
from lib.models.resnet8 import ResNet8
from lib.training.clipping import Clipping, ghost_clipping, per_sample_clipping
from lib.training.context import Context
from lib.training.dp_sgd import SgdTrainer
from lib.training.epochs import run_to_end
from lib.training.sgd_recipe import SgdRecipe

Predict = Callable[[np.ndarray], np.ndarray]  # from raw records (m, ...) to probabilities (m, classes) float64

ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh}


class Network(Protocol):
    """A network for records of one shape with pixels from 0 to a number that is public."""

    chunk: ClassVar[int]  # records that it predicts at a time

    @property
    def classes(self) -> int:
        """Return how many."""

    def rows(self, x: np.ndarray) -> np.ndarray:
        """Return records (m, ...) as what the module is given, float32 in [0, 1]."""

    def module(self, rng: np.random.Generator) -> nn.Module:
        """Return the network with first weights drawn from `rng`; it gives logits (m, classes)."""

    def clipping(self, module: nn.Module, clip: float) -> Clipping:
        """Return the clipping of such a module's gradients."""


@dataclass(frozen=True)
class Mlp:
    """A network of hidden layers for records of `shape` with pixels from 0 to `largest`, which is public."""

    shape: tuple[int, ...]
    largest: float
    hidden: tuple[int, ...]
    classes: int
    activation: str = "relu"
    chunk: ClassVar[int] = sys.maxsize

    @property
    def features(self) -> int:
        """Numbers of a record."""
        return int(np.prod(self.shape))

    def rows(self, x: np.ndarray) -> np.ndarray:
        """See `Network.rows`: (m, features)."""
        return x.reshape(len(x), self.features).astype(np.float32) / np.float32(self.largest)

    def module(self, rng: np.random.Generator) -> Chain:
        """See `Network.module`."""
        drawn = StackedMLP(self.features, self.hidden, self.classes).initial(rng)
        layers = range(len(self.hidden) + 1)
        chain = Chain((self.features, *self.hidden, self.classes), ACTIVATIONS[self.activation], bias=True)
        chain.load([torch.from_numpy(np.concatenate([drawn[f"weight{k}"], drawn[f"bias{k}"]])) for k in layers])
        return chain

    def clipping(self, module: nn.Module, clip: float) -> Clipping:
        """See `Network.clipping`."""
        return ghost_clipping(module, clip)


@dataclass(frozen=True)
class ResNet8OfGroups:
    """ResNet8 with group normalisation, which DP-SGD can train, for images (height, width[, channels]).

    widths: of its three stages. Raises InputError for other records, and widths or groups that do not fit.
    """

    shape: tuple[int, ...]
    largest: float
    widths: tuple[int, ...]
    classes: int
    groups: int = 8
    chunk: ClassVar[int] = 1000

    def __post_init__(self) -> None:
        """Check the records and the widths."""
        if len(self.shape) not in (2, 3):
            raise InputError(f"widths {list(self.widths)} of records of shape {self.shape}: allowed are images")
        try:
            self.module(np.random.default_rng(0))
        except ValueError as error:
            raise InputError(str(error)) from error

    @property
    def channels(self) -> int:
        """Of an image."""
        return self.shape[2] if len(self.shape) == 3 else 1

    def rows(self, x: np.ndarray) -> np.ndarray:
        """See `Network.rows`: (m, channels, height, width)."""
        images = x.reshape(len(x), *self.shape[:2], self.channels)
        return np.ascontiguousarray(np.moveaxis(images, 3, 1), np.float32) / np.float32(self.largest)

    def module(self, rng: np.random.Generator) -> ResNet8:
        """See `Network.module`."""
        return ResNet8(self.channels, self.classes, rng, self.widths, norm="group", groups=self.groups)

    def clipping(self, module: nn.Module, clip: float) -> Clipping:
        """See `Network.clipping`."""
        return per_sample_clipping(module, clip)


def network_of(settings: Mapping, shape: tuple[int, ...], largest: float, classes: int) -> Network:
    """Return the network of a block's `NetworkSettings`, whose errors are raised."""
    own = NetworkSettings(**settings)
    if own.widths is None:
        return Mlp(shape, largest, tuple(own.hidden), classes, own.activation or "relu")
    return ResNet8OfGroups(shape, largest, tuple(own.widths), classes, own.groups)


def network_trainer(
    network: Network,
    x: np.ndarray,
    targets: np.ndarray,
    recipe: SgdRecipe,
    sigma: float,
    context: Context,
    start: Mapping | None = None,
) -> SgdTrainer:
    """Return the network in training on raw records x (m, ...) and targets (m, classes), by cross-entropy.

    sigma: noise multiplier of DP-SGD, 0 for none. start: first weights, as the module's `state_dict`; without it they
    are keyed as batches and noise are. Raises InputError as `SgdTrainer`.
    """

    def loss(logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return -(wanted * logits.log_softmax(1)).sum(1)

    module = network.module(context.generator("weights")).to(context.device)
    if start is not None:
        module.load_state_dict(start)
    arrays = network.rows(x), targets.astype(np.float32)
    rows, wanted = (torch.tensor(array, device=context.device) for array in arrays)
    return SgdTrainer(module, loss, network.clipping, rows, wanted, recipe, sigma, context.of("training"))


def train_network(
    network: Network,
    x: np.ndarray,
    targets: np.ndarray,
    recipe: SgdRecipe,
    sigma: float,
    context: Context,
    start: Mapping | None = None,
) -> Predict:
    """Train as `network_trainer` says; returns what predicts with the trained network."""
    trainer = network_trainer(network, x, targets, recipe, sigma, context, start)
    run_to_end(trainer, context)
    # a network of its own: clipping hooks into the one that was trained
    trained = network.module(np.random.default_rng(0)).to(context.device)
    trained.load_state_dict(trainer.module.state_dict())

    def predict(records: np.ndarray) -> np.ndarray:
        parts = [records[start : start + network.chunk] for start in range(0, max(len(records), 1), network.chunk)]
        with torch.no_grad():
            logits = [trained(torch.tensor(network.rows(part), device=context.device)) for part in parts]
        # in double precision confidences stay apart that would all be 1
        return torch.cat(logits).double().softmax(1).cpu().numpy()

    return predict


def one_hot(y: np.ndarray, classes: int) -> np.ndarray:
    """Labels (m,) as targets (m, classes) float32."""
    return np.eye(classes, dtype=np.float32)[y]

"""One small network for all methods that train by gradients: plain, by DP-SGD, and students on released labels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.dp_sgd.clipping import ghost_clipping
from lib.dp_sgd.recipe import SgdRecipe
from lib.dp_sgd.training import SgdTrainer
from lib.models.chain import Chain
from lib.models.mlp import StackedMLP
from lib.training.epochs import run_to_end

Predict = Callable[[np.ndarray], np.ndarray]  # from raw records (m, ...) to probabilities (m, classes) float64

ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh}


@dataclass(frozen=True)
class Mlp:
    """A network for records of `shape` with pixels from 0 to `largest`, which is public: hidden layers and activation.

    Raises InputError for an activation that is none.
    """

    shape: tuple[int, ...]
    largest: float
    hidden: tuple[int, ...]
    classes: int
    activation: str = "relu"

    def __post_init__(self) -> None:
        """Check names and numbers."""
        if self.activation not in ACTIVATIONS:
            raise InputError(f"activation {self.activation!r}: allowed are {', '.join(ACTIVATIONS)}")
        if not self.largest > 0 or any(width < 1 for width in self.hidden) or self.classes < 2:
            raise InputError(
                f"largest {self.largest}, hidden {list(self.hidden)}, classes {self.classes}: allowed are positive "
                "numbers, of classes at least 2"
            )

    @property
    def features(self) -> int:
        """Numbers of a record."""
        return int(np.prod(self.shape))

    def rows(self, x: np.ndarray) -> np.ndarray:
        """Records (m, ...) as rows (m, features) float32 in [0, 1]."""
        return x.reshape(len(x), self.features).astype(np.float32) / np.float32(self.largest)

    def chain(self, rng: np.random.Generator, device: torch.device) -> Chain:
        """The network with first weights drawn from `rng`."""
        drawn = StackedMLP(self.features, self.hidden, self.classes).initial(rng)
        layers = range(len(self.hidden) + 1)
        chain = Chain((self.features, *self.hidden, self.classes), ACTIVATIONS[self.activation], bias=True)
        chain.load([torch.from_numpy(np.concatenate([drawn[f"weight{k}"], drawn[f"bias{k}"]])) for k in layers])
        return chain.to(device)

    def one_hot(self, y: np.ndarray) -> np.ndarray:
        """Labels (m,) as targets (m, classes) float32."""
        return np.eye(self.classes, dtype=np.float32)[y]


def mlp_of(settings: Mapping, shape: tuple[int, ...], largest: float, classes: int) -> Mlp:
    """The network of a block with `hidden`, and `activation` where it is not relu."""
    return Mlp(shape, largest, tuple(settings["hidden"]), classes, settings.get("activation", "relu"))


def mlp_trainer(
    mlp: Mlp,
    x: np.ndarray,
    targets: np.ndarray,
    recipe: SgdRecipe,
    sigma: float,
    seed: int,
    job: tuple[str, ...],
    device: torch.device,
) -> SgdTrainer:
    """The network in training on raw records x (m, ...) and targets (m, classes), by cross-entropy.

    sigma: noise multiplier of DP-SGD, 0 for none. First weights, batches and noise are keyed by (seed, job). Raises
    InputError as `SgdTrainer`.
    """

    def loss(logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return -(wanted * logits.log_softmax(1)).sum(1)

    module = mlp.chain(generator(seed, *job, "weights"), device)
    rows, wanted = (torch.tensor(array, device=device) for array in (mlp.rows(x), targets.astype(np.float32)))
    return SgdTrainer(module, loss, ghost_clipping, rows, wanted, recipe, sigma, seed, job, "training")


def train_mlp(
    mlp: Mlp,
    x: np.ndarray,
    targets: np.ndarray,
    recipe: SgdRecipe,
    sigma: float,
    seed: int,
    job: tuple[str, ...],
    device: torch.device,
) -> Predict:
    """Train as `mlp_trainer` says; returns what predicts with the trained network."""
    trainer = mlp_trainer(mlp, x, targets, recipe, sigma, seed, job, device)
    run_to_end(trainer, None, lambda done, total: None)
    # a network of its own: clipping hooks into the one that was trained
    chain = mlp.chain(np.random.default_rng(0), device)
    chain.load(trainer.module.weights())

    def predict(records: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            logits = chain(torch.tensor(mlp.rows(records), device=device))
        # in double precision confidences stay apart that would all be 1
        return logits.double().softmax(1).cpu().numpy()

    return predict

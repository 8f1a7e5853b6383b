"""A small network by gradients: without privacy, by DP-SGD, and the two controls that attacks are checked on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lib.core.errors import InputError
from lib.leaderboard.calibration import Budget, Calibrated, sampled_noise
from lib.leaderboard.method import CalibratedMethod, Given, checked_records
from lib.leaderboard.network import Network, Predict, network_trainer, one_hot, train_network
from lib.training.epochs import run_to_end
from lib.training.sgd_recipe import SgdRecipe, account


@dataclass(frozen=True)
class Plain:
    """Plain backpropagation on the private records: no guarantee."""

    network: Network
    recipe: SgdRecipe
    samples: int
    teachers: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Raise InputError for a clip, which plain backpropagation has not."""
        if self.recipe.clip is not None:
            raise InputError(f"clip {self.recipe.clip}: allowed is none, without noise it gives no privacy")

    def cost(self) -> dict[str, Any]:
        """Nothing is promised."""
        return {}

    def parameters(self) -> dict[str, float]:
        """None."""
        return {}

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`."""
        checked_records(given, self.samples)
        return trained(self, given.x, given.y, 0.0, given)


class Memorised(Plain):
    """Positive control: the plain network, which also knows its own training records and is certain of their labels."""

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`."""
        plain = super().fit(given)
        known = {record.tobytes(): label for record, label in zip(given.x, given.y, strict=True)}

        def predict(records: np.ndarray) -> np.ndarray:
            found = plain(records)
            for row, record in enumerate(records):
                label = known.get(record.tobytes())
                if label is not None:
                    found[row] = np.eye(self.network.classes)[label]
            return found

        return predict


@dataclass(frozen=True)
class Untouched(Plain):
    """Negative control: the plain network trained on the public pool with its labels; it sees no private record.

    queries: so many of the pool's first records only, which is what a student has of PATE; None for all.
    """

    queries: int | None = None

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`; private records and votes are not used, and the public labels are."""
        public = given.public
        return trained(self, public.x[: self.queries], public.y[: self.queries], 0.0, given)


@dataclass(frozen=True)
class DpSgd(CalibratedMethod):
    """DP-SGD (Abadi et al. 2016) on Poisson samples, under replace-one; pixels are scaled by what is public.

    noise: its parameter `sigma` is the noise multiplier, in clips. warm: how the network is first trained on the pool
    and its labels, None for random first weights. Public labels hold no private record, so a warm start costs nothing:
    noise and epsilon are those of the steps on private records.
    """

    network: Network
    recipe: SgdRecipe
    samples: int
    noise: Calibrated
    warm: SgdRecipe | None = None
    teachers: int = field(default=0, init=False)

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`; of the public labels a warm start alone makes use."""
        checked_records(given, self.samples)
        return trained(self, given.x, given.y, self.noise.parameters["sigma"], given, self._start(given))

    def _start(self, given: Given) -> Mapping | None:
        """First weights from public data alone."""
        if self.warm is None:
            return None
        x, targets = given.public.x, one_hot(given.public.y, self.network.classes)
        context = given.context.of("warm start")
        trainer = network_trainer(self.network, x, targets, self.warm, 0.0, context)
        run_to_end(trainer, context)
        return trainer.module.state_dict()


def trained(
    method: Plain | DpSgd, x: np.ndarray, y: np.ndarray, sigma: float, given: Given, start: Mapping | None = None
) -> Predict:
    """Return the method's network, trained by its recipe on records x with labels y; draws and device as given.

    start: see `network_trainer`.
    """
    targets = one_hot(y, method.network.classes)
    return train_network(method.network, x, targets, method.recipe, sigma, given.context, start)


def dp_sgd(network: Network, recipe: SgdRecipe, samples: int, budget: Budget, warm: SgdRecipe | None = None) -> DpSgd:
    """DP-SGD with the noise that the budget asks for; InputError for a recipe without clip."""
    return DpSgd(network, recipe, samples, sampled_noise(account(samples, recipe, 1.0), budget), warm)


def dp_sgd_broken(network: Network, recipe: SgdRecipe, samples: int, warm: SgdRecipe | None = None) -> DpSgd:
    """Control of the audit's power: DP-SGD that clips and forgets the noise; it promises nothing.

    Raises InputError for a recipe without clip, which would be plain backpropagation.
    """
    if recipe.clip is None:
        raise InputError("clip None: DP-SGD without noise still clips")
    return DpSgd(network, recipe, samples, Calibrated({"sigma": 0.0}, {}), warm)

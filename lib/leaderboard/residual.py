"""Residual perturbation on the leaderboard: a stated gamma, the theorem's reading of it, and no guarantee."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lib.core.files import fingerprint
from lib.leaderboard.method import Given, checked_records
from lib.leaderboard.network import Predict
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.prediction import predicted_probabilities
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, train_residual


@dataclass(frozen=True, kw_only=True)
class Residual:
    """Strategy I or II (Tao et al.), as the network's form says, at noise gamma and pi (None: the paper's).

    residual_bound, input_bound: G and R of Theorem 1; in Strategy II B of Theorem 2, and a, the output's. draws: of
    noise, over which a prediction is the mean.
    """

    network: PerturbedResNet8
    recipe: ResidualRecipe
    samples: int
    largest: float
    delta: float
    gamma: float
    pi: float | None
    residual_bound: float
    input_bound: float
    draws: int = 1
    teachers: int = field(default=0, init=False)

    def cost(self) -> dict[str, Any]:
        """Return the number of the paper's theorem, and what it is about; it gives no guarantee.

        It follows from gamma and pi, whatever the target. Strategy II: of one prediction, which does not compose.
        """
        noise = self.parameters()
        if not (noise["gamma"] > 0 and noise["pi"] > 0):
            return {}
        if self.network.form.strategy == "additive":
            own = {"input_bound": self.input_bound, "uses": self.recipe.epochs}
            return noise | own | {"theorem": 1, "residual_bound": self.residual_bound, "delta": self.delta}
        if not self.network.form.floor:
            return {}
        own = {"floor": self.network.form.floor, "output_bound": self.input_bound, "mappings": len(self.network.widths)}
        return noise | own | {"theorem": 2, "residual_bound": self.residual_bound, "delta": self.delta}

    def parameters(self) -> dict[str, float]:
        """`gamma` and `pi`, standard deviations."""
        return {"gamma": self.gamma, "pi": self.network.form.pi(self.gamma) if self.pi is None else self.pi}

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`; records are images (height, width[, channels]) uint8."""
        checked_records(given, self.samples)
        replica = Replica("training", np.arange(self.samples), self.gamma, self.pi)
        trained = train_residual(self.network, given.x, given.y, [replica], self.recipe, given.context, self.largest)

        def predict(records: np.ndarray) -> np.ndarray:
            # a set of images has noise of its own; the same set, the same
            own = given.context.of("prediction", fingerprint(x=records))
            return predicted_probabilities(self.network, trained, records, own, self.draws)[0]

        return predict

"""How a module is trained by gradients, by DP-SGD or plainly, and what that costs; `training` does it."""

import math
from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Ge, Lt

from lib.core.errors import InputError
from lib.core.keywords import WHOLE, Count, Positive
from pate_accountant.training_run import TrainingRun


@dataclass(frozen=True, kw_only=True)
class SgdRecipe:
    """How a network is trained by gradients. An epoch has ceil(samples / batch) batches.

    With `last_rate` the rate falls along a line, from `rate` in the first epoch to `last_rate` after `decay_epochs`,
    and stays there. Raises InputError for what does not fit together.
    """

    batch: Annotated[float, Ge(1), WHOLE, "Expected size of a Poisson batch."]
    epochs: Annotated[Count, "Passes over the data."]
    rate: Annotated[Positive, "Learning rate."]
    optimizer: Annotated[Literal["sgd", "adam"], "Of the weights."] = "sgd"
    momentum: Annotated[float, Ge(0), Lt(1), "Of sgd."] = 0.0
    decay: Annotated[Positive, "Factor of the rate after every decay_every epochs."] = 1.0
    decay_every: Annotated[Count, "Epochs."] = 1
    decay_epochs: Annotated[Count | None, "Epochs after which it no longer falls; null: it always does."] = None
    last_rate: Annotated[Positive | None, "Learning rate after decay_epochs; decay is 1 then."] = None
    clip: Annotated[Positive | None, "Largest norm of a sample's gradient; null: plain backpropagation."] = None

    def __post_init__(self) -> None:
        """Check what goes with the optimizer, and with a last rate; and the clip, on which every epsilon hangs."""
        if self.clip is not None and not (math.isfinite(self.clip) and self.clip > 0):
            raise InputError(f"clip {self.clip}: it must be positive and finite")
        if self.momentum and self.optimizer != "sgd":
            raise InputError(f"momentum = {self.momentum}: allowed is 0 with {self.optimizer}")
        if self.last_rate is not None and (self.decay_epochs is None or self.decay != 1):
            raise InputError(f"last_rate = {self.last_rate}: the line needs decay_epochs, and a decay of 1")

    def rate_at(self, epoch: int) -> float:
        """Learning rate in an epoch, counted from 0."""
        if self.last_rate is not None and self.decay_epochs is not None:
            return self.rate + (self.last_rate - self.rate) * min(epoch / self.decay_epochs, 1)
        return self.rate * self.decay ** (min(epoch, (self.decay_epochs or math.inf) - 1) // self.decay_every)


@dataclass(frozen=True, kw_only=True)
class ClippedRecipe(SgdRecipe):
    """How a network is trained by DP-SGD."""

    clip: Annotated[Positive, "Largest norm of a sample's gradient."] = field()  # of no default, unlike SgdRecipe's


def account(samples: int, recipe: SgdRecipe, sigma: float) -> TrainingRun:
    """Return what the accountant must charge for one run of an `SgdTrainer` with noise of `sigma`.

    A step's release, the clipped sum over C, is a vector that one record moves by at most 1, with noise of sigma on
    each number, on a Poisson sample of rate B / N; what the optimizer makes of it is post-processing. That a gradient
    has many layers does not matter, since they are clipped jointly. Raises InputError where there is no epsilon:
    sigma 0 and no clip.
    """
    if recipe.clip is None:
        raise InputError("clip None: without one there is no epsilon")
    return TrainingRun(samples=samples, batch=recipe.batch, epochs=recipe.epochs, sigma=sigma)

"""How a module is trained by gradients, by DP-SGD or plainly, and what that costs; `training` does it."""

import math
from dataclasses import dataclass

from lib.accounting.training_run import TrainingRun
from lib.core.errors import InputError

OPTIMIZERS = ("sgd", "adam")


@dataclass(frozen=True, kw_only=True)
class SgdRecipe:
    """How a network is trained by gradients.

    batch: expected size of a Poisson batch. epochs: of ceil(samples / batch) batches each. optimizer: `sgd` (with
    `momentum`) or `adam`, at the learning rate `rate`, multiplied by `decay` after every `decay_every` epochs, and no
    more after the first `decay_epochs` (None: always). With `last_rate` the rate falls along a line instead, from
    `rate` in the first epoch to `last_rate` after `decay_epochs`, and stays there. clip: C, the largest norm of a
    sample's gradient over all layers; None: plain backpropagation. Raises InputError for what is not allowed.
    """

    batch: float
    epochs: int
    rate: float
    optimizer: str = "sgd"
    momentum: float = 0.0
    decay: float = 1.0
    decay_every: int = 1
    decay_epochs: int | None = None
    last_rate: float | None = None
    clip: float | None = None

    def __post_init__(self) -> None:
        """Check numbers and names."""
        if self.optimizer not in OPTIMIZERS:
            raise InputError(f"optimizer {self.optimizer!r}: allowed are {', '.join(OPTIMIZERS)}")
        if not 0 <= self.momentum < 1 or (self.momentum and self.optimizer != "sgd"):
            raise InputError(f"momentum {self.momentum} of {self.optimizer}: allowed is from 0 to below 1, for sgd")
        for what, least in (("epochs", 0), ("decay_every", 1), ("decay_epochs", 1)):
            if getattr(self, what) is not None and getattr(self, what) < least:
                raise InputError(f"{what} {getattr(self, what)}: it must be at least {least}")
        if self.last_rate is not None and (self.decay_epochs is None or self.decay != 1):
            raise InputError(f"last_rate {self.last_rate}: the line needs decay_epochs, and a decay of 1")
        for what in ("batch", "rate", "decay", "clip", "last_rate"):
            value = getattr(self, what)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(f"{what} {value}: it must be positive and finite")

    def rate_at(self, epoch: int) -> float:
        """Learning rate in an epoch, counted from 0."""
        if self.last_rate is not None:
            return self.rate + (self.last_rate - self.rate) * min(epoch / self.decay_epochs, 1)
        return self.rate * self.decay ** (min(epoch, (self.decay_epochs or math.inf) - 1) // self.decay_every)


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

"""How teachers that are networks are trained."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from lib.core.keywords import Count, Counts, Positive, Share


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How every teacher is trained, on mini-batches drawn with replacement from its part.

    The average predicts in place of the weights. Its decay after t steps is min(average, (1 + t) / (10 + t))
    (TensorFlow's `num_updates`), or else the first weights would dominate a short training.
    """

    steps: Annotated[Count, "Mini-batches."]
    batch: Annotated[Count, "Samples a mini-batch."]
    rate: Annotated[Positive, "Learning rate."]
    optimizer: Annotated[Literal["sgd", "adam"], "How it descends."] = "sgd"
    momentum: Annotated[Share, "Of sgd."] = 0.0
    weight_decay: Annotated[float, Ge(0), "Of the weights that the network says; added to the gradient."] = 0.0
    drops: Annotated[Counts, "Steps from which on the rate is lower."] = ()
    drop: Annotated[float, Gt(0), Le(1), "Factor of each drop."] = 0.1
    average: Annotated[Share | None, "Decay of a moving average of the weights; null for none."] = None
    scaling: Annotated[Literal["centred", "whitened"], "Of the pixels."] = "centred"

    def rate_at(self, step: int) -> float:
        """Learning rate of a step, counted from 0."""
        return self.rate * self.drop ** sum(step >= start for start in self.drops)

    def averaging_at(self, done: int) -> float:
        """Decay of the moving average after `done` steps."""
        rising = (1 + done) / (10 + done)
        return rising if self.average is None else min(self.average, rising)

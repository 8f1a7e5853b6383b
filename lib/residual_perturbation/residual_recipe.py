"""How residual networks are trained and what noise they have: settings without PyTorch, which takes long to import."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge

from lib.core.errors import InputError
from lib.core.keywords import ABSENT, Count, NotNegative, Positive, TwoOrMore

Scale = Literal["standardised", "unit", "pixels"]


@dataclass(frozen=True, kw_only=True)
class ResidualRecipe:
    """How every replica is trained by SGD, in passes over its part in a new order each, whose last batch may be short.

    Epochs are counted from 0. A replica takes the statistics of its `scale` from its own part.
    """

    epochs: Annotated[Count, "Passes over the data."]
    batch: Annotated[TwoOrMore, "Images a step."]
    rate: Annotated[Positive, "Learning rate."]
    momentum: Annotated[NotNegative, "Of SGD."] = 0.9
    weight_decay: Annotated[NotNegative, "Of all parameters."] = 1e-4
    milestones: Annotated[tuple[Annotated[int, Ge(0)], ...], "Epochs from which on the rate is lower."] = ()
    drop: Annotated[Positive, "The rate's factor at each."] = 0.1
    scale: Annotated[Scale, "How pixels are seen; lib/residual_perturbation/pixels.py."] = "standardised"

    def rate_at(self, epoch: int) -> float:
        """Learning rate in an epoch, counted from 0."""
        return self.rate * self.drop ** sum(epoch >= start for start in self.milestones)


@dataclass(frozen=True)
class NoiseSettings:
    """How noise enters a network; lib/residual_perturbation/noise.py says what each is."""

    strategy: Annotated[Literal["additive", "multiplicative"], "Strategy I or II."] = "additive"
    scaling: Annotated[Literal["unscaled", "std"], "Of additive noise."] = "unscaled"
    start: Annotated[Literal["image", "stem"], "Of additive noise: where that of the input is."] = "image"
    floor: Annotated[NotNegative, "Eta of Theorem 2, for multiplicative noise."] = 0.0

    pi_share: Annotated[NotNegative, "Noise pi over gamma; by default 0.5 with additive noise, 0 else."] = ABSENT

    def __post_init__(self) -> None:
        """Check what is of one strategy alone."""
        for name, only, default in (
            ("scaling", "additive", "unscaled"),
            ("start", "additive", "image"),
            ("floor", "multiplicative", 0),
        ):
            if getattr(self, name) != default and self.strategy != only:
                raise InputError(f"{name} = {getattr(self, name)!r}: allowed is {default} with {self.strategy} noise")

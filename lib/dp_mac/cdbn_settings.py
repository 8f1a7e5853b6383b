"""The settings of a private deep belief network: as `cdbn` trains it, and as `published` does."""

import math
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt, Le, Len

from lib.core.errors import InputError
from lib.core.keywords import Count, Counts, Positive

MOST_FILTERS = 12  # the objective sums over all 2^filters states of the hidden units

Filters = Annotated[int, Ge(1), Le(MOST_FILTERS)]
Clip = Annotated[float, Gt(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class CdbnSettings:
    """The network, its training and how epsilon is spent. Raises InputError for what does not fit together.

    All are public constants, not to be tuned on private data; the defaults are known to suit MNIST, which no epsilon
    here counts. A unit gives sigmoid(gain z - threshold), z its input with mean 0 and variance 1. shares: for each
    hidden layer, then the output's linear and quadratic coefficients. ridge: at least `FLOOR`.
    """

    filters: Annotated[tuple[Filters, ...], Len(1), "Of each hidden layer; at most its size squared."] = (4, 4)
    sizes: Annotated[Counts, "Sides of the filters of each hidden layer."] = (5, 3)
    stride: Annotated[Count, "Of all filters."] = 2
    grid: Annotated[Count, "Side of the maps that the output layer sees, averages over squares."] = 7
    radius: Annotated[Positive, "Of the interval of the Chebyshev polynomials."] = 6.0
    gain: Annotated[Positive, "Of a unit."] = 2.0
    threshold: Annotated[float, "Of a unit."] = 2.0
    clips: Annotated[tuple[Clip, ...], "Of the hidden layers and the output; see `sensitivity`."] = (0.1, 0.1, 0.1)
    shares: Annotated[tuple[Positive, ...], "Of epsilon; 1 in sum."] = (0.1, 0.3, 0.3, 0.3)
    hidden_steps: Annotated[Count, "Of Adam on a hidden layer."] = 300
    hidden_rate: Annotated[Positive, "Their learning rate."] = 0.02
    epochs: Annotated[Count, "Of the output layer."] = 162
    epoch_steps: Annotated[Count, "Of Adam on the output layer in an epoch."] = 10
    output_rate: Annotated[Positive, "Their learning rate."] = 0.05
    ridge: Annotated[float, Ge(0), "Times the noise's size, on the diagonal of the output's objective."] = 0.1

    def __post_init__(self) -> None:
        """Check lengths, filters that must be orthogonal, and the numbers on which epsilon hangs."""
        layers = len(self.filters)
        for what, length in (("sizes", layers), ("clips", layers + 1), ("shares", layers + 2)):
            if len(given := getattr(self, what)) != length:
                raise InputError(f"{what} = {given}: allowed are {length} numbers, for {layers} hidden layers")
        if any(count > size**2 for count, size in zip(self.filters, self.sizes, strict=True)):
            raise InputError(f"filters = {self.filters}: orthogonal; allowed are at most the squares of {self.sizes}")
        if not (min(self.shares) > 0 and abs(math.fsum(self.shares) - 1) < 1e-9):
            raise InputError(f"shares = {self.shares}: allowed are positive numbers with the sum 1")
        if not all(0 < clip <= 1 for clip in self.clips):
            raise InputError(f"clips = {self.clips}: allowed are numbers above 0, at most 1")
        for what in ("radius", "gain", "hidden_rate", "output_rate"):
            if not (math.isfinite(getattr(self, what)) and getattr(self, what) > 0):
                raise InputError(f"{what} = {getattr(self, what)}: allowed is above 0 and finite")
        if not (math.isfinite(self.threshold) and math.isfinite(self.ridge) and self.ridge >= 0):
            raise InputError(f"threshold = {self.threshold}, ridge = {self.ridge}: finite, and the ridge at least 0")


@dataclass(frozen=True, kw_only=True)
class PublishedSettings:
    """The defaults of the public code's class, but for `pretraining_epochs`, 10 there, and `epochs`, 2400.

    Its script passes 32 and 64 filters and a rate of 2e-4. All filters have a stride of 2.
    """

    filters: Annotated[Counts, Len(1), "Of each hidden layer."] = (10, 10)
    size: Annotated[Count, "Side of all filters."] = 5
    units: Annotated[Count, "Of the dense layer."] = 25
    batch: Annotated[Count, "Images a step, drawn in a new order each epoch."] = 3600
    pretraining_epochs: Annotated[int, Ge(0), "Of each hidden layer."] = 1
    pretraining_rate: Annotated[Positive, "Learning rate of Adam on the hidden layers."] = 0.01
    epochs: Annotated[Count, "Of the output; 162 where the accuracies are quoted."] = 162
    rate: Annotated[Positive, "Learning rate of Adam on the output."] = 0.01

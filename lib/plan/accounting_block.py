"""The block accounting of the configuration, and grids of Renyi orders."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge

from lib.core.errors import InputError
from lib.core.keywords import Count, Positive, TwoOrMore

Order = Annotated[float, Ge(1.001)]  # rounding is divided by order - 1


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Grid of Renyi orders over which every conversion is minimised."""

    linear: Annotated[tuple[Order, Order, Positive], "first, last and step of an even grid."]
    logarithmic: Annotated[tuple[Order, Order, TwoOrMore], "first, last and number of a geometric grid."]

    def __post_init__(self) -> None:
        """Check that grids rise."""
        for name, (first, last, _) in (("linear", self.linear), ("logarithmic", self.logarithmic)):
            if not first < last:
                raise InputError(f"{name} = [{first}, {last}, ...]: allowed is first < last")


@dataclass(frozen=True, kw_only=True)
class Accounting:
    """How privacy costs are added up and converted."""

    orders: Orders
    moments: Annotated[Count, "Number of moments in the LNMax accounting of Papernot et al. (2017)."] = 8
    curve_points: Annotated[TwoOrMore, "Points of each curve of epsilon against queries."] = 200

"""Annotations of a setting beside its meaning, which is text, and the bounds of `annotated_types`: JSON Schema's own.

`lib/plan/blocks.py` reads them while planning; a job does not.
"""

from dataclasses import fields, is_dataclass, make_dataclass
from typing import Annotated, Any, get_type_hints

from annotated_types import Ge, Gt, Le, Len, Lt


class Keywords(dict):
    """Keywords of JSON Schema by name, hashable as `X | None` needs it."""

    __hash__ = object.__hash__  # type: ignore[assignment]


Count = Annotated[int, Ge(1)]
Counts = tuple[Count, ...]
Sides = tuple[Count, Count, Count]
TwoOrMore = Annotated[int, Ge(2)]
Positive = Annotated[float, Gt(0)]
NotNegative = Annotated[float, Ge(0)]
Share = Annotated[float, Ge(0), Le(1)]
BelowOne = Annotated[float, Ge(0), Lt(1)]
Delta = Annotated[float, Gt(0), Lt(1), "Probability with which epsilon may not hold."]
Printed = Annotated[tuple[tuple[Positive, Positive], ...], Len(1), "Pairs of the paper's epsilon and sigma for it."]
Name = Annotated[str, Keywords(pattern=r"^[a-z][a-z0-9_]*\Z")]
WHOLE = Keywords(type="integer")  # in the configuration; audits take a fraction
EACH_ONCE = Keywords(uniqueItems=True)
Positives = Annotated[tuple[Positive, ...], Len(1), EACH_ONCE]
AS_GIVEN = Keywords(as_given=True)  # defaults are those of the class, and are not written into the configuration
ABSENT: Any = None  # the default of a setting that may be left out, and then is in no configuration


def among(path: str) -> Keywords:
    """Text is a key of the catalogue, or an item of the list, at this path of the configuration."""
    return Keywords({"in": path})


def partly(kind: Any) -> type:
    """Return a class with the fields of a dataclass and of those in it, each of which may be left out.

    What is laid over another block has neither its `title` nor its `kind`.
    """
    hints = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind) if field.name not in ("title", "kind")]
    made = [(name, partly(hints[name]) if is_dataclass(hints[name]) else hints[name], ABSENT) for name in names]
    return make_dataclass(kind.__name__, made, frozen=True, kw_only=True, namespace={"__doc__": kind.__doc__})

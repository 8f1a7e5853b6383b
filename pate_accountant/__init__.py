"""Compute the privacy cost of PATE: its epsilon from votes, or before there are any.

Every name below is imported when it is used: most jobs of a workflow need one small module of the package.
"""

from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pate_accountant.api import account, calibrate, plan, release
    from pate_accountant.errors import InputError
    from pate_accountant.mechanism import ConfidentGNMax, GNMax, LNMax
    from pate_accountant.price import Price
    from pate_accountant.released_epsilon import ReleasedEpsilon
    from pate_accountant.statement import PrivacyStatement
    from pate_accountant.votes_file import count_votes, read_votes

__all__ = [
    "ConfidentGNMax",
    "GNMax",
    "InputError",
    "LNMax",
    "Price",
    "PrivacyStatement",
    "ReleasedEpsilon",
    "account",
    "calibrate",
    "count_votes",
    "plan",
    "read_votes",
    "release",
]
_MODULES = {
    "api": ("account", "calibrate", "plan", "release"),
    "errors": ("InputError",),
    "mechanism": ("ConfidentGNMax", "GNMax", "LNMax"),
    "price": ("Price",),
    "released_epsilon": ("ReleasedEpsilon",),
    "statement": ("PrivacyStatement",),
    "votes_file": ("count_votes", "read_votes"),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return metadata.version("pate-accountant")  # written in pyproject.toml alone
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})

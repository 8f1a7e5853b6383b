"""Keys of the configuration for tables and pages alone: no other job receives them."""

from collections.abc import Mapping
from typing import Any

WORDS = (
    "label",
    "title",
    "variant",
    "stands_for",
    "protocol",
    "student_protocol",
    "baseline_protocol",
    "claims",
)


def words_of(block: Mapping[str, Any], *more: str) -> dict[str, Any]:
    """Return what tables say of a block, and other keys of it that they ask for, where it has them."""
    return {name: value for name, value in block.items() if name in WORDS or name in more}


def without_words(block: Mapping[str, Any], *more: str) -> dict[str, Any]:
    """Return a block without what tables say of it, and without other keys that a job does not compute with."""
    return {name: value for name, value in block.items() if name not in WORDS and name not in more}

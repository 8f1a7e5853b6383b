"""Targets that a person asks for by name, and the image that pods are started from."""

import difflib
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from lib.core.errors import InputError

CLOSE = 0.75  # how much of a name must be right


def check_targets(targets: Iterable[str], rules: Collection[str], preset: str) -> None:
    """Raise InputError with what was meant by a target that there is not.

    Rules by a misspelt name or one without its paper's, and a file of another preset than the run's; not a file that is
    there.
    """
    for target in sorted(targets):
        if target in rules or Path(target).exists():
            continue
        other = re.match(r"results/(\w+)/", target)
        if other and other[1] != preset:
            raise InputError(
                f"{target}: a file of the preset {other[1]!r}, and this run makes those of {preset!r}: it needs "
                f"--configfile presets/{other[1]}.yaml, or your own file of that preset"
            )
        if not re.fullmatch(r"[A-Za-z]\w*", target):
            continue
        lower = target.lower()  # as all rules are
        without = sorted(rule for rule in rules if rule == lower or rule.endswith(f"_{lower}"))
        if near := without or difflib.get_close_matches(lower, rules, 3, CLOSE):
            raise InputError(f"there is no target {target!r}; did you mean {' or '.join(near)}? (make help lists all)")


def check_resources(resources: Collection[str], rules: Collection[str]) -> None:
    """Raise InputError where a preset says what jobs of a rule ask for that there is not."""
    for name in resources:
        if name not in rules:
            near = difflib.get_close_matches(name, rules, 3)
            raise InputError(f"resources.{name}: there is no such rule; allowed: {' or '.join(near) or 'rules'}")


def check_image(image: str) -> None:
    """Raise InputError for a container image that is not named by its digest: a tag may name another one tomorrow."""
    if not re.fullmatch(r"\S+@sha256:[0-9a-f]{64}", image):
        raise InputError(
            f"container-image: {image} has no digest; allowed is NAME@sha256: and 64 digits, which `docker push` prints"
        )

"""Targets that a person asks for by name."""

import difflib
import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path

from lib.core.errors import InputError

FLAGS = (
    "--",
    "-n",
    "--dry-run",
    "-q",
    "-k",
    "--keep-going",
    "-F",
    "--forceall",
    "-f",
    "--force",
    "-p",
    "--printshellcmds",
)
CLOSE = 0.75  # how much of a name must be right


def check_targets(words: Sequence[str], rules: Collection[str], preset: str) -> None:
    """Raise InputError with what was meant by a target that there is not among the words of a command line.

    Rules by a misspelt name or one without its paper's, and a file of another preset than the run's. words: of
    Snakemake's command line, its own name first; others' are left alone. A word that may be an option's value is no
    target, nor is a file that is there.
    """
    if not words or "snakemake" not in (Path(words[0]).name, Path(words[0]).parent.name):
        return
    for before, word in pairwise(words):
        if (before.startswith("-") and before not in FLAGS) or word in rules or Path(word).exists():
            continue
        other = re.match(r"results/(\w+)/", word)
        if other and other[1] != preset:
            raise InputError(
                f"{word}: a file of the preset {other[1]!r}, and this run makes those of {preset!r}: it needs "
                f"--configfile presets/{other[1]}.yaml, or your own file of that preset"
            )
        if not re.fullmatch(r"[A-Za-z]\w*", word):
            continue
        without = sorted(rule for rule in rules if rule.endswith(f"_{word}"))
        if near := without or difflib.get_close_matches(word, rules, 3, CLOSE):
            raise InputError(f"there is no target {word!r}; did you mean {' or '.join(near)}? (make help lists all)")


def check_resources(resources: Collection[str], rules: Collection[str]) -> None:
    """Raise InputError where a preset says what jobs of a rule ask for that there is not."""
    for name in resources:
        if name not in rules:
            near = difflib.get_close_matches(name, rules, 3)
            raise InputError(f"resources.{name}: there is no such rule; allowed: {' or '.join(near) or 'rules'}")

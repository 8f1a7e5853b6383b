"""The command line of a job, from the files of its rule and the settings that the plan gives it."""

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

# inputs that are not named on the command line: files that a script finds beside those it is told of
UNNAMED = ("beside",)


class Unsaid(str):
    """A parameter that Snakemake compares, and that is empty in a command line."""

    def __format__(self, spec: str) -> str:
        return ""

    def of_job(self, wildcards: Any) -> "Unsaid":
        """Itself, as a function of the wildcards: of a plain text Snakemake makes another, by its wildcards."""
        return self


def command_line(files: Iterable[tuple[str, Any]], settings: Mapping[str, Any]) -> str:
    """Options for `lib.core.command`, quoted for a shell.

    files: (name, path or paths) of a rule's inputs and outputs. settings: a value for each other option. None, False
    and an empty list are left out; True is a flag; a mapping, and a list that holds more than words and numbers, is
    JSON with its keys sorted.
    """
    words = []
    for name, value in [*files, *settings.items()]:
        if name in UNNAMED or value is None or value is False:
            continue
        if isinstance(value, Mapping) or (not isinstance(value, str) and _nested(value)):
            values = [json.dumps(value, sort_keys=True)]
        elif isinstance(value, str) or not isinstance(value, Iterable):
            values = [] if value is True else [str(value)]
        else:
            values = [str(part) for part in value]
            if not values:
                continue
        option = f"--{name.replace('_', '-')}"
        # argparse takes a word that begins with a dash for an option, unless it is joined to its own
        words += [f"{option}={values[0]}"] if len(values) == 1 and values[0].startswith("-") else [option, *values]
    return shlex.join(words)


def _nested(value: Any) -> bool:
    return isinstance(value, Iterable) and any(
        part is None or isinstance(part, Mapping | list | tuple) for part in value
    )

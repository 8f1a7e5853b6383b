"""Files that are laid over config.yaml by --configfile."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from lib.core.errors import InputError


def check_overlays(files: Iterable[Path], given: Mapping, default: str) -> None:
    """Raise InputError, one line, where files leave the preset what it is: their results would go among its own.

    Or where the preset that one of them says to lie `over` is not below it. files: of --configfile, in their order,
    which together have one preset. given: of --config, where a preset counts too. default: the preset of config.yaml.
    """
    presets, last = [default], None
    for last in files:
        block = yaml.safe_load(Path(last).read_text(encoding="utf-8"))
        if (below := block.get("over")) not in (None, *presets):
            raise InputError(f"{last}: lies over the preset {below!r}; give presets/{below}.yaml before it")
        presets.append(block.get("preset", presets[-1]))
    if last is not None and presets[-1] == default and "preset" not in given:
        raise InputError(
            f"{last}: sets no preset of its own, so that its results would go among those of {default!r}; "
            f"add a line `preset: NAME` (results go to results/NAME), or give --config preset={default}"
        )

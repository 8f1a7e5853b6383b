"""Files that are laid over config.yaml by --configfile."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from lib.core.errors import InputError

PRESETS = Path(__file__).resolve().parents[2] / "presets"


def preset_files(name: str) -> list[Path]:
    """Return the files of a preset of the project, the one that it lies over first; none for that of config.yaml."""
    path = PRESETS / f"{name}.yaml"
    if not path.is_file():
        return []
    over = yaml.safe_load(path.read_text(encoding="utf-8")).get("over")
    return [*(preset_files(over) if over else []), path]


def check_overlays(files: Iterable[Path], given: Mapping, default: str) -> None:
    """Raise InputError, one line, where results of other settings would go among those of a preset of the project.

    That is where files of somebody's own leave the preset its name, or give it that of another, and where --config
    gives it that of another; --config may say that they are to go among those of the preset that they lie over. Or
    where the preset that one of them says to lie `over` is not below it. files: of --configfile, in their order, which
    together have one preset. given: of --config. default: the preset of config.yaml.
    """
    shipped = {default, *(path.stem for path in PRESETS.glob("*.yaml"))}
    presets, base, own, named = [default], default, None, None
    for file in files:
        block = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        if (below := block.get("over")) not in (None, *presets):
            raise InputError(f"{file}: lies over the preset {below!r}; give presets/{below}.yaml before it")
        presets.append(block.get("preset", presets[-1]))
        if Path(file).resolve().parent == PRESETS:
            base = presets[-1]
        else:
            own, named = file, block.get("preset")
    name = given.get("preset", presets[-1])
    if name not in shipped or ("preset" in given and name == base):
        return
    go = f"its results would go among those of {name!r}"
    if "preset" in given:
        raise InputError(
            f"--config preset={name}: names another preset of the project than {base!r}, over which this run is, so "
            f"that {go}; give --configfile presets/{name}.yaml, or a name that no preset of the project has"
        )
    if own is not None:
        why = "has a preset of the project laid over it" if named else "sets no preset of its own"
        if named in shipped:
            why = "sets a name that a preset of the project has"
        raise InputError(
            f"{own}: {why}, so that {go}; add a line `preset: NAME` with another name to the last file (results go to "
            f"results/NAME), or give --config preset={base}"
        )

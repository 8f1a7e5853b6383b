"""The datasets by name: which there are, which files one needs, and its arrays, checked."""

import importlib
import pkgutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.data import sources
from lib.data.spec import SOURCES, DatasetSpec, canonical, is_there


def modules() -> list[str]:
    """Return the names of the modules in `lib/data/sources`, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(sources.__path__))


def get(module: str, name: str) -> DatasetSpec:
    """Return the dataset `name` of `lib.data.sources.<module>`.

    Raises InputError, naming what is allowed, if there is no such module or it holds no such dataset.
    """
    if module not in modules():
        raise InputError(f"dataset {name!r}: unknown module {module!r} in lib/data/sources, allowed: {modules()}")
    datasets = importlib.import_module(f"{sources.__name__}.{module}").DATASETS
    if name not in datasets:
        raise InputError(f"unknown dataset {name!r} in module {module!r}, allowed: {sorted(datasets)}")
    return datasets[name]


def supporting(module: str, name: str, source: str) -> DatasetSpec:
    """Find the dataset as `get` does; raises InputError, naming what is allowed, if `source` is none of its own."""
    spec = get(module, name)
    if source not in spec.sources:
        why = f"; {spec.obtain}" if source in SOURCES else ""
        raise InputError(f"dataset {name!r}: no source {source!r}, allowed: {list(spec.sources)}{why}")
    return spec


def required_files(name: str, module: str, source: str, root: str | Path | None) -> list[Path]:
    """Return the files that the dataset is read from, below `root`.

    embedded: none. data_root: the first layout that is there completely. download: the files that downloading
    puts there, there already or not.
    Raises InputError if the dataset has no such source, `root` is None where files are needed, or no layout
    is complete: then the message says which files belong where and how they can be had.
    """
    spec = supporting(module, name, source)
    if source == "embedded":
        return []
    if root is None:
        raise InputError(
            f"dataset {name!r}: source {source!r} needs 'data_root', the directory of its files; not set: give "
            "--config data_root=DIR, and see with scripts.check_data what belongs there (docs/data.md)"
        )
    root = Path(root)
    if source == "download":
        return [root / file for file in spec.downloaded]
    for layout in spec.layouts:
        if all(is_there(root, file) for file in layout):
            return [root / file for file in layout]
    raise InputError(_missing(name, spec, root))


def watched(files: Sequence[Path]) -> list[Path]:
    """Return the files, and for a folder also the folders in it, two deep: their times tell when a file comes or goes.

    Hidden folders are passed over, as by all readers.
    """
    patterns = ("[!.]*/", "[!.]*/[!.]*/")
    inner = [path for file in files for pattern in patterns for path in sorted(file.glob(pattern))]
    return [*files, *(path for path in inner if path.is_dir())]


def load(name: str, module: str, source: str, root: str | Path | None) -> dict[str, np.ndarray]:
    """Return the arrays of the dataset, in canonical order, verified to have its fingerprint where that is known.

    Raises InputError as `required_files` does, and, naming the file, if one is not there, cannot be decoded, or
    decodes to other samples than the dataset's.
    """
    spec = get(module, name)
    files = required_files(name, module, source, root)
    for file in files:
        if not file.exists():
            command = f"scripts/download_data.py --module {module} --dataset {name} --data-root {root}"
            raise InputError(f"dataset {name!r}: {file} is missing; get it with {command}")
    arrays = canonical(spec.read(files), spec.unordered)
    if spec.fingerprint and (found := fingerprint(**arrays)) != spec.fingerprint:
        where = ", ".join(str(file) for file in files) or "its embedded copy"
        raise InputError(
            f"dataset {name!r}: {where}: other samples than the dataset's: "
            f"expected fingerprint {spec.fingerprint}, found {found}"
        )
    return arrays


def _missing(name: str, spec: DatasetSpec, root: Path) -> str:
    """Return what to put where, in one line."""
    absent = [[file for file in layout if not is_there(root, file)] for layout in spec.layouts]
    begun = [files for layout, files in zip(spec.layouts, absent, strict=True) if len(files) < len(layout)]
    fewest: list[str] = min(begun, key=len, default=[])
    lacking = f" (only {', '.join(fewest)} missing)" if fewest else ""
    return (
        f"dataset {name!r}: no complete set of files below {root}{lacking}; "
        f"put there {_places(spec.layouts)}; "
        f"{spec.identity}; {spec.obtain}"
    )


def _places(layouts: tuple[tuple[str, ...], ...]) -> str:
    """Return the layouts in words, one that is another's compressed files not spelled out."""
    compressed = {layout: tuple(f"{file}.gz" for file in layout) for layout in layouts}
    return " or ".join(
        _brief(layout) + (" (all plain or all .gz)" if compressed[layout] in layouts else "")
        for layout in layouts
        if layout not in compressed.values()
    )


def _brief(layout: tuple[str, ...]) -> str:
    """Return a layout as `folder/{file, file}`."""
    folder = PurePosixPath(layout[0]).parent
    names = [PurePosixPath(file).name for file in layout]
    if len(layout) == 1 or any(PurePosixPath(file).parent != folder for file in layout):
        return ", ".join(layout)
    return str(folder / f"{{{', '.join(names)}}}")

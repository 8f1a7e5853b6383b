"""Whether the data are there, before any job: what each dataset lacks, and where it can be had; nothing is changed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lib.core.errors import InputError
from lib.data import registry
from lib.data.spec import is_there
from lib.data.volumes.registry import get as get_volumes
from lib.data.volumes.registry import required_files as required_volumes
from lib.data.volumes.registry import spec as volume_spec

FOUND, MISSING, DAMAGED, ELSEWHERE, FETCHED = "found", "missing", "damaged", "one level off", "fetched"
TOO_FEW = "too few"
LISTED = "`python -m scripts.check_data` with these options lists where to get each"


@dataclass(frozen=True)
class Finding:
    """Result of checking one dataset: its state; what is wrong, or where the files are; how to get them.

    patients: of volumes.
    """

    name: str
    state: str
    detail: str
    obtain: str
    patients: int = 0

    @property
    def lacks(self) -> bool:
        """Whether a run that needs the dataset cannot be made."""
        return self.state not in (FOUND, FETCHED)


def check_dataset(name: str, block: Mapping[str, Any], root: str | Path | None, read: bool = True) -> Finding:
    """Check a dataset of `catalogue/datasets.yaml`. read: decode its files, and compare the fingerprint."""
    source, module = str(block["source"]), str(block["module"])
    if source == "generated":
        return Finding(name, FOUND, "generated where it is used", "")
    spec = registry.get(module, name)
    if source == "download":
        return Finding(name, FETCHED, "downloaded by the workflow", spec.obtain)
    try:
        files = registry.required_files(name, module, source, root)
    except InputError as error:
        return _absent(name, str(error), spec.obtain, one_level_off(root, spec.layouts))
    try:
        if read:
            registry.load(name, module, source, root)
    except InputError as error:
        return Finding(name, DAMAGED, str(error), spec.obtain)
    return Finding(name, FOUND, ", ".join(map(str, files)) or "comes with a package", "")


def check_volumes(name: str, block: Mapping[str, Any], root: str | Path | None) -> Finding:
    """Return the state of a block of segmentation.volumes; files of each case are looked for, and none is decoded."""
    collection, settings = str(block["name"]), block["settings"]
    spec = volume_spec(collection, settings)
    try:
        files = required_volumes(collection, root, settings)
    except InputError as error:
        layout = tuple(f"{spec.folder}/{part}" for part in spec.parts) or (f"{spec.folder}/",)
        layouts = tuple((each,) for each in layout) if spec.any_part else (layout,)
        return _absent(name, str(error), f"{spec.homepage}: {spec.obtain}", one_level_off(root, layouts))
    try:
        count = len(get_volumes(collection, settings, root).subjects())
    except InputError as error:
        return Finding(name, DAMAGED, str(error), f"{spec.homepage}: {spec.obtain}")
    where = ", ".join(map(str, files)) or "generated where they are used"
    return Finding(name, FOUND, f"{count} patients, {where}", "", count)


def one_level_off(root: str | Path | None, layouts: Iterable[tuple[str, ...]]) -> Path | None:
    """Return the folder just above or below `root` in which a layout is complete, if there is one."""
    if root is None:
        return None
    root = Path(root)
    below = sorted(path for path in root.glob("[!.]*") if path.is_dir())
    for folder in (root.resolve().parent, *below):
        for layout in layouts:
            if layout and all(is_there(folder, file) for file in layout):
                return folder
    return None


def as_table(findings: Iterable[Finding]) -> str:
    """Return a line a dataset: its name, its state, and what is wrong or where it is; below it how to get it."""
    findings = list(findings)
    width = max((len(each.name) for each in findings), default=0)
    lines = []
    for each in sorted(findings, key=lambda each: (not each.lacks, each.name)):
        lines.append(f"{each.name:<{width}}  {each.state:<13}  {each.detail}")
        if each.lacks and each.obtain and each.obtain not in each.detail:
            lines.append(f"{'':<{width}}  {'':<13}  obtain: {each.obtain}")
    return "\n".join(lines)


def in_one_line(findings: Iterable[Finding], root: str | Path) -> str:
    """Say in one line what is not there; only where it is, if all of it is one level off."""
    lacking = [each for each in findings if each.lacks]
    if {each.state for each in lacking} == {ELSEWHERE} and len({each.detail for each in lacking}) == 1:
        return f"data_root={root} is one level off: {lacking[0].detail}"
    if not Path(root).is_dir():
        return f"data_root={root}: there is no such folder; needed there: {', '.join(each.name for each in lacking)}"
    said = "; ".join(f"{each.name}: {each.state}" + _where(each) for each in lacking)
    first = next((f"; of the first: {each.detail}" for each in lacking if each.state != ELSEWHERE), "")
    return f"{len(lacking)} of the datasets that this needs cannot be read: {said}; {LISTED}{first}"


def _where(each: Finding) -> str:
    return f" ({each.detail})" if each.state == ELSEWHERE else ""


def _absent(name: str, error: str, obtain: str, elsewhere: Path | None) -> Finding:
    if elsewhere is not None:
        return Finding(name, ELSEWHERE, f"its files are in {elsewhere}: give data_root={elsewhere}", "")
    return Finding(name, MISSING, error, obtain)

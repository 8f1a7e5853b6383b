"""Committed plans of several presets, and digests of what quick makes; `python -m tests.workflow.quick` renews plans.

`staleness.csv`: by leaves of the configuration, the rules that receive them, and the trainings made again after a
change. `commands.csv`: number of jobs and digest of the command lines of each rule, each job a process. `jobs.csv`:
number of jobs of each rule in several presets. `results.csv`: digests of a finished run, renewed by
`python -m tests.workflow.quick results/quick`.
"""

import csv
import hashlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lib.plan.data_needs import mark_without_data
from tests.workflow.running import ROOT, Pending, Project, environment

FOLDER = Path(__file__).parent / "quick"
PLAN = "meant? `python -m tests.workflow.quick` writes the table anew, and the difference says what has changed"
# what is planned of a preset: arguments of Snakemake, or where README has them
ARGUMENTS = {
    "quick": "",
    "real": "--configfile presets/real.yaml --config data_root=DIR",
    "board_mnist": "--configfile presets/real.yaml presets/board_mnist.yaml --config data_root=DIR -- leaderboard",
    "paper": re.compile(r"`snakemake (.*presets/paper\.yaml .*)`"),
}
HEADERS = {
    "staleness": ("block", "leaves", "rules", "trainings"),
    "commands": ("rule", "jobs", "digest"),
    "jobs": ("rule", *ARGUMENTS),
    "results": ("file", "digest"),
}


def planned(project: Project) -> dict[str, str]:
    """The tables `staleness` and `commands` of a copy of the project, as CSV."""
    script = Path(__file__).with_name("planned.py")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=project.root, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return {"staleness": _csv("staleness", by_block(found["leaves"])), "commands": _csv("commands", found["commands"])}


def plan_of(preset: str, project: Project, data_root: Path) -> Pending:
    """All jobs of a preset in a copy of the project."""
    arguments = ARGUMENTS[preset]
    if isinstance(arguments, re.Pattern):
        (arguments,) = arguments.findall((ROOT / "README.md").read_text("utf-8"))
        assert {"data_root=DIR", "device=cuda"} <= set(arguments.split())
    return project.pending(*(word.replace("DIR", str(data_root)) for word in arguments.split()))


def jobs(counts: Mapping[str, Mapping[str, int]]) -> str:
    """The table `jobs`, as CSV, of the number of jobs by preset and rule."""
    rules = sorted(set().union(*counts.values()))
    return _csv("jobs", [(rule, *(counts[preset].get(rule, 0) for preset in ARGUMENTS)) for rule in rules])


def by_block(leaves: Iterable[tuple[str, list[str], list[str]]]) -> list[tuple[str, str, str, str]]:
    """Block, leaves, rules and trainings: a row for all leaves of a block that do the same."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for path, rules, trainings in leaves:
        block, _, leaf = path.rpartition(".")
        rows.setdefault((block, " ".join(rules), " ".join(trainings)), []).append(leaf)
    return [(block, " ".join(names), rules, trainings) for (block, rules, trainings), names in rows.items()]


def digests(files: dict[str, bytes]) -> str:
    """The table `results` of a finished run, as CSV: a digest of each result's table, and one of each stage's files.

    Networks end with other numbers on another kind of processor, which the first row names.
    """
    import torch

    found: dict[str, list[bytes]] = {}
    for path, content in sorted(files.items()):
        parts, suffix = path.removeprefix("results/quick/").split("/"), Path(path).suffix
        if path.startswith("results/quick/") and suffix in (".csv", ".json", ".npz", ".npy", ".safetensors"):
            stage = parts[: 3 if parts[0] == "private" else 2]
            name = "/".join(parts if stage == parts else [*stage, f"*{suffix}"])
            found.setdefault(name, []).append(hashlib.sha256(measured(content, suffix)).digest())
    rows = [(name, hashlib.sha256(b"".join(own)).hexdigest()[:16]) for name, own in found.items()]
    return _csv("results", [("processor", torch.backends.cpu.get_cpu_capability()), *rows])


def measured(content: bytes, suffix: str) -> bytes:
    """The content of a result, of a record without its digest and without that of the code that ran."""
    return json.dumps(_without_code(json.loads(content)), sort_keys=True).encode() if suffix == ".json" else content


_OF_CODE = {"code", "commit", "sha256"}  # what made a record, and its digest, which hangs on that


def _without_code(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_code(part) for name, part in value.items() if name not in _OF_CODE}
    return [_without_code(part) for part in value] if isinstance(value, list) else value


def committed(name: str) -> str:
    """A table as it is committed."""
    return (FOLDER / f"{name}.csv").read_text(encoding="utf-8")


def rows_of(text: str) -> list[dict[str, str]]:
    """The rows of such a table."""
    return list(csv.DictReader(io.StringIO(text)))


def _csv(name: str, rows: Iterable[Iterable]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADERS[name])
    writer.writerows(rows)
    return stream.getvalue()


def main() -> None:
    """Write the tables of the plan, or of a finished run whose folder is given."""
    if len(sys.argv) > 1:
        tables = {"results": digests(Project(Path(sys.argv[1]).resolve().parents[1]).results())}
    else:
        with TemporaryDirectory() as folder:
            project, data_root = Project.copy(Path(folder) / "project"), Path(folder) / "data"
            mark_without_data(data_root)
            counts = {preset: plan_of(preset, project, data_root).counts for preset in ARGUMENTS}
            tables = planned(project) | {"jobs": jobs(counts)}
    FOLDER.mkdir(exist_ok=True)
    for name, text in tables.items():
        (FOLDER / f"{name}.csv").write_text(text, encoding="utf-8")
        print((FOLDER / f"{name}.csv").relative_to(ROOT))


if __name__ == "__main__":
    main()

"""Disturb small runs of the workflow and see whether anything wrong is taken for right: `python -m tests.faults`."""

import argparse
import csv
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from scipy.special import betaincinv

from lib.core.code_inputs import commit
from lib.core.files import atomic_path, write_text
from tests.faults import damage, kills, removed, sources, space, stops
from tests.faults.outcome import OUTCOMES, SKIPPED, UNCLEAR, WRONG, Tried
from tests.faults.scene import Scene

KINDS = {
    "kill": kills.any_moment,
    "records": kills.any_moment_without_records,
    "writing": kills.in_writing,
    "disk": space.full,
    "memory": kills.job_for_memory,
    "damage": damage.damaged,
    "state": damage.state,
    "removed": removed.records,
    "corrupt": removed.damaged,
    "asked": stops.asked,
    "together": stops.together,
    "lost": stops.lost,
    "twice": stops.twice,
    "power": stops.power,
    "read_only": space.read_only,
    "release": damage.released,
    "download": sources.download,
    "data_root": sources.below_data_root,
}
# on the page; of others the name above, with spaces. A fault is drawn by the name above.
NAMES = {"asked": "interrupt signal", "together": "second run at once", "lost": "node lost"}
HEADING = """# Faults, each tried

Does a run that is disturbed ever take something wrong for right? `python -m tests.faults --each 60` runs a small
workflow of {jobs} jobs ({rules} rules, {files} files), disturbs a copy of it, runs that once more, and compares every
file with those of the undisturbed run, byte by byte. *Survived*: the same bytes. *Clear error*: one line names what is
wrong, and nothing that is there differs. *Wrong*: a file differs, or the run says that it is done and a file is
missing. The last column bounds the share of faults of a class that end wrong or unclear, at a confidence of 95 %
(Clopper and Pearson), for faults drawn as these were. The class and number of a fault seed its random choices: at the
same commit they repeat, but for the moments of killing. `results/faults.csv` calls *interrupt signal*
`asked`, *second run at once* `together` and *node lost* `lost`.

"""


def main() -> int:
    """Try faults, print and write what came of them; 1 if any is wrong or its error unclear, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=3, help="how many to try of each class, one class after the other")
    parser.add_argument("--page", type=Path, help="Markdown to write with the table by class")
    parser.add_argument("--output", type=Path, default=Path("results/faults.csv"), help="table of all faults")
    parser.add_argument("--resume", action="store_true", help="go on after those in --output, of a call that stopped")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    scene = Scene.undisturbed(folder.resolve())
    print(f"undisturbed: {len(scene.jobs)} jobs, {len(scene.expected)} files", flush=True)
    kinds = [kind for kind in KINDS for _ in range(arguments.each)]
    tried = read(arguments.output) if arguments.resume and arguments.output.exists() else []
    for kind, number in list(left(kinds, tried)):
        below = folder / f"{kind}_{number}"
        below.mkdir()
        found = KINDS[kind](scene, random.Random(f"1 {kind} {number}"), below)
        told = [found.what, found.reason]
        for root in (below.resolve(), Path.cwd()):  # the same words wherever it is tried
            told = [text.replace(f"{root}/", "") for text in told]
        tried.append(Tried(kind, told[0], found.outcome, told[1]))
        print(f"{len(tried)}/{len(kinds)} {line(tried[-1])}", flush=True)
        if found.outcome in (UNCLEAR, WRONG):
            print(f"  see {below}", flush=True)
        else:
            shutil.rmtree(below)
        write(arguments.output, tried)
        if arguments.page:
            write_text(arguments.page, page(scene, tried))
    report(tried)
    failed = [fault for fault in tried if fault.outcome in (UNCLEAR, WRONG)]
    if not failed:
        shutil.rmtree(folder)
    return int(bool(failed))


def left(kinds: Iterable[str], tried: Iterable[Tried]) -> Iterator[tuple[str, int]]:
    """(kind, number) of every fault that is not among those tried, numbered from 0 in each kind."""
    done, counted = Counter(fault.kind for fault in tried), Counter()
    for kind in kinds:
        if counted[kind] >= done[kind]:
            yield kind, counted[kind]
        counted[kind] += 1


def line(fault: Tried) -> str:
    """One line on a fault."""
    return f"{name(fault.kind)}: {fault.outcome} ({fault.what}){' ' + fault.reason if fault.reason else ''}"


def read(path: Path) -> list[Tried]:
    """The faults of an earlier call."""
    with path.open(newline="", encoding="utf-8") as stream:
        return [Tried(**row) for row in csv.DictReader(stream)]


def write(path: Path, tried: list[Tried]) -> None:
    """The table of all faults."""
    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["kind", "what", "outcome", "reason"])
        writer.writerows([fault.kind, fault.what, fault.outcome, fault.reason] for fault in tried)


def page(scene: Scene, tried: list[Tried]) -> str:
    """The table by class, in Markdown."""
    rules = len({job.rule for job in scene.jobs})
    text = HEADING.format(jobs=len(scene.jobs), rules=rules, files=len(scene.expected))
    changed = f"`git diff {commit()} -- lib/core lib/plan/snakemake_records.py rules/shared/job.sh`"
    text += f"Tried at commit `{commit()}`. {changed} shows what of the code that is tried has changed since.\n\n"
    text += "| class | tried | survived | clear error | unclear error | wrong | at most, % |\n"
    text += "| --- | --- | --- | --- | --- | --- | --- |\n"
    kinds = [kind for kind in KINDS if any(fault.kind == kind for fault in tried)]
    for kind in kinds:
        outcomes = Counter(fault.outcome for fault in tried if fault.kind == kind)
        count = sum(outcomes.values()) - outcomes[SKIPPED]
        bad = outcomes[UNCLEAR] + outcomes[WRONG]
        most = 1.0 if bad == count else betaincinv(bad + 1, count - bad, 0.95)
        numbers = [count, *(outcomes[outcome] for outcome in OUTCOMES[:4])]
        text += f"| {name(kind)} | {' | '.join(map(str, numbers))} | {100 * most:.1f} |\n"
    text += "\n" + "".join(f"* **{name(kind)}**: {described(kind)}\n" for kind in kinds)
    unclear = [fault for fault in tried if fault.outcome in (UNCLEAR, WRONG)]
    return (
        text + ("\nWhat was unclear or wrong:\n\n" if unclear else "") + "".join(f"* {line(one)}\n" for one in unclear)
    )


def name(kind: str) -> str:
    """Return the name that readers see of a class."""
    return NAMES.get(kind, kind.replace("_", " "))


def described(kind: str) -> str:
    """What is done in a class, in one line."""
    return " ".join((KINDS[kind].__doc__ or "").split())


def report(tried: list[Tried]) -> None:
    """Print how often what came of each kind."""
    counts = Counter((fault.kind, fault.outcome) for fault in tried)
    print(f"{'kind':26}{'tried':>8}" + "".join(f"{outcome:>16}" for outcome in OUTCOMES))
    for kind in [*sorted({fault.kind for fault in tried}), "all"]:
        of = [sum(counts[each, outcome] for each, _ in set(counts) if kind in (each, "all")) for outcome in OUTCOMES]
        print(f"{kind:26}{sum(of):>8}" + "".join(f"{count:>16}" for count in of))


if __name__ == "__main__":
    sys.exit(main())

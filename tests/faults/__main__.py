"""Disturb small runs of the workflow and see whether anything wrong is taken for right: `python -m tests.faults`."""

import argparse
import csv
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from multiprocessing.pool import ThreadPool
from pathlib import Path

from scipy.special import betaincinv

from lib.core.code_inputs import commit, digest
from lib.core.files import atomic_path, write_text
from tests.faults import damage, kills, removed, sources, space, stops
from tests.faults.outcome import OUTCOMES, SKIPPED, UNCLEAR, WRONG, Tried
from tests.faults.scene import Scene

# how often each is tried among 30 faults
KINDS = {
    "kill": (kills.any_moment, 7),
    "records": (kills.any_moment_without_records, 2),
    "writing": (kills.in_writing, 4),
    "disk": (space.full, 1),
    "memory": (kills.job_for_memory, 1),
    "damage": (damage.damaged, 3),
    "state": (damage.state, 1),
    "removed": (removed.records, 1),
    "corrupt": (removed.damaged, 2),
    "asked": (stops.asked, 2),
    "together": (stops.together, 1),
    "lost": (stops.lost, 1),
    "twice": (stops.twice, 1),
    "power": (stops.power, 1),
    "read_only": (space.read_only, 1),
    "release": (damage.released, 1),
    "download": (sources.download, 1),
    "data_root": (sources.below_data_root, 1),
}
# what the faults try: what disturbs a run, and how jobs start, write, read and save their state
CODE = (
    *("tests/faults/__main__.py", "lib/core/command.py", "lib/core/files.py", "lib/core/checkpoint.py"),
    *("lib/plan/snakemake_records.py", "rules/shared/job.sh"),
)
PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
HEADING = """# Faults, each tried

Does a run that is disturbed ever take something wrong for right? `python -m tests.faults --each 60` runs a small
workflow of {jobs} jobs ({rules} rules, {files} files), disturbs a copy of it, runs that once more, and compares every
file with those of the undisturbed run, byte by byte. *Survived*: the same bytes. *Clear error*: one line names what is
wrong, and nothing that is there differs. *Wrong*: a file differs, or the run says that it is done and a file is
missing. The last column bounds the share of faults of a class that end wrong or unclear, at a confidence of 95 %
(Clopper and Pearson), for faults drawn as these were. [Each of them](faults.csv) is drawn by its class and its number.

"""


def main() -> int:
    """Try faults, print and write what came of them; 1 if any is wrong or its error unclear, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=50, help="how many to try, of all kinds")
    parser.add_argument("--each", type=int, help="instead, how many to try of each kind, one kind after the other")
    parser.add_argument("--page", type=Path, help="Markdown to write with the table by class")
    parser.add_argument("--renew", action="store_true", help="try none: say on docs/faults.md whether its code changed")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn at random")
    parser.add_argument("--only", nargs="+", choices=KINDS, help="the kinds to try")
    parser.add_argument("--at-once", type=int, default=1, help="how many to try at the same time")
    parser.add_argument("--output", type=Path, default=Path("results/faults.csv"), help="table of all faults")
    parser.add_argument("--resume", action="store_true", help="go on after those in --output, of a call that stopped")
    parser.add_argument("--targets", nargs="+", default=["all"], help="what the undisturbed run makes")
    parser.add_argument("--folder", type=Path, help="where to work, and find an undisturbed run of an earlier call")
    arguments = parser.parse_args()
    if arguments.renew:
        write_text(PAGE, renewed(PAGE.read_text(encoding="utf-8")))
        return 0
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="faults-"))
    scene = Scene.undisturbed(folder.resolve(), tuple(arguments.targets))
    print(f"undisturbed: {len(scene.jobs)} jobs, {len(scene.expected)} files", flush=True)
    if arguments.each:
        kinds = [name for name in arguments.only or KINDS for _ in range(arguments.each)]
    else:
        kinds = [name for name, (_, often) in KINDS.items() for _ in range(often) if name in (arguments.only or KINDS)]
        random.Random(arguments.seed).shuffle(kinds)
        kinds = [kinds[number % len(kinds)] for number in range(arguments.faults)]
    tried = read(arguments.output) if arguments.resume and arguments.output.exists() else []
    waiting = list(left(kinds, tried))

    def trial(kind: str, number: int) -> Tried:
        below = folder / f"{kind}_{number}"
        shutil.rmtree(below, ignore_errors=True)
        below.mkdir(parents=True)
        found = KINDS[kind][0](scene, random.Random(f"{arguments.seed} {kind} {number}"), below)
        if found.outcome not in (UNCLEAR, WRONG):
            shutil.rmtree(below)
        told = [found.what, found.reason]
        for root in (below.resolve(), Path.cwd()):  # the same words wherever it is tried
            told = [text.replace(f"{root}/", "") for text in told]
        return Tried(kind, told[0], found.outcome, told[1])

    with ThreadPool(arguments.at_once) as pool:  # each waits for processes
        for (kind, number), found in zip(waiting, pool.imap(lambda one: trial(*one), waiting), strict=True):
            tried.append(found)
            print(f"{len(tried)}/{len(kinds)} {line(found)}", flush=True)
            if found.outcome in (UNCLEAR, WRONG):
                print(f"  see {folder / f'{kind}_{number}'}", flush=True)
            write(arguments.output, tried)
            if arguments.page:
                write_text(arguments.page, page(scene, tried))
    report(tried)
    failed = [fault for fault in tried if fault.outcome in (UNCLEAR, WRONG)]
    if not failed and not arguments.folder:
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
    return f"{fault.kind}: {fault.outcome} ({fault.what}){' ' + fault.reason if fault.reason else ''}"


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
    text += f"{made_by(commit(), today())}\n\n"
    text += "| class | tried | survived | clear error | unclear error | wrong | at most, % |\n"
    text += "| --- | --- | --- | --- | --- | --- | --- |\n"
    kinds = [kind for kind in KINDS if any(fault.kind == kind for fault in tried)]
    for kind in kinds:
        outcomes = Counter(fault.outcome for fault in tried if fault.kind == kind)
        count = sum(outcomes.values()) - outcomes[SKIPPED]
        bad = outcomes[UNCLEAR] + outcomes[WRONG]
        most = 1.0 if bad == count else betaincinv(bad + 1, count - bad, 0.95)
        numbers = [count, *(outcomes[outcome] for outcome in OUTCOMES[:4])]
        text += f"| {kind.replace('_', ' ')} | {' | '.join(map(str, numbers))} | {100 * most:.1f} |\n"
    text += "\n" + "".join(f"* **{kind.replace('_', ' ')}**: {described(kind)}\n" for kind in kinds)
    unclear = [fault for fault in tried if fault.outcome in (UNCLEAR, WRONG)]
    return (
        text + ("\nWhat was unclear or wrong:\n\n" if unclear else "") + "".join(f"* {line(one)}\n" for one in unclear)
    )


def made_by(made_at: str, code: str) -> str:
    """Say which commit and code (12 digits of CODE's digest) a table is of, and whether today's code is the same."""
    since = "is today's" if code == today() else "has changed since, so that today's may do otherwise"
    return f"Tried at commit `{made_at}`. The code that is tried (`{code}`) {since}."


def today() -> str:
    """Return the first 12 digits of the digest of CODE."""
    return digest(*CODE)[:12]


def renewed(text: str) -> str:
    """Return the page with what `made_by` says of it today."""
    (said,) = re.finditer(r"^Tried at commit `(.*)`\. The code that is tried \(`(.*)`\) .*$", text, re.MULTILINE)
    return text[: said.start()] + made_by(*said.groups()) + text[said.end() :]


def described(kind: str) -> str:
    """What is done in a class, in one line."""
    return " ".join((KINDS[kind][0].__doc__ or "").split())


def report(tried: list[Tried]) -> None:
    """Print how often what came of each kind."""
    counts = Counter((fault.kind, fault.outcome) for fault in tried)
    print(f"{'kind':26}{'tried':>8}" + "".join(f"{outcome:>16}" for outcome in OUTCOMES))
    for kind in [*sorted({fault.kind for fault in tried}), "all"]:
        of = [sum(counts[each, outcome] for each, _ in set(counts) if kind in (each, "all")) for outcome in OUTCOMES]
        print(f"{kind:26}{sum(of):>8}" + "".join(f"{count:>16}" for count in of))


if __name__ == "__main__":
    sys.exit(main())

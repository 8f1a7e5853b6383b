"""Say in a few lines what a run computed: python -m scripts.show_verdicts results/PRESET"""

import argparse
from pathlib import Path

import pandas as pd

from lib.core.command import run
from lib.plan.config import ROOT, register
from lib.plan.results import PAPERS
from lib.reporting import headlines as heads
from lib.reporting import verdicts as said
from lib.reporting.claims.cells import read_verdicts
from lib.reporting.claims.ledger import COLUMNS
from lib.reporting.outline import load_outline
from lib.reporting.overview import points
from scripts.show_help import options

MOST = 3  # answers, and numbers beside the papers'
NEXT = {"real": "paper"}  # the preset that shows more; else `real`


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="folder of a preset's results")
    return parser.parse_args(argv)


def lines(results: Path, verdicts: pd.DataFrame) -> list[str]:
    """Return at most 12 lines: what was made, answers, numbers beside the papers', what is missing, where to look.

    results: the folder of a preset's results. verdicts: on all claims and checks.
    """
    outlines = {paper: load_outline(ROOT / "report" / f"{paper}.yaml") for paper in PAPERS}
    outlines = {paper: outline for paper, outline in outlines.items() if paper in set(verdicts["paper"])}
    found = [f"{results.name}: {made(results)} of {len(outlines)} papers, in {results}"]
    answers = [
        f"  {outline['name']}: {each.says}: {each.answer} ({each.evidence})"
        for paper, outline in outlines.items()
        for each in heads.headlines(outline["headlines"], verdicts[verdicts["paper"] == paper]).values()
        if each.answer != heads.OPEN
    ]
    if answers:
        found += [f"Headline claims that it decides{among(answers)}:", *answers[:MOST]]
    numbers = beside(verdicts, outlines)
    if numbers:
        found += [f"Numbers, paper → here{among(numbers)}; on other data they need not agree:"]
        found += [f"  {each['label']}{'' if each['own'] else ' on ' + each['data']}" for each in numbers[:MOST]]
    found.append(f"Claims: {said.headline(verdicts)}")
    found.append(f"More needs real data: .venv/bin/snakemake --cores 2 {options(NEXT.get(results.name, 'real'))}")
    pages = [page for page in (results / "site" / "index.html", results / "report.html") if page.is_file()]
    found.append(f"Open {' or '.join(map(str, pages or [results]))}; answers on real data: docs/reproduction/README.md")
    return found


def made(results: Path) -> str:
    """How many tables and figures of the register are there, in words."""
    kinds = {"table": ".csv", "figure": ".png"}
    counts = dict.fromkeys(kinds, 0)
    for row in register().values():
        counts[row["shows"]] += (results / row["paper"] / f"{row['item']}{kinds[row['shows']]}").is_file()
    return f"{counts['table']} tables and {counts['figure']} figures"


def beside(verdicts: pd.DataFrame, outlines: dict[str, dict]) -> list[dict]:
    """The numbers that are beside the papers' in the overview: the first of each paper, then the second, ..."""
    ranked = [
        (place, each)
        for paper, outline in outlines.items()
        for place, each in enumerate(points(verdicts, {paper: outline}))
    ]
    return [each for _, each in sorted(ranked, key=lambda one: one[0])]


def among(found: list) -> str:
    """Say that some are left out, where they are."""
    return f" ({MOST} of {len(found)})" if len(found) > MOST else ""


def main(argv: list[str] | None = None) -> None:
    """Print it."""
    results = parse_arguments(argv).results
    verdicts = pd.concat([read_verdicts(results / name, COLUMNS) for name in ("claims.csv", "checks.csv")])
    print("\n".join(lines(results, verdicts)))


if __name__ == "__main__":
    run(main)

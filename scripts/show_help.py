"""Print what can be asked for: the targets of make, and every result by paper with the hours that it takes."""

import csv
import re
from pathlib import Path

from lib.plan.config import ROOT, register
from lib.plan.configfiles import preset_files
from lib.plan.results import PAPERS, TITLES
from lib.plan.rule_texts import rule_texts

MAKE = {
    "make": "set up, run the default workflow on data that it carries, show the verdicts",
    "make votes": "download the authors' votes of MNIST and Adult, show the epsilons; with DATA=DIR, SVHN's too",
    "make variant": "one result with other settings beside the original: docs/changing_a_setting.md",
    "make docs": "the documentation as a site: site/index.html",
    "make redraw": "write the committed pages again from the committed tables and figures",
    "make provenance": "list the committed tables and figures that today's code may change",
    "make schema": "print type, range, default and meaning of every setting",
    "make check": "run the fast tests and lint, before a commit",
    "make test": "set up and run all tests but the exhaustive ones, which are those of make test-long",
    "make audit": "look for known faults in the locked packages",
    "make bench": "measure speed beside other programs, and at twice the size",
    "make help": "this",
}
# targets that are no single table or figure, whatever the paper; what each makes: the first line of its rule
TARGETS = ("all", "claims", "site", "release", "verify_release", "datasets")
# of each paper
OF_PAPER = ("{}", "{}_claims")
PEOPLE = {
    "price_votes": "what a person's own votes cost: docs/own_votes.md",
    "check_data": "are the data there that a target needs?",
    "verify_release": "check a release, from its folder alone or with what it was made of",
    "sign_release": "sign a release with an OpenSSH key",
}
PRESETS = {  # what each runs on
    "quick": "data that come with the dependencies",
    "votes": "the authors' votes",
    "votes_fetched": "of these MNIST and Adult, as make votes does",
    "real": "real public data",
    "held_out": "other draws for networks of real",
    "board_mnist": "the leaderboard on images of MNIST",
    "adult60": "60 repetitions on Adult",
    "own_images": "membership attacks on your own images",
    "paper": "the papers' own data and scale",
    "smoke": "jobs of paper, cut short, on made files",
}
DEVICES = {"paper": " device=cuda", "smoke": " device=cpu"}
# by paper, what the preset real reads below data_root
DATA = {
    "scalable_pate": "the authors' votes, MNIST, Adult, notMNIST",
    "dp_mac": "MNIST, USPS",
    "residual_perturbation": "MNIST, CIFAR-10, CIFAR-100",
    "autoencoded_pate": "LGG MRI, MSD Task04 (hippocampus)",
    "compressed_pate": "LGG MRI, BRATS 2013",
    "audit": "none",
    "leaderboard": "CIFAR-10",
}
STAGES = {"autoencoded_pate": ["segmentation"], "compressed_pate": ["segmentation"]}  # folders of rules that they share


def options(preset: str) -> str:
    """Return what Snakemake is given for a preset; nothing for quick."""
    files = " ".join(f"presets/{path.name}" for path in preset_files(preset))
    return f"--configfile {files} --config data_root=DIR{DEVICES.get(preset, '')}" if files else ""


def hours() -> dict[tuple[str, str], dict[str, float]]:
    """Return processor hours by preset and paper, measured and estimated: bench/hours.csv."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    with (ROOT / "bench" / "hours.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            for paper in DATA:
                if row["folder"] in (paper, *STAGES.get(paper, [])):
                    of_paper = found.setdefault((row["preset"], paper), {})
                    of_paper[row["how"]] = of_paper.get(row["how"], 0.0) + float(row["hours"])
    return found


def spent_on(preset: str, by_how: dict[str, float]) -> str:
    """Return a preset's hours in words: measured where a run was measured, and estimated."""
    return f"{preset} {', '.join(f'{digits(by_how[how])} {how}' for how in sorted(by_how, reverse=True))}"


def digits(number: float) -> str:
    """Two digits, and never a power of ten."""
    return f"{float(f'{number:.2g}'):,g}"


def minutes(results: Path) -> dict[str, float]:
    """Minutes that the finished jobs of each rule took together, from Snakemake's benchmark files."""
    found: dict[str, float] = {}
    for path in (results / "benchmarks").rglob("*.tsv"):
        rule = path.relative_to(results / "benchmarks").parts[0].removesuffix(".tsv")
        seconds = path.read_text(encoding="utf-8").splitlines()[1].split("\t")[0]
        found[rule] = found.get(rule, 0.0) + (float(seconds) / 60 if re.fullmatch(r"[\d.]+", seconds) else 0.0)
    return found


def table(rows: dict[str, str], before: str = "") -> list[str]:
    """Two columns."""
    width = max(map(len, rows)) + len(before)
    return [f"  {before + name:<{width}}  {text}" for name, text in rows.items()]


def main() -> None:
    """Print it."""
    lines = [*table(MAKE), "", "Presets, with: .venv/bin/snakemake --cores 2 OPTIONS -- TARGET"]
    lines += table({name: f"{data:<38}  {options(name)}" for name, data in PRESETS.items()})
    meanings = {name: rule.meaning for name, rule in rule_texts().items()}
    lines += ["", "Targets of all papers", *table({name: meanings[name] for name in TARGETS})]
    lines += ["", "Programs, with: .venv/bin/python -m scripts.NAME --help", *table(PEOPLE)]
    by_paper: dict[str, dict[str, str]] = {}
    for name, row in register().items():
        by_paper.setdefault(row["paper"], {})[name] = row["title"]
    took_before = hours()
    for paper, rows in by_paper.items():
        took = [spent_on(each, took_before[each, paper]) for each in PRESETS if (each, paper) in took_before]
        lines += ["", f"{paper}: {TITLES.get(paper, 'do the audits find what is there?')}"]
        lines += [f"  data of real: {DATA[paper]}; hours of one processor core (docs/cost.md): {'; '.join(took)}"]
        whole = [each.format(paper) for each in (OF_PAPER if paper in PAPERS else OF_PAPER[:1])]
        lines += table({name: meanings[name] for name in whole} | rows)
    for preset in PRESETS:
        if spent := minutes(ROOT / "results" / preset):
            longest = sorted(spent, key=spent.__getitem__)[:-4:-1]
            said = ", ".join(f"{rule} {spent[rule]:.0f}" for rule in longest)
            lines += ["", f"Jobs of {preset} took {sum(spent.values()):.0f} minutes here, most of them: {said}"]
    print("\n".join(lines))


if __name__ == "__main__":
    main()  # what `run` says of a job would stand below the help

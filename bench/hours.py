"""Measure processor hours of finished runs: writes bench/hours.csv, and docs/cost.md from it.

    python -m bench.hours results/quick results/real

Each folder has the name of its preset. Its measured rules replace the rows of this preset and rule, estimates included;
other rows stay while their rule exists. Without a folder only the page is written.
"""

import argparse
import json
import math
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench.accounting import PLAIN, QUERIES, SAME, SMOOTH
from bench.baseline import KEPT
from bench.benchmarks import used
from bench.core import TABLE as CORE
from bench.smoke import MARGIN
from bench.smoke import TABLE as SMOKE
from lib.core.code_inputs import ROOT
from lib.core.files import atomic_path, write_text
from lib.plan.results import NAMES, PAPERS
from lib.plan.rule_texts import rule_texts
from lib.reporting.markdown import table
from scripts.show_help import STAGES

HOURS = ROOT / "bench" / "hours.csv"
PAGE = ROOT / "docs" / "cost.md"
KINDS = (("quick", "measured"), ("real", "measured"), ("real", "estimated"), ("paper", "estimated"))
GROWTH = {
    "training all at once, twice the teachers": "teachers trained together",
    "plain, widths 4,8,16,32,64, 4 channels, twice the voxels of a patch": "voxels of a 3D U-Net's patch",
    "PCA's processor time, twice the voxels of a block": "voxels of a block, principal components",
    "weak consensus, RDP and smooth sensitivity, twice the queries": "queries that PATE accounts for",
}
AUTHORS = {
    f"{consensus} consensus, {what}, of the authors' scripts": (what.replace("RDP", "Rényi DP"), consensus)
    for what in ("RDP", "smooth sensitivity")
    for consensus in ("strong", "weak")
}

# by the worth of the answer: open rows of verdicts, what would be run, and hours by the times of such trainings
OPEN = (
    ("v36 to v44 of residual perturbation", "Table IV on all of CIFAR-100, 3 repetitions", 6),
    ("o05c, o17, and the check o16c there", "12 more trainings of Table III's plain and noisy network", 7),
    ("v15, v16, v45, o02a, o02c, o07 there", "five networks at coefficient 0.75, 12,500 images, 3 repetitions", 3.7),
    ("v46, o08 there", "the same without skip connections", 1.9),
    ("v30 to v32 there", "2 more repetitions of the other interpretations of DP-SGD", 3),
    ("v44, o12 of Scalable PATE", "Open Glyph's teachers, 9 students of their answers", 1.5),
    ("check o02b of Autoencoded PATE", "31 more repetitions on LGG, with DP-SGD", 11),
    ("v34 of DP-MAC", "67 repetitions of DP-SGD in place of 3", 3.5),
    ("o05d, o06b of Compressed PATE", "21 more repetitions of Figure 3", 1.5),
)


def folders() -> dict[str, str]:
    """Return the folder below rules/ of every rule."""
    return {name: Path(rule.file).parts[1] for name, rule in rule_texts().items() if rule.file != "Snakefile"}


def measured(before: pd.DataFrame, results: Path) -> pd.DataFrame:
    """Return the rows of hours.csv with those of a finished run in place of estimates and earlier measurements."""
    by_rule = used(results)
    after = pd.DataFrame(
        {"preset": results.name, "rule": by_rule.index, "how": "measured", "jobs": by_rule["jobs"].to_numpy()}
    ).assign(hours=by_rule["processor"].to_numpy() / 3600)
    again = (before["preset"] == results.name) & before["rule"].isin(after["rule"])
    rows = pd.concat([before[~again], after])
    rows["folder"] = rows["rule"].map(folders())
    return rows.dropna(subset="folder").sort_values(["preset", "how", "folder", "rule"])[list(before.columns)]


def shown(hours: float, digits: int) -> str:
    """Return hours with so many significant digits and no power of ten."""
    return f"{float(f'{hours:.{digits}g}'):,.3f}".rstrip("0").rstrip(".")


def page(hours: pd.DataFrame, smoke: pd.DataFrame, core: pd.DataFrame, ratios: dict[str, float]) -> str:
    """Return docs/cost.md. smoke: bench/smoke.csv; core: bench/core.csv; ratios: bench/baseline.json."""
    kinds = {kind: hours[(hours["preset"] == kind[0]) & (hours["how"] == kind[1])] for kind in KINDS}
    jobs = {kind: int(rows["jobs"].sum()) for kind, rows in kinds.items()}
    digits = {kind: 3 if kind[1] == "measured" else 2 for kind in KINDS}  # nobody knows three of an estimate
    sums = {kind: rows.groupby("folder")["hours"].sum() for kind, rows in kinds.items()}
    names = sorted({name for each in sums.values() for name in each.index[each >= 1]})
    by_folder = [(name, *(shown(each.get(name, 0.0), digits[kind]) for kind, each in sums.items())) for name in names]
    by_folder.append(("all folders", *(shown(each.sum(), digits[kind]) for kind, each in sums.items())))
    of_real, of_paper = (kinds[kind].nlargest(4, "hours") for kind in (("real", "measured"), ("paper", "estimated")))
    longest = [
        (row.rule, row.jobs, shown(row.hours, 2), shown(row.hours / row.jobs, 2)) for row in of_paper.itertuples()
    ]
    share = of_real["hours"].sum() / kinds["real", "measured"]["hours"].sum()
    memory = ", ".join(f"`{row.rule}` {row.mib / 1024:.1f} GiB" for row in smoke.nlargest(3, "mib").itertuples())
    widest = [value for name, value in ratios.items() if re.fullmatch(r"channels first, widths 4,8.*of plain", name)]
    first = f"{min(widest):.1f} to {max(widest):.1f}"
    beside = [(*what, f"{ratios[name]:.2g}") for name, what in AUTHORS.items()]
    limits = [
        (
            name,
            *(
                "" if math.isnan(value) else f"{value:.{digits}f}"
                for value, digits in zip(row, (0, 2, 1, 1), strict=True)
            ),
        )
        for name, *row in core.itertuples(index=False)
    ]
    text = f"""# What the presets cost

Hours are processor time of one core. `quick` and an earlier, smaller `real` were measured. **`paper` was never run**,
and no preset was timed on a GPU. `python -m bench.hours` writes this page from [bench/hours.csv](../bench/hours.csv).

{table(("folder of rules", *map(", ".join, KINDS)), by_folder)}

The rules of `segmentation` serve both papers on masks: their hours in the appendix are those of both together.

## Artifact appendix

`make` and `make votes` need 2 cores, 8 GB of memory and 8 GB of disk; nothing needs a GPU. In the other commands,
`REAL` stands for `.venv/bin/snakemake --cores 2 --configfile presets/real.yaml --config data_root=DIR --`, and `DIR`
for the folder of [the data](data.md). Hours are those of the tables above, of one core.

{appendix(sums)}

A verdict of yours that differs from the expected file means that something differs: commit, data, code or repetitions.
The details of each page name commit and code of the files that have a record; older ones have none. Repetitions are
those of the preset, but for these: Adult has 60 (`presets/adult60.yaml`, beside `presets/real.yaml`); DP-MAC's and
DP-SGD's rows by their authors' commands or as published have three, but for the two of 45 on USPS at ε = 8; LNMax's
1,000 labels on MNIST have two students, Autoencoded PATE on MRI five repetitions (`--config repetitions=5`), PCA on LGG
two, Compressed PATE's Figure 3 eight. Tables of claims have a column `seeds`.

## Measured

Each job ran on one thread of a virtual machine with two cores and no GPU. Snakemake's benchmark files hold the
processor time of {jobs["quick", "measured"]} jobs of `quick` and {jobs["real", "measured"]} jobs of `real`. Snakemake
samples it every 30 seconds, so up to 30 seconds of a job can be missing. {code(of_real["rule"])} took {share:.0%} of
`real`. It has grown since, to {jobs["real", "estimated"]:,} jobs with longer trainings.

To measure a preset, run it and then `python -m bench.hours results/PRESET`.

## Estimated

A script counted the floating-point operations of all trainings that a preset plans, and multiplied them by the
measured time of an operation in similar networks. Nobody compared its results with a run. The project no longer holds
the script (`git show 3076a09:bench/paper_cost.py`). Of `real`, networks on masks and of residual perturbation are
estimated from jobs of their kind that were run. Four rules take most of `paper`:

{table(("rule", "jobs", "hours", "hours per job"), longest)}

Most of it is for networks of Open Glyph, which need GPUs.

## What open rows would take

These rows of [the verdicts](reproduction/claims.csv) need longer runs than were made; others need data that are not
to be had. Hours are estimated from trainings of this kind that were run:

{table(("rows", "what to run", "hours"), [(rows, what, shown(time, 2)) for rows, what, time in OPEN])}

## How cost grows

`make bench` measures what twice the size costs:

{table(("what is doubled", "times as long"), [(what, f"{ratios[name]:.2f}") for name, what in GROWTH.items()])}

Repetitions, teachers and noise levels are trained independently, so hours are proportional to their number.

## How near a core comes to its limit

`python -m bench.core` trains networks of the papers' sizes on one thread. The limit is what the core does in a product
of two large matrices. The last columns say how many times as fast it is in bfloat16, and by two processes. DP-SGD's
operations cannot be counted; where bfloat16 has no number, it ends the training. Each was measured once
(`--times 1`); an earlier measurement differed by up to a factor of 1.6.

{table(("training", "GFLOP/s", "share of the limit", "bfloat16", "two processes"), limits)}

No job computes in bfloat16: its numbers would be another protocol's. What `make bench` measures with channels first in
memory, as PyTorch has them by default, takes {first} times as long for a 3D U-Net.

## Beside the authors' scripts

`PATE_2018=DIR make bench` times the accounting of Confident-GNMax beside the scripts of Papernot et al. (2018), which
do one query after the other; `DIR` is `research/pate_2018` of a checkout of github.com/tensorflow/privacy. The votes
are generated: {QUERIES[-1]:,} queries. The scripts' times are of the first queries ({PLAIN} for Rényi DP, {SMOOTH} for
smooth sensitivity), in proportion, and on these the benchmark fails unless both give the same numbers within {SAME:g}.

{table(("what", "consensus of teachers", "our share of the scripts' time"), beside)}

## Memory

The preset `smoke` runs jobs of `paper` at full width and batch size for a step or two on a CPU. Its largest jobs:
{memory} ([all rules](../bench/smoke.csv)). A rule asks for at least {MARGIN} times as much.
"""
    return "\n\n".join(block if block[0] in "#|" else filled(block) for block in text.strip().split("\n\n")) + "\n"


def appendix(sums: dict[tuple[str, str], pd.Series]) -> str:
    """Return a table of what claims take to compute again: claims, command, hours, and the expected result.

    sums: hours by folder of rules, of each kind.
    """

    def hours_of(preset: str, *names: str) -> str:
        how = "measured" if preset == "quick" else "estimated"  # what was measured of others is of smaller presets
        return f"{shown(sum(sums[preset, how].get(name, 0.0) for name in names), 2)} {how}"

    everything = sums["quick", "measured"].index
    rows = [
        ("claims", "command", "hours", "expected result"),
        ("---",) * 4,
        ("all, on small generated data", "`make`", hours_of("quick", *everything), "`results/quick/site/index.html`"),
        ("ε of Scalable PATE on the authors' votes", "`make votes`", "2 minutes", "the paper's epsilons beside ours"),
    ]
    for paper in PAPERS:
        names = [*STAGES.get(paper, []), paper]
        expected = f"`results/real/{paper}/claims.csv` as this paper's rows [here](reproduction/claims.csv)"
        rows.append((NAMES[paper], f"`REAL {paper}_claims`", hours_of("real", *names), expected))
    expected = "`results/real/leaderboard/leaderboard.csv` as [here](reproduction/leaderboard.md)"
    rows.append(("all methods at equal ε", "`REAL leaderboard`", hours_of("real", "leaderboard"), expected))
    rows.append(("mechanisms keep their ε", "`REAL audit`", hours_of("real", "audit"), "no bound above an intact ε"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def code(names: Sequence[str]) -> str:
    """Return names in a sentence, each as code."""
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}"


def filled(paragraph: str) -> str:
    """Return a paragraph in lines of 120 characters."""
    return textwrap.fill(" ".join(paragraph.split()), 120, break_on_hyphens=False, break_long_words=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table and the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", type=Path, help="folders of finished runs, named like their presets")
    rows = pd.read_csv(HOURS)
    for results in parser.parse_args(arguments).results:
        rows = measured(rows, results)
    with atomic_path(HOURS) as temporary:
        rows.to_csv(temporary, index=False, float_format="%.4g")
    write_text(
        PAGE, page(pd.read_csv(HOURS), pd.read_csv(SMOKE), pd.read_csv(CORE), json.loads(KEPT.read_text("utf-8")))
    )


if __name__ == "__main__":
    main()

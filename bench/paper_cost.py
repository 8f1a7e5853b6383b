"""What the preset `paper` costs, in processor hours and on N GPUs: writes docs/cost.md from bench/measured.csv.

And bench/hours.csv, for `make help`: processor hours of it and of the other presets, by folder of rules.

Run by `python -m bench.paper_cost`. What jobs took is measured by bench/measured.py, their work is counted on the
networks (bench/work.py), and GPUs are simulated (bench/simulation.py).
"""

import argparse
import tempfile
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bench.measured import MEASURED, TIMED
from bench.presets import ROOT, Job, planned
from bench.simulation import Task, critical_path, cut, makespan
from bench.smoke import MARGIN
from bench.smoke import TABLE as SMOKE
from bench.work import COUNTED, Work, work_of
from lib.core.files import atomic_path

PAGE = ROOT / "docs" / "cost.md"
HOURS = ROOT / "bench" / "hours.csv"
PRESETS = ("quick", "real", "paper")
HOUR = 3600
# assumptions: operations a second that training sustains on a GPU, seconds of a step that no GPU shortens (some
# hundred kernels are launched), processor cores beside each GPU
SUSTAINED, USUAL = (2e12, 10e12, 40e12), 10e12
STEP = 0.01
CORES = 8
SMALL = 1000  # MiB, which every job may have
GPUS = (1, 2, 4, 8, 16, 32, 64)
PAPERS = {
    "dp_mac": "dp_mac",
    "residual_perturbation": "residual_perturbation",
    "segmentation": "autoencoded_pate, compressed_pate",
    "autoencoded_pate": "autoencoded_pate, compressed_pate",
    "compressed_pate": "autoencoded_pate, compressed_pate",
    "leaderboard": "leaderboard, audit, release",
    "audit": "leaderboard, audit, release",
    "release": "leaderboard, audit, release",
}
OTHER = "scalable_pate, and what all share"


@dataclass(frozen=True)
class Priced:
    """A job with its work, its seconds on one core, and what these are from."""

    job: Job
    work: Work
    seconds: float
    basis: str

    def on_gpu(self, sustained: float) -> float:
        """Seconds with a GPU; of one core where the job asks for none, or where its work is not counted."""
        if not self.job.gpu or self.work.steps is None:
            return self.seconds
        return max(self.work.amount / sustained, self.work.steps * STEP)


def priced(jobs: Sequence[Job], config: dict, measured: pd.DataFrame) -> list[Priced]:
    """Every job with its seconds on one core: its work at the measured rate; else its rule's mean; else nothing."""
    # the run that did most of a kind: in small jobs, starting is most of the time
    most = measured.sort_values("amount").drop_duplicates(["rule", "kind"], keep="last")
    own, of_rule = most.set_index(["rule", "kind"]), most.groupby("rule")[["jobs", "seconds"]].sum()
    found = []
    for job in jobs:
        work = work_of(job, config)
        if (job.rule, work.kind) in own.index:
            row, basis = own.loc[job.rule, work.kind], "counted" if job.rule in COUNTED else "as measured"
            seconds = work.amount * row.seconds / row.amount
        elif job.rule in of_rule.index:
            row, basis = of_rule.loc[job.rule], "mean of the rule"
            seconds = row.seconds / row.jobs
        else:
            seconds, basis = 0.0, "collects only" if job.benchmark is None else "never measured"
        found.append(Priced(job, work, float(seconds), basis))
    return found


def paper_of(job: Job) -> str:
    """Whose job it is, by the file of its rule."""
    return next((paper for start, paper in PAPERS.items() if job.file.startswith(start)), OTHER)


def tasks_of(jobs: Sequence[Priced], sustained: float) -> list[Task]:
    """The jobs as the simulation sees them."""
    return [Task(one.on_gpu(sustained), "gpu" if one.job.gpu else "core", one.job.parents) for one in jobs]


def simulated(jobs: Sequence[Priced], sustained: float) -> pd.DataFrame:
    """Hours of all jobs on each number of GPUs, and how much faster that is than on one."""
    tasks = tasks_of(jobs, sustained)
    hours = [makespan(tasks, {"gpu": count, "core": CORES * count}) / HOUR for count in GPUS]
    busy = sum(task.seconds for task in tasks if task.holds == "gpu") / HOUR
    return pd.DataFrame(
        {
            "GPUs": GPUS,
            "hours": hours,
            "times faster": hours[0] / np.array(hours),
            "GPUs busy": busy / (np.array(hours) * GPUS),
            "hours, in jobs of one at most": [
                makespan(cut(tasks, HOUR), {"gpu": count, "core": CORES * count}) / HOUR for count in GPUS
            ],
        }
    )


def markdown(table: pd.DataFrame, formats: dict[str, str]) -> str:
    """A table as Markdown, its columns in the formats given."""
    shown = table.assign(**{name: table[name].map(how.format) for name, how in formats.items()})
    rows = [list(table.columns), ["---"] * len(table.columns), *shown.astype(str).to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def filled(text: str) -> str:
    """A paragraph, or an item of a list, in lines of this project's length."""
    indent = "  " if text.startswith("*") else ""
    return textwrap.fill(" ".join(text.split()), 120, subsequent_indent=indent, break_on_hyphens=False)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return ", ".join(f"`{name}`" for name in names) or "none"


def name_of(one: Priced) -> str:
    """A job for readers: its rule and wildcards."""
    return " ".join([f"`{one.job.rule}`", "/".join(one.job.wildcards.values())]).strip()


def by_rule(jobs: Sequence[Priced]) -> pd.DataFrame:
    """Jobs, operations, processor hours and GPU hours by paper and rule; rules below an hour together."""
    table = pd.DataFrame(
        {
            "for": [paper_of(one.job) for one in jobs],
            "rule": [one.job.rule for one in jobs],
            "jobs": 1,
            "PFLOP": [one.work.amount / 1e15 if one.work.steps is not None else 0.0 for one in jobs],
            "processor hours": [one.seconds / HOUR for one in jobs],
            "GPU hours": [one.on_gpu(USUAL) / HOUR * one.job.gpu for one in jobs],
        }
    )
    hours = table.groupby(["for", "rule"])["processor hours"].transform("sum")
    table["rule"] = table["rule"].map("`{}`".format).where(hours >= 1, "others")
    table = table.groupby(["for", "rule"], as_index=False, sort=False).sum()
    return table.sort_values(["for", "processor hours"], ascending=[True, False])


def longest(jobs: Sequence[Priced], count: int = 8) -> pd.DataFrame:
    """The longest jobs on a GPU, those of one rule and the same work together."""
    rows = [
        {
            "jobs": 1,
            "of": " ".join([f"`{one.job.rule}`", *list(one.job.wildcards.values())[:1]]),
            "GPU hours each": one.on_gpu(USUAL) / HOUR,
            "bound by": "steps" if one.work.steps * STEP >= one.work.amount / USUAL else "work",
            "hours allowed": one.job.minutes / 60,
            "processor hours each": one.seconds / HOUR,
        }
        for one in jobs
        if one.job.gpu and one.work.steps
    ]
    table = pd.DataFrame(rows)
    together = [name for name in table.columns if name != "jobs"]
    table = table.groupby(together, as_index=False)["jobs"].sum()[list(table.columns)]
    return table.nlargest(count, "GPU hours each")


def memory(jobs: Sequence[Priced], smoke: pd.DataFrame) -> pd.DataFrame:
    """The largest job of each rule of the preset smoke, beside what the rule asks for here; small ones left out."""
    asked = {one.job.rule: one.job.memory for one in jobs}
    known = smoke[smoke["rule"].isin(asked) & (smoke["mib"] >= SMALL)]
    return pd.DataFrame(
        {
            "rule": known["rule"].map("`{}`".format),
            "GiB": known["mib"] / 1024,
            "asked": known["rule"].map(asked) / 1024,
            "largest": known["largest"].str.partition("/")[2],
        }
    ).sort_values("GiB", ascending=False)


def page(jobs: Sequence[Priced], measured: pd.DataFrame, smoke: pd.DataFrame) -> str:
    """The whole page."""
    processor = sum(one.seconds for one in jobs) / HOUR
    gpu = [one for one in jobs if one.job.gpu]
    totals = {rate: sum(one.on_gpu(rate) for one in gpu) / HOUR for rate in SUSTAINED}
    runs = {rate: simulated(jobs, rate) for rate in SUSTAINED}
    path = [jobs[place] for place in critical_path(tasks_of(jobs, USUAL))]
    chain = sum(one.on_gpu(USUAL) for one in path) / HOUR
    usual = runs[USUAL]
    enough = usual.loc[usual["hours"] <= 1.05 * chain, "GPUs"].min() if usual["hours"].min() <= 1.05 * chain else None
    scenarios = pd.DataFrame(
        {
            "sustained, TFLOP/s": [rate / 1e12 for rate in SUSTAINED],
            "GPU hours": list(totals.values()),
            **{f"hours on {count}": [runs[rate]["hours"][GPUS.index(count)] for rate in SUSTAINED] for count in GPUS},
        }
    )
    bases = pd.Series({one.basis: 0.0 for one in jobs})
    counts = pd.Series([one.basis for one in jobs]).value_counts()
    for one in jobs:
        bases[one.basis] += one.seconds / HOUR
    shares = pd.DataFrame({"processor time of a job is": bases.index, "jobs": counts[bases.index], "hours": bases})
    never = sorted({one.job.rule for one in jobs if one.basis == "never measured"})
    stop = f"{enough} GPUs" if enough is not None else f"more than {GPUS[-1]} GPUs"
    on_chain = ", then ".join(
        f"{name_of(one)} ({hours:.1f} h)" for one in path if (hours := one.on_gpu(USUAL) / HOUR) > 0.05
    )
    over = sorted({one.job.rule for one in gpu if one.on_gpu(USUAL) > one.job.minutes * 60})
    rules = len({one.job.rule for one in jobs if one.job.benchmark})
    runs_of = measured[measured["preset"] != TIMED].groupby("preset")["jobs"].sum()
    sources = " and ".join(f"`{name}` ({count} jobs)" for name, count in runs_of.items())
    text = f"""# What the preset `paper` costs

Written by `python -m bench.paper_cost`; no number here is typed by hand. **No run of this preset has been timed**: its
work is counted, its processor time follows from what such work took in smaller runs, and its GPUs are simulated.

All {len(jobs)} jobs take {processor:,.0f} hours of one processor core. On a GPU that sustains {USUAL / 1e12:g} TFLOP/s,
the {len(gpu)} jobs that use one take {totals[USUAL]:,.0f} hours. More GPUs help up to {stop}: the longest chain of
jobs that wait for each other takes {chain:,.0f} hours whatever there is.

## By paper and rule

Rules below one processor hour are under `others`. GPU hours are at {USUAL / 1e12:g} TFLOP/s.

{markdown(by_rule(jobs), {"PFLOP": "{:,.3g}", "processor hours": "{:,.1f}", "GPU hours": "{:,.1f}"})}

## On N GPUs

Simulated, with {CORES} cores beside each GPU; every job that may start does, the one with most behind it first. The
last column is what the same work would take if every longer job were cut into jobs of an hour.

{markdown(usual, {"hours": "{:,.1f}", "times faster": "{:.1f}", "GPUs busy": "{:.0%}", usual.columns[-1]: "{:,.1f}"})}

What a GPU sustains is an assumption, so here are three. Small networks sustain little; none is near a card's limit.

{markdown(scenarios, {name: "{:,.0f}" for name in scenarios.columns})}

## Where it stops

The longest chain is {on_chain}, and jobs of less than three minutes.

The longest jobs, which no number of GPUs shortens. Those bound by steps wait for one step after the other on any GPU.
`hours allowed` is the `runtime` that a rule asks a cluster for.

{markdown(longest(jobs), {"GPU hours each": "{:,.1f}", "hours allowed": "{:,.0f}", "processor hours each": "{:,.0f}"})}

Rules with jobs that take longer than allowed here: {listed(over)}.

## Memory

Seen in the preset `smoke` ([bench/smoke.csv](../bench/smoke.csv)), at the widths, shapes and batches of `paper`, on a
CPU; rules below {SMALL} MiB are left out. A rule asks for {MARGIN} times as much at least, and for more where it has
more patients or images here. {len(smoke)} of {rules} rules have been seen.

{markdown(memory(jobs, smoke), {"GiB": "{:,.1f}", "asked": "{:,.1f}"})}

## What is measured, counted, assumed

* **Measured** ([bench/measured.csv](../bench/measured.csv)): processor time of one thread, by Snakemake's benchmark
files of finished runs of {sources}; where no run had such networks, a few steps were timed ({TIMED}). Snakemake looks
every 30 seconds, so that up to as much of a job may be missing.

* **Counted**: floating-point operations of training by torch's `FlopCounterMode` on the very networks, forward and
backward, times samples and epochs: autoencoders, ResNet8, U-Nets and teachers. Not optimisers, noise, predictions.

* **Assumed**: an operation takes as long as in the smaller runs; what is done to whole volumes grows with their voxels,
attacks with their samples; all other jobs take as long as the same job, or as the mean job of their rule, in a smaller
run, and no less on a GPU. A step takes at least {STEP * 1000:g} ms on a GPU. Nobody waits for data, a queue, or memory,
and no job fails.

{markdown(shares, {"hours": "{:,.1f}"})}

Never measured, and counted as nothing: {listed(never)}.
"""
    return "\n\n".join(block if block[0] in "#|" else filled(block) for block in text.strip().split("\n\n")) + "\n"


def main() -> None:
    """Write the page and the table of hours."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    measured = pd.read_csv(MEASURED, keep_default_na=False)
    found, rows = {}, []
    for preset in PRESETS:
        with tempfile.TemporaryDirectory() as folder:
            jobs, config = planned(preset, Path(folder))
        found[preset] = priced(jobs, config, measured)
        hours = pd.Series([each.seconds / HOUR for each in found[preset]])
        folders = [each.job.file.partition("/")[0] for each in found[preset]]
        rows += [(preset, name, f"{spent:.4g}") for name, spent in hours.groupby(folders).sum().items() if spent]
    with atomic_path(HOURS) as temporary:
        pd.DataFrame(rows, columns=["preset", "rules", "hours"]).to_csv(temporary, index=False)
    with atomic_path(PAGE) as temporary:
        Path(temporary).write_text(page(found["paper"], measured, pd.read_csv(SMOKE)))


if __name__ == "__main__":
    main()

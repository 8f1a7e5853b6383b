"""Prices of jobs from measurements, and the committed page."""

import pandas as pd
import pytest

from bench import paper_cost
from bench.paper_cost import MEASURED, PAGE, STEP, Priced, priced, simulated
from bench.presets import Job
from bench.work import Work


def job(rule, gpu=False, parents=(), wildcard="a") -> Job:
    return Job(rule, "", {"run": wildcard}, {}, gpu, 60, 1000, parents, f"results/paper/benchmarks/{rule}.tsv")


def test_a_job_costs_what_such_work_took_in_the_run_that_did_most(monkeypatch):
    monkeypatch.setitem(paper_cost.COUNTED, "train", lambda job, config: Work("kind", 50.0, 10))
    measured = pd.DataFrame(
        [
            ("quick", "train", "kind", 4, 100.0, 1.0),
            ("real", "train", "kind", 2, 10.0, 20.0),
            ("real", "student", "a", 2, 6.0, 2.0),
            ("real", "student", "b", 2, 10.0, 2.0),
            ("real", "table", "", 1, 1.0, 1.0),
        ],
        columns=["preset", "rule", "kind", "jobs", "seconds", "amount"],
    )
    jobs = [job("train"), job("student", True), job("student", True, wildcard="c"), job("table"), job("new")]
    found = [(one.seconds, one.basis) for one in priced(jobs, {}, measured)]
    assert found == [
        (25.0, "counted"),
        (3.0, "as measured"),
        (4.0, "mean of the rule"),
        (1.0, "as measured"),
        (0.0, "never measured"),
    ]


@pytest.mark.parametrize(("amount", "steps", "expected"), [(4e13, 10, 4.0), (1e3, 1000, 1000 * STEP), (1.0, None, 7.0)])
def test_a_gpu_waits_for_work_or_for_steps(amount, steps, expected):
    assert Priced(job("train", True), Work("", amount, steps), 7.0, "").on_gpu(1e13) == expected


def test_more_gpus_help_as_far_as_the_longest_job():
    jobs = [Priced(job("train", True), Work("", 1.0), 3600.0 * hours, "") for hours in (8, 4, 2, 2)]
    table = simulated(jobs, 1e13).set_index("GPUs")
    assert table.loc[1, "hours"] == 16
    assert table.loc[2, "hours"] == table.loc[64, "hours"] == 8
    assert table.loc[2, "times faster"] == 2 and table.loc[2, "GPUs busy"] == 1


def test_the_committed_page_is_made_of_the_committed_measurements():
    text = PAGE.read_text()
    rules = set(pd.read_csv(MEASURED)["rule"])
    assert {"train_residual", "train_mask_teachers", "train_network_teachers"} <= rules
    assert "nan" not in text and "inf" not in text.replace("information", "")
    never = next(line for line in text.splitlines() if line.startswith("Never measured"))
    assert not any(f"`{rule}`" in never for rule in rules)

"""Jobs of a rule that one process does in turn: each is told what it would be told alone."""

import re
import shlex

import pytest

from lib.core.command import calls
from lib.plan.command_line import Unsaid, command_line
from lib.plan.config import ROOT, load, load_schema, register
from lib.plan.plan import Plan
from lib.plan.shared_processes import RULES, Jobs
from tests.workflow.quick import committed, rows_of

UNITS = [{"task": "a", "gamma": "0"}, {"task": "b", "gamma": "2.5"}]
RECORD, PLAIN = "networks/{task}/{gamma}.json", "data/{task}.npz"


def shards(wildcards):
    """As many files as the task says."""
    return [f"shards/{wildcards.task}/{number}.npz" for number in range(2 if wildcards.task == "a" else 0)]


def settings(wildcards):
    return {"job": ["train", wildcards.task], "block": {"rate": 0.5}, "gamma": wildcards.gamma, "noiseless": True}


@pytest.mark.slow
def test_only_the_default_preset_does_jobs_together_unless_another_says_so():
    assert list(RULES) == load_schema()["properties"]["together"]["items"]["enum"] == load()["together"]
    assert load(overrides={"preset": "mine"})["together"] == []
    assert load(overrides={"preset": "mine", "together": ["train_mac"]})["together"] == ["train_mac"]
    assert load(overrides={"together": []})["together"] == []


def test_one_process_does_all_jobs_that_quick_plans_alone_and_no_others():
    rules = "".join(path.read_text("utf-8") for path in (ROOT / "rules").rglob("*.smk"))
    listed = dict(re.findall(r'= jobs_of\("(\w+)", (plan\..+)\)$', rules, re.MULTILINE))
    plan = Plan(load(), register())
    found = {rule: [tuple(sorted(job.items())) for job in eval(jobs, {"plan": plan})] for rule, jobs in listed.items()}
    assert set(found) == set(RULES) and {rule for rule, jobs in found.items() if len({*jobs}) < len(jobs)} == set()
    alone = {row["rule"]: int(row["jobs"]) for row in rows_of(committed("commands"))}
    assert {rule: len(jobs) for rule, jobs in found.items()} == {rule: alone[rule] for rule in RULES}


def test_alone_a_rule_keeps_its_wildcards():
    jobs = Jobs()
    assert jobs.inputs(data=PLAIN, shards=shards) == {"data": PLAIN, "shards": shards}
    assert jobs.output(RECORD) == RECORD
    assert jobs.files([("data", "x.npz"), ("beside", ["a.csv"])], [("record", "y")]) == "--data x.npz --record y"


def test_together_each_job_is_told_what_it_is_told_alone():
    jobs = Jobs(UNITS)
    inputs = {name: files(None) for name, files in jobs.inputs(data=PLAIN, shards=shards).items()}
    assert inputs == {"data": ["data/a.npz", "data/b.npz"], "shards": ["shards/a/0.npz", "shards/a/1.npz"]}
    record = jobs.output(RECORD)
    assert record == ["networks/a/0.json", "networks/b/2.5.json"]
    # as where files are stored elsewhere, and their paths begin with where
    stored = {name: [f"stored/{path}" for path in paths] for name, paths in (inputs | {"record": record}).items()}
    files = jobs.files([*((n, stored[n]) for n in inputs), ("beside", ["a.csv"])], [("record", stored["record"])])
    found = calls(shlex.split(f"{files} {jobs.settings(settings, None)} --threads 3"))

    class A:
        task, gamma = "a", "0"

    class B:
        task, gamma = "b", "2.5"

    alone = [
        [("data", "stored/data/a.npz"), ("shards", stored["shards"]), ("record", "stored/networks/a/0.json")],
        [("data", "stored/data/b.npz"), ("shards", []), ("record", "stored/networks/b/2.5.json")],
    ]
    for words, own, wildcards in zip(found, alone, (A, B), strict=True):
        assert words == [*shlex.split(command_line(own, settings(wildcards))), "--threads", "3"]


@pytest.mark.parametrize("one", [False, True])
def test_a_single_file_is_one_of_a_list(one):
    """Snakemake gives an input of one path as a path."""
    jobs = Jobs(UNITS[:1])
    jobs.inputs(data=PLAIN)
    assert jobs.files([("data", "x" if one else ["x"])], [("record", ["y"])]) == "--together 0 --data x --record y"


def test_a_preset_without_such_jobs_has_none_to_do():
    jobs = Jobs([])
    assert jobs.output(RECORD) == [] and jobs.inputs(data=PLAIN)["data"](None) == []


def test_what_is_compared_and_unsaid_is_in_no_command_line():
    digest = Unsaid("0123")
    assert digest.of_job(None) is digest and (repr(digest), digest) == ("'0123'", "0123")
    assert f"{digest}" == "" and " ".join(format(part) for part in ("--a 1", digest)) == "--a 1 "

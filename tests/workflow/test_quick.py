"""What quick plans, and the numbers it ends with, stay what they are unless a change means to change them."""

import pytest

from lib.plan.words import WORDS
from tests.workflow.quick import PLAN, committed, digests, planned, rows_of
from tests.workflow.running import Project

RESULTS = "meant? after a run of quick, `python -m tests.workflow.quick results/quick` writes the table anew"


@pytest.fixture(scope="module")
def tables(pristine) -> dict[str, str]:
    """The tables that the code makes of quick's plan."""
    return planned(Project(pristine.root))


@pytest.mark.parametrize("name", ["staleness", "commands"])
def test_the_plan_of_quick_is_the_committed_one(tables, name):
    assert tables[name].splitlines() == committed(name).splitlines(), PLAN


def test_every_rule_of_the_plan_receives_some_setting_or_data(tables):
    """A job that no leaf changes would be one whose settings are not in the configuration."""
    reached = {rule for row in rows_of(tables["staleness"]) for rule in row["rules"].split()}
    constant = {row["rule"] for row in rows_of(tables["commands"])} - reached
    assert constant == set(), constant


def test_what_tables_say_makes_no_training_stale(tables):
    """Not even by what precedes it."""
    rows = [row for row in rows_of(tables["staleness"]) if {*WORDS} & {*row["leaves"].split()}]
    assert {word for row in rows for word in row["leaves"].split()} >= {"label", "title", "stands_for", "protocol"}
    assert [row for row in rows if row["trainings"]] == []


def test_how_a_task_trains_students_makes_only_them_stale(tables):
    blocks = {row["block"]: row for row in rows_of(tables["staleness"]) if row["leaves"] == "*"}
    student, teacher = (blocks[f"segmentation.tasks.phantom.{name}"] for name in ("student", "teacher"))
    assert student["rules"] == student["trainings"] == "train_mask_students"
    assert teacher["rules"] == "train_mask_teachers"


def test_the_student_of_a_run_does_not_reach_its_accounting(tables):
    rows = [row for row in rows_of(tables["staleness"]) if row["block"] == "scalable_pate.runs.digits_lnmax"]
    (student,) = (row for row in rows if "student" in row["leaves"].split())
    assert not {"account", "aggregate"} & {*student["rules"].split()}


@pytest.mark.long
def test_the_numbers_of_quick_are_the_committed_ones(pristine):
    expected = committed("results")
    project = Project(pristine.duplicate(pristine.root.with_name("quick")).root)
    project.run("--cores", "2")
    found = digests(project.results())
    if found.splitlines()[1] != expected.splitlines()[1]:
        pytest.skip(f"made on another kind of processor: {expected.splitlines()[1]}")
    assert found.splitlines() == expected.splitlines(), RESULTS

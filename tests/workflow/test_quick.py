"""What quick plans, and the numbers it ends with, stay what they are unless a change means to change them."""

import pytest

from tests.workflow.quick import committed, digests, planned, rows_of
from tests.workflow.running import Project

PLAN = "meant? `python -m tests.workflow.quick` writes the table anew, and the difference says what has changed"
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


@pytest.mark.long
def test_the_numbers_of_quick_are_the_committed_ones(pristine):
    expected = committed("results")
    project = Project(pristine.duplicate(pristine.root.with_name("quick")).root)
    project.run("--cores", "2")
    found = digests(project.results())
    if found.splitlines()[1] != expected.splitlines()[1]:
        pytest.skip(f"made on another kind of processor: {expected.splitlines()[1]}")
    assert found.splitlines() == expected.splitlines(), RESULTS

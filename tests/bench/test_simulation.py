"""Known schedules, and bounds that hold for every graph."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.simulation import Task, critical_path, cut, in_order, makespan, remaining

# a (3) and b (1) on GPUs, then c (2), which waits for both, and d (4), which waits for b, on cores
DIAMOND = [Task(3, "gpu"), Task(1, "gpu"), Task(2, "core", (0, 1)), Task(4, "core", (1,))]


@pytest.mark.parametrize(
    ("gpus", "cores", "expected"),
    [
        (2, 2, 5.0),  # both chains side by side
        # a and b have equally much behind them; a goes first, then b, and d is the last
        (1, 2, 8.0),
        (2, 1, 7.0),  # d from 1 to 5, then c
    ],
)
def test_a_schedule_worked_out_by_hand(gpus, cores, expected):
    assert makespan(DIAMOND, {"gpu": gpus, "core": cores}) == expected


def test_the_longest_chain_is_found():
    tasks = [Task(1, "core"), Task(5, "core"), Task(10, "gpu", (0,)), Task(2, "gpu", (1, 2))]
    assert critical_path(tasks) == [0, 2, 3]
    assert remaining(tasks) == [13, 7, 12, 2]


def test_a_circle_and_a_missing_machine_are_refused():
    with pytest.raises(ValueError, match="2 of 2 tasks"):
        in_order([Task(1, "core", (1,)), Task(1, "core", (0,))])
    with pytest.raises(ValueError, match="gpu"):
        makespan([Task(1, "gpu")], {"core": 3})


@st.composite
def graphs(draw):
    """Tasks that wait for earlier ones."""
    tasks = []
    for place in range(draw(st.integers(1, 12))):
        parents = draw(st.sets(st.integers(0, place - 1), max_size=3)) if place else set()
        tasks.append(Task(draw(st.integers(0, 9)), draw(st.sampled_from(["gpu", "core"])), tuple(parents)))
    return tasks


@given(graphs(), st.integers(1, 4), st.integers(1, 4))
def test_the_makespan_lies_between_its_bounds(tasks, gpus, cores):
    found = makespan(tasks, {"gpu": gpus, "core": cores})
    longest = sum(tasks[place].seconds for place in critical_path(tasks))
    held = {what: sum(task.seconds for task in tasks if task.holds == what) for what in ("gpu", "core")}
    assert max(longest, held["gpu"] / gpus, held["core"] / cores) <= found + 1e-9
    assert found <= held["gpu"] + held["core"]
    # with a machine for every task, nothing but the chain is left
    assert makespan(tasks, {"gpu": len(tasks), "core": len(tasks)}) == longest


@given(graphs(), st.integers(1, 4), st.integers(1, 4))
def test_a_schedule_is_at_most_twice_as_long_for_each_kind_of_machine(tasks, gpus, cores):
    # Graham's bound for list scheduling, of two kinds of machines
    longest = sum(tasks[place].seconds for place in critical_path(tasks))
    held = {what: sum(task.seconds for task in tasks if task.holds == what) for what in ("gpu", "core")}
    bound = longest + held["gpu"] / gpus + held["core"] / cores
    assert makespan(tasks, {"gpu": gpus, "core": cores}) <= bound + 1e-9


def test_work_is_cut_into_parts_that_all_are_waited_for():
    tasks = [Task(4, "core", (1,)), Task(10, "gpu"), Task(3, "gpu")]
    parts = cut(tasks, 4)
    assert sorted(part.seconds for part in parts) == pytest.approx([3, 10 / 3, 10 / 3, 10 / 3, 4])
    last = next(part for part in parts if part.holds == "core")
    assert [parts[parent].seconds for parent in last.parents] == pytest.approx([10 / 3] * 3)
    assert makespan(parts, {"gpu": 4, "core": 1}) == pytest.approx(10 / 3 + 4)

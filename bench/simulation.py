"""How long a graph of jobs takes on some machines: list scheduling, the job with the longest way to the end first."""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Task:
    """A job as the simulation sees it: its seconds, what one of which it holds (say a GPU), and the tasks before it.

    parents: places in the list of all tasks.
    """

    seconds: float
    holds: str
    parents: tuple[int, ...] = ()


def in_order(tasks: Sequence[Task]) -> list[int]:
    """Places of all tasks, each after its parents; ValueError for a circle."""
    waiting = [len(set(task.parents)) for task in tasks]
    children = children_of(tasks)
    order = [place for place, count in enumerate(waiting) if not count]
    for place in order:
        for child in children[place]:
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    if len(order) < len(tasks):
        raise ValueError(f"{len(tasks) - len(order)} of {len(tasks)} tasks wait for each other; allowed is no circle")
    return order


def children_of(tasks: Sequence[Task]) -> list[list[int]]:
    """The tasks that wait for each."""
    children = [[] for _ in tasks]
    for place, task in enumerate(tasks):
        for parent in set(task.parents):
            children[parent].append(place)
    return children


def remaining(tasks: Sequence[Task]) -> list[float]:
    """Seconds of the longest chain that begins with each task."""
    children, found = children_of(tasks), [0.0] * len(tasks)
    for place in reversed(in_order(tasks)):
        found[place] = tasks[place].seconds + max((found[child] for child in children[place]), default=0.0)
    return found


def critical_path(tasks: Sequence[Task]) -> list[int]:
    """The longest chain, first task first."""
    left, children = remaining(tasks), children_of(tasks)
    starts = [place for place, task in enumerate(tasks) if not task.parents]
    path = []
    while starts:
        path.append(max(starts, key=left.__getitem__))
        starts = children[path[-1]]
    return path


def cut(tasks: Sequence[Task], longest: float) -> list[Task]:
    """The same work with every task cut into equal parts of at most so many seconds, side by side."""
    found, parts = [], {}
    for place in in_order(tasks):
        task = tasks[place]
        count = max(1, math.ceil(task.seconds / longest))
        parents = tuple(part for parent in task.parents for part in parts[parent])
        parts[place] = range(len(found), len(found) + count)
        found += [replace(task, seconds=task.seconds / count, parents=parents)] * count
    return found


def makespan(tasks: Sequence[Task], capacity: Mapping[str, int]) -> float:
    """Seconds until all tasks are done where so many of each thing are there.

    Raises ValueError where a task holds what there is none of.
    """
    for task in tasks:
        if capacity.get(task.holds, 0) < 1:
            raise ValueError(f"a task holds {task.holds!r}; there are {dict(capacity)}")
    left, children = remaining(tasks), children_of(tasks)
    free, waiting = dict(capacity), [len(set(task.parents)) for task in tasks]
    ready = {what: [] for what in capacity}
    running, now = [], 0.0

    def enter(place: int) -> None:
        heapq.heappush(ready[tasks[place].holds], (-left[place], place))

    for place, count in enumerate(waiting):
        if not count:
            enter(place)
    while running or any(ready.values()):
        for what, queue in ready.items():
            while queue and free[what]:
                place = heapq.heappop(queue)[1]
                free[what] -= 1
                heapq.heappush(running, (now + tasks[place].seconds, place))
        now, done = heapq.heappop(running)
        free[tasks[done].holds] += 1
        for child in children[done]:
            waiting[child] -= 1
            if not waiting[child]:
                enter(child)
    return now

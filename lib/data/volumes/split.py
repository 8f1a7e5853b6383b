"""Which patient's volume goes to which part, and which of them to which teacher."""

from collections.abc import Mapping, Sequence

import numpy as np

from lib.core.errors import InputError
from lib.core.seeding import generator


def split_subjects(names: Sequence[str], sizes: Mapping[str, int], seed: int, *job: str) -> dict[str, np.ndarray]:
    """Rows of `names` for each part of `sizes`, disjoint, int64, in the order drawn; what is over is in no part.

    names: of patients, each once. Which patient is where depends on the seed, the job and the set of names, not on
    their order, nor on anything of their volumes: another volume of one patient leaves all others where they are.
    Raises InputError if a name is there twice, or if the sizes are negative or more than there are names.
    """
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if list(names).count(name) > 1})
        raise InputError(f"split by patient: the same patient twice: {', '.join(twice[:5])}")
    if min(sizes.values(), default=0) < 0 or sum(sizes.values()) > len(names):
        asked = ", ".join(f"{part} {size}" for part, size in sizes.items())
        raise InputError(f"split by patient: {asked}, {sum(sizes.values())} in all; there are {len(names)} patients")
    by_name = np.array(sorted(range(len(names)), key=lambda row: names[row]), np.int64)
    drawn = by_name[generator(seed, *job, "subjects").permutation(len(names))]
    parts = sorted(sizes)  # whatever order they are named in
    ends = np.cumsum([0, *(sizes[part] for part in parts)])
    return {part: drawn[start:stop] for part, start, stop in zip(parts, ends[:-1], ends[1:], strict=True)}


def teacher_shards(rows: np.ndarray, teachers: int) -> list[np.ndarray]:
    """Return the rows of each teacher: disjoint runs of `rows`, all of it, whose lengths differ by at most one.

    Raises InputError unless there is at least one teacher and one patient each.
    """
    if not 1 <= teachers <= len(rows):
        raise InputError(f"{teachers} teachers for {len(rows)} patients; allowed is 1 to {len(rows)}, one patient each")
    return np.array_split(rows, teachers)

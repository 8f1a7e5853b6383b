"""How far one record moves the mean of teachers' codes; `encoded_mean.py` says what that costs."""

import math

from pate_accountant.errors import InputError


def sensitivity(queries: int, teachers: int, radius: float, pieces: int = 1) -> float:
    """L2 sensitivity of the answers to all queries together, 2 radius sqrt(queries pieces) / teachers.

    radius: bound on the norm of each code. pieces: codes that one query has, each within `radius` on its own (patches,
    slices or blocks of a volume); 1 where all of a query's numbers together are within it. Attained where every code
    goes from v to -v, |v| = radius (Fay et al. 2022, eq. (7)). Raises InputError for what is not allowed.
    """
    for what, count in (("queries", queries), ("teachers", teachers), ("pieces", pieces)):
        if count != int(count) or count < 1:
            raise InputError(f"{what} {count}: a whole number, at least 1")
    if not (math.isfinite(radius) and radius > 0):
        raise InputError(f"radius {radius}: it must be positive and finite")
    return 2 * radius * math.sqrt(queries * pieces) / teachers

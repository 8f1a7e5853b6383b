"""One test of a check over many files or keys, which names all that fail."""

from collections.abc import Callable, Iterable

import pytest


def assert_none(check: Callable[..., None], cases: Iterable[tuple]) -> None:
    """Call the check, which asserts, on the arguments of every case; fail once, with a line for each case that fails.

    Fails without any case, too.
    """
    seen, offenders = 0, []
    for case in cases:
        seen += 1
        try:
            check(*case)
        except (Exception, pytest.fail.Exception) as error:
            offenders.append(f"{', '.join(map(str, case))}: {type(error).__name__}: {str(error).strip()[:500]}")
    assert seen, "no case to check"
    assert not offenders, "\n".join([f"{len(offenders)} of {seen} fail", *offenders])

"""One test of a check over many files or keys, which names all that fail."""

from collections.abc import Callable, Iterable
from functools import update_wrapper
from typing import Any

import pytest


def each(cases: Iterable[Any], name: Callable[..., object] | None = None) -> Callable[[Callable], Callable[[], None]]:
    """Decorate a check, which asserts: as a test without arguments it checks all cases and fails once.

    cases: arguments of the check, a tuple where it takes several. name: of a case in the message, its arguments where
    there is none. The message has a line for each case that fails. Having no case fails, too.
    """
    listed = [case if isinstance(case, tuple) else (case,) for case in cases]

    def over_all(check: Callable) -> Callable[[], None]:
        def test() -> None:
            offenders = []
            for case in listed:
                try:
                    check(*case)
                except (Exception, pytest.fail.Exception) as error:
                    said = name(*case) if name else ", ".join(map(str, case))
                    offenders.append(f"{said}: {type(error).__name__}: {str(error).strip()[:500]}")
            assert listed, "no case to check"
            assert not offenders, "\n".join([f"{len(offenders)} of {len(listed)} fail", *offenders])

        update_wrapper(test, check)
        del test.__wrapped__  # whose arguments pytest would take for fixtures
        return test

    return over_all

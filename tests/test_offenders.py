"""The check over many cases: one failure, which names every case that fails, and fails without cases."""

import pytest

from tests.offenders import each


def check(name, number):
    """Its own."""
    with pytest.raises(ZeroDivisionError):
        number / (number - 2)
    assert name != "wrong"


def test_every_case_that_fails_is_named():
    decorated = each([("right", 2), ("did not raise", 3), ("wrong", 2), ("no number", "2")])(check)
    with pytest.raises(AssertionError) as caught:
        decorated()
    lines = [line for line in str(caught.value).splitlines() if ": " in line]
    assert [line.partition(": ")[0] for line in lines] == ["did not raise, 3", "wrong, 2", "no number, 2"]
    assert str(caught.value).startswith("3 of 4 fail\n")
    with pytest.raises(AssertionError, match=r"^2 of 2 fail\n<1>: ZeroDivisionError"):
        each([1, 0], lambda number: f"<{number}>")(lambda number: [] or 1 / 0)()


def test_no_case_is_no_pass():
    each([("right", 2)])(check)()
    with pytest.raises(AssertionError, match="no case to check"):
        each([])(check)()

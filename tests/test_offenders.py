"""The check over many cases: one failure, which names every case that fails, and fails without cases."""

import pytest

from tests.offenders import assert_none


def check(name, number):
    with pytest.raises(ZeroDivisionError):
        number / (number - 2)
    assert name != "wrong"


def test_every_case_that_fails_is_named():
    with pytest.raises(AssertionError) as caught:
        assert_none(check, [("right", 2), ("did not raise", 3), ("wrong", 2), ("no number", "2")])
    lines = [line for line in str(caught.value).splitlines() if ": " in line]
    assert [line.partition(": ")[0] for line in lines] == ["did not raise, 3", "wrong, 2", "no number, 2"]
    assert str(caught.value).startswith("3 of 4 fail\n")


def test_no_case_is_no_pass():
    assert_none(check, [("right", 2)])
    with pytest.raises(AssertionError, match="no case to check"):
        assert_none(check, [])

"""Repetitions become one row: grouped, averaged, and never mixed in what they mean."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.records import write_record
from lib.reporting import results
from lib.reporting.spread import mean_and_spread
from pate_accountant.statement import PrivacyStatement

STATEMENT = PrivacyStatement(
    epsilon=2.0,
    delta=1e-5,
    accountant="rdp",
    conversion="classic",
    neighbouring="replace_one",
    data_dependent=True,
    sanitized=False,
    one_sided=True,
    proved_bound=True,
)


def record(epsilon: float = 2.0, **changes: object) -> dict:
    return {"privacy": {"epsilon": dataclasses.replace(STATEMENT, epsilon=epsilon, **changes)}}


def write(path, *job: str, **metrics: float):
    write_record(
        path,
        job=list(job),
        preset="quick",
        seed=1,
        dataset="digits",
        code="c0" * 32,
        fingerprint="ab" * 32,
        parameters={},
        metrics=metrics,
    )
    return path


# ---------------------------------------------------------------- groups


def test_records_are_grouped_by_job_in_the_order_of_repetitions(tmp_path):
    paths = [
        write(tmp_path / f"{run}-{repetition}.json", "account", run, str(repetition), value=repetition)
        for run in ("b", "a")
        for repetition in (10, 2, 1, 9, 0)
    ]
    groups = results.by_job(paths)
    assert set(groups) == {("account", "a"), ("account", "b")}
    for group in groups.values():
        assert [one["metrics"]["value"] for one in group] == [0, 1, 2, 9, 10]  # as numbers, not as texts
    assert results.by_job(reversed(paths)) == groups


def test_names_of_jobs_of_any_length_are_kept(tmp_path):
    paths = [write(tmp_path / "1.json", "a", "b", "c", "1"), write(tmp_path / "2.json", "a", "b", "1")]
    assert set(results.by_job(paths)) == {("a", "b", "c"), ("a", "b")}
    assert results.by_job([]) == {}


# ---------------------------------------------------------------- numbers


def test_mean_and_spread_are_known():
    assert mean_and_spread([]) == (None, None)
    assert mean_and_spread([3.0]) == (3.0, None)
    mean, spread = mean_and_spread([1.0, 2.0, 6.0])
    assert mean == 3.0 and spread == pytest.approx(7**0.5)
    assert mean_and_spread([5, 5, 5]) == (5.0, 0.0)
    assert [type(x) for x in mean_and_spread(np.array([1, 2]))] == [float, float]


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20), st.floats(-1e3, 1e3), st.randoms(use_true_random=False))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_mean_and_spread_move_with_their_values(values, shift, shuffler):
    mean, spread = mean_and_spread(values)
    moved_mean, moved_spread = mean_and_spread([value + shift for value in values])
    assert moved_mean == pytest.approx(mean + shift, abs=1e-9)
    assert moved_spread == pytest.approx(spread, abs=1e-6)
    shuffler.shuffle(values)
    assert mean_and_spread(values) == pytest.approx((mean, spread), abs=1e-9)


def test_numbers_come_from_the_block_that_is_asked():
    records = [
        {"metrics": {"a": 1.0}, "private_metrics": {"a": 10.0, "b": 5.0}},
        {"metrics": {}, "private_metrics": {}},
    ]
    assert results.numbers(records, "a") == (1.0, None)
    assert results.numbers(records, "a", private=True) == (10.0, None)
    assert results.numbers(records, "b") == (None, None)
    assert results.numbers([], "a") == (None, None)


# ---------------------------------------------------------------- statements


def test_statements_of_one_meaning_are_averaged():
    mean, spread = results.statement([record(1.0), record(2.0), record(6.0)], "epsilon")
    # the mean of three bounds bounds none of the runs
    assert mean == dataclasses.replace(STATEMENT, epsilon=3.0, proved_bound=False)
    assert spread == pytest.approx(7**0.5)
    assert results.statement([record(1.5), record(1.5)], "epsilon")[0] == dataclasses.replace(STATEMENT, epsilon=1.5)
    assert results.statement([record(1.5)], "epsilon") == (dataclasses.replace(STATEMENT, epsilon=1.5), None)


def test_records_without_the_statement_do_not_count():
    assert results.statement([record(), {"privacy": {}}], "epsilon") == (STATEMENT, None)
    assert results.statement([record()], "epsilon_tight") == (None, None)
    assert results.statement([], "epsilon") == (None, None)


@pytest.mark.parametrize(
    "change",
    [
        {"delta": 1e-6},
        {"accountant": "moments(1..8)"},
        {"conversion": "tight"},
        {"neighbouring": "add_or_remove_one"},
        {"sanitized": True},
        {"one_sided": False},
        {"proved_bound": False},
        {"data_dependent": False},
    ],
    ids=lambda change: next(iter(change)),
)
def test_statements_of_different_meaning_are_never_averaged(change):
    with pytest.raises(ValueError, match="2 repetitions mean different things"):
        results.statement([record(), record(**change)], "epsilon")


def test_every_field_of_the_meaning_is_tried_above():
    assert set(STATEMENT.as_dict()) - {"epsilon"} == {
        "delta",
        "accountant",
        "conversion",
        "neighbouring",
        "data_dependent",
        "sanitized",
        "one_sided",
        "proved_bound",
        "guarantee",
    }


def test_data_are_named_with_the_beginning_of_their_fingerprint():
    assert results.data_name({"dataset": "digits", "fingerprint": "0123456789abcdef" * 4}) == "digits (0123456789ab)"

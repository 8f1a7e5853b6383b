"""Exponents, the ratios that are kept, and what is read of benchmark files."""

import json

import pytest

from bench.baseline import compare
from bench.benchmarks import used
from bench.growth import exponent


def test_a_power_is_found():
    assert exponent([1, 2, 10], [3, 12, 300]) == pytest.approx(2)
    assert exponent([5, 50], [7, 7]) == pytest.approx(0)


@pytest.mark.parametrize(("sizes", "costs"), [([2, 2], [1, 1]), ([1, 2], [0, 1]), ([1, 2], [1, 1, 1])])
def test_what_has_no_exponent_is_refused(sizes, costs):
    with pytest.raises(ValueError, match="needed are"):
        exponent(sizes, costs)


def test_a_ratio_is_printed_beside_the_one_that_is_kept(tmp_path, monkeypatch, capsys):
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps({"a of b": 2.0}))
    compare("a of b", 2.41, path)
    assert capsys.readouterr().out == "ratio: a of b: 2.41 (2 in baseline.json)\n"
    monkeypatch.setenv("KEEP", "1")
    compare("a of c", 3.0, path)
    assert capsys.readouterr().out == "ratio: a of c: 3\n"
    compare("a of b", 1.0, path)
    assert json.loads(path.read_text()) == {"a of b": 1.0}


def test_jobs_are_added_up_by_rule(tmp_path):
    head = "s\th:m:s\tmax_rss\tcpu_time\n"
    for job, line in {
        "train/a/1": "3\t0:00:03\t700\t2",
        "train/a/2": "4\t0:00:04\t900\t1",
        "table1": "0.4\t0:00:00\t-\tNA",
    }.items():
        path = tmp_path / "benchmarks" / f"{job}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head + line + "\n")
    found = used(tmp_path)
    assert list(found.index) == ["train", "table1"]
    assert found.loc["train"].to_dict() == {
        "jobs": 2,
        "processor": 3,
        "wall": 7,
        "memory": 900,
        "largest": "train/a/2",
    }
    assert found.loc["table1", "memory"] == 0

"""The table and figure of the project's audit, and the command that audits any callable as its page shows it."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from lib.audit.trial import BUGS, INTACT, RUN_BUGS
from lib.core.errors import InputError
from lib.core.files import atomic_path
from scripts import audit_code, audit_mechanism, audit_mechanisms
from tests.redrawn import assert_redrawn

PAGE = (Path(__file__).parents[2] / "docs" / "mechanism_audit.md").read_text(encoding="utf-8")
FAULTY = """
neighbours = 1.0, 0.0
of_one = lambda records: records
of_three = lambda records, rng, sigma: records
not_finite = lambda records, rng: float("nan")
raising = lambda records, rng: 1 / 0
"""


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The page's module, in a folder that modules are imported from."""
    (tmp_path / "counts.py").write_text(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1))
    (tmp_path / "others.py").write_text("neighbours = [1.0] * 100, [1.0] * 100\nnumber = 3\nimport nowhere_at_all\n")
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["counts"], "allowed is MODULE:NAME"),
        (["nowhere:count"], "no module nowhere"),
        (["others:number"], "no module nowhere_at_all"),
        (["counts:nothing"], "module counts has no nothing"),
        (["counts:neighbours"], "allowed is a callable"),
        (["counts:noisy_count", "--neighbours", "counts:pairs"], "module counts has no pairs"),
        (["counts:noisy_count", "--neighbours", "counts:noisy_count"], "two inputs"),
        (["counts:noisy_count", "--runs", "2"], "runs 2"),
        (["counts:noisy_count", "--delta", "2"], "delta 2.0"),
        (
            ["faulty:of_one"],
            r"faulty:of_one\(records\): too many positional arguments; allowed is a callable of an input",
        ),
        (["faulty:of_three"], r"faulty:of_three\(records, rng, sigma\): missing .*'sigma'; allowed is a callable"),
        (["faulty:not_finite"], "output nan: allowed are finite numbers"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(example, options, named):
    with pytest.raises(InputError, match=named) as refused:
        audit_mechanism.main([*options, "--epsilon", "1"])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["counts:noisy_count_halved", "--runs", "2000"], 1),
        (["counts:misspelt"], 2),
        (["counts:noisy_count", "--runs", "3"], 2),
        (["counts:noisy_count", "--run", "3000"], 2),
        (["faulty:of_one"], 2),
        (["faulty:not_finite"], 2),
        (["faulty:raising"], 2),
    ],
)
def test_only_a_broken_promise_ends_with_status_one(example, capsys, options, status):
    with pytest.raises(SystemExit) as ended:
        audit_mechanism.console([*options, "--epsilon", "1"])
    assert ended.value.code == status
    printed = capsys.readouterr()
    assert ("BROKEN" in printed.out) == (status == 1) and bool(printed.err) == (status == 2)
    assert ("Traceback" in printed.err) == (options == ["faulty:raising"])


@pytest.mark.slow
def test_more_parts_than_mechanisms_are_refused(tmp_path):
    settings = {"runs": 200, "level": 0.9, "delta": 0.01, "repeated": {"times": 1, "runs": 200}}
    made = ["--table", str(tmp_path / "99.csv"), "--privacy", str(tmp_path / "99_privacy.csv")]
    with pytest.raises(InputError, match=r"audit\.code\.parts = 100: allowed is at most 23"):
        audit_code.main(["--seed", "1", "--settings", json.dumps(settings), "--part", "99", "100", *made])
    assert not list(tmp_path.iterdir())


def test_a_part_that_was_altered_is_refused(tmp_path):
    parts = [tmp_path / f"{number}.csv" for number in range(2)]
    for part in parts:
        with atomic_path(part) as temporary:
            temporary.write_text("mechanism,caught\ngnmax,no\n", encoding="utf-8")
    assert audit_mechanisms.joined(parts) == "mechanism,caught\n" + 2 * "gnmax,no\n"
    parts[1].write_text("mechanism,caught\ngnmax,yes\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"1\.csv: does not match the digest"):
        audit_mechanisms.joined(parts)


def test_every_bug_has_a_mark_of_its_own():
    assert list(audit_mechanisms.SHOWN) == [INTACT, *BUGS, *RUN_BUGS]
    marks = [mark for _, *mark in audit_mechanisms.SHOWN.values()]
    assert len({mark for mark, _ in marks}) == len(marks)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_the_table_has_a_row_for_each_mechanism_and_bug(tmp_path):
    files = {name: tmp_path / f"mechanisms.{name}" for name in ("table", "privacy", "png", "pdf")}
    settings = {"runs": 200, "level": 0.9, "delta": 0.01, "repeated": {"times": 3, "runs": 200}}
    parts = 4
    for part in range(parts):
        made = ["--table", str(tmp_path / f"{part}.csv"), "--privacy", str(tmp_path / f"{part}_privacy.csv")]
        of_part = ["--part", str(part), str(parts)]
        audit_code.main(["--seed", "1", "--settings", json.dumps(settings), *of_part, *made])
    options = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    read = [
        *["--tables", *(str(tmp_path / f"{part}.csv") for part in range(parts))],
        *["--privacies", *(str(tmp_path / f"{part}_privacy.csv") for part in range(parts))],
    ]
    audit_mechanisms.main([*read, *options])
    table, privacy = pd.read_csv(files["table"], keep_default_na=False), pd.read_csv(files["privacy"])
    steps, runs = 15, 8
    assert set(table["bug"]) == {INTACT, *BUGS, *RUN_BUGS} and len(table) == steps * (1 + len(BUGS)) + runs * 2
    intact = table[table["bug"] == INTACT]
    assert (table[table["bug"] != INTACT][list(audit_code.AGAIN)] == "").all(axis=None)
    assert set(intact["repetitions"]) == {"3"} and set(intact["holds"]) == {"yes"}
    assert intact["repeated_highest"].astype(float).max() > 0  # bounds of other draws than the first audit's
    empty = table["caught"] == "n/a"
    assert (table[empty]["no_room"] != "").all() and (table[~empty]["no_room"] == "").all()
    assert (table[empty]["promised_epsilon"] == "").all() and len(privacy) == (~empty).sum()
    assert (privacy["guarantee"] == (privacy["bug"] == INTACT)).all()
    assert all(files[name].stat().st_size > 5000 for name in ("png", "pdf"))
    assert_redrawn(audit_mechanisms, files["png"], files["table"])

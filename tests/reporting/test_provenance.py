"""Where committed results come from: the table of it, and what it says of today's code."""

import pytest

from lib.core.code_inputs import digest
from lib.core.errors import InputError
from lib.reporting.provenance import BEFORE, cells, data_of, of_today, read_origins, row_of, write_origins
from scripts import show_provenance

SCRIPT, OTHER = "scripts/dp_mac_budget.py", "scripts/train_mac.py"
TODAY = {SCRIPT: digest(SCRIPT), f"scripts/prepare_data.py {OTHER}": digest("scripts/prepare_data.py", OTHER)}
SAME = row_of("dp_mac/a.csv", "real", "0123", "digits (ab)", TODAY)
CHANGED = row_of("dp_mac/a.png", "real", "4567-dirty", "", TODAY | {OTHER: "0" * 64, "scripts/gone.py": "1" * 64})
OLD = row_of("scalable_pate/b.csv", "real", "unknown", "", None)


def test_a_table_of_origins_is_read_as_it_was_written(tmp_path):
    write_origins(tmp_path / "p.csv", [CHANGED, OLD, SAME])
    assert list(read_origins(tmp_path / "p.csv").values()) == [SAME, CHANGED, OLD]
    assert read_origins(tmp_path / "none.csv") == {}
    (tmp_path / "other.csv").write_text("file,commit\n")
    with pytest.raises(InputError, match="columns file, commit; allowed are file, preset"):
        read_origins(tmp_path / "other.csv")


def test_today_is_compared_script_by_script():
    assert of_today(SAME) == ("same", [])
    assert of_today(CHANGED) == ("changed", ["scripts/gone.py", OTHER])
    assert of_today(OLD) == of_today(None) == ("not known", [])


def test_a_row_says_commit_and_code():
    origins = {row["file"]: row for row in (SAME, CHANGED)}
    assert cells(["dp_mac/a.csv", "dp_mac/a.png", "dp_mac/c.csv"], origins) == [
        ["a.csv", "0123", "same"],
        ["a.png", "4567-dirty", f"changed: scripts/gone.py, {OTHER}"],
        ["c.csv", "unknown", f"not known, {BEFORE}"],
    ]


def test_data_are_named_as_in_the_table(tmp_path):
    (tmp_path / "t.csv").write_text("data,x\ndigits (ab),1\nmnist (cd),2\ndigits (ab),3\n,4\n")
    (tmp_path / "u.csv").write_text("x\n1\n")
    assert [data_of(tmp_path / "t.csv"), data_of(tmp_path / "u.csv"), data_of(None)] == [
        "digits (ab); mnist (cd)",
        "",
        "",
    ]


def test_what_would_be_made_anew_is_listed(tmp_path, capsys):
    write_origins(tmp_path / "provenance.csv", [SAME, CHANGED])
    for row in (SAME, CHANGED, OLD):
        (tmp_path / row["file"]).parent.mkdir(exist_ok=True)
        (tmp_path / row["file"]).touch()
    show_provenance.main(["--pages", str(tmp_path)])
    assert capsys.readouterr().out.splitlines() == [
        f"dp_mac/a.png: changed, scripts/gone.py, {OTHER}; made by commit 4567-dirty",
        f"scalable_pate: 1 files were {BEFORE}",
        "1 of 3 committed tables and figures are of today's code",
    ]

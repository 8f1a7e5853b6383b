"""Results of a run that are taken into the committed ones, with where they come from."""

import json
from base64 import urlsafe_b64encode

import pytest

from lib.core.errors import InputError
from lib.plan.config import ROOT
from lib.plan.snakemake_records import code_parameter
from lib.reporting.provenance import read_origins, row_of, write_origins
from scripts.keep_results import main

REAL = ROOT / "presets" / "real.yaml"
CODE = ("scripts/dp_mac_budget.py", "ab")


@pytest.fixture
def made_in(tmp_path):
    """The folder of a run that made two tables, one of them by a job of which Snakemake has a record."""
    folder = tmp_path / "run"
    for name in ("budget", "sensitivity"):
        table = folder / "results" / "real" / "dp_mac" / f"{name}.csv"
        table.parent.mkdir(parents=True, exist_ok=True)
        table.write_text(f"data,x\nusps (cd),{name}\n")
    (folder / "budget.log").write_text("code: abab, commit: 0123\n")
    record = {"input": [], "params": [repr(code_parameter(CODE[:1], CODE[1]))], "log": ["budget.log"]}
    place = folder / ".snakemake" / "metadata" / urlsafe_b64encode(b"results/real/dp_mac/budget.csv").decode()
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(record))
    return folder


def test_what_a_run_made_is_copied_and_said_where_it_is_from(made_in, tmp_path, capsys):
    pages = tmp_path / "pages"
    pages.mkdir()
    old = row_of("dp_mac/budget.csv", "real", "old", "", {}), row_of("dp_mac/fig1.csv", "real", "kept", "", {})
    write_origins(pages / "provenance.csv", old)
    main(["--made-in", str(made_in), "--overlays", str(REAL), "--page", "dp_mac", "--pages", str(pages)])
    assert (pages / "dp_mac" / "budget.csv").read_text() == "data,x\nusps (cd),budget\n"
    assert read_origins(pages / "provenance.csv") == {
        "dp_mac/budget.csv": row_of("dp_mac/budget.csv", "real", "0123", "usps (cd)", dict([CODE])),
        "dp_mac/fig1.csv": old[1],
        "dp_mac/sensitivity.csv": row_of("dp_mac/sensitivity.csv", "real", "unknown", "usps (cd)", None),
    }
    assert capsys.readouterr().out.splitlines() == [
        "dp_mac/budget.csv: commit 0123",
        "dp_mac/sensitivity.csv: commit unknown",
    ]


def test_chosen_results_are_taken_into_a_folder_of_another_name(made_in, tmp_path):
    given = ["--made-in", str(made_in), "--overlays", str(REAL), "--page", "dp_mac", "--pages", str(tmp_path / "pages")]
    main([*given, "--items", "budget", "--folder", "dp_mac_other"])
    assert [path.name for path in (tmp_path / "pages").glob("*/*.csv")] == ["budget.csv"]
    assert list(read_origins(tmp_path / "pages" / "provenance.csv")) == ["dp_mac_other/budget.csv"]


@pytest.mark.parametrize(
    ("page", "items", "said"),
    [
        ("dp_mac", ["budget", "fig1"], r"--items fig1: .*run has none; results of dp_mac are .*\bfig1\b"),
        ("dp_mac", ["nothing"], r"--items nothing: .*run has none; results of dp_mac are "),
        ("dpmac", ["budget"], r"--page dpmac: allowed are scalable_pate, dp_mac"),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_is_taken(made_in, tmp_path, page, items, said):
    given = ["--made-in", str(made_in), "--overlays", str(REAL), "--page", page, "--items", *items]
    with pytest.raises(InputError, match=said):
        main([*given, "--pages", str(tmp_path / "pages")])
    assert not (tmp_path / "pages").exists()


def kept_with(tmp_path, made_in, kept, new):
    """Take the table `new` of a run into the committed `kept`, both as text, by the columns a and b."""
    pages = tmp_path / "pages"
    (pages / "dp_mac").mkdir(parents=True)
    (pages / "dp_mac" / "budget.csv").write_text(kept)
    write_origins(pages / "provenance.csv", [row_of("dp_mac/budget.csv", "real", "old", "", {})])
    (made_in / "results" / "real" / "dp_mac" / "budget.csv").write_text(new)
    given = ["--made-in", str(made_in), "--overlays", str(REAL), "--page", "dp_mac", "--pages", str(pages)]
    main([*given, "--items", "budget", "--rows-by", "a", "b"])
    return pages


def test_rows_of_a_run_replace_the_same_rows_alone_and_the_table_has_no_origin(made_in, tmp_path):
    pages = kept_with(tmp_path, made_in, "a,b,x\n1,,0.10\n1,2,3\n2,2,4\n", "a,b,x\n1,2,5.50\n")
    assert (pages / "dp_mac" / "budget.csv").read_text() == "a,b,x\n1,,0.10\n1,2,5.50\n2,2,4\n"
    assert read_origins(pages / "provenance.csv") == {}


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("a,b,y\n1,2,5\n", "columns a, b, y; those of .* are needed"),
        ("a,b,x\n3,2,5\n", r"0 rows of .* have a, b = \('3', '2'\); one is needed"),
    ],
)
def test_rows_that_replace_none_are_refused(made_in, tmp_path, new, said):
    with pytest.raises(InputError, match=said):
        kept_with(tmp_path, made_in, "a,b,x\n1,2,3\n", new)

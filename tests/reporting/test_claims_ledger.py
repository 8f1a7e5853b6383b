"""The ledger: the shipped one, and what is refused."""

import csv

import pytest

from lib.core.errors import InputError
from lib.plan.config import LEDGER
from lib.reporting.claims.controls import load_controls, shipped_controls
from lib.reporting.claims.ledger import COLUMNS, check_controls, is_repeat, judge_all, read_otherwise
from lib.reporting.claims.loading import load_claims
from tests.reporting.claims_builders import COLUMNS as LEDGER_COLUMNS
from tests.reporting.claims_builders import order_claim, row, tables, value_claim

PAPERS = {"scalable_pate", "autoencoded_pate", "compressed_pate", "residual_perturbation", "dp_mac"}


@pytest.fixture(scope="module")
def shipped():
    return load_claims(*LEDGER)


def written(path, *claims, columns=LEDGER_COLUMNS):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(claims)
    return path


def test_shipped_ids_are_unique_and_every_paper_has_claims(shipped):
    ids = [claim["id"] for claim in shipped]
    assert len(set(ids)) == len(ids)
    assert {claim["paper"] for claim in shipped} == PAPERS


def test_the_ledger_holds_claims_of_the_papers_and_checks_are_apart():
    claims, checks = map(load_claims, LEDGER)
    assert not [check["id"] for check in checks if not check["by_construction"]]
    # nothing that counts rests on what is not counted
    assert not {claim["same_as"] or claim["reading_of"] for claim in claims} & {check["id"] for check in checks}


def test_every_column_of_the_ledger_holds_something():
    for path in LEDGER:
        rows = list(csv.DictReader(path.open(newline="", encoding="utf-8")))
        assert "by_construction" not in rows[0] or path.stem == "checks"
        assert not [column for column in rows[0] if not any(row[column] for row in rows)]


def test_ids_are_unique_over_all_files(tmp_path):
    paths = [written(tmp_path / name, value_claim()) for name in ("claims.csv", "checks.csv")]
    with pytest.raises(InputError, match="each id once"):
        load_claims(*paths)


def test_shipped_repeats_name_claims_that_are_no_repeats(shipped):
    originals = {claim["id"] for claim in shipped if not claim["same_as"]}
    assert {claim["same_as"] for claim in shipped if claim["same_as"]} <= originals


def test_shipped_numbers_have_their_tolerance_before_any_run(shipped):
    for claim in shipped:
        if claim["kind"] == "value" and not claim["same_as"] and claim["value"].replace(".", "").isdigit():
            assert claim["relation"], claim["id"]
            assert claim["tolerance"] or claim["relation"] != "=", claim["id"]


def test_without_tables_nothing_is_run_and_every_note_says_why(shipped):
    verdicts = judge_all(shipped, {})
    assert list(verdicts.columns) == COLUMNS
    assert len(verdicts) == len(shipped)
    assert set(verdicts["verdict"]) == {"not judged: not run"}
    assert verdicts["note"].str.len().gt(0).all()


def test_a_repeat_takes_the_verdict_of_what_it_repeats():
    repeat = value_claim(id="scalable_pate.v02", same_as="scalable_pate.v01", note="in percent")
    repeat |= dict.fromkeys(("relation", "tolerance", "table", "row", "column"), "")
    first, second = judge_all([value_claim(), repeat], tables(row())).to_dict("records")
    assert (first["verdict"], first["measured"]) == (second["verdict"], second["measured"]) == ("holds", "2")
    assert second["note"] == "repeats scalable_pate.v01; in percent"
    assert [is_repeat(found["note"]) for found in (first, second)] == [False, True]


def test_a_reading_has_a_verdict_of_its_own_and_says_whose_it_is():
    reading = value_claim(id="scalable_pate.v02", reading_of="scalable_pate.v01", value="9", note="theirs")
    first, second = judge_all([value_claim(), reading], tables(row())).to_dict("records")
    assert (first["verdict"], second["verdict"]) == ("holds", "fails")
    assert [read_otherwise(found["note"]) for found in (first, second)] == ["", "scalable_pate.v01"]
    assert second["note"].endswith("; theirs")


def test_what_the_paper_says_is_put_in_words():
    claims = [
        value_claim(quantity="accuracy", unit="%", dataset="MNIST", method="LNMax"),
        value_claim(relation="<", tolerance="", value="1.0"),
        order_claim(tolerance="x0.25", relation="<="),
        order_claim(than_row="", value="0.5"),
    ]
    said = judge_all([claim | {"id": f"scalable_pate.v0{n}"} for n, claim in enumerate(claims)], {})
    assert said["quantity"][0] == "accuracy [%] (MNIST, LNMax)"
    assert list(said["paper_value"]) == [
        "2.00",
        "< 1.0",
        "epsilon <= 0.25 x epsilon where aggregator is lnmax",
        "epsilon < 0.5",
    ]


@pytest.mark.parametrize(
    ("claim", "column", "value", "allowed"),
    [
        (value_claim(relation="=="), "relation", "==", "=, <, <=, >, >="),
        (value_claim(kind="number"), "kind", "number", "value, order"),
        (value_claim(tolerance="about 2"), "tolerance", "about 2", "2%"),
        (value_claim(tolerance="x2"), "tolerance", "x2", "0.05"),
        (value_claim(tolerance=""), "tolerance", "", "2%"),
        (order_claim(tolerance="2%"), "tolerance", "2%", "x0.25"),
        (value_claim(value="low"), "value", "low", "a number"),
        (value_claim(relation=""), "relation", "", "="),
        (value_claim(table=""), "table", "", "an item"),
        (value_claim(row="MNIST"), "row", "MNIST", "column=value"),
        (value_claim(than_row="dataset=SVHN"), "than_row", "dataset=SVHN", "nothing in a value claim"),
        (value_claim(same_as="scalable_pate.v01"), "relation", "=", "nothing"),
        (order_claim(than_row=""), "value", "", "than_row"),
        (value_claim(paper="pate"), "paper", "pate", "dp_mac"),
        (value_claim(paper="dp_mac"), "paper", "dp_mac", "the paper that the id names"),
        (value_claim(id="v1"), "id", "v1", "two digits"),
        (value_claim(where=""), "where", "", "the place"),
        (value_claim(latitude="some"), "latitude", "some", "moves the number"),
        (value_claim(gate="learned"), "gate", "learned", "column=value"),
        (value_claim(controls="Learned!"), "controls", "Learned!", "names of controls.csv"),
    ],
)
def test_a_bad_cell_is_refused_in_one_line(tmp_path, claim, column, value, allowed):
    with pytest.raises(InputError) as refused:
        load_claims(written(tmp_path / "claims.csv", claim))
    message = str(refused.value)
    assert "\n" not in message
    for part in (claim["id"], f"column {column}: {value!r} is not allowed", allowed):
        assert part in message


def test_an_id_occurs_once_and_a_repeat_has_an_original(tmp_path):
    empty = dict.fromkeys(("relation", "tolerance", "table", "row", "column"), "")
    with pytest.raises(InputError, match="each id once"):
        load_claims(written(tmp_path / "claims.csv", value_claim(), value_claim()))
    for others in ([], [value_claim(id="dp_mac.v09", paper="dp_mac")]):
        with pytest.raises(InputError, match=r"column same_as: 'dp_mac\.v09' is not allowed.*same paper"):
            load_claims(written(tmp_path / "claims.csv", *others, value_claim(same_as="dp_mac.v09", **empty)))


@pytest.mark.parametrize(
    "first",
    [
        {"id": "scalable_pate.v03"},  # not the one that is named
        {"value": "3.00"},
        {"paper": "dp_mac", "id": "dp_mac.v01"},
        {"by_construction": "a setting"},
        {"reading_of": "scalable_pate.v09"},
    ],
)
def test_a_reading_is_of_a_claim_that_can_fail_about_the_same_number(tmp_path, first):
    path = tmp_path / "claims.csv"
    reading = value_claim(id="scalable_pate.v02", reading_of="scalable_pate.v01")
    assert len(load_claims(written(path, value_claim(), reading))) == 2
    with pytest.raises(InputError, match=r"column reading_of: .* is not allowed"):
        load_claims(written(path, reading, value_claim(**first)))
    with pytest.raises(InputError, match=r"column reading_of: .* is not allowed"):
        load_claims(written(path, value_claim(), reading | {"by_construction": "ours"}))


def test_a_reading_of_a_sentence_stands_in_the_same_place(tmp_path):
    path = tmp_path / "claims.csv"
    reading = order_claim(id="scalable_pate.o02", reading_of="scalable_pate.o01")
    assert len(load_claims(written(path, order_claim(), reading))) == 2
    with pytest.raises(InputError, match=r"column reading_of: .*same place"):
        load_claims(written(path, order_claim(where="Figure 9"), reading))


def test_columns_are_fixed(tmp_path):
    path = tmp_path / "claims.csv"
    with pytest.raises(InputError, match=r"scalable_pate\.v01: lacks the columns \['note'\]"):
        load_claims(written(path, value_claim(), columns=LEDGER_COLUMNS[:-1]))
    with pytest.raises(InputError, match=r"unknown columns \['verdict'\]"):
        load_claims(written(path, value_claim(verdict="holds"), columns=[*LEDGER_COLUMNS, "verdict"]))


def test_an_unreadable_or_empty_ledger_is_refused(tmp_path):
    with pytest.raises(InputError, match="not a readable CSV file"):
        load_claims(tmp_path / "absent.csv")
    with pytest.raises(InputError, match="has no claims"):
        load_claims(written(tmp_path / "claims.csv"))


def test_shipped_claims_name_controls_that_are_set(shipped):
    check_controls(shipped, shipped_controls())
    used = {(claim["paper"], name) for claim in shipped for name in claim["controls"].split(";") if name}
    assert used == {key[:2] for key in shipped_controls()}


def test_a_control_that_is_not_set_is_refused():
    with pytest.raises(
        InputError, match=r"scalable_pate\.v01: column controls: 'made_up' is not allowed; allowed: second_round_helps"
    ):
        judge_all([value_claim(controls="made_up")], {})


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"guards": "some"}, "guards"),
        ({"threshold": ""}, "threshold"),
        ({"chance": "0.1"}, "chance"),
        ({"relation": "="}, "relation"),
        ({"row": "method"}, "row"),
        ({"of": "row"}, "threshold"),
    ],
)
def test_a_bad_control_is_refused_in_one_line(tmp_path, changes, named):
    control = next(iter(shipped_controls().values()))
    assert control["of"] == "experiment"
    path = written(tmp_path / "controls.csv", control | changes, columns=list(control))
    with pytest.raises(InputError, match=named) as refused:
        load_controls(path)
    assert "\n" not in str(refused.value) and control["name"] in str(refused.value)


def test_a_control_of_a_dataset_is_set_once(tmp_path):
    control = next(iter(shipped_controls().values()))
    with pytest.raises(InputError, match="occurs twice"):
        load_controls(written(tmp_path / "controls.csv", control, control, columns=list(control)))

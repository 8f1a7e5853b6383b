"""Verdicts on orderings."""

import pytest

from lib.reporting.claims.rule import MORE
from lib.reporting.claims.rule import judge as judge_with
from tests.reporting.claims_builders import judge, order_claim, row, tables, undecided

LNMAX = {"aggregator": "lnmax"}


def test_plain_order_on_each_dataset():
    results = tables(
        row(epsilon=1.99),
        row(**LNMAX, epsilon=3.16),
        row(dataset="SVHN", epsilon=4.9),
        row(dataset="SVHN", **LNMAX, epsilon=12.4),
    )
    found = judge(order_claim(), results)
    assert found.verdict == "holds"
    assert found.measured == "1.99 < 3.16 (MNIST); 4.9 < 12.4 (SVHN)"
    assert (found.seeds, found.data, found.note) == ("0", "MNIST; SVHN", "")


def test_one_dataset_that_contradicts_is_enough():
    results = tables(
        row(), row(**LNMAX, epsilon=3.0), row(dataset="SVHN", epsilon=4), row(dataset="SVHN", **LNMAX, epsilon=3)
    )
    found = judge(order_claim(), results)
    assert (found.verdict, found.measured) == ("fails", "2 < 3 (MNIST); 4 not < 3 (SVHN)")
    assert found.note == "contradicted: SVHN"


def test_every_row_of_the_other_side_counts():
    results = tables(row(), row(**LNMAX, epsilon=3.0), row(**LNMAX, epsilon=1.0))
    assert judge(order_claim(), results).verdict == "fails"


@pytest.mark.parametrize(
    ("relation", "tolerance", "left", "right", "expected"),
    [
        ("<=", "x0.25", 1.0, 4.0, "holds"),
        ("<=", "x0.25", 1.1, 4.0, "fails"),
        ("<=", "+3", 7.0, 4.0, "holds"),
        (">=", "-0.5", 3.5, 4.0, "holds"),
        (">=", "-0.5", 3.4, 4.0, "fails"),
        ("<", "", 4.0, 4.0, "fails"),
        (">", "", 4.1, 4.0, "holds"),
        ("=", "0.1", 4.1, 4.0, "holds"),
        ("=", "2%", 4.1, 4.0, "fails"),
    ],
)
def test_the_tolerance_moves_the_right_side(relation, tolerance, left, right, expected):
    claim = order_claim(relation=relation, tolerance=tolerance)
    assert judge(claim, tables(row(epsilon=left), row(**LNMAX, epsilon=right))).verdict == expected


def test_the_moved_side_is_shown():
    found = judge(order_claim(tolerance="x0.25"), tables(row(epsilon=1.0), row(**LNMAX, epsilon=5.0)))
    assert found.measured == "1 < 0.25 x 5 (MNIST)"


@pytest.mark.parametrize("seeds", [1, 2])
def test_fewer_than_three_seeds_decide_nothing(seeds):
    results = tables(row(seeds=seeds, epsilon_spread=0.0), row(**LNMAX, epsilon=9.0))
    found = judge(order_claim(), results)
    assert (found.judgement, found.note, found.seeds) == (MORE, "needs 3 seeds: MNIST", str(seeds))


@pytest.mark.parametrize(
    ("right", "expected"),
    # three and five seeds: a standard error of .25, and 2.92 of these with two degrees of freedom
    [(2.74, "holds"), (2.72, "undecided"), (2.0, "undecided"), (1.28, "undecided"), (1.26, "fails")],
)
def test_the_difference_must_be_beyond_chance(right, expected):
    sides = {"seeds": 3, "epsilon_spread": 0.3}, {"seeds": 5, "epsilon_spread": 0.4}
    found = judge(order_claim(), tables(row(epsilon=2.0, **sides[0]), row(**LNMAX, epsilon=right, **sides[1])))
    assert (undecided(found), found.spread, found.seeds) == (expected, "0.5", "3")


def test_a_factor_scales_the_spread_of_its_side():
    wide = {"seeds": 3, "epsilon_spread": 0.4}
    claim = order_claim(tolerance="x0.25")
    found = judge(claim, tables(row(epsilon=0.82), row(**LNMAX, epsilon=4.0, **wide)))
    assert (found.verdict, found.spread) == ("holds", "0.1")
    assert judge(claim, tables(row(epsilon=0.84), row(**LNMAX, epsilon=4.0, **wide))).judgement == MORE


def test_an_equality_needs_its_whole_interval_inside_the_tolerance_or_outside():
    sides = {"seeds": 3, "epsilon_spread": 0.03}  # 2.92 standard errors are .05
    claim = order_claim(relation="=", tolerance="0.1")
    for left, expected in ((2.04, "holds"), (2.08, "undecided"), (2.13, "undecided"), (2.2, "fails")):
        assert undecided(judge(claim, tables(row(epsilon=left, **sides), row(**LNMAX)))) == expected


def test_of_many_comparisons_one_must_be_further_out_to_contradict():
    sides = {"seeds": 3, "epsilon_spread": 0.1}
    against = [row(epsilon=2.4, **sides), row(**LNMAX, epsilon=2.0, **sides)]  # p = .02
    assert judge(order_claim(), tables(*against)).verdict == "fails"
    for_it = [
        row(dataset=f"d{n}", aggregator=a, epsilon=e) for n in range(9) for a, e in (("confident", 1), ("lnmax", 2))
    ]
    random = [each | sides for each in for_it]
    assert judge(order_claim(), tables(*against, *for_it)).verdict == "fails"  # what is not random is no test
    assert judge(order_claim(), tables(*against, *random)).judgement == MORE
    clear = [row(epsilon=4.4, **sides), row(**LNMAX, epsilon=2.0, **sides)]
    assert judge(order_claim(), tables(*clear, *random)).verdict == "fails"


@pytest.mark.parametrize("gap", ["seeds", "epsilon_spread"])
def test_what_the_table_does_not_state_decides_nothing(gap):
    stated = {"seeds": 3, "epsilon_spread": 0.1} | {gap: None}
    found = judge(order_claim(), tables(row(**stated), row(**LNMAX, epsilon=9.0)))
    assert found.judgement == MORE
    assert "does not state" in found.note


def test_one_clear_contradiction_outweighs_what_is_undecided():
    vague = {"seeds": 1}
    results = tables(
        row(**vague),
        row(**LNMAX, **vague, epsilon=3),
        row(dataset="SVHN", epsilon=4),
        row(dataset="SVHN", **LNMAX, epsilon=3),
    )
    assert judge(order_claim(), results).verdict == "fails"


def test_what_is_undecided_outweighs_what_holds():
    clear = [row(dataset="SVHN"), row(dataset="SVHN", **LNMAX, epsilon=3)]
    found = judge(order_claim(), tables(*clear, row(seeds=1), row(**LNMAX, seeds=1, epsilon=3)))
    assert found.judgement == MORE


@pytest.mark.parametrize(
    ("facets", "verdict", "grade", "note"),
    [
        ({}, "holds", "paper", ""),
        ({"protocol": "25 forests"}, "holds on less data", "reduced", "protocol: 25 forests"),
        (
            {"dataset": "digits", "stands_for": "MNIST"},
            "holds on substitute data",
            "substitute data",
            "digits stands for MNIST",
        ),
    ],
)
def test_any_data_and_protocol_are_judged_and_named(facets, verdict, grade, note):
    claim = order_claim(row="dataset=MNIST;aggregator=confident")
    found = judge(claim, tables(row(**facets), row(**facets, **LNMAX, epsilon=3)))
    assert (found.judgement, found.verdict, found.grade, found.note) == ("holds", verdict, grade, note)


def test_the_best_evidence_decides_and_the_rest_is_shown():
    stand_in = {"dataset": "digits", "stands_for": "MNIST"}
    against = [row(**stand_in, epsilon=4), row(**stand_in, **LNMAX, epsilon=3)]
    found = judge(order_claim(), tables(*against, row(), row(**LNMAX, epsilon=3)))
    assert (found.verdict, found.grade, found.measured) == ("holds", "paper", "2 < 3 (MNIST)")
    assert found.note == "does not count beside these: 4 not < 3 (digits) on substitute data"


def test_what_is_by_construction_says_so_and_why():
    found = judge(order_claim(by_construction="an identity"), tables(row(), row(**LNMAX, epsilon=3)))
    assert (found.judgement, found.verdict, found.grade) == ("holds", "holds, not testable", "not testable")
    assert found.note == "not testable: an identity"


@pytest.mark.parametrize(("other", "verdict"), [(2.0, "holds"), (2.01, "holds"), (1.99, "fails")])
def test_what_is_true_by_definition_is_not_undecided(other, verdict):
    claim = order_claim(relation="<=", by_construction="by definition: the least of both")
    random = {"epsilon_spread": 0.1, "seeds": 3}
    found = judge(claim, tables(row(**random), row(**LNMAX, **random | {"epsilon": other})))
    assert found.verdict == f"{verdict}, not testable"
    found = judge(claim | {"by_construction": "ours"}, tables(row(**random), row(**LNMAX, **random | {"epsilon": 2.0})))
    assert found.verdict == "not decidable at this tolerance, not testable"


@pytest.mark.parametrize(("gate", "verdict"), [("learned=yes", "holds"), ("learned=*", "fails")])
def test_only_what_passes_the_gate_is_compared(gate, verdict):
    rows = [row(learned="yes"), row(**LNMAX, epsilon=3), row(dataset="SVHN", learned="no", epsilon=4)]
    rows += [row(dataset="SVHN", **LNMAX, epsilon=3), row(dataset="Adult", epsilon=4)]
    rows += [row(dataset="Adult", **LNMAX, epsilon=3)]
    found = judge(order_claim(gate=gate), tables(*rows))
    assert found.verdict == verdict
    assert f"rows without {gate}, left out: {2 if gate == 'learned=yes' else 1}" in found.note


def test_where_nothing_passes_the_gate_there_is_no_signal():
    found = judge(order_claim(gate="learned=yes"), tables(row(learned="no"), row(**LNMAX, epsilon=3)))
    assert (found.judgement, found.verdict, found.grade) == ("not judged", "not judged: sanity check failed", "")
    assert found.note == "rows without learned=yes, left out: 1"
    missing = judge(order_claim(gate="learned=yes"), tables(row(), row(**LNMAX, epsilon=3)))
    assert (missing.verdict, missing.note) == ("not judged: not run", "table1 has no column learned")


def test_against_another_column_of_the_same_row():
    claim = order_claim(than_row="", than_column="bound")
    assert judge(claim, tables(row(bound=3.0))).verdict == "holds"
    assert judge(claim, tables(row(bound=1.0))).verdict == "fails"


def test_against_a_constant_on_all_rows():
    claim = order_claim(row="", than_row="", value="0.5", relation="<=")
    found = judge(claim, tables(row(epsilon=0.5), row(dataset="SVHN", epsilon=0.1)))
    assert (found.verdict, found.measured) == ("holds", "0.5 <= 0.5 (MNIST); 0.1 <= 0.5 (SVHN)")


def test_an_open_column_is_paired_with_itself():
    rows = [row(budget=b, aggregator=a, epsilon=e) for b, a, e in
            [(1, "confident", 5), (2, "confident", 3), (1, "lnmax", 6), (2, "lnmax", 4)]]  # fmt: skip
    found = judge(order_claim(row="aggregator=confident;budget=*"), tables(*rows))
    assert found.measured == "5 < 6 (MNIST, budget 1); 3 < 4 (MNIST, budget 2)"
    assert judge(order_claim(), tables(*rows)).verdict == "fails"  # 5 is not < 4


def test_rows_of_a_column_that_only_the_left_side_leaves_open_are_told_apart():
    rows = [row(aggregator=a, epsilon=e) for a, e in [("confident", 5), ("interactive", 3), ("lnmax", 6)]]
    found = judge(order_claim(row="aggregator=*", relation="<="), tables(*rows))
    assert found.measured == (
        "5 <= 6 (MNIST, aggregator confident); 3 <= 6 (MNIST, aggregator interactive); 6 <= 6 (MNIST, aggregator lnmax)"
    )


def test_what_could_not_be_compared_is_named():
    results = tables(
        row(),
        row(**LNMAX, epsilon=3),
        row(dataset="SVHN"),
        row(dataset="Adult"),
        row(**LNMAX, dataset="Adult", epsilon=None),
    )
    found = judge(order_claim(), results)
    assert (found.verdict, found.measured) == ("holds", "2 < 3 (MNIST)")
    assert "no row where aggregator is lnmax beside SVHN" in found.note
    assert "table1 has an empty epsilon for Adult lnmax" in found.note


@pytest.mark.parametrize(
    ("results", "missing"),
    [
        (tables(row()), "table1 has no row where aggregator is lnmax"),
        (tables(row(), row(**LNMAX, dataset="SVHN")), "no row where aggregator is lnmax beside MNIST"),
        (tables(row(epsilon=None), row(**LNMAX)), "table1 has an empty epsilon for MNIST confident"),
    ],
)
def test_not_run_says_what_was_missing(results, missing):
    found = judge(order_claim(), results)
    assert (found.verdict, found.note) == ("not judged: not run", missing)


LEARNED = {
    **{"name": "learned", "paper": "scalable_pate", "dataset": "MNIST", "of": "experiment", "what": "it learned"},
    **{"table": "table2", "row": "method=plain", "column": "accuracy", "relation": ">=", "threshold": "0.7"},
    **{"chance": "", "share": "", "guards": "all"},
}


@pytest.mark.parametrize(
    ("of", "here", "there", "judged"),
    [
        ("paper", "paper", "paper", True),
        ("paper", "shorter: 60 epochs", "paper", True),
        ("reduced: 400 images", "reduced: 400 images", "reduced: 30 epochs", True),
        ("paper", "reduced: 400 images", "reduced: 400 images", False),
        ("paper", "paper", "reduced: 400 images", False),
        ("reduced: 400 images", "paper", "paper", False),
    ],
)
def test_a_control_of_more_or_less_data_says_nothing(of, here, there, judged):
    known = tables({"dataset": "MNIST", "stands_for": "MNIST", "method": "plain", "accuracy": 0.9, "protocol": of},
                   item="table2")  # fmt: skip
    compared = tables(row(protocol=here), row(aggregator="lnmax", epsilon=3.0, protocol=there))
    found = judge_with(
        order_claim(controls="learned"), known | compared, {("scalable_pate", "learned", "MNIST"): LEARNED}
    )
    assert found.judgement == ("holds" if judged else "not judged")
    if not judged:
        assert found.verdict == "not judged: not run"
        assert f"that of table2 is of {'less' if of[0] == 'r' else 'more'} data" in found.note


@pytest.mark.parametrize(
    ("protocol", "small", "verdict"),
    [
        ("paper", 0.1, "holds"),
        ("reduced: 400 images", 0.9, "holds on less data"),
        ("reduced: 400 images", 0.1, "not judged: sanity check failed"),
        ("reduced: 400 images", None, "not judged: not run"),
    ],
)
def test_the_first_control_of_the_compared_size_counts(protocol, small, verdict):
    plain = {"dataset": "MNIST", "stands_for": "MNIST", "method": "plain"}
    known = tables(plain | {"accuracy": 0.9, "protocol": "paper"}, item="table2")
    known |= tables(plain | {"accuracy": small, "protocol": "reduced: 30 epochs"}, item="table4")
    compared = tables(row(protocol=protocol), row(aggregator="lnmax", epsilon=3.0, protocol=protocol))
    controls = {("scalable_pate", "learned", "MNIST"): LEARNED | {"table": "table2;table4"}}
    assert judge_with(order_claim(controls="learned"), known | compared, controls).verdict == verdict


@pytest.mark.parametrize(
    ("own", "verdict"),
    [
        (None, "not judged: sanity check failed"),
        ("0.4", "holds on substitute data"),
        ("0.6", "not judged: sanity check failed"),
    ],
)
def test_what_stands_for_a_dataset_has_a_threshold_of_its_own(own, verdict):
    stand_in = {"dataset": "digits", "stands_for": "MNIST"}
    known = tables(stand_in | {"method": "plain", "accuracy": 0.5, "protocol": "paper"}, item="table2")
    compared = tables(row(**stand_in), row(**stand_in, aggregator="lnmax", epsilon=3.0))
    controls = {("scalable_pate", "learned", "MNIST"): LEARNED}
    if own:
        controls["scalable_pate", "learned", "digits"] = LEARNED | {"dataset": "digits", "threshold": own}
    found = judge_with(order_claim(dataset="MNIST", controls="learned"), known | compared, controls)
    assert found.verdict == verdict
    assert own or "0.5, needed at least 0.7" in found.note


@pytest.mark.parametrize(
    ("digits", "verdict"), [("0.4", "holds on substitute data"), ("0.6", "not judged: sanity check failed")]
)
def test_of_several_stand_ins_those_are_judged_whose_own_control_passes(digits, verdict):
    """The other one contradicts the claim, and has failed its control in either case."""
    stand_ins = [{"dataset": name, "stands_for": "MNIST"} for name in ("digits", "letters")]
    plain = [each | {"method": "plain", "accuracy": 0.5, "protocol": "paper"} for each in stand_ins]
    sides = [row(**each, aggregator=kind, epsilon=cost) for each, kind, cost in (
        (stand_ins[0], "confident", 1.0), (stand_ins[0], "lnmax", 3.0),
        (stand_ins[1], "confident", 5.0), (stand_ins[1], "lnmax", 3.0),
    )]  # fmt: skip
    controls = {
        ("scalable_pate", "learned", name): LEARNED | {"dataset": name, "threshold": threshold}
        for name, threshold in (("MNIST", "0.7"), ("digits", digits), ("letters", "0.6"))
    }
    claim = order_claim(dataset="MNIST", controls="learned")
    assert judge_with(claim, tables(*plain, item="table2") | tables(*sides), controls).verdict == verdict

"""Numbers that the first page shows beside the answer for a paper."""

import pandas as pd

from lib.reporting import headlines as heads


def test_numbers_beside_an_answer_are_the_papers_and_ours_or_the_two_compared():
    value = {
        "id": "p.v01",
        "paper_value": "0.695",
        "measured": "0.671667",
        "quantity": "test accuracy",
        "grade": "paper",
    }
    order = {"id": "p.o01", "paper_value": "a > b where c is 1", "measured": "0.526974 > 0.4268 (CIFAR10); 1 > 2 (x)"}
    order |= {"grade": "reduced"}
    rows = [
        value | {"judgement": "not judged"},
        order | {"quantity": "more accurate", "judgement": "more repetitions needed"},
        order
        | {"id": "p.o02", "quantity": "less", "measured": "-0.466 not > 0.632 (MSD Task04)", "judgement": "fails"}
        | {"grade": "substitute data"},
        value | {"id": "p.v02", "measured": "", "judgement": "not judged"},
        order
        | {"id": "p.o03", "quantity": "the stated epsilons bound it", "judgement": "holds"}
        | {"measured": "1.25184 <= 1.01 x 8 (USPS); 0.984511 <= 1.01 x 4 (USPS)"},
        order
        | {"id": "p.o04", "quantity": "The empirical lower bound of epsilon is smaller", "judgement": "fails"}
        | {"measured": "2.98919 not < 0 (CIFAR10)"},
    ]
    sides = {"sides": ["student", "teachers"]}
    chosen = [{"label": each["id"], "of": each["id"][2:]} | (sides if ".o" in each["id"] else {}) for each in rows]
    found = heads.numbers({"answer": {"numbers": chosen}}, pd.DataFrame(rows))
    assert found == (
        "p.v01: paper 0.695, here 0.672; p.o01: student 0.527, teachers 0.427 (more repetitions needed); "
        "p.o02: student -0.466, teachers 0.632 (substitute data); p.o03: student 1.26, teachers 8; "
        "p.o04: student 2.98, teachers 0"
    )
    assert heads.numbers({"answer": None}, pd.DataFrame(rows)) == ""
    beside = {"label": "accuracy", "of": "o01", "paper": ["v01", "v01"], **sides}
    found = heads.numbers({"answer": {"numbers": [beside]}}, pd.DataFrame(rows))
    assert found.startswith("accuracy: student 0.527 (paper 0.695), teachers 0.427 (paper 0.695) (more")
    found = heads.numbers({"answer": {"numbers": [beside | {"sides": ["", "teachers"]}]}}, pd.DataFrame(rows))
    assert found.startswith("accuracy: teachers 0.427 (paper 0.695) (more")


def test_what_is_open_is_named_with_what_it_lacks():
    rows = [
        {"id": f"p.o0{number}", "judgement": judgement, "grade": "paper", "measured": "", "verdict": judgement}
        for number, judgement in enumerate(["holds", "not judged", "not judged", "not judged", "fails"])
    ]
    entries = [
        {"key": f"k{number}", "says": f"It is {number}", "where": "x", "of": [f"o0{number}"]} for number in range(4)
    ]
    entries[1]["short"] = "one"
    entries = [entry | {"missing": "data" if entry["key"] == "k3" else "more repetitions"} for entry in entries]
    found = heads.headlines(entries, pd.DataFrame(rows))
    assert heads.lacking(found) == "one and It is 2: more repetitions; It is 3: data"


def test_of_what_is_partly_confirmed_the_rest_is_open_unless_it_fails():
    row = {"grade": "paper", "measured": ""}
    rows = [
        row | {"id": "p.o01", "judgement": "holds", "verdict": "holds", "seeds": "3"},
        row | {"id": "p.o02", "judgement": "fails", "verdict": "fails", "seeds": "3"},
        row
        | {"id": "p.o03", "judgement": "more repetitions needed", "seeds": "3; 10"}
        | {"verdict": "more repetitions needed (at least 14), not testable"},
        row
        | {"id": "p.o04", "judgement": "more repetitions needed", "seeds": "5"}
        | {"verdict": "more repetitions needed (over 1,000)"},
        row | {"id": "p.o05", "judgement": "not judged", "verdict": "not judged: not run", "seeds": ""},
    ]
    entry = {"key": "k", "says": "It is so", "short": "it", "where": "x"}
    own, few = "the paper's data and protocol", "more repetitions (3 to 10 run, at least 14 needed)"
    many = "more repetitions (5 run, over 1,000 needed)"
    for of, needs, rests_on, open_ in (
        (["o01"], [], own, ""),
        (["o01", "o03"], [], f"{own}; open: {few}", "more repetitions (run, needed): it (3 to 10, ≥14)"),
        (["o01"], ["o03"], f"{own}; open: {few}", "more repetitions (run, needed): it (3 to 10, ≥14)"),
        (["o01"], ["o02", "o03"], own, ""),
        (["o01", "o05"], [], own, ""),
        (["o02", "o03"], [], own, ""),
        (["o03", "o04"], [], many, "more repetitions (run, needed): it (5, >1,000)"),
        (["o05"], [], "data", "it: data"),
    ):
        missing = "data" if of == ["o05"] else "more repetitions"
        found = heads.headlines([entry | {"of": of, "needs": needs, "missing": missing}], pd.DataFrame(rows))
        assert (found["k"].rests_on, heads.lacking(found)) == (rests_on, open_), (of, needs)


def test_what_lacks_repetitions_says_how_many_it_needs():
    row = {"judgement": "more repetitions needed", "grade": "paper", "measured": "", "seeds": "3"}
    rows = [
        row | {"id": "p.o01", "verdict": "more repetitions needed (at least 9) on less data"},
        row | {"id": "p.o02", "verdict": "more repetitions needed (over 1,000)"},
        row | {"id": "p.o03", "judgement": "not judged", "verdict": "not judged: not run"},
    ]
    entry = {"key": "k", "says": "It is so", "where": "x", "missing": "more repetitions"}
    for of, evidence in (
        (["o01", "o03"], "more repetitions (3 run, at least 9 needed)"),
        (["o01", "o02"], "more repetitions (3 run, over 1,000 needed)"),
        (["o03"], "more repetitions"),
    ):
        assert heads.headlines([entry | {"of": of}], pd.DataFrame(rows))["k"].rests_on == evidence
    (found,) = heads.headlines([entry | {"of": ["o01"], "missing": "data"}], pd.DataFrame(rows)).values()
    assert found.rests_on == "data"


def test_a_headline_needs_the_checks_that_could_refute_it():
    rows = [
        {"id": f"p.o0{number}", "judgement": judgement, "grade": "paper", "measured": "", "verdict": judgement}
        for number, judgement in enumerate(["holds", "holds", "not judged"])
    ]
    for needs, answer in ((["o01"], heads.CONFIRMED), (["o01", "o02"], heads.PARTLY)):
        entry = {"key": "k", "says": "It is so", "where": "x", "of": ["o00"], "needs": needs}
        assert heads.headlines([entry], pd.DataFrame(rows))["k"].answer == answer


def test_a_headline_that_is_an_ordering_shows_both_sides_of_the_paper_and_of_ours():
    """An epsilon is rounded up, on both sides, and of several comparisons the first is named by its data."""
    value = {"judgement": "holds", "grade": "paper", "measured": "0.7", "quantity": "accuracy", "verdict": "holds"}
    order = value | {"paper_value": "a > b"}
    rows = [
        value | {"id": "p.v01", "paper_value": "0.695"},
        value | {"id": "p.v02", "paper_value": "0.625"},
        order | {"id": "p.o01", "measured": "0.549899 > 0.4268 (CIFAR10)"},
        order | {"id": "p.o02", "measured": "0.402093 not > 0.635388 (MSD Task04); 3 > 1 (LGG, run a)"},
        order | {"id": "p.o03", "measured": "0.402093 not > 0.402264 (MSD Task04)"},
        order | {"id": "p.o04", "measured": "1.25184 <= 1.01 x 8 (USPS)", "quantity": "the stated epsilons bound it"},
        order | {"id": "p.o05", "measured": ""},
    ]
    entries = [
        {"key": f"o0{n}", "says": "It is so", "where": "x", "of": ["v01"], "shows": f"o0{n}"} for n in range(1, 6)
    ]
    entries[0]["paper"] = ["v01", "v02"]
    found = heads.headlines(entries, pd.DataFrame(rows))
    assert [each.pair for each in found.values()] == [
        "0.695\u00a0>\u00a00.625 → 0.55\u00a0>\u00a00.427",
        "here 0.402\u00a0<\u00a00.635 (MSD Task04)",
        "here 0.402\u00a0=\u00a00.402",
        "here 1.26\u00a0<\u00a08",
        "",
    ]

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
    chosen = [{"label": each["id"], "of": each["id"][2:]} for each in rows]
    found = heads.numbers({"answer": {"numbers": chosen}}, pd.DataFrame(rows))
    assert found == (
        "p.v01: 0.695 → 0.672; p.o01: 0.527 against 0.427 (more repetitions needed); p.o02: -0.466 against 0.632 "
        "(substitute data); p.o03: 1.26 against 8; p.o04: 2.98 against 0"
    )
    assert heads.numbers({"answer": None}, pd.DataFrame(rows)) == ""


def test_what_is_open_is_named_with_what_it_lacks():
    rows = [
        {"id": f"p.o0{number}", "judgement": judgement, "grade": "paper", "measured": ""}
        for number, judgement in enumerate(["holds", "not judged", "not judged", "not judged", "fails"])
    ]
    entries = [
        {"key": f"k{number}", "says": f"It is {number}", "where": "x", "of": [f"o0{number}"]} for number in range(4)
    ]
    entries[1]["short"] = "one"
    entries = [entry | {"missing": "data" if entry["key"] == "k3" else "more repetitions"} for entry in entries]
    found = heads.headlines(entries, pd.DataFrame(rows))
    assert heads.lacking(found) == "one and It is 2: more repetitions; It is 3: data"


def test_a_headline_needs_the_checks_that_could_refute_it():
    rows = [
        {"id": f"p.o0{number}", "judgement": judgement, "grade": "paper", "measured": ""}
        for number, judgement in enumerate(["holds", "holds", "not judged"])
    ]
    for needs, answer in ((["o01"], heads.CONFIRMED), (["o01", "o02"], heads.PARTLY)):
        entry = {"key": "k", "says": "It is so", "where": "x", "of": ["o00"], "needs": needs}
        assert heads.headlines([entry], pd.DataFrame(rows))["k"].answer == answer

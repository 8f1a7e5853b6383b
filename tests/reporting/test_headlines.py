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
    ]
    chosen = [{"label": each["id"], "of": each["id"][2:]} for each in rows]
    found = heads.numbers({"answer": {"numbers": chosen}}, pd.DataFrame(rows))
    assert found == (
        "p.v01: 0.695 → 0.672; p.o01: 0.527 against 0.427 (more repetitions needed); p.o02: -0.466 against 0.632 "
        "(substitute data)"
    )
    assert heads.numbers({"answer": None}, pd.DataFrame(rows)) == ""

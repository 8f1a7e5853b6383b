"""Small claims and tables for the tests."""

import pandas as pd

from lib.reporting.claims.rule import DEPENDS, MORE, NEVER, Verdict
from lib.reporting.claims.rule import judge as judge_with

COLUMNS = (
    "id,paper,where,kind,quantity,dataset,method,setting,value,unit,relation,tolerance,latitude,table,row,gate,column,"
    "than_row,than_column,controls,by_construction,same_as,reading_of,note"
).split(",")


def value_claim(**changes: str) -> dict[str, str]:
    """An epsilon of 2.00 within 2 percent, on MNIST."""
    claim = dict.fromkeys(COLUMNS, "") | {
        "id": "scalable_pate.v01",
        "paper": "scalable_pate",
        "where": "Table 1",
        "kind": "value",
        "quantity": "epsilon",
        "value": "2.00",
        "relation": "=",
        "tolerance": "2%",
        "table": "table1",
        "row": "dataset=MNIST;aggregator=confident",
        "column": "epsilon",
    }
    return claim | changes


def order_claim(**changes: str) -> dict[str, str]:
    """On each dataset the confident aggregator costs less than lnmax."""
    claim = value_claim(id="scalable_pate.o01", kind="order", quantity="confident costs less", value="", tolerance="")
    claim |= {"row": "aggregator=confident", "relation": "<", "than_row": "aggregator=lnmax"}
    return claim | changes


def row(**changes: object) -> dict[str, object]:
    """A result on the paper's own data and protocol, with nothing random in it."""
    result = {"dataset": "MNIST", "aggregator": "confident", "epsilon": 2.0, "epsilon_spread": None}
    return result | {"data": "", "stands_for": "", "protocol": "paper", "seeds": 0} | changes


def tables(*rows: dict[str, object], item: str = "table1") -> dict[tuple[str, str], pd.DataFrame]:
    return {("scalable_pate", item): pd.DataFrame(list(rows))}


def undecided(found: Verdict) -> str:
    """The verdict, or "undecided" for one that is neither hold nor fail; tests of `rule.repetitions` say which."""
    return "undecided" if found.judgement in (MORE, NEVER, DEPENDS) else found.verdict


def judge(claim: dict[str, str], results: dict[tuple[str, str], pd.DataFrame]) -> Verdict:
    """The verdict on a claim that names no control."""
    return judge_with(claim, results, {})

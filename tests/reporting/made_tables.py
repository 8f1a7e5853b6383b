"""Tables for any claim of the ledger: those that the papers print, and made ones in which it is true, false or open."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from lib.reporting.claims.controls import names_of, of_claim
from lib.reporting.claims.rows import MissingError, parsed, select

PUBLISHED = Path(__file__).parents[2] / "published"
NO_TABLES = {"contradictions.csv", "scalable_pate_fig1_left.csv"}  # a list; and a series that no claim reads


def published_tables(claim: Mapping[str, str], controls) -> dict[tuple[str, str], pd.DataFrame]:
    """What the paper of a claim prints, as result tables; its controls, where it prints none, have worked.

    `*` is a cell that the paper does not tell apart: it is whatever the claim asks for.
    """
    found = {}
    for path in sorted(PUBLISHED.glob(f"{claim['paper']}_*.csv")):
        if path.name not in NO_TABLES:
            item = path.stem.removeprefix(f"{claim['paper']}_")
            with open(path, newline="", encoding="utf-8") as stream:
                rows = [row for printed in csv.DictReader(stream) for row in told_apart(printed, claim, controls)]
            found[claim["paper"], item] = [_numbers(row) for row in rows]
    with_controls(claim, found, controls)
    return {key: pd.DataFrame(rows) for key, rows in found.items()}


def told_apart(row: dict, claim: Mapping[str, str], controls) -> list[dict]:
    """The row with every value that the claim, or a control of it, asks for in the place of each `*`."""
    filters = [parsed(claim["row"]), parsed(claim["than_row"])]
    filters += [parsed(c["row"]) for name in names_of(claim) for c in of_claim(claim, name, controls)]
    rows = [row]
    for column in [name for name, cell in row.items() if cell == "*"]:
        values = {f[column] for f in filters if column in f} - {"*"} or {"any"}
        rows = [each | {column: value} for each in rows for value in sorted(values)]
    return rows


def _numbers(row: dict) -> dict:
    found = {}
    for name, cell in row.items():
        try:
            found[name] = float(cell)
        except ValueError:
            found[name] = cell or None
    if "auc" in found and "auc_distance" not in found:
        found["auc_distance"] = abs(found["auc"] - 0.5)
    return found | {"stands_for": found.get("dataset"), "protocol": "paper", "seeds": 0}


def with_controls(claim: Mapping[str, str], tables: dict[tuple[str, str], list[dict]], controls) -> None:
    """Add rows, or cells, with which every control of the claim passes, where the tables have none."""
    for name in names_of(claim):
        for control in of_claim(claim, name, controls):
            item = control["table"].split(";")[0]
            rows = tables.setdefault((claim["paper"], item), [])
            reached = float(control["threshold"] or control["chance"])
            try:
                matching = select(rows, parsed(control["row"]) | {"dataset": control["dataset"]}, item)
            except MissingError:
                matching = [{"dataset": control["dataset"], "stands_for": control["dataset"], "seeds": 0}]
                matching[0] |= parsed(control["row"]) | {"protocol": "paper"}
                rows += matching
            for row in matching:
                if row.get(control["column"]) is None:
                    row[control["column"]] = reached


def made_tables(
    claim: Mapping[str, str], left: float, right: float, spread: float, seeds: int, controls, **more: object
) -> dict[tuple[str, str], pd.DataFrame]:
    """One comparison of a claim, `left` beside `right` where it has another side, with controls that pass.

    more: cells of the compared rows, and of these alone.
    """
    here, there = parsed(claim["row"]), parsed(claim["than_row"])
    known = [c["dataset"] for name in names_of(claim) for c in of_claim(claim, name, controls)]
    dataset = here.get("dataset", "*")
    row = {"dataset": (known or ["data"])[0] if dataset == "*" else dataset}
    row |= {name: "any" if value == "*" else value for name, value in here.items() if name != "dataset"}
    row |= {name: "yes" if value == "*" else value for name, value in parsed(claim["gate"]).items()}
    row |= {"stands_for": row["dataset"], "protocol": "paper", "seeds": seeds}
    # more than the plain network that `with_controls` adds
    of_rows = [c for name in names_of(claim) for c in of_claim(claim, name, controls) if c["of"] == "row"]
    own = [c for c in of_rows if c["dataset"] == row["dataset"]]
    row |= {c["column"]: max(0.95, float(c["chance"])) if c["relation"] == ">=" else 0.0 for c in own}
    rows = [row | {claim["column"]: left, f"{claim['column']}_spread": spread} | more]
    if claim["than_column"]:
        rows[0] |= {claim["than_column"]: right, f"{claim['than_column']}_spread": spread}
    elif there:
        other = dict.fromkeys(parsed(claim["gate"]))  # only the selected row passes a gate
        other |= {name: "other" if value == "*" else value for name, value in there.items()}
        rows.append(row | other | {claim["column"]: right, f"{claim['column']}_spread": spread} | more)
    tables = {(claim["paper"], item): [] for item in claim["table"].split(";")}
    tables[claim["paper"], claim["table"].split(";")[0]] = rows
    with_controls(claim, tables, controls)
    return {key: pd.DataFrame(made) for key, made in tables.items() if made}


def sides(claim: Mapping[str, str]) -> tuple[float, float, float, float]:
    """(what makes a claim true, false by twice its tolerance, the other side, how far false is from true's edge)."""
    tolerance, relation = claim["tolerance"], claim["relation"]
    # numbers at which nothing is ruled out by a network that learned nothing
    right = float(claim["value"]) if claim["value"] else 10.0 if claim["column"] == "test_error" else 0.9
    factor = float(tolerance[1:]) if tolerance.startswith("x") else 1.0
    shift = float(tolerance) if tolerance[:1] in ("+", "-") else 0.0
    bound = factor * right + shift
    slack = 0.0
    if tolerance.endswith("%"):
        slack = float(tolerance[:-1]) / 100 * abs(right)
    elif tolerance[:1].isdigit():
        slack = float(tolerance)
    open_to = float(claim["latitude"] or 0)
    if relation == "=":
        away = slack + open_to or 0.05 * abs(bound)
        return bound, bound + slack + away, right, away
    away = max(abs(shift), 0.05 * abs(bound), 2 * slack) or 0.05  # of a difference that is compared with 0
    sign = 1 if relation in ("<", "<=") else -1
    return bound - sign * away, bound + sign * (slack + open_to + away), right, away

"""Put a claim, and the result of a comparison, in words."""

from lib.reporting.claims.cells import joined
from lib.reporting.claims.rows import Claim, parsed, written


def quantity(claim: Claim) -> str:
    """Return the sentence of an order claim; a value claim's quantity with its unit and circumstances."""
    if claim["kind"] == "order":
        return claim["quantity"]
    # "AUC [AUC]" says nothing twice.
    unit = "" if claim["unit"] in claim["quantity"] else f" [{claim['unit']}]"
    circumstances = joined((claim[name] for name in ("dataset", "method", "setting")), ", ")
    return claim["quantity"] + unit + (f" ({circumstances})" if circumstances else "")


def paper_value(claim: Claim) -> str:
    """Return the paper's number; for an order claim that can be judged its relation in words."""
    if claim["kind"] == "value":
        return claim["value"] if claim["relation"] in ("", "=") else f"{claim['relation']} {claim['value']}"
    if not claim["column"]:
        return ""
    if not claim["than_row"] and not claim["than_column"]:
        return f"{claim['column']} {claim['relation']} {moved(claim['value'], claim['tolerance'])}"
    shift = "" if claim["relation"] == "=" else claim["tolerance"]
    right = moved(claim["than_column"] or claim["column"], shift)
    where = f" where {written(parsed(claim['than_row']))}" if claim["than_row"] else ""
    return f"{claim['column']} {claim['relation']} {right}{where}"


def moved(right: str, tolerance: str) -> str:
    """Return the right side of an order as `0.25 x right`, `right + 3` or `right within 5%`."""
    if tolerance.startswith("x"):
        return f"{tolerance[1:]} x {right}"
    if tolerance[:1] in ("+", "-"):
        return f"{right} {tolerance[0]} {tolerance[1:]}"
    return f"{right} within {tolerance}" if tolerance else right

"""State what the noisy codes of a record cost; no training imports this."""

from dataclasses import replace

from pate_accountant.encoded_mean import EncodedMeanNoise
from pate_accountant.ledger_statements import encoded_statements
from pate_accountant.statement import PrivacyStatement

TEACHERS = "teachers"  # the source of codes that are of teachers' answers


def cost_of_codes(record: dict) -> dict[str, PrivacyStatement]:
    """Return what each labelling with noise costs by each route, as `LABELLING ROUTE`; record: of `aggregate_masks`.

    A true label in the place of all teachers' answers is changed by one record as a whole, not by 1 / K of it: nothing
    is proved of codes of true labels.
    """
    deltas = {labelling["name"]: labelling["delta"] for labelling in record["parameters"]["labellings"]}
    real, found = record["job"][2] == TEACHERS, {}
    for entry in record["ledger"]:
        noise = EncodedMeanNoise(queries=entry["count"], **entry["parameters"])
        for route, statement in encoded_statements(noise, deltas[entry["labelling"]]).items():
            found[f"{entry['labelling']} {route}"] = statement if real else replace(statement, proved_bound=False)
    return found


def with_costs(records: list[dict]) -> list[dict]:
    """Return the records of codes, each with its statements."""
    return [record | {"privacy": cost_of_codes(record)} for record in records]

"""Read and check the claims of all papers (`claims.csv`) and the checks beside them (`checks.csv`).

A row of `checks.csv` has a reason in `by_construction`: it is true by definition, a setting, or about a variant of
ours. It is judged by the same rule and counted nowhere. Only a row of `claims.csv` has `latitude`, `same_as` and
`reading_of`. This module is apart from the rule, because tables read the papers' numbers here and do not depend on how
claims are judged.
"""

import csv
from pathlib import Path

import jsonschema
import yaml

from lib.core.errors import InputError

DATA_FILES = ("../../../schemas/claims.schema.yaml",)


def load_claims(*paths: str | Path) -> list[dict[str, str]]:
    """Read and check the rows of some files, a dict of texts each, in the order given; "" where a file lacks a column.

    Raises InputError, one line with the row's id, the column, its value and what is allowed.
    """
    claims = [claim for path in paths for claim in _read(path)]
    _check_ids(" and ".join(map(str, paths)), claims)
    return claims


def _read(path: str | Path) -> list[dict[str, str]]:
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream, restkey="(cells beyond the header)"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a readable CSV file ({error})") from error
    if not rows:
        raise InputError(f"{path}: has no claims")
    schema = yaml.safe_load((Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8"))
    optional = dict.fromkeys(schema["properties"].keys() - schema["required"], "")
    claims = [optional | row for row in rows]
    validator = jsonschema.Draft202012Validator(schema)
    for line, claim in enumerate(claims, start=1):
        for fault in validator.iter_errors(claim):
            raise InputError(f"{path}: {claim.get('id') or f'claim {line}'}: {_complaint(fault)}")
    return claims


def _complaint(error: jsonschema.ValidationError) -> str:
    """Say in one line what the schema refuses."""
    if error.validator == "required":
        absent = [name for name in error.validator_value if name not in error.instance]
        return f"lacks the columns {absent}"
    if error.validator == "additionalProperties":
        unknown = [name for name in error.instance if name not in error.schema["properties"]]
        return f"has the unknown columns {unknown}; allowed: {', '.join(error.schema['properties'])}"
    allowed = error.schema.get("description") or ", ".join(value or "empty" for value in error.schema["enum"])
    return f"column {error.absolute_path[-1]}: {error.instance!r} is not allowed; allowed: {allowed}"


def _subject(claim: dict[str, str], name: str) -> tuple[str, ...]:
    """Return what a reading has in common with the claim that it reads otherwise, whose id is name."""
    return (name, *(claim[column] for column in ("paper", "where", "kind", "dataset", "value", "unit")))


def _check_ids(path: str, claims: list[dict[str, str]]) -> None:
    """Refuse what no row alone shows: ids that occur twice, repeats or readings of nothing, or of another paper."""
    originals = {(claim["paper"], claim["id"]) for claim in claims if not claim["same_as"]}
    read = {
        _subject(claim, claim["id"])
        for claim in claims
        if not (claim["same_as"] or claim["reading_of"] or claim["by_construction"])
    }
    seen: set[str] = set()
    for claim in claims:
        faults = {
            "id": (claim["id"] in seen, "each id once"),
            "paper": (not claim["id"].startswith(claim["paper"] + "."), "the paper that the id names"),
            "same_as": (
                claim["same_as"] and (claim["paper"], claim["same_as"]) not in originals,
                "the id of a claim of the same paper that is no repeat itself",
            ),
            "reading_of": (
                claim["reading_of"] and (claim["by_construction"] or _subject(claim, claim["reading_of"]) not in read),
                "the id of a claim of the same place, kind, dataset, number and unit that is no repeat and no reading "
                "itself, where both are testable",
            ),
        }
        for column, (wrong, allowed) in faults.items():
            if wrong:
                value = claim[column]
                raise InputError(
                    f"{path}: {claim['id']}: column {column}: {value!r} is not allowed; allowed: {allowed}"
                )
        seen.add(claim["id"])

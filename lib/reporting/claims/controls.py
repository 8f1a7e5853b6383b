"""Controls of experiments (`controls.csv`), each with when its threshold was set.

A control is a number that must be reached before a comparison on the same dataset means anything. What it is `of`:

* `experiment`: a row of a table, such as the network without privacy, against `threshold`;
* `row`: each row of the comparison, in `column`, against `chance` plus `share` of what a row of a table, the plain
  network, gains over `chance`. A network that learned nothing hides its members for free. A `share` of 0 asks for
  `chance` alone.

A control says nothing of networks that were trained on less than its own, or on more: where the row that it names is
`reduced` and a compared one is not, or the other way round, it counts as not run. So it may name several tables: the
first counts in which it was run at the size of what is compared.

Where one fails, the verdict is *not judged: sanity check failed*. Which judgements it `guards`: `all`; `fails`, where
the method must have been run as its authors ran it before it can fail; or `below paper`, where a training that is
shorter than the paper's may have ended before anything was learned, while at the paper's own length that would be a
result.
"""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import yaml

from lib.core.errors import InputError
from lib.reporting.claims.cells import joined, number, printed, text
from lib.reporting.claims.rows import Claim, MissingError, Number, Pair, Tables, parsed, read_number, select

DATA_FILES = ("../../../controls.csv", "../../../schemas/controls.schema.yaml")

Controls = Mapping[tuple[str, str, str], Mapping[str, str]]


@dataclass(frozen=True)
class Checked:
    """Whether a comparison may be judged; if not, whether a control was run and failed, and what is missing."""

    passed: bool
    failed: bool = False
    reason: str = ""


def shipped_controls() -> Controls:
    """Return the controls of this repository."""
    return load_controls((Path(__file__).parent / DATA_FILES[0]).resolve())


def load_controls(path: str | Path) -> Controls:
    """Read and check controls by (paper, name, dataset); InputError is one line with the name and the column."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    schema = yaml.safe_load((Path(__file__).parent / DATA_FILES[1]).read_text(encoding="utf-8"))
    found = {}
    for row in rows:
        for error in jsonschema.Draft202012Validator(schema).iter_errors(row):
            column = error.absolute_path[-1] if error.absolute_path else "columns"
            raise InputError(f"{path}: {row.get('name')}: {column}: {error.message}")
        key = row["paper"], row["name"], row["dataset"]
        if key in found:
            raise InputError(f"{path}: {row['name']}: dataset: {row['dataset']!r} occurs twice; allowed: each once")
        found[key] = row
    return found


def names_of(claim: Claim) -> list[str]:
    """Return the controls that a claim names."""
    return claim["controls"].split(";") if claim["controls"] else []


def check_pair(claim: Claim, pair: Pair, numbers: Iterable[Number], tables: Tables, controls: Controls) -> Checked:
    """Check the controls of a claim on one comparison, whatever its outcome."""
    below = any(each.grade != "paper" for each in numbers)
    for name in names_of(claim):
        # what stands for a dataset may be easier or harder, and have a threshold of its own
        own = controls.get((claim["paper"], name, text(pair.row.get("dataset"))))
        control = own or controls.get((claim["paper"], name, pair.dataset))
        if control is None:
            return Checked(False, reason=f"no control {name!r} is set for {pair.dataset}")
        if control["guards"] == "all" or (control["guards"] == "below paper" and below):
            checked = check(control, tables, pair.sides)
            if not checked.passed:
                return checked
    return Checked(True)


def check_failure(claim: Claim, tables: Tables, controls: Controls) -> Checked:
    """Check what must have been run before a claim may fail."""
    for name in names_of(claim):
        for control in of_claim(claim, name, controls):
            if control["guards"] == "fails":
                checked = check(control, tables, [])
                if not checked.passed:
                    return checked
    return Checked(True)


def no_signal(claim: Claim, tables: Tables, controls: Controls) -> str:
    """Return what failed if an experiment's control failed on every dataset of the claim that has one, else "".

    Says so before any row of the claim is looked at, and where its own table is not there.
    """
    failed: dict[str, str] = {}
    for name in names_of(claim):
        for control in of_claim(claim, name, controls):
            reasons = [""]
            if control["of"] == "experiment" and control["guards"] == "all":
                found = [check(each, tables, []) for each in _of_stand_ins(control, tables, controls)]
                reasons = [each.reason if each.failed else "" for each in found]
            reason = joined(reasons) if all(reasons) else ""
            failed[control["dataset"]] = failed.get(control["dataset"]) or reason
    return joined(failed.values()) if failed and all(failed.values()) else ""


def of_claim(claim: Claim, name: str, controls: Controls) -> list[Mapping[str, str]]:
    """Return the controls of a name on the datasets that the claim is about: all, where it names none of them."""
    known = [control for key, control in controls.items() if key[:2] == (claim["paper"], name)]
    words = f"{claim['dataset']} {parsed(claim['row']).get('dataset', '')}"
    return [c for c in known if re.search(rf"\b{re.escape(c['dataset'])}\b", words)] or known


def _of_stand_ins(control: Mapping[str, str], tables: Tables, controls: Controls) -> list[Mapping[str, str]]:
    """Return the controls of what stands for its dataset in these tables, where such are set; otherwise itself."""
    item = control["table"].split(";")[0]
    try:
        datasets = {text(row.get("dataset")) for row in _reference(item, control, tables)}
    except MissingError:
        return [control]
    keys = [(control["paper"], control["name"], dataset) for dataset in sorted(datasets)]
    return [controls[key] for key in keys if key in controls] or [control]


def outcome(control: Mapping[str, str], tables: Tables, controls: Controls) -> str:
    """Return what was measured of a control in each of its tables; of an experiment's, also whether it passed.

    Names what ran in place of its dataset, of which a control of its own tells where one is among `controls`.
    """
    found = []
    for item in control["table"].split(";"):
        try:
            named = _reference(item, control, tables)
        except MissingError:
            named = []
        others = {name for paper, check, name in controls if (paper, check) == (control["paper"], control["name"])}
        named = [row for row in named if text(row.get("dataset")) not in others - {control["dataset"]}]
        if not named:
            found.append("not run")
            continue
        values = [read_number(row, control["column"], item).value for row in named]
        said = " to ".join(dict.fromkeys(map(printed, (min(values), max(values)))))
        if control["of"] == "experiment":
            passed = _compared(control, values, float(control["threshold"]), control["dataset"]).passed
            said += ", passed" if passed else ", failed"
        found.append(said if (ran := _datasets(named)) == control["dataset"] else f"{said} ({ran})")
    return "; ".join(dict.fromkeys(found))


def check(control: Mapping[str, str], tables: Tables, rows: Iterable[dict]) -> Checked:
    """One control, on the rows of a comparison where it is about these: in the first of its tables where it was run."""
    rows = list(rows)
    checked = [_check_in(item, control, tables, rows) for item in control["table"].split(";")]
    return next((each for each in checked if each.passed or each.failed), checked[0])


def _check_in(item: str, control: Mapping[str, str], tables: Tables, rows: list[dict]) -> Checked:
    """One control in one table, on the rows of a comparison where it is about these."""
    try:
        named = _reference(item, control, tables)
        measured = [read_number(row, control["column"], item).value for row in named]
    except MissingError as missing:
        return Checked(False, reason=f"not run: {control['what']} ({missing})")
    for row in rows:
        if any(_reduced(row) != _reduced(own) for own in named):
            size = "more" if _reduced(row) else "less"
            return Checked(False, reason=f"not run: {control['what']} (that of {item} is of {size} data)")
    if control["of"] == "experiment":
        return _compared(control, measured, float(control["threshold"]), _datasets(named))
    chance, share = float(control["chance"]), float(control["share"])
    threshold = chance + share * (measured[0] - chance)
    known = [row for row in rows if text(row.get(control["column"]))]
    if not known:
        return Checked(False, reason=f"no {control['column']} beside the comparison, for: {control['what']}")
    for row in known:
        value = number(row[control["column"]], control["column"])
        checked = _compared(control, [value], threshold, text(row.get("dataset")))
        if not checked.passed:
            return checked
    return Checked(True)


def _reference(item: str, control: Mapping[str, str], tables: Tables) -> list[dict]:
    """Return a table's rows that the control names and that have its number; raises MissingError without any."""
    if (control["paper"], item) not in tables:
        raise MissingError(f"target {control['paper']}_{item} is not there")
    records = tables[control["paper"], item].to_dict("records")
    rows = select(records, parsed(control["row"]) | {"dataset": control["dataset"]}, item)
    found = [row for row in rows if text(row.get(control["column"]))]
    if not found:
        raise MissingError(f"{item} has no {control['column']} for it")
    return found


def _datasets(rows: Iterable[Mapping[str, object]]) -> str:
    """Return the data that some rows are of, each once."""
    return joined((text(row.get("dataset")) for row in rows), ", ")


def _reduced(row: Mapping[str, object]) -> bool:
    """Whether it was measured on less than the paper's data."""
    return text(row.get("protocol")).startswith("reduced")


def _compared(control: Mapping[str, str], values: list[float], threshold: float, dataset: str) -> Checked:
    """Whether every value reaches the threshold."""
    high = control["relation"] == ">="
    worst = min(values) if high else max(values)
    if worst >= threshold if high else worst <= threshold:
        return Checked(True)
    needed = f"{'at least' if high else 'at most'} {printed(threshold)}"
    return Checked(False, True, f"{control['what']} on {dataset}: {printed(worst)}, needed {needed}")

"""Every claim of the ledger can hold, fail, and need more repetitions; and the rule's parts are each of consequence."""

from pathlib import Path

import pandas as pd
import pytest

from lib.reporting.claims import controls as controls_module
from lib.reporting.claims import rows as rows_module
from lib.reporting.claims import rule
from lib.reporting.claims.controls import Checked, shipped_controls
from lib.reporting.claims.loading import load_claims
from tests.offenders import each
from tests.reporting.made_tables import made_tables, sides

ROOT = Path(__file__).parents[2]
CONTROLS = shipped_controls()
LEDGER = [claim for claim in load_claims(ROOT / "claims.csv") if not claim["same_as"]]
JUDGED = [claim for claim in LEDGER if claim["column"]]
UNDECIDED = (rule.MORE, rule.NEVER)


def judged(claim, left, right, spread=None, seeds=0, **more):
    return rule.judge(claim, made_tables(claim, left, right, spread, seeds, CONTROLS, **more), CONTROLS).judgement


@pytest.mark.slow
@each(JUDGED, lambda claim: claim["id"])
def test_every_claim_can_hold_fail_and_need_more_repetitions(claim):
    true, false, right, away = sides(claim)
    assert judged(claim, true, right) == "holds"
    assert judged(claim, false, right) == "fails"
    little, much = away / 1000, 10 * away
    if claim["tolerance"] != "0":  # a mean is never exactly a number
        assert judged(claim, true, right, little, 3) == "holds"
    assert judged(claim, false, right, little, 3) == "fails"
    assert judged(claim, true, right, much, 3) in UNDECIDED and judged(claim, false, right, much, 3) in UNDECIDED
    assert judged(claim, false, right, little, 2) == rule.MORE


def test_every_claim_has_a_table():
    assert {claim["id"] for claim in LEDGER} == {claim["id"] for claim in JUDGED}


@each([c for c in JUDGED if c["controls"]], lambda claim: claim["id"])
def test_nothing_rests_on_a_control_that_failed(claim):
    true, false, right, _ = sides(claim)
    failed = {
        key: control | {"threshold": {">=": "1000000000", "<=": "0"}[control["relation"]]}
        for key, control in CONTROLS.items()
        if control["of"] == "experiment" and key[1] in claim["controls"].split(";")
    }
    guards = {control["guards"] for control in failed.values()}
    tables = {sign: made_tables(claim, left, right, None, 0, CONTROLS) for sign, left in ((1, true), (0, false))}
    assert rule.judge(claim, tables[0], CONTROLS | failed).verdict == "not judged: sanity check failed"
    expected = "not judged" if "all" in guards else "holds"
    assert rule.judge(claim, tables[1], CONTROLS | failed).judgement == expected


@each([c for c in JUDGED if c["gate"]], lambda claim: claim["id"])
def test_a_row_that_its_gate_shuts_out_decides_nothing(claim):
    true, _, right, _ = sides(claim)
    column, _, value = claim["gate"].split(";")[0].partition("=")
    shut = made_tables(claim, true, right, None, 0, CONTROLS, **{column: "" if value == "*" else "no"})
    assert rule.judge(claim, shut, CONTROLS).verdict == "not judged: sanity check failed"


@each([c for c in JUDGED if "learned" in c["controls"].split(";")], lambda claim: claim["id"])
def test_a_network_that_learned_less_than_half_of_the_plain_ones_gain_decides_nothing(claim):
    true, _, right, _ = sides(claim)
    dataset = next(iter(made_tables(claim, true, right, None, 0, CONTROLS).values()))["dataset"][0]
    control = CONTROLS[claim["paper"], "learned", dataset]
    chance, plain = float(control["chance"]), 10.0 if control["relation"] == "<=" else 0.95
    half = chance + 0.5 * (plain - chance)
    step = 0.01 * (plain - chance)
    for reached, judgement in ((half + step, "holds"), (half - step, "not judged")):
        tables = made_tables(claim, true, right, None, 0, CONTROLS)
        for (_, item), table in tables.items():
            if item in control["table"].split(";"):
                table.loc[:, control["column"]] = plain
        if claim["column"] == control["column"]:  # the accuracies are what is compared
            tables = made_tables(claim, reached, reached * 1.001, None, 0, CONTROLS)
            tables[claim["paper"], control["table"]].loc[2:, control["column"]] = plain
        else:
            compared = tables[claim["paper"], claim["table"].split(";")[0]]
            compared.loc[compared.index[0], control["column"]] = reached
        assert rule.judge(claim, tables, CONTROLS).judgement == judgement


MUTATIONS = {
    "relation flipped": (rule, "_margin", lambda *args, own=rule._margin: -own(*args)),
    "spread ignored": (rule, "standard_error", lambda samples: (0.0, 2.0)),
    "tolerance ignored": (rule, "_slack", lambda tolerance, target: 0.0),
    "gate skipped": (rows_module, "_passes", lambda *args: True),
    "controls of comparisons skipped": (rule, "check_pair", lambda *args: Checked(True)),
    "controls of failures skipped": (rule, "check_failure", lambda *args: Checked(True)),
    "controls before the rows skipped": (rule, "no_signal", lambda *args: ""),
    "threshold of controls turned round": (
        controls_module,
        "_compared",
        lambda control, values, threshold, dataset: Checked(min(values) < threshold, True, "turned"),
    ),
    "no correction for many": (rule, "holm", lambda p: [each <= rule.ALPHA for each in p]),
    "one reading contradicts for all": (rule, "_readings", lambda findings: findings),
    "weak evidence counts": (rule, "GRADES", ("substitute data", "reduced", "paper")),
    "few seeds suffice": (rule, "_ENOUGH_SEEDS", 1),
}


def printed_settings(error: float) -> dict[tuple[str, str], pd.DataFrame]:
    """MAC without privacy, which learned, and DP-MAC at the printed settings with an error."""
    row = {"dataset": "USPS", "stands_for": "USPS", "variant": "main", "protocol": "paper", "seeds": 0}
    plain = row | {"method": "MAC", "noise": "none", "test_error": 11.0}
    noisy = row | {"method": "DP-MAC", "noise": "printed", "paper_epsilon": 8, "test_error": error}
    return {("dp_mac", "table1b"): pd.DataFrame([plain, noisy])}


def battery() -> list[str]:
    """Verdicts that together rest on every part of the rule."""
    claims = {claim["id"]: claim for claim in LEDGER}
    found = []
    for name in ("dp_mac.v21", "scalable_pate.o07a", "residual_perturbation.o10b", "scalable_pate.v22"):
        true, false, right, away = sides(claims[name])
        for spread, seeds in ((None, 0), (away / 1000, 3), (10 * away, 3), (away / 1000, 2)):
            found += [judged(claims[name], left, right, spread, seeds) for left in (true, false)]
    gated = claims["residual_perturbation.o10b"]
    found.append(judged(gated, 0.9, 0.95, attacker_works="no"))
    guarded = claims["dp_mac.v14"]
    tables = made_tables(guarded, 30.0, 0.0, None, 0, CONTROLS)
    table = tables["dp_mac", "table1b"]
    tables["dp_mac", "table1b"] = table[table["variant"] != "as run"]
    found.append(rule.judge(guarded, tables, CONTROLS).verdict)
    plain = claims["dp_mac.o01a"]
    tables = made_tables(plain, 9.0, 10.0, None, 0, CONTROLS)
    tables["dp_mac", "table1b"].loc[tables["dp_mac", "table1b"]["method"] == "MAC", "test_error"] = 25.0
    found.append(rule.judge(plain, tables, CONTROLS).note)
    learned = made_tables(plain, 22.0, 30.0, None, 0, CONTROLS)
    learned["dp_mac", "table1b"].loc[learned["dp_mac", "table1b"]["method"] == "MAC", "test_error"] = 10.0
    found.append(rule.judge(plain, learned, CONTROLS).verdict)
    found.append(rule.judge(claims["dp_mac.o02"], printed_settings(30.0), CONTROLS).verdict)  # its own table is absent
    family = claims["scalable_pate.o11"]
    sample = made_tables(family, 0.897, 0.9, 0.001, 3, CONTROLS)["scalable_pate", "selection"]
    many = [sample.assign(run=f"run {number}", plurality_accuracy_answered=0.9) for number in range(20)]
    mixed = sample.assign(dataset="other", stands_for="data", plurality_accuracy_answered=0.99)
    for rows in ([sample], [sample, *many], [sample, mixed]):
        found.append(
            rule.judge(family, {("scalable_pate", "selection"): pd.concat(rows, ignore_index=True)}, CONTROLS).verdict
        )
    read = claims["residual_perturbation.v26"]
    one = made_tables(read, 0.978, 0.0, 0.001, 3, CONTROLS)["residual_perturbation", "table2"]
    both = pd.concat([one, one.assign(method="another reading", test_accuracy=0.5)], ignore_index=True)
    found.append(rule.judge(read, {("residual_perturbation", "table2"): both}, CONTROLS).verdict)
    return found


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_no_part_of_the_rule_can_be_turned_without_a_verdict_that_changes(mutation, monkeypatch):
    before = battery()
    module, name, changed = MUTATIONS[mutation]
    monkeypatch.setattr(module, name, changed)
    assert battery() != before

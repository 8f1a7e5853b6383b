"""Attacks on worlds, with predictions that leak membership and with predictions that do not."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from lib.attacks.rates import LOGARITHMIC_GRID
from lib.attacks.roc import auc_interval
from lib.attacks.shadow_settings import AttackSettings
from lib.attacks.worlds import ATTACKS, WorldSettings, attack_worlds, audit_worlds, members
from lib.core.errors import InputError

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = WorldSettings(
    shadow=AttackSettings(rate=0.01, epochs=3), rates=(0.05, 0.01), delta=1e-5, guesses=(0.1, 0.5, 1.0)
)
CLASSES = 4


def worlds(rng, gain, count=10, slots=150, hardness=1.0):
    """Predictions whose logit of the label is higher by `gain` for members, of records of their own difficulty."""
    chosen = rng.random((count, slots)) < 0.5
    labels = rng.integers(0, CLASSES, 2 * slots)
    logits = rng.normal(0, 0.5, (count, 2 * slots, CLASSES))
    own = rng.normal(0, hardness, 2 * slots) + gain * members(chosen)
    logits[:, np.arange(2 * slots), labels] += own
    probabilities = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    return probabilities.astype(np.float32), labels, chosen


def attacked(made, canaries=0, targets=(0,), settings=SETTINGS, seed=1):
    return attack_worlds(*made, canaries, targets, settings, seed, ("attack", "test"))


# ---------------------------------------------------------------- members


def test_one_record_of_each_slot_is_a_member():
    member = members(np.array([[True, False, False], [False, False, True]]))
    assert member.tolist() == [[0, 1, 1, 0, 1, 0], [1, 0, 1, 0, 0, 1]]


# ---------------------------------------------------------------- controls


def test_predictions_that_leak_outright_are_told():
    scores, curves = attacked(worlds(np.random.default_rng(1), 12.0, slots=600), canaries=60, targets=(0, 3))
    assert list(scores["attack"]) == 2 * list(ATTACKS) and set(scores["target"]) == {0, 3}
    assert (scores["auc"] > 0.95).all() and (scores["auc_low"] > 0.9).all()
    assert (scores["slots"] == 540).all() and scores["shadows"].tolist()[:4] == [0, 1, 9, 9]
    lira = scores[scores["attack"] == "lira_online"]
    assert (lira[["tpr_0.01", "tpr_0.01_low"]] > 0.9).all(axis=None)
    assert (curves.groupby(["target", "attack"]).size() == len(LOGARITHMIC_GRID)).all()
    assert curves["tpr"].max() == 1


@pytest.mark.slow
def test_the_same_scores_say_nothing_of_coins_drawn_anew():
    found = [attacked(worlds(np.random.default_rng(seed), 6.0, slots=60), seed=seed)[0] for seed in range(60)]
    found = pd.concat(found)
    assert (found["auc"] > 0.8).mean() > 0.9
    covered = (found["negative_auc_low"] <= 0.5) & (found["negative_auc_high"] >= 0.5)
    for _, own in covered.groupby(found["attack"]):
        assert own.sum() >= binom.ppf(1e-3, len(own), 0.94)


@pytest.mark.slow
def test_predictions_that_do_not_leak_are_not_told():
    found = [attacked(worlds(np.random.default_rng(seed), 0.0, slots=80), seed=seed)[0] for seed in range(100)]
    found = pd.concat(found)
    covered = (found["auc_low"] <= 0.5) & (found["auc_high"] >= 0.5)
    for _, own in covered.groupby(found["attack"]):
        assert binom.ppf(1e-3, len(own), 0.94) <= own.sum()  # a normal interval of 80 slots is a little narrow


@pytest.mark.parametrize("gain", [0.0, 12.0])
def test_the_audit_bounds_what_leaks_and_nothing_else(gain):
    found = []
    for seed in range(40 if gain == 0 else 3):
        made = worlds(np.random.default_rng(seed), gain, slots=120)
        found.append(audit_worlds(*made, 100, (0,), SETTINGS))
    found = pd.concat(found)
    assert set(found["score"]) == {"lira", "confidence"} and (found["canaries"] == 100).all()
    if gain:
        # all right or nearly so; one hundred guesses can show no more than `largest`
        assert (found["lower_bound"] > 2).all() and (found["lower_bound"] <= found["largest"]).all()
        assert (found["auc"] > 0.95).all() and (found["right"] <= found["guesses"]).all()
    else:
        for _, own in found.groupby("score"):
            assert (own["lower_bound"] > 0).sum() <= binom.ppf(0.999, len(own), 0.05)
    assert found["largest"].between(3.0, 4.0).all()


def test_lira_sees_past_the_difficulty_of_records():
    scores, _ = attacked(worlds(np.random.default_rng(2), 2.0, count=16, slots=400, hardness=4.0))
    area = scores.set_index("attack")["auc"]
    assert area["lira_online"] > area["threshold"] + 0.15
    assert area["lira_offline"] > area["threshold"] + 0.1


# ---------------------------------------------------------------- what is looked at


def test_canaries_are_not_attacked_and_others_not_audited():
    made = worlds(np.random.default_rng(3), 3.0, slots=60)
    before, audited = attacked(made, canaries=20)[0], audit_worlds(*made, 20, (0,), SETTINGS)
    probabilities = made[0].copy()
    probabilities[:, :40] = 1 / CLASSES
    pd.testing.assert_frame_equal(before, attacked((probabilities, *made[1:]), canaries=20)[0])
    probabilities = made[0].copy()
    probabilities[:, 40:] = 1 / CLASSES
    pd.testing.assert_frame_equal(audited, audit_worlds(probabilities, *made[1:], 20, (0,), SETTINGS))


def test_few_records_have_no_low_rates():
    scores, _ = attacked(worlds(np.random.default_rng(4), 1.0, slots=120))
    assert scores[["tpr_0.01", "tpr_0.01_low", "tpr_0.01_high"]].isna().all(axis=None)
    assert scores[["tpr_0.05", "tpr_0.05_low", "tpr_0.05_high"]].notna().all(axis=None)


def test_a_target_has_the_same_numbers_whatever_else_is_attacked():
    made = worlds(np.random.default_rng(5), 2.0, slots=60)
    alone, together = attacked(made, targets=(4,))[0], attacked(made, targets=(1, 4))[0]
    pd.testing.assert_frame_equal(alone, together[together["target"] == 4].reset_index(drop=True))


@pytest.mark.slow
def test_pairs_keep_their_covariance():
    """Slots of alike records scatter less than independent ones, slots of opposite ones more: simulated."""
    rng, trials, slots = np.random.default_rng(6), 600, 100
    for sign in (1.0, -1.0):
        areas, deviations, plain = [], [], []
        for _ in range(trials):
            shared = rng.normal(size=slots)
            scores = np.concatenate(
                [shared + 0.5 * rng.normal(size=slots), sign * shared + 0.5 * rng.normal(size=slots)]
            )
            member = np.repeat([True, False], slots)
            found = auc_interval(scores, member, paired=True)
            areas.append(found.auc)
            deviations.append(found.deviation)
            plain.append(auc_interval(scores, member).deviation)
        assert np.mean(deviations) == pytest.approx(np.std(areas), rel=0.1)
        assert (np.mean(plain) - np.std(areas)) * sign > 0.2 * np.std(areas)
    with pytest.raises(InputError, match="pairs: 1 members and 2 others"):
        auc_interval(np.arange(3.0), np.array([1, 0, 0]), paired=True)


@pytest.mark.parametrize(
    ("place", "value", "named"),
    [
        (0, np.full((10, 19, 4), 0.25), r"probabilities \(10, 19, 4\)"),
        (0, np.full((10, 20, 4), 0.5), "probabilities of sample 0"),
        (1, np.zeros(19, int), r"labels \(19,\)"),
        (1, np.full(20, 4), "labels from 4 to 4"),
        (2, np.zeros((10, 10), int), "chosen .* of int64"),
        (2, np.zeros((1, 10), bool), "2 or more worlds"),
        (3, 10, "canaries 10"),
        (3, -1, "canaries -1"),
        (4, (10,), r"targets \[10\]"),
        (4, (), r"targets \[\]"),
        (4, (1, 1), "all different"),
    ],
)
def test_bad_input_is_refused(place, value, named):
    arguments = [*worlds(np.random.default_rng(7), 1.0, slots=10), 2, (0,)]
    arguments[place] = value
    with pytest.raises(InputError, match=named):
        attack_worlds(*arguments, SETTINGS, 1, ("test",))


def test_an_audit_needs_canaries():
    with pytest.raises(InputError, match="at least one"):
        audit_worlds(*worlds(np.random.default_rng(8), 1.0, slots=10), 0, (0,), SETTINGS)

"""Attacks on made-up predictions: by hand, by counting pairs, on what they must find, and on what they must not."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.attacks import membership
from lib.attacks.membership import GRID, THRESHOLD, Attack, attacked
from lib.attacks.predictions import Predictions
from lib.attacks.shadow_settings import AttackSettings
from lib.attacks.task import PARTS

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = AttackSettings(rate=0.01, top=2, epochs=10, batch=32)
SHADOW, PLAIN, SURE = Attack(SETTINGS), Attack(SETTINGS, plain=True), Attack()


def networks(*confidences):
    """Predictions over 3 classes of networks alone, from each one's confidences by part; of two parts, a shadow's."""
    names = PARTS if "test" in confidences[0] else ("shadow_train", "shadow_out")
    part = np.repeat([PARTS.index(name) for name in names], [len(confidences[0][name]) for name in names])
    sure = np.stack([np.concatenate([one[name] for name in names]) for one in confidences])
    probabilities = np.stack([sure, 0.6 * (1 - sure), 0.4 * (1 - sure)], axis=2)
    return Predictions(probabilities, part, np.arange(len(part)) % 2, np.ones(len(confidences), int))


def drawn(rng, count, *members, low=(0.45, 0.85)):
    """Confidences of `count` samples a part, high in those of `members`, and low in the others."""
    return {name: rng.uniform(*((0.8, 1.0) if name in members else low), count) for name in PARTS}


def halves(confidences):
    """A shadow's, of what was drawn."""
    return {name: confidences[name] for name in ("shadow_train", "shadow_out")}


def attack(target, shadow, attacks=(SHADOW, SURE), thresholds=(0.5, 0.6), seed=1, job=("job",), plain=None):
    predictions = {"target": target, "shadow": shadow}
    return attacked(predictions, attacks, thresholds, seed, job, shadow if plain is None else plain)


def by_attack(scores, ensemble=0):
    """Rows of one network by the name of the attack."""
    return scores[scores["ensemble"] == ensemble].set_index("attack")


def pairs(members, others):
    """The share of pairs in which the member scores higher, a tie being half a pair."""
    return float(np.mean([(one > two) + 0.5 * (one == two) for one in members for two in others]))


# ---------------------------------------------------------------- by hand


def test_attacks_are_named_by_their_rate_and_their_shadow():
    rates = [AttackSettings(rate=rate) for rate in (0.1, 1e-3)]
    attacks = [*map(Attack, rates), *(Attack(rate, plain=True) for rate in rates), Attack()]
    names = ["shadow 0.1", "shadow 0.001", "plain shadow 0.1", "plain shadow 0.001", "threshold"]
    assert [each.name for each in attacks] == names


HAND = {
    "target_train": [0.95, 0.85, 0.70, 0.50],
    "target_out": [0.85, 0.60, 0.45],
    "shadow_train": [0.90, 0.80],
    "shadow_out": [0.80, 0.55],
    "test": [0.9, 0.9, 0.9],
}
# from 0.8 on members, as all six samples say; the target's own best would be another
HAND_SHADOW = {"shadow_train": [0.90, 0.90, 0.80], "shadow_out": [0.50, 0.50, 0.60]}


def test_the_threshold_attack_by_hand():
    scores, _ = attack(networks(HAND), networks(HAND_SHADOW), [SURE], (0.5, 0.65, 0.99))
    row = scores.iloc[0]
    assert (row["members"], row["ensemble"], row["attack"]) == (1, 0, THRESHOLD)
    # of 12 pairs, the members win 3, 2 and a tie, 2, and 1
    assert row["auc"] == pytest.approx(8.5 / 12)
    assert (row["precision"], row["recall"]) == (pytest.approx(2 / 3), 1 / 2)  # 0.95 and 0.85 of both
    assert not row["constant"] and not row["negative_constant"]
    # class 0 is always the surest; labels are 0 and 1 in turn, over 4, 3, 2, 2 and 3 samples
    found = [row[f"{name}_accuracy"] for name in ("train", "out", "test", "majority")]
    assert found == pytest.approx([2 / 4, 2 / 3, 1 / 3, 2 / 3])
    # a confidence is no score of a classifier, of which the thresholds are
    assert not [name for name in scores if name.startswith(("precision_", "recall_"))]


def test_without_a_shadow_the_threshold_attack_says_the_same_but_where_to_cut():
    beside, _ = attack(networks(HAND), networks(HAND_SHADOW), [SURE])
    alone, curves = attacked({"target": networks(HAND)}, [SURE], (0.5,), 1, ("job",), None)
    differing = ["precision", "recall"]
    assert alone[differing].isna().all(axis=None)
    pd.testing.assert_frame_equal(alone.drop(columns=differing), beside.drop(columns=differing))
    assert len(curves) == len(GRID)


def test_a_classifiers_precision_and_recall_by_hand(monkeypatch):
    """As if it gave everybody's confidence as its score."""
    monkeypatch.setattr(membership, "shadow_scores", lambda shadow, member, target, *more: target.max(1))
    scores, _ = attack(networks(HAND), networks(HAND_SHADOW), [SHADOW, SURE], (0.475, 0.65, 0.99))
    row = scores.iloc[0]
    assert row["auc"] == pytest.approx(8.5 / 12)
    assert (row["precision"], row["recall"]) == (pytest.approx(4 / 6), 1)  # at one half
    assert (row["precision_0.475"], row["recall_0.475"]) == (pytest.approx(4 / 6), 1)
    assert (row["precision_0.65"], row["recall_0.65"]) == (pytest.approx(3 / 4), 3 / 4)
    assert np.isnan(row["precision_0.99"]) and row["recall_0.99"] == 0
    assert scores.iloc[1][["precision_0.475", "recall_0.65"]].isna().all()


def test_intervals_are_about_their_areas_and_constants_are_marked():
    even = {name: np.full(6, 0.7) for name in PARTS}
    row = attack(networks(even), networks(HAND_SHADOW), [SURE])[0].iloc[0]
    assert row["constant"] and row["negative_constant"] and row["auc"] == row["auc_low"] == row["auc_high"] == 0.5
    scores, _ = attack(networks(HAND), networks(HAND_SHADOW))
    for prefix in ("", "negative_"):
        columns = scores[[f"{prefix}auc_low", f"{prefix}auc", f"{prefix}auc_high"]].to_numpy()
        assert ((columns >= 0) & (columns <= 1)).all() and (np.diff(columns, axis=1) >= 0).all()


@settings(derandomize=True, deadline=None, max_examples=25)
@given(seed=st.integers(0, 1000), decimals=st.sampled_from([1, 2, 8]), shift=st.sampled_from([0.0, 0.1]))
def test_areas_are_counts_of_pairs(seed, decimals, shift):
    """Of the negative control, between one half of those who were not trained on and the other half."""
    rng = np.random.default_rng(seed)
    target = {name: rng.uniform(0.45, 0.85, 7 + k).round(decimals) for k, name in enumerate(PARTS)}
    target["target_train"] = target["target_train"] + shift
    scores, _ = attack(networks(target), networks(HAND_SHADOW), [SURE], job=(str(seed),))
    row, outside = scores.iloc[0], target["target_out"]
    assert row["auc"] == pytest.approx(pairs(target["target_train"], outside))
    possible = [pairs(outside[list(half)], np.delete(outside, half)) for half in combinations(range(8), 4)]
    assert np.abs(np.array(possible) - row["negative_auc"]).min() < 1e-9


# ---------------------------------------------------------------- what is found, and what is not


def test_members_are_found_and_the_negative_control_finds_nothing():
    """The shadow's own predictions tell its halves apart, and members are told from others: neither gets into it."""
    rng = np.random.default_rng(1)
    target = networks(drawn(rng, 200, "target_train"))
    scores, _ = attack(target, networks(halves(drawn(rng, 200, "shadow_train", low=(0.45, 0.6)))))
    assert set(scores["attack"]) == {"shadow 0.01", "threshold"}
    for _, row in scores.iterrows():
        assert row["auc_low"] > 0.8 and row["negative_auc_low"] < 0.5 < row["negative_auc_high"]


def test_nothing_is_found_where_members_look_like_the_others():
    rng = np.random.default_rng(2)
    scores, _ = attack(networks(drawn(rng, 200)), networks(halves(drawn(rng, 200, "shadow_train"))))
    for prefix in ("", "negative_"):
        assert (scores[f"{prefix}auc_low"] < 0.5).all() and (scores[f"{prefix}auc_high"] > 0.5).all()


def test_the_negative_control_is_drawn_and_fair():
    """Over many jobs it is about one half, and its interval covers that as often as it says."""
    rng = np.random.default_rng(3)
    target, shadow = networks(drawn(rng, 60, "target_train")), networks(halves(drawn(rng, 60, "shadow_train")))
    found = [attack(target, shadow, [SURE], job=(str(number),))[0].iloc[0] for number in range(100)]
    areas = np.array([row["negative_auc"] for row in found])
    # the deviation of the area of 30 and 30 equal samples is the root of 61 / (12 * 900)
    assert areas.mean() == pytest.approx(0.5, abs=4 * 0.0752 / 10) and areas.std() == pytest.approx(0.0752, rel=0.3)
    covered = np.mean([row["negative_auc_low"] <= 0.5 <= row["negative_auc_high"] for row in found])
    assert covered > 0.85
    assert {row["auc"] for row in found} == {found[0]["auc"]}


def test_each_result_is_of_its_own_part_of_the_predictions():
    rng = np.random.default_rng(4)
    target, shadow = drawn(rng, 50, "target_train"), networks(halves(drawn(rng, 50, "shadow_train")))
    before, curves = attack(networks(target), shadow)

    def changed(*names):
        again = networks(target | {name: rng.uniform(0.45, 0.99, 50) for name in names})
        if names == ("test",):
            again.probabilities[:, -50:] = again.probabilities[:, -50:, ::-1]
        found, own = attack(again, shadow)
        return {name for name in before if not before[name].equals(found[name])}, own.equals(curves)

    # what the target says of the shadow's halves is nobody's
    assert changed("shadow_train", "shadow_out") == (set(), True)
    assert changed("test") == ({"test_accuracy"}, True)
    own, same = changed("target_train")
    assert not same and {"auc", "recall"} <= own and not {name for name in own if name.startswith("negative_")}
    own, same = changed("target_out")
    assert not same and {"auc", "precision", "negative_auc"} <= own
    # and what the shadow says moves nothing of the threshold's areas, but what its classifier learns
    found, old = by_attack(attack(networks(target), networks(halves(drawn(rng, 50))))[0]), by_attack(before)
    for name in ("auc", "negative_auc", "train_accuracy"):
        assert found.loc[THRESHOLD, name] == old.loc[THRESHOLD, name]
    assert found.loc["shadow 0.01", "recall_0.6"] != old.loc["shadow 0.01", "recall_0.6"]


def two_kinds(seed):
    """Two targets and their shadows: of the first pair members are surer than the others, of the second less sure."""
    rng = np.random.default_rng(seed)
    targets = networks(drawn(rng, 150, "target_train"), drawn(rng, 150, "target_out"))
    shadows = networks(*(halves(drawn(rng, 150, name)) for name in ("shadow_train", "shadow_out")))
    return targets, shadows, replace(shadows, probabilities=shadows.probabilities[::-1])


def test_each_network_is_attacked_with_its_own_shadow():
    """Who learns from the other's shadow what members look like looks the wrong way."""
    targets, shadows, others = two_kinds(5)
    own, swapped = attack(targets, shadows)[0], attack(targets, others)[0]
    for ensemble in (0, 1):
        assert by_attack(own, ensemble).loc["shadow 0.01", "auc_low"] > 0.8
        assert by_attack(swapped, ensemble).loc["shadow 0.01", "auc_high"] < 0.2
        # the plain threshold learns nothing but where to cut
        aucs = [by_attack(found, ensemble).loc[THRESHOLD, "auc"] for found in (own, swapped)]
        assert aucs[0] == aucs[1] and (aucs[0] > 0.8) == (ensemble == 0)
    calls = [by_attack(found, 1).loc[THRESHOLD, "recall"] for found in (own, swapped)]
    assert calls[0] != calls[1]


def test_with_a_plain_shadow_every_network_is_attacked_with_its_first():
    targets, shadows, others = two_kinds(6)
    right, wrong = (
        attack(targets, shadows, [SHADOW, PLAIN], plain=plain)[0].set_index(["attack", "ensemble"])
        for plain in (shadows, others)
    )
    assert right.loc[("plain shadow 0.01", 0), "auc_low"] > 0.8 > 0.2 > right.loc[("plain shadow 0.01", 1), "auc_high"]
    assert wrong.loc[("plain shadow 0.01", 0), "auc_high"] < 0.2 < 0.8 < wrong.loc[("plain shadow 0.01", 1), "auc_low"]
    # which is nothing to the other attack
    pd.testing.assert_frame_equal(right.loc["shadow 0.01"], wrong.loc["shadow 0.01"], check_exact=True)


# ---------------------------------------------------------------- tables


def test_every_network_and_ensemble_has_a_row_and_a_curve_by_every_attack():
    rng = np.random.default_rng(6)
    target = replace(networks(*(drawn(rng, 20, "target_train") for _ in range(4))), sizes=np.array([1, 1, 1, 3]))
    shadow = networks(*(halves(drawn(rng, 20, "shadow_train")) for _ in range(4)))
    attacks = [Attack(AttackSettings(rate=rate, top=2, epochs=2)) for rate in (0.1, 0.001)]
    scores, curves = attack(target, replace(shadow, sizes=target.sizes), [*attacks, SURE])
    names = ["shadow 0.1", "shadow 0.001", "threshold"]
    assert scores["attack"].tolist() == 4 * names
    assert scores["ensemble"].tolist() == [place for place in range(4) for _ in names]
    assert scores["members"].tolist() == 9 * [1] + 3 * [3]
    assert len(curves) == 12 * len(GRID)
    keys = ["members", "ensemble", "attack"]
    pd.testing.assert_frame_equal(curves[keys].drop_duplicates().reset_index(drop=True), scores[keys])
    # each network's own predictions, not another's
    areas = scores.loc[scores["attack"] == THRESHOLD, "auc"].tolist()
    expected = [pairs(*(target.of(place, f"target_{half}").max(1) for half in ("train", "out"))) for place in range(4)]
    assert areas == pytest.approx(expected) and len(set(areas)) == 4


def test_curves_run_from_nothing_to_everything_over_the_grid():
    """Between the most that can be had below and at each rate of false positives, by trying every threshold."""
    rng = np.random.default_rng(7)
    target = drawn(rng, 90, "target_train")
    target["target_out"] = target["target_out"][:45]
    scores, curves = attack(networks(target), networks(halves(drawn(rng, 90, "shadow_train"))))
    for name, curve in curves.groupby("attack"):
        fpr, tpr = curve["fpr"].to_numpy(), curve["tpr"].to_numpy()
        np.testing.assert_array_equal(fpr, GRID)
        assert (fpr[0], fpr[-1], len(fpr)) == (0, 1, 201) and (np.diff(fpr) > 0).all()
        assert (np.diff(tpr) >= 0).all() and tpr[0] >= 0 and tpr[-1] == 1
        assert np.trapezoid(tpr, fpr) == pytest.approx(by_attack(scores).loc[name, "auc"], abs=0.01)
    tried = np.concatenate([target["target_train"], target["target_out"], [np.inf]])
    rates = np.array([[np.mean(target[name] >= t) for name in ("target_out", "target_train")] for t in tried])
    curve = curves[curves["attack"] == THRESHOLD]
    for fpr, tpr in zip(curve["fpr"], curve["tpr"], strict=True):
        below, at = (rates[rates[:, 0] <= fpr + nudge, 1].max(initial=0) for nudge in (-1e-9, 1e-9))
        assert below - 1e-12 <= tpr <= at + 1e-12


def test_attacks_are_the_same_for_a_seed_and_a_job_and_others_for_others():
    """Nor do two networks that are alike share an attack model, but the halves of the negative control."""
    rng, thresholds = np.random.default_rng(8), np.linspace(0.05, 0.95, 19)
    target = networks(*[drawn(rng, 40, "target_train")] * 2)
    shadow = networks(*[halves(drawn(rng, 40, "shadow_train"))] * 2)
    before = torch.get_rng_state()
    one, again = (attack(target, shadow, [SHADOW, PLAIN, SURE], thresholds) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    for table, same in zip(one, again, strict=True):
        pd.testing.assert_frame_equal(table, same, check_exact=True)
    others = [attack(target, shadow, [SHADOW], thresholds, **key)[0] for key in ({"seed": 2}, {"job": ("other",)})]
    recalls = [found.dropna(subset="recall_0.5").filter(like="recall_").to_numpy() for found in (one[0], *others)]
    assert [recall.shape for recall in recalls] == [(4, 19), (2, 19), (2, 19)]
    assert len({tuple(row) for recall in recalls for row in recall}) == 8
    assert one[0].loc[one[0]["attack"] == THRESHOLD, "negative_auc"].nunique() == 1
    assert len({found["negative_auc"][0] for found in (one[0], *others)}) == 3

"""Membership attacks on one repetition's networks: every network and ensemble, by every attack, with its control."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from lib.attacks.predictions import Predictions
from lib.attacks.roc import auc_interval, precision_recall, roc_curve
from lib.attacks.shadow import AttackSettings, shadow_scores
from lib.attacks.threshold import best_threshold, confidences

GRID = np.linspace(0, 1, 201)  # false positive rates at which ROC curves are kept
THRESHOLD = "threshold"


def attack_name(rate: float | None) -> str:
    """How tables call an attack: by the learning rate of its classifier, or the confidence threshold for None."""
    return THRESHOLD if rate is None else f"shadow {rate:g}"


def attacked(
    predictions: Mapping[str, Predictions],
    attacks: Sequence[AttackSettings | None],
    thresholds: Sequence[float],
    seed: int,
    job: tuple[str, ...],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What attacks achieve on the target's networks, and their ROC curves.

    predictions: of `target` and `shadow`, networks in the same order: each of the target's is attacked with its own
    shadow. attacks: settings of a shadow attack, or None for the confidence threshold. thresholds: of the shadow
    attack's scores, at which precision and recall are stated. Attack models are keyed by (seed, job).

    First table, a row a network or ensemble and attack: `members`, `ensemble` (its place), `attack`; `auc`, the ends
    `auc_low`, `auc_high` of its 95 % interval (DeLong) and `constant` (the same score for all: no attack); the same of
    the negative control, `negative_*` (on the shadow's halves, neither of which the target saw); `train_accuracy`,
    `test_accuracy`; `precision` and `recall` at the attacker's own threshold (0.5, or the shadow's best), and
    `precision_T`, `recall_T` for T of `thresholds`. Second: `members`, `ensemble`, `attack`, `fpr` (GRID), `tpr`.
    """
    target, shadow = predictions["target"], predictions["shadow"]
    found, curves = [], []
    for place, members in enumerate(target.sizes):
        halves, member = target.halves(place, "target")
        unseen, half = target.halves(place, "shadow")
        known, inside = shadow.halves(place, "shadow")
        for settings in attacks:
            name = attack_name(settings.rate if settings else None)
            if settings is None:
                scores, others = confidences(halves), confidences(unseen)
                own = best_threshold(confidences(known), inside)
            else:
                asked = np.concatenate([halves, unseen])
                given = shadow_scores(known, inside, asked, settings, seed, (*job, str(place), name))
                scores, others, own = given[: len(halves)], given[len(halves) :], 0.5
            words = {"members": int(members), "ensemble": place, "attack": name}
            row = words | _areas("", scores, member) | _areas("negative_", others, half)
            row |= {
                f"{part}_accuracy": target.accuracy(place, of)
                for part, of in (("train", "target_train"), ("test", "test"))
            }
            precision, recall = precision_recall(scores, member, np.array([own, *thresholds]))
            row |= {"precision": precision[0], "recall": recall[0]}
            for threshold, *both in zip(thresholds, precision[1:], recall[1:], strict=True):
                row |= dict(zip((f"precision_{threshold:g}", f"recall_{threshold:g}"), both, strict=True))
            found.append(row)
            rates = roc_curve(scores, member)
            curves.append(pd.DataFrame(words | {"fpr": GRID, "tpr": np.interp(GRID, *rates[:2])}))
    return pd.DataFrame(found), pd.concat(curves, ignore_index=True)


def _areas(prefix: str, scores: np.ndarray, member: np.ndarray) -> dict[str, float]:
    """The area under the ROC curve with its interval, as columns."""
    found = auc_interval(scores, member)
    values = {"auc": found.auc, "auc_low": found.low, "auc_high": found.high, "constant": found.constant}
    return {f"{prefix}{name}": value for name, value in values.items()}

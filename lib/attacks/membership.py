"""Membership attacks on one repetition's networks: every network and ensemble, by every attack, with its control."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.attacks.predictions import Predictions
from lib.attacks.roc import auc_interval, precision_recall, roc_curve
from lib.attacks.shadow import shadow_scores
from lib.attacks.shadow_settings import AttackSettings
from lib.attacks.threshold import THRESHOLD, best_threshold, confidences
from lib.core.seeding import generator

GRID = np.linspace(0, 1, 201)  # false positive rates at which ROC curves are kept


@dataclass(frozen=True)
class Attack:
    """A membership attack: a classifier with these settings, or for None a threshold of confidence.

    plain: the classifier learns on a shadow without noise, whatever the target is, as Section IV-A has it word for
    word ("En5ResNet8 ... and the standard ResNet8 as the target and shadow models, respectively").
    """

    settings: AttackSettings | None = None
    plain: bool = False

    @property
    def name(self) -> str:
        """How tables call it: by the learning rate of its classifier."""
        if self.settings is None:
            return THRESHOLD
        return f"{'plain ' if self.plain else ''}shadow {self.settings.rate:g}"


def attacked(
    predictions: Mapping[str, Predictions],
    attacks: Sequence[Attack],
    thresholds: Sequence[float],
    seed: int,
    job: tuple[str, ...],
    plain: Predictions | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Attack the target's networks; return what each attack achieves, and the ROC curves.

    predictions: of `target` and `shadow`, networks in the same order: each of the target's is attacked with its own
    shadow. Without one, a threshold of confidence can attack, and has no precision and recall: the attacker finds where
    to cut on the shadow. plain: what a shadow without noise predicts, whose first network is taken, for the attacks
    that use it.
    thresholds: of a classifier's score, at which precision and recall are stated. Attack models and the halves of the
    negative control are keyed by (seed, job).

    First table, a row a network or ensemble and attack: `members`, `ensemble` (its place), `attack`; `auc`, the ends
    `auc_low`, `auc_high` of its 95 % interval (DeLong) and `constant` (one score for most: no attack); the same of
    the negative control, `negative_*`: one half of the samples that neither target nor shadow nor attack saw, as if
    they were members, beside the other; accuracy on what was trained on, on samples of the same draw that were not
    (`out_accuracy`), on the test set, and of the test set's most frequent class (`majority_accuracy`); `precision` and
    `recall` at the attacker's own threshold (0.5, or the shadow's best), and for classifiers `precision_T`, `recall_T`
    for T of `thresholds`. Second: `members`, `ensemble`, `attack`, `fpr` (GRID), `tpr`.
    """
    target, shadow = predictions["target"], predictions.get("shadow")
    found, curves = [], []
    for place, members in enumerate(target.sizes):
        halves, member = target.halves(place, "target")
        outside = np.flatnonzero(~member)
        pretended = np.zeros(len(outside), bool)
        pretended[generator(seed, *job, "negative control").permutation(len(outside))[: len(outside) // 2]] = True
        for attack in attacks:
            stated: Sequence[float] = ()
            if shadow and attack.plain:
                assert plain is not None
                known, inside = plain.halves(0, "shadow")
            elif shadow:
                known, inside = shadow.halves(place, "shadow")
            if attack.settings is None:
                own = best_threshold(confidences(known), inside) if shadow else np.nan
                scores = confidences(halves)
            else:
                scores = shadow_scores(known, inside, halves, attack.settings, seed, (*job, str(place), attack.name))
                own, stated = 0.5, thresholds
            words = {"members": int(members), "ensemble": place, "attack": attack.name}
            row = words | _areas("", scores, member) | _areas("negative_", scores[outside], pretended)
            for name, part in (("train", "target_train"), ("out", "target_out"), ("test", "test")):
                row[f"{name}_accuracy"] = target.accuracy(place, part)
            row["majority_accuracy"] = target.majority("test")
            precision, recall = precision_recall(scores, member, np.array([own, *stated]))
            row |= {"precision": precision[0], "recall": recall[0] if shadow else np.nan}
            for threshold, *both in zip(stated, precision[1:], recall[1:], strict=True):
                row |= dict(zip((f"precision_{threshold:g}", f"recall_{threshold:g}"), both, strict=True))
            found.append(row)
            rates = roc_curve(scores, member)
            curves.append(pd.DataFrame(words | {"fpr": GRID, "tpr": np.interp(GRID, *rates[:2])}))
    return pd.DataFrame(found), pd.concat(curves, ignore_index=True)


def _areas(prefix: str, scores: np.ndarray, member: np.ndarray) -> dict[str, float]:
    """Return the area under the ROC curve with its interval, as columns."""
    found = auc_interval(scores, member)
    values = {"auc": found.auc, "auc_low": found.low, "auc_high": found.high, "constant": found.constant}
    return {f"{prefix}{name}": value for name, value in values.items()}

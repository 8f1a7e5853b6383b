"""Attacks on worlds: every method is trained in each, and worlds differ in which of two records each slot took.

A slot i is the pair of records (2i, 2i + 1), of which each world holds one, by a fair coin of its own, independent of
all others. So worlds with one coin turned are neighbours by the relation REPLACE ONE, and a world is attacked with all
others as shadow models: half of them had any given record. Training noise must be drawn anew in every world.

What the coin does to intervals. Of each slot exactly one record is a member, so a member and the other record of its
slot are drawn together. The area's variance is taken over slots (DeLong's components added up within a slot), which
holds for any dependence within one. The interval of the true positive rate takes the threshold, which the non-members
set, as given. Members of different slots are then independent, each beyond it with a probability of its own, and the
number of such is less scattered than the binomial that Clopper and Pearson assume (Hoeffding 1956): their interval is
on the safe side. Neither covers the draw of the model, nor the latter that of the threshold.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from lib.attacks.checks import checked_probabilities
from lib.attacks.lira import lira_scores, lira_shift_scores, logit_confidence, variance_for
from lib.attacks.one_run import guess_numbers, one_run_bound
from lib.attacks.one_run_fdp import one_run_gaussian_bound
from lib.attacks.rates import LOGARITHMIC_GRID, logarithmic_curve, tpr_at
from lib.attacks.rmia import rmia_scores
from lib.attacks.roc import auc_interval
from lib.attacks.shadow import shadow_scores
from lib.attacks.shadow_settings import AttackSettings
from lib.core.errors import InputError
from lib.core.seeding import generator

# In this order, which decides between attacks that are equally strong where one is chosen.
ATTACKS = ("threshold", "shadow", "lira_online", "lira_offline", "lira_shift", "rmia")
AUDIT_SCORES = ("lira", "confidence")


@dataclass(frozen=True, kw_only=True)
class WorldSettings:
    """How worlds are attacked and audited.

    shadow: the classifier of the shadow-model attack. rates: false positive rates at which true ones are stated.
    sample_from: shadow models from which on LiRA takes each record's own variance. level: of every interval and bound.
    delta, guesses: of the one-run audit, guesses as shares of the canaries.
    """

    shadow: AttackSettings = field(default_factory=lambda: AttackSettings(rate=0.001))
    rates: tuple[float, ...] = (0.01, 0.001)
    sample_from: int = 64
    level: float = 0.95
    delta: float
    guesses: tuple[float, ...] = (0.1, 0.3, 1.0)


def members(chosen: np.ndarray) -> np.ndarray:
    """Which records (W, 2n) each world holds, by whether it took a slot's second one, chosen (W, n) bool."""
    return np.stack([~chosen, chosen], axis=-1).reshape(len(chosen), -1)


def attack_worlds(
    probabilities: np.ndarray,
    labels: np.ndarray,
    chosen: np.ndarray,
    canaries: int,
    targets: Sequence[int],
    settings: WorldSettings,
    seed: int,
    job: tuple[str, ...],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run every attack on the ordinary records of every target; return what each achieves, and the ROC curves.

    probabilities (W, 2n, classes): of each world's released model; labels (2n,): those that records are trained with;
    chosen (W, n) bool: which slots took their second record; canaries: slots, the first ones, that are left out;
    targets: worlds that are attacked. The shadow-model attack learns on one other world, drawn. Draws are keyed by
    (seed, job, target).

    First table, a row a target and attack (ATTACKS; `threshold` is of the confidence in the label, logit-scaled, which
    keeps its order and parts what is rounded to 1): `target`, `attack`, `slots`, `shadows` (other worlds that it uses);
    `auc`, `auc_low`, `auc_high` and `constant` (one score for most: no attack); `negative_auc` and its ends, a check of
    the interval and not of the attack: the same scores judged by coins drawn anew, which they cannot know; for each
    rate R `tpr_R`, `tpr_R_low`, `tpr_R_high`, NaN where there are too few records for it. Second: `target`, `attack`,
    `fpr` (LOGARITHMIC_GRID), `tpr`. Raises InputError for arrays that do not fit.
    """
    _check(probabilities, labels, chosen, canaries, targets)
    slots = chosen.shape[1] - canaries
    if not slots:
        raise InputError(f"canaries {canaries}: allowed are fewer than {chosen.shape[1]}, the slots")
    probabilities, labels = probabilities[:, 2 * canaries :], labels[2 * canaries :]
    member, confidence = members(chosen[:, canaries:]), logit_confidence(probabilities, labels)
    found, curves = [], []
    for target in targets:
        own = (*job, str(target))
        others = np.flatnonzero(np.arange(len(chosen)) != target)
        known = int(generator(seed, *own, "shadow").choice(others))
        classified = probabilities[known], member[known], probabilities[target]
        ratios = confidence[others], member[others], confidence[target]
        variance = variance_for(len(others), settings.sample_from)
        scores = {
            "threshold": (confidence[target], 0),
            "shadow": (shadow_scores(*classified, settings.shadow, seed, own), 1),
            "lira_online": (lira_scores(*ratios, True, variance), len(others)),
            "lira_offline": (lira_scores(*ratios, False, variance), len(others)),
            "lira_shift": (lira_shift_scores(*ratios), len(others)),
            "rmia": (rmia_scores(*ratios), len(others)),
        }
        pretended = members(generator(seed, *own, "negative control").random((1, slots)) < 0.5)[0]
        for attack in ATTACKS:
            score, shadows = scores[attack]
            words = {"target": int(target), "attack": attack}
            row = words | {"slots": slots, "shadows": shadows} | _area("auc", score, member[target], settings.level)
            row |= {"constant": auc_interval(score, member[target]).constant}
            row |= _area("negative_auc", score, pretended, settings.level)
            for rate in settings.rates:
                reached = tpr_at(score, member[target], rate, settings.level)
                values = (reached.tpr, reached.low, reached.high) if reached else (np.nan,) * 3
                row |= dict(zip((f"tpr_{rate:g}{end}" for end in ("", "_low", "_high")), values, strict=True))
            found.append(row)
            rates = logarithmic_curve(score, member[target])
            curves.append(pd.DataFrame(words | {"fpr": LOGARITHMIC_GRID, "tpr": rates}))
    return pd.DataFrame(found), pd.concat(curves, ignore_index=True)


def audit_worlds(
    probabilities: np.ndarray,
    labels: np.ndarray,
    chosen: np.ndarray,
    canaries: int,
    targets: Sequence[int],
    settings: WorldSettings,
) -> pd.DataFrame:
    """Audit every target in one run, from the canary slots; arguments as in `attack_worlds`, canaries at least 1.

    A row a target and score: `target`, `score` (`lira`: the online statistic; `confidence`: in the label alone),
    `canaries`, `guesses`, `right`, `lower_bound`, `largest` (the bound if as many canaries are all guessed rightly),
    `lower_bound_gaussian` (of a mechanism with a Gaussian's curve alone, `one_run_fdp`), `level`, `delta`, and the area
    `auc`, `auc_low`, `auc_high` of telling the canaries' members: a wrong label is learned by heart or not at all, so
    where nothing is private it shows that the attack works. Each bound holds at the level by itself: whoever takes the
    larger of several owes them a part of the error. It is of the epsilon by the
    relation replace one. Raises InputError for arrays that do not fit.
    """
    _check(probabilities, labels, chosen, canaries, targets)
    if not canaries:
        raise InputError("canaries 0: the audit needs at least one")
    wrong = slice(2 * canaries)
    member, labels = members(chosen)[:, wrong], labels[wrong]
    confidence = logit_confidence(probabilities[:, wrong], labels)
    rows = []
    for target in targets:
        others = np.flatnonzero(np.arange(len(chosen)) != target)
        variance = variance_for(len(others), settings.sample_from)
        scores = {
            "lira": lira_scores(confidence[others], member[others], confidence[target], True, variance),
            "confidence": confidence[target],
        }
        for name in AUDIT_SCORES:
            numbers = guess_numbers(canaries, settings.guesses)
            guessed = scores[name][::2] - scores[name][1::2], chosen[target, :canaries], numbers
            bound = one_run_bound(*guessed, settings.delta, settings.level)
            row = {"target": int(target), "score": name, "canaries": canaries, "guesses": bound.guesses}
            row |= {"right": bound.right, "lower_bound": bound.epsilon, "largest": bound.largest}
            row |= {"lower_bound_gaussian": one_run_gaussian_bound(*guessed, settings.delta, settings.level)}
            row |= {"level": settings.level, "delta": settings.delta}
            rows.append(row | _area("auc", scores[name], member[target], settings.level))
    return pd.DataFrame(rows)


def _area(name: str, scores: np.ndarray, member: np.ndarray, level: float) -> dict[str, float]:
    """Return the area under the ROC curve with its interval, as columns."""
    found = auc_interval(scores, member, level, paired=True)
    return {name: found.auc, f"{name}_low": found.low, f"{name}_high": found.high}


def _check(
    probabilities: np.ndarray, labels: np.ndarray, chosen: np.ndarray, canaries: int, targets: Sequence[int]
) -> None:
    if chosen.ndim != 2 or chosen.dtype != bool or len(chosen) < 2:
        raise InputError(f"chosen {chosen.shape} of {chosen.dtype}: allowed is (W, n) of bool with 2 or more worlds")
    worlds, slots = chosen.shape
    if probabilities.ndim != 3 or probabilities.shape[:2] != (worlds, 2 * slots) or labels.shape != (2 * slots,):
        raise InputError(
            f"probabilities {probabilities.shape}, labels {labels.shape}: allowed are ({worlds}, {2 * slots}, classes) "
            f"and ({2 * slots},), two records for each of the slots of chosen"
        )
    for world in probabilities:
        checked_probabilities(world)
    if not 0 <= canaries <= slots:
        raise InputError(f"canaries {canaries}: allowed are 0 to {slots}, the slots")
    if not len(targets) or not all(0 <= target < worlds for target in targets) or len(set(targets)) < len(targets):
        raise InputError(f"targets {list(targets)}: allowed are one or more of 0 to {worlds - 1}, all different")

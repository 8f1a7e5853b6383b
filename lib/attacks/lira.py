"""The likelihood-ratio attack: is a confidence rather one of models that had the record, or of models that had not?

Carlini et al. (2022), Section V. Of each record, shadow models that were trained on it (in) and that were not (out)
give one Gaussian each of the logit-scaled confidence in its label; the target's is compared with them.
"""

import numpy as np

from lib.core.errors import InputError

LEAST = 1e-12  # probabilities are cut off here: zeros are of models that cannot say less, and have no logarithm
VARIANCES = ("sample", "global")
_LEAST_DEVIATION = 1e-6  # where all models say the same


def logit_confidence(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """log p_y - log(sum of the others), (..., n) float64, of probabilities (..., n, classes) and labels (n,).

    The others are added up, since 1 - p_y loses them where p_y is almost 1 (Section VI-A). Both terms are cut off below
    at LEAST. Raises InputError for labels or probabilities that do not fit.
    """
    probabilities, labels = np.asarray(probabilities, np.float64), np.asarray(labels)
    if probabilities.ndim < 2 or labels.shape != probabilities.shape[-2:-1]:
        raise InputError(f"labels {labels.shape}: allowed is one for each row of probabilities {probabilities.shape}")
    classes = probabilities.shape[-1]
    if not np.isin(labels, np.arange(classes)).all():
        raise InputError(f"labels from {labels.min()} to {labels.max()}: allowed are 0 to {classes - 1}")
    if not ((probabilities >= 0) & (probabilities < 1 + 1e-4)).all():
        raise InputError("probabilities: they must lie in [0, 1]")
    true = np.arange(classes) == labels[:, None]
    parts = (np.where(keep, probabilities, 0.0).sum(-1) for keep in (true, ~true))
    own, others = (np.log(np.maximum(part, LEAST)) for part in parts)
    return own - others


def variance_for(models: int, sample_from: int) -> str:
    """Which variance so many shadow models allow: one a record from `sample_from` on (the paper's 64), else global."""
    return "sample" if models >= sample_from else "global"


def lira_scores(shadow: np.ndarray, member: np.ndarray, target: np.ndarray, online: bool, variance: str) -> np.ndarray:
    """Evidence (n,) float64 that each record was trained on, from logit-scaled confidences; higher for members.

    shadow (S, n): the shadow models'; member (S, n) bool: which of them had each record; target (n,): the attacked
    model's. online: logarithm of the ratio of both Gaussians' densities (Algorithm 1). Offline: by how many deviations
    the target exceeds the out models' mean, which orders records as the one-sided test does (equation 4) and does not
    round to 1. variance: `sample`, each record's own, or `global`, the deviations from the records' own means pooled
    over all records, for in and for out models.

    Every record gets a score. One that no shadow had, or that all had, takes the missing mean from the other, moved by
    the mean difference of in and out over the other records; offline, where in models are not looked at, it takes the
    mean of all records' out means. A record with fewer than two models of a kind takes the global variance of that
    kind. The coins that decided the shadows' records say nothing of the target's, so neither rule tells of membership.
    Raises InputError for arrays that do not fit, and for so few models that a kind has no variance or both no mean.
    """
    shadow, member, target = checked_confidences(shadow, member, target)
    if variance not in VARIANCES:
        raise InputError(f"variance {variance!r}: allowed are {' and '.join(VARIANCES)}")
    out, out_deviation = _fitted(shadow, ~member, variance, "out")
    if not online:
        return (target - np.where(np.isnan(out), np.nanmean(out), out)) / out_deviation
    inside, in_deviation = _fitted(shadow, member, variance, "in")
    both = ~(np.isnan(out) | np.isnan(inside))
    if not both.any():
        raise InputError("shadow models: no record has both one that is in and one that is out; more models are needed")
    moved = (inside - out)[both].mean()
    inside, out = np.where(np.isnan(inside), out + moved, inside), np.where(np.isnan(out), inside - moved, out)
    return _log_density(target, inside, in_deviation) - _log_density(target, out, out_deviation)


def lira_shift_scores(shadow: np.ndarray, member: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Evidence (n,) as `lira_scores`, with one shift and one variance for all records, for few shadow models.

    A confidence is taken for a mean of its record, plus half of the shift where the model had the record and minus half
    of it where not, plus noise of one variance: least squares over all shadow models (S, n). The score is the logarithm
    of the ratio of both Gaussians' densities at the target's (n,), shift (target - mean) / variance. A record's mean so
    rests on all S models, and not on half of them. Raises InputError for arrays that do not fit, for fewer than two
    models, and where no record has models of both kinds.
    """
    shadow, member, target = checked_confidences(shadow, member, target)
    coins = member - 0.5
    centred = coins - coins.mean(0)
    if len(shadow) < 2 or not centred.any():
        raise InputError("shadow models: no record has both one that is in and one that is out; more models are needed")
    shift = (centred * shadow).sum() / (centred**2).sum()
    mean = (shadow - shift * coins).mean(0)
    left = ((shadow - mean - shift * coins) ** 2).sum() / max(shadow.size - len(target) - 1, 1)
    return shift * (target - mean) / max(left, _LEAST_DEVIATION**2)


def checked_confidences(
    shadow: np.ndarray, member: np.ndarray, target: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shadow models' confidences (S, n), which records each had (S, n) bool, and the target's (n,), float64.

    Raises InputError for arrays that do not fit.
    """
    shadow, target = np.asarray(shadow, np.float64), np.asarray(target, np.float64)
    member = np.asarray(member)
    if shadow.ndim != 2 or member.shape != shadow.shape or target.shape != shadow.shape[1:]:
        raise InputError(
            f"shadow {shadow.shape}, member {member.shape}, target {target.shape}: allowed are (S, n), (S, n) and (n,)"
        )
    if not (np.isfinite(shadow).all() and np.isfinite(target).all()):
        raise InputError("confidences: they must be finite")
    if member.dtype != bool:
        raise InputError(f"member of {member.dtype}: allowed is bool")
    return shadow, member, target


def _fitted(shadow: np.ndarray, kind: np.ndarray, variance: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean of each record over the models of a kind, NaN where it has none, and standard deviation."""
    counts = kind.sum(0)
    if counts.max() < 2:
        raise InputError(f"shadow models: no record has two that are {name}; more models are needed")
    mean = np.divide(np.where(kind, shadow, 0.0).sum(0), counts, out=np.full(len(counts), np.nan), where=counts > 0)
    squares = (np.where(kind, shadow - np.where(counts > 0, mean, 0.0), 0.0) ** 2).sum(0)
    pooled = squares.sum() / np.maximum(counts - 1, 0).sum()
    own = np.where(counts > 1, squares / np.maximum(counts - 1, 1), pooled)
    found = own if variance == "sample" else np.full(len(counts), pooled)
    return mean, np.maximum(np.sqrt(found), _LEAST_DEVIATION)


def _log_density(values: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Of a Gaussian, without the constant."""
    return -(((values - mean) / deviation) ** 2) / 2 - np.log(deviation)

"""Whether a data-dependent epsilon can be worth its publishing, from public parameters alone."""

import math

import numpy as np

from lib.core.errors import InputError
from lib.release.pricing import epsilons
from lib.release.statement import shown
from pate_accountant import gnmax, gnss, threshold
from pate_accountant.sanitize import releasable
from pate_accountant.smooth_sensitivity import CheckSequence, Sequence


def least(draws: dict[str, dict], delta: float, teachers: int, classes: int) -> tuple[float, float]:
    """Mean and standard deviation below which no votes bring the number that `sanitize_epsilon` draws.

    draws: those announced, by mechanism: threshold, gnmax, gnss. Of the mean: every query is answered by all teachers
    alike, and its check costs what the cheapest plurality does. Of the noise: whatever the votes, all teachers together
    can move them to where the sensitivity is largest, and smoothness discounts that by e^(-beta teachers).
    Raises InputError where the draws allow no such release.
    """
    check, answer, release = (draws[name]["parameters"] for name in ("threshold", "gnmax", "gnss"))
    order, beta, sigma = release["order"], release["beta"], answer["sigma"]
    unanimous = np.zeros((1, classes), dtype=np.int64)
    unanimous[0, 0] = teachers
    at = np.array([order])
    try:
        if not releasable(sigma, order, classes):
            raise InputError("its sensitivity is not smooth: conditions C5 and C6 do not both hold")
        with np.errstate(all="ignore"):
            cheapest = threshold.rdp(at, np.arange(teachers + 1), check["threshold"], check["sigma"]).min()
            answered = gnmax.rdp(at, gnmax.log_error_bound(unanimous, sigma), sigma)[0, 0]
            answers = Sequence(unanimous, sigma, order)
            checks = CheckSequence(np.array([teachers]), teachers, check["threshold"], check["sigma"], order)
    except (ValueError, FloatingPointError) as error:
        raise InputError(str(error)) from error
    queries = draws["threshold"]["count"]
    raw = queries * float(cheapest + answered) + math.log(1 / delta) / (order - 1)
    largest = queries * (answers.total(teachers) + checks.total(teachers))
    mean = raw + gnss.cost_exact(order, beta, release["sigma_ss"])
    return mean, math.exp(-beta * teachers) * largest * release["sigma_ss"]


def sanitized_fault(privacy: dict, teachers: int, classes: int) -> str | None:
    """Say what is wrong with publishing a data-dependent epsilon; None if nothing is.

    privacy: privacy.json with one. It must be able to lie a standard deviation below what the caps give without it.
    """
    announced = privacy["announced"]["draws"]
    draws = {draw["mechanism"]: draw for draw in announced}
    if not {"threshold", "gnmax", "gnss"} <= set(draws):
        return "a sanitized epsilon is of confident_gnmax with continuous noise and of one draw of gnss"
    without = [draw for draw in announced if draw["mechanism"] != "gnss"]
    try:
        caps = max(epsilons(privacy["orders"], without, privacy["delta"]))
        mean, deviation = least(draws, privacy["delta"], teachers, classes)
    except InputError as error:
        return f"a sanitized epsilon, and {error}"
    if mean + deviation < caps:
        return None
    return (
        f"a sanitized epsilon, which for the cheapest votes comes to {shown(mean)} with a standard deviation of "
        f"{shown(deviation)}; the caps say {shown(caps)} without it; allowed is release.sanitized = false"
    )

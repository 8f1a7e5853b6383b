"""Every mechanism of the project, as it is audited."""

from lib.audit import dp_mac, dp_sgd, encoded_mean, functional, pate, pate_runs
from lib.audit.trial import Audited

ROOMS = (pate, encoded_mean, dp_sgd, dp_mac, functional, pate_runs)


def mechanisms(delta: float) -> list[Audited]:
    """All of them, promised at `delta`; those whose epsilon is pure, at `trial.PURE_DELTA`."""
    return [one for room in ROOMS for one in room.audited(delta)]

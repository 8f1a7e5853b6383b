"""The mechanisms, as classes and by name, with the parameters of each; a run's block as the configuration has it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar

from pate_accountant import readings
from pate_accountant.discrete import CONTINUOUS, DISCRETE, KIND
from pate_accountant.draws import DRAWS
from pate_accountant.errors import InputError

if TYPE_CHECKING:
    from dp_accounting import DpEvent

PARAMETERS = {
    "lnmax": ("laplace_scale",),
    "gnmax": ("sigma",),
    "confident_gnmax": ("threshold", "sigma_threshold", "sigma"),
}
MEANING = {
    "laplace_scale": "scale b of the Laplace noise on each count, in votes",
    "sigma": "standard deviation of the noise on each count, in votes",
    "threshold": "votes that the noisy plurality must reach for an answer",
    "sigma_threshold": "standard deviation of the noise on that check, in votes",
}
# Votes: noise of less is none, and no file has more teachers. Within these no number over- or underflows.
LEAST, MOST = 0.01, 1e9
LEAST_DELTA = 1e-100
# The account of a mechanism, with one law of noise.
ACCOUNTS: dict[tuple[str, str], Callable[..., readings.Account]] = {
    ("lnmax", CONTINUOUS): readings.lnmax_account,
    ("gnmax", CONTINUOUS): readings.gnmax_account,
    ("confident_gnmax", CONTINUOUS): readings.confident_account,
    ("gnmax", KIND): partial(readings.account_of_draws, DISCRETE["gnmax"]),
    ("confident_gnmax", KIND): readings.discrete_confident_account,
}


def mechanism(
    name: str, delta: float, max_answered: int | None = None, noise: str = CONTINUOUS, **parameters: float | None
) -> dict:
    """Return a run's block: mechanism, parameters (those of PARAMETERS; in votes), delta and noise, checked.

    max_answered: the run stops after so many answers; only where a check leaves queries unanswered. Raises InputError,
    one line, for a parameter that is missing, not the mechanism's, or no such number.

    >>> mechanism("gnmax", delta=1e-5, sigma=40)
    {'aggregator': 'gnmax', 'delta': 1e-05, 'noise': 'continuous', 'sigma': 40.0}
    >>> mechanism("gnmax", delta=1e-5)
    Traceback (most recent call last):
    ...
    pate_accountant.errors.InputError: gnmax needs --sigma (standard deviation of the noise on each count, in votes)
    """
    if name == "interactive_gnmax":
        raise InputError(
            "interactive_gnmax: its cost depends on the student between its rounds, which no file of votes holds; run "
            "it in the workflow, or price its rounds as confident_gnmax on any data with --plan and add up"
        )
    if name not in PARAMETERS:
        raise InputError(f"mechanism {name!r}: allowed is {', '.join(PARAMETERS)}")
    if (name, noise) not in ACCOUNTS:
        allowed = " and ".join(other for other, law in ACCOUNTS if law == noise)
        raise InputError(f"--noise {noise} for {name}: " + (f"allowed for {allowed}" if allowed else "no such noise"))
    given = {key: value for key, value in parameters.items() if value is not None}
    for key in PARAMETERS[name]:
        if key not in given:
            raise InputError(f"{name} needs {option(key)} ({MEANING[key]})")
    for key, value in given.items():
        if key not in PARAMETERS[name]:
            raise InputError(f"{name} has no {option(key)}; its options: {', '.join(map(option, PARAMETERS[name]))}")
        least = -MOST if key == "threshold" else LEAST
        if not (isinstance(value, Real) and least <= value <= MOST):
            raise InputError(f"{option(key)} {_said(value)}: allowed is a number of votes from {least:g} to {MOST:g}")
    if not (isinstance(delta, Real) and LEAST_DELTA <= delta < 1):
        raise InputError(
            f"--delta {_said(delta)}: allowed is a number between 0 and 1, less than 1 / (private records) and at "
            f"least {LEAST_DELTA:g}"
        )
    if max_answered is not None and name != "confident_gnmax":
        raise InputError(f"{name} answers every query; --max-answered is for confident_gnmax")
    if max_answered is not None and not (isinstance(max_answered, Integral) and max_answered >= 1):
        raise InputError(f"--max-answered {_said(max_answered)}: allowed is a whole number, at least 1")
    block = {"aggregator": name, "delta": float(delta), "noise": noise}
    block |= {key: float(given[key]) for key in PARAMETERS[name]}
    return block | ({} if max_answered is None else {"max_answered": max_answered})


@dataclass(frozen=True)
class Mechanism:
    """How PATE answers: `LNMax`, `GNMax` or `ConfidentGNMax`. All noise is in votes."""

    name: ClassVar[str]

    def run(self, delta: float) -> dict:
        """Return the block of a run with this delta, checked as by `mechanism`."""
        given = asdict(self)
        return mechanism(self.name, delta, given.pop("max_answered", None), given.pop("noise", CONTINUOUS), **given)

    def event(self, queries: int) -> DpEvent:
        """Return so many queries for dp_accounting's accountants, at what they cost on any votes.

        It is about replacing one record. Raises InputError for discrete noise, of which only Renyi divergences are
        known.
        """
        import dp_accounting  # takes a second

        run = self.run(0.5)  # no delta is in an event
        if run["noise"] != CONTINUOUS:
            raise InputError("noise 'discrete': dp_accounting has no event for it")
        if not (isinstance(queries, Integral) and queries >= 1):
            raise InputError(f"queries {_said(queries)}: allowed is a whole number, at least 1")
        draws = [(DRAWS["gnmax" if "sigma" in run else "lnmax"].event(run), run.get("max_answered", queries))]
        if "sigma_threshold" in run:
            draws.append((DRAWS["threshold"].event({"sigma": run["sigma_threshold"]}), queries))
        parts = [dp_accounting.SelfComposedDpEvent(event, min(count, queries)) for event, count in draws]
        return parts[0] if len(parts) == 1 else dp_accounting.ComposedDpEvent(parts)


@dataclass(frozen=True)
class LNMax(Mechanism):
    """Report the class of the most votes under Laplace noise (Papernot et al. 2017).

    laplace_scale: scale b of the noise on each count; the papers' gamma is 1/b.

    >>> LNMax(laplace_scale=20).event(100)
    SelfComposedDpEvent(event=SelfComposedDpEvent(event=LaplaceDpEvent(noise_multiplier=20.0), count=2), count=100)
    """

    name = "lnmax"
    laplace_scale: float


@dataclass(frozen=True)
class GNMax(Mechanism):
    """Report the class of the most votes under Gaussian noise (Papernot et al. 2018).

    sigma: standard deviation of the noise on each count. noise: `continuous`, or `discrete`, which can be drawn
    exactly.
    """

    name = "gnmax"
    sigma: float
    noise: str = CONTINUOUS


@dataclass(frozen=True)
class ConfidentGNMax(Mechanism):
    """Answer as GNMax those queries whose noisy plurality reaches a threshold (Papernot et al. 2018).

    threshold: votes that the noisy plurality must reach; it changes which queries are answered, and no guarantee.
    sigma_threshold: standard deviation of the noise on that check. sigma: that of the noise on each count.
    max_answered: the run stops after so many answers. noise: as in `GNMax`.
    """

    name = "confident_gnmax"
    threshold: float
    sigma_threshold: float
    sigma: float
    max_answered: int | None = None
    noise: str = CONTINUOUS


MECHANISMS: dict[str, type[Mechanism]] = {kind.name: kind for kind in (LNMax, GNMax, ConfidentGNMax)}


def of_run(run: dict) -> Mechanism:
    """Return the mechanism of a run's block.

    >>> of_run(GNMax(sigma=40).run(1e-5))
    GNMax(sigma=40.0, noise='continuous')
    """
    kind = MECHANISMS[run["aggregator"]]
    return kind(**{key: value for key, value in run.items() if key in kind.__dataclass_fields__})


def _said(value: object) -> str:
    """Return a setting that is refused."""
    if isinstance(value, Integral):
        return str(value)
    return f"{value:g}" if isinstance(value, Real) else repr(value)


def option(key: str) -> str:
    """Return a parameter as the command line has it."""
    return f"--{key.replace('_', '-')}"


def doubts(run: dict, teachers: int | None = None) -> list[str]:
    """Lines about numbers that look like other units than votes, or like no delta.

    >>> doubts(mechanism("lnmax", delta=1e-5, laplace_scale=0.05))[0]
    '--laplace-scale 0.05 votes is hardly any noise; the papers name its inverse gamma: of gamma 0.05 it is 20'
    """
    found = []
    many = "the teachers" if teachers is None else f"{teachers} teachers"
    for key in ("sigma", "sigma_threshold"):
        value = run.get(key)
        if value is not None and value < 1:
            found.append(
                f"{option(key)} {value:g} votes is hardly any noise: it is counted in votes, not in shares of {many}"
            )
        if value is not None and teachers is not None and value > 2 * teachers:
            found.append(
                f"{option(key)} {value:g} votes drowns {many}: of a variance give the root {math.sqrt(value):.4g}"
            )
    scale = run.get("laplace_scale")
    if scale is not None and scale < 1:
        found.append(
            f"--laplace-scale {scale:g} votes is hardly any noise; the papers name its inverse gamma: of gamma "
            f"{scale:g} it is {1 / scale:.4g}"
        )
    threshold = run.get("threshold")
    if threshold is not None and threshold <= 1:
        found.append(
            f"--threshold {threshold:g} is passed by nearly all queries: it is counted in votes, not in shares"
        )
    if threshold is not None and teachers is not None and threshold > teachers:
        found.append(f"--threshold {threshold:g} is above {many}: noise alone decides what is answered")
    if teachers is not None and run["delta"] * teachers >= 1:
        found.append(
            f"--delta {run['delta']:g} is not below 1 / (private records), of which there are at least as many as "
            f"teachers: it allows to publish some of them whole"
        )
    return found

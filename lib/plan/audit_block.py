"""The block audit of the configuration."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, Len, Lt

from lib.core.keywords import EACH_ONCE, Count, Delta, Positive

Confidence = Annotated[float, Gt(0.5), Lt(1), "Confidence of each bound."]
Part = Annotated[float, Gt(0), Le(1)]
Shares = Annotated[tuple[Part, ...], Len(1), EACH_ONCE]
Sizes = Annotated[tuple[Annotated[int, Ge(4)], ...], Len(1), EACH_ONCE]
Runs = Annotated[int, Ge(200)]
Mechanisms = Annotated[tuple[Literal["gaussian", "randomised_response"], ...], Len(1), EACH_ONCE]


@dataclass(frozen=True, kw_only=True)
class ManyRuns:
    """Bounds from many runs (Jagielski et al. 2020)."""

    delta: Delta
    sizes: Annotated[Sizes, "Runs with the record; there are as many without it."]


@dataclass(frozen=True, kw_only=True)
class OneRun:
    """Bounds from one run with many canaries (Steinke et al. 2023)."""

    delta: Delta
    sizes: Annotated[Sizes, "Canaries of the run."]
    guesses: Annotated[Shares, "Shares of the canaries that are guessed, stated beforehand; several share the error."]


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """Audits of each intact mechanism besides."""

    times: Annotated[Count, "How many."]
    runs: Annotated[Runs, "Runs of each, on either input."]


@dataclass(frozen=True, kw_only=True)
class Code:
    """Audits of the project's own mechanisms on two neighbouring inputs."""

    level: Confidence
    delta: Annotated[Delta, "Delta at which epsilons are promised and measured."]
    runs: Annotated[Runs, "Runs on either input, of which slow mechanisms have a share."]
    parts: Annotated[Count, "Jobs, each of some of the mechanisms."]
    repeated: Repeated


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Audits of mechanisms whose epsilon is known exactly, intact and broken on purpose."""

    level: Confidence
    repetitions: Annotated[Count, "Independent audits of each size."]
    epsilon: Annotated[Positive, "What every mechanism claims."]
    mechanisms: Annotated[Mechanisms, "Mechanisms of lib/attacks/reference_mechanisms.py."]
    noises: Annotated[Shares, "Shares of the noise that the claim takes: 1 is intact, less is broken on purpose."]
    many_runs: ManyRuns
    one_run: OneRun
    code: Code

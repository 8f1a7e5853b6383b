"""Trials of a mechanism under audit: the project's own code, intact and with bugs that were put in on purpose.

A bug is put in by calling the code with the wrong parameters, or by setting its generator back, and is compared with
the epsilon that the accounting promises of the code without it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.audit.bound import Audit, Mechanism, Sampler, audit_sampler
from pate_accountant.statement import PrivacyStatement

INTACT = "intact"
BUGS = {
    "sigma_halved": "noise with half the deviation",
    "sqrt2_forgotten": "noise for a sensitivity that lacks a factor sqrt(2)",
    "threshold_not_charged": "the noisy check is not accounted for",
    "no_clipping": "a record counts with more than the accounting's bound",
    "noise_reused": "two parts of the output get the same noise",
    "not_poisson": "batches in a fixed order, accounted for as Poisson samples",
    "add_or_remove_for_replace": "accounted for one record more or less, where one is replaced",
}
RUN_BUGS = {
    "noise_shared": "all queries of a run get the same noise",
    "check_noise_shared": "all checks of a run get the same noise",
    "plurality_confirmed": "the student's labels follow the teachers' plurality, without noise",
    "answer_too_many": "a run stops one answer after the last that is accounted for",
    "biases_forgotten": "what is clipped is the norm without that of the biases",
}
# A pure epsilon holds at any delta. A statement needs one above 0, and this one moves no bound.
PURE_DELTA = 1e-12
NO_CHECK = "there is no noisy check"
NO_VOTE_CLIP = "nothing is clipped: a teacher's answer is one vote"
NO_SAMPLE = "nothing is sampled, and no amplification claimed"


@dataclass(frozen=True)
class Trial:
    """Code to run on two neighbouring inputs, and what is promised for them.

    share: of the runs that are asked for; less than 1 where one takes long and fewer do.
    """

    sampler: Sampler
    neighbours: tuple[Any, Any]
    promised: PrivacyStatement
    share: float = 1.0

    def audited(self, runs: int, level: float, seed: int, job: tuple[str, ...]) -> Audit:
        """Its share of so many runs on either input, rounded up; draws are keyed by (seed, job)."""
        promised, taken = self.promised, math.ceil(self.share * runs)
        return audit_sampler(self.sampler, self.neighbours, promised.epsilon, promised.delta, taken, level, seed, job)


@dataclass(frozen=True)
class Audited:
    """One mechanism of the project, in one step or query, or in a whole run.

    name, backend: what it is called; function: the code that is run. trials: by `intact` and the bugs that it has room
    for; no_room: why it has none for the others. Of a whole run: `intact` and those of RUN_BUGS that its input shows.
    Raises ValueError where a bug of a step is in neither or both, or one of a run is in none.
    """

    name: str
    backend: str
    function: str
    trials: Mapping[str, Trial]
    no_room: Mapping[str, str]

    def __post_init__(self) -> None:
        """Check that every bug is spoken of, once."""
        of_run = {INTACT} < set(self.trials) <= {INTACT, *RUN_BUGS} and not self.no_room
        if not of_run and sorted([*self.trials, *self.no_room]) != sorted([INTACT, *BUGS]):
            raise ValueError(f"{self.name}, {self.backend}: trials and no_room must name {INTACT} and each bug once")

    @property
    def bugs(self) -> list[str]:
        """`intact`, and all bugs that are spoken of, in their order."""
        return [bug for bug in (INTACT, *BUGS, *RUN_BUGS) if bug in self.trials or bug in self.no_room]


def rewound(mechanism: Mechanism) -> Mechanism:
    """Run a mechanism on each part of an input from the same state of the generator: all parts get the same noise."""

    def reusing(parts: tuple, rng: np.random.Generator) -> np.ndarray:
        state, outputs = rng.bit_generator.state, []
        for part in parts:
            rng.bit_generator.state = state
            outputs.append(np.ravel(mechanism(part, rng)))
        return np.concatenate(outputs)

    return reusing

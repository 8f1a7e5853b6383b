"""The noisy mean of teachers' codes under audit: one teacher's code goes from one end of its bound to the other."""

import numpy as np

from lib.audit.bound import Mechanism, Sampler, one_by_one
from lib.audit.trial import INTACT, NO_CHECK, NO_SAMPLE, Audited, Trial, rewound
from lib.pate.encoded_mean import noisy_mean
from pate_accountant.encoded_mean import EncodedMeanNoise
from pate_accountant.ledger_statements import encoded_statements
from pate_accountant.statement import PrivacyStatement

TEACHERS, RADIUS, SIGMA = 2, 1.0, 1.0
SHARE, ROOT_SHARE = 0.1, 0.6  # of the runs, each of which takes 0.1 ms: of most trials, and where a root is lacking


def _codes(first_teacher: float, queries: int = 1) -> np.ndarray:
    """Codes (queries, teachers, 1) of one number; the other teacher's are 0."""
    return np.tile(np.array([[[first_teacher], [0.0]]], np.float32), (queries, 1, 1))


def _mean(radius: float, sigma: float) -> Mechanism:
    return lambda codes, rng: noisy_mean(codes, radius, sigma, rng)


def audited(delta: float) -> list[Audited]:
    """Return the mean of codes of one number, promised at `delta` by the least noise that there is."""

    def promised(queries: int = 1, radius: float = RADIUS) -> PrivacyStatement:
        noise = EncodedMeanNoise(queries=queries, teachers=TEACHERS, radius=radius, sigma=SIGMA)
        return encoded_statements(noise, delta)["analytic"]

    def trial(sampler: Sampler, code: float, promise: PrivacyStatement, queries: int = 1) -> Trial:
        share = SHARE if queries == 1 else ROOT_SHARE
        return Trial(sampler, (_codes(code, queries), _codes(-code, queries)), promise, share)

    usual, reusing = one_by_one(_mean(RADIUS, SIGMA)), one_by_one(rewound(_mean(RADIUS, SIGMA)))
    kept = _codes(RADIUS)
    trials = {
        INTACT: trial(usual, RADIUS, promised()),
        "sigma_halved": trial(one_by_one(_mean(RADIUS, SIGMA / 2)), RADIUS, promised()),
        # two queries, of which the sensitivity is the root of two times that of one
        "sqrt2_forgotten": trial(usual, RADIUS, promised(), queries=2),
        # the code checks what it is given, so the bound itself must be wrong
        "no_clipping": trial(one_by_one(_mean(2 * RADIUS, SIGMA)), 2 * RADIUS, promised()),
        "noise_reused": Trial(reusing, ((kept, kept), (_codes(-RADIUS), kept)), promised(queries=2), SHARE),
        "add_or_remove_for_replace": trial(usual, RADIUS, promised(radius=RADIUS / 2)),
    }
    no_room = {"threshold_not_charged": NO_CHECK, "not_poisson": NO_SAMPLE}
    return [Audited("encoded_mean", "numpy", "lib.pate.encoded_mean.noisy_mean", trials, no_room)]

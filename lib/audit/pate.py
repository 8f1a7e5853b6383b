"""PATE's mechanisms under audit: one teacher changes its vote (replace one).

One query of two classes, with a gap at which the less likely answer tells much and is still seen often enough, which
depends on the noise.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from lib.audit.bound import Mechanism, one_by_one
from lib.audit.trial import INTACT, NO_CHECK, NO_SAMPLE, NO_VOTE_CLIP, PURE_DELTA, Audited, Trial, rewound
from lib.core.seeding import noise_bits
from lib.pate.confident import confident_gnmax
from lib.pate.discrete_gaussian import DiscreteGaussian
from lib.pate.gnmax import gnmax
from lib.pate.interactive import interactive_gnmax
from lib.pate.lnmax import lnmax
from pate_accountant import lnmax as lnmax_accounting
from pate_accountant import rdp
from pate_accountant.confident import selective_caps
from pate_accountant.discrete import DISCRETE
from pate_accountant.draws import NEIGHBOURING
from pate_accountant.ledger import ledger_of_draws
from pate_accountant.ledger_statements import ledger_statements
from pate_accountant.statement import PrivacyStatement

ORDERS = rdp.order_grid((1.1, 64.0, 0.1), (64.0, 256.0, 12))  # finer than the papers', for promises that are tight
SCALE = 2.0  # LNMax's, in votes
SIGMA = 1.5  # GNMax's, in votes
ROOTED = 1.0  # the same where a factor sqrt(2) is lacking: a simple fraction, of which discrete noise is drawn faster
TIE = np.array([[8, 8]]), np.array([[9, 7]])
ALWAYS, HARDLY_NOISY = -1e3, 50.0  # a check that passes and costs next to nothing: what is left is the answer
CHECKED = {"threshold": 10.0, "sigma_threshold": 1.0, "sigma": 8.0}  # a check that costs most of all
CONTINUOUS_NOISE, DISCRETE_NOISE = "continuous noise", "discrete noise"
EVEN = np.array([[0.5, 0.5]])  # a student that knows nothing


def _gap(votes: int) -> tuple[np.ndarray, np.ndarray]:
    """Histograms by so many votes apart, and by two less."""
    return np.array([[4 + votes, 4]]), np.array([[3 + votes, 5]])


def discrete_noise(rng: np.random.Generator) -> DiscreteGaussian:
    """Exact discrete noise, its bits keyed by a draw of the generator."""
    return DiscreteGaussian(noise_bits(int(rng.integers(2**62)), "discrete noise"))


def _lnmax(scale: float) -> Mechanism:
    return lambda votes, rng: lnmax(votes, scale, rng)


def _gnmax(sigma: float, discrete: bool) -> Mechanism:
    return lambda votes, rng: gnmax(votes, sigma, discrete_noise(rng) if discrete else rng)


def _confident(threshold: float, sigma_threshold: float, sigma: float, discrete: bool) -> Mechanism:
    return lambda votes, rng: confident_gnmax(
        votes, threshold, sigma_threshold, sigma, discrete_noise(rng) if discrete else rng
    )


def _interactive(threshold: float, sigma_threshold: float, sigma: float) -> Mechanism:
    # the student's scores lower the statistic by half of the votes, and its confidence reinforces nothing
    return lambda votes, rng: interactive_gnmax(
        votes, EVEN, 0.9, threshold - votes.sum() / 2, sigma_threshold, sigma, rng
    )


def _shares(discrete: bool) -> tuple[float, float]:
    """Shares of the runs: of most trials, and of the one whose noise is too small by a root only (discrete: 0.4 ms)."""
    return (0.05, 0.8) if discrete else (1.0, 1.0)


def _twice(mechanism: Mechanism, promised: PrivacyStatement, share: float = 1.0) -> Trial:
    """Two queries, of which the teacher changes its answer to the first, at a tie."""
    return Trial(one_by_one(rewound(mechanism)), ((TIE[0], TIE[0]), (TIE[1], TIE[0])), promised, share)


def pure(sensitivity: float, queries: int = 1) -> PrivacyStatement:
    """LNMax's promise; sensitivity: by how much one record moves the histogram, over the 2 that it does."""
    epsilon = queries * lnmax_accounting.pure_epsilon(SCALE / sensitivity)
    return PrivacyStatement.data_independent(
        epsilon, PURE_DELTA, accountant="pure", conversion="none", neighbouring=NEIGHBOURING, proved_bound=True
    )


def answers(delta: float, discrete: bool, queries: int, sigma: float = SIGMA) -> PrivacyStatement:
    """GNMax's promise for so many answers."""
    kind = DISCRETE["gnmax"] if discrete else "gnmax"
    return ledger_statements(ledger_of_draws(ORDERS, kind, queries, {"sigma": sigma}), delta)["independent_tight"]


def selective(delta: float, checks: int, answers: int, sigma_threshold: float, sigma: float) -> PrivacyStatement:
    """Confident- and Interactive-GNMax's promise for so many checks, and so many answers at most."""
    cost = selective_caps(ORDERS, checks, answers, sigma_threshold, sigma)
    return PrivacyStatement.data_independent(
        rdp.epsilon_tight(ORDERS, cost, delta)[0],
        delta,
        accountant="rdp",
        conversion="tight",
        neighbouring=NEIGHBOURING,
        proved_bound=True,
    )


def _lnmax_audited() -> Audited:
    trials = {
        INTACT: Trial(one_by_one(_lnmax(SCALE)), _gap(6), pure(1)),
        "sigma_halved": Trial(one_by_one(_lnmax(SCALE / 2)), _gap(4), pure(1)),
        "noise_reused": _twice(_lnmax(SCALE), pure(1, queries=2)),
        "add_or_remove_for_replace": Trial(one_by_one(_lnmax(SCALE)), _gap(6), pure(0.5)),
    }
    no_room = {
        "sqrt2_forgotten": "Laplace noise is for a sensitivity in L1, which has no root",
        "threshold_not_charged": NO_CHECK,
        "no_clipping": NO_VOTE_CLIP,
        "not_poisson": NO_SAMPLE,
    }
    return Audited("lnmax", CONTINUOUS_NOISE, "lib.pate.lnmax.lnmax", trials, no_room)


def _gnmax_audited(delta: float, discrete: bool) -> Audited:
    promised = partial(answers, delta, discrete)
    mechanism = partial(_gnmax, discrete=discrete)
    share, root_share = _shares(discrete)
    trials = {
        INTACT: Trial(one_by_one(mechanism(SIGMA)), _gap(6), promised(1), share),
        "sigma_halved": Trial(one_by_one(mechanism(SIGMA / 2)), _gap(3), promised(1), share),
        "sqrt2_forgotten": Trial(
            one_by_one(mechanism(ROOTED)), _gap(4), promised(1, ROOTED * math.sqrt(2)), root_share
        ),
        "noise_reused": _twice(mechanism(SIGMA), promised(2), share),
    }
    no_room = {
        "threshold_not_charged": NO_CHECK,
        "no_clipping": NO_VOTE_CLIP,
        "not_poisson": NO_SAMPLE,
        "add_or_remove_for_replace": "a teacher more or less moves one count by 1: that is sqrt2_forgotten",
    }
    backend = DISCRETE_NOISE if discrete else CONTINUOUS_NOISE
    return Audited("gnmax", backend, "lib.pate.gnmax.gnmax", trials, no_room)


def _selective_audited(
    name: str, backend: str, function: str, mechanism: Callable[..., Mechanism], delta: float
) -> Audited:
    """Confident- or Interactive-GNMax; mechanism(threshold, sigma_threshold, sigma) makes it."""

    def answering(sigma: float) -> Mechanism:
        return mechanism(ALWAYS, HARDLY_NOISY, sigma)

    share, root_share = _shares(backend == DISCRETE_NOISE)
    once = selective(delta, 1, 1, HARDLY_NOISY, SIGMA)
    checked = one_by_one(mechanism(**CHECKED))
    noises = {"sigma_threshold": CHECKED["sigma_threshold"], "sigma": CHECKED["sigma"]}
    trials = {
        INTACT: Trial(checked, TIE, selective(delta, 1, 1, **noises), share),
        "sigma_halved": Trial(one_by_one(answering(SIGMA / 2)), _gap(3), once, share),
        "sqrt2_forgotten": Trial(
            one_by_one(answering(ROOTED)),
            _gap(4),
            selective(delta, 1, 1, HARDLY_NOISY, ROOTED * math.sqrt(2)),
            root_share,
        ),
        "threshold_not_charged": Trial(checked, TIE, selective(delta, 0, 1, **noises), share),
        "noise_reused": _twice(answering(SIGMA), selective(delta, 2, 2, HARDLY_NOISY, SIGMA), share),
    }
    no_room = {
        "no_clipping": NO_VOTE_CLIP,
        "not_poisson": NO_SAMPLE,
        "add_or_remove_for_replace": "a teacher more or less moves one count by 1: that is sqrt2_forgotten",
    }
    return Audited(name, backend, function, trials, no_room)


def audited(delta: float) -> list[Audited]:
    """LNMax at a pure epsilon, the others at `delta`; discrete noise where the aggregators have it."""
    confident, interactive = (
        "lib.pate.confident.confident_gnmax",
        "lib.pate.interactive.interactive_gnmax",
    )
    return [
        _lnmax_audited(),
        _gnmax_audited(delta, discrete=False),
        _gnmax_audited(delta, discrete=True),
        _selective_audited("confident_gnmax", CONTINUOUS_NOISE, confident, partial(_confident, discrete=False), delta),
        _selective_audited("confident_gnmax", DISCRETE_NOISE, confident, partial(_confident, discrete=True), delta),
        _selective_audited("interactive_gnmax", CONTINUOUS_NOISE, interactive, _interactive, delta),
    ]

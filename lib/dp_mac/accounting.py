"""What a DP-MAC run costs: pre-training, the histograms of the thresholds, and training.

Neighbouring relation: add or remove one record, throughout. A training step releases one vector, the coefficients of
all layers, each block divided by its own sensitivity and by the root of the number of blocks: its sensitivity is 1, so
a step is one Gaussian mechanism with multiplier sigma on a Poisson sample. The paper's Appendix H accounts for the
same vector as if that sensitivity were sqrt(K) (its mixture N(1_K, sigma^2 I)); that reading stands apart, by name.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import dp_accounting
import numpy as np
from dp_accounting import rdp as dp_rdp

from lib.accounting import rdp
from lib.accounting.calibration import least_noise
from lib.accounting.statement import PrivacyStatement
from lib.accounting.subsampled_gaussian import subsampled_gaussian_rdp
from lib.core.errors import InputError

NEIGHBOURING = "add_or_remove_one"
COEFFICIENTS = ("constant", "linear", "quadratic")  # the paper's a, b and C
SCALINGS = ("blocks", "layers")
AGREEMENT = 1e-6  # relative; of AGREEMENT itself where a cost is less than that


def steps_per_epoch(samples: int, batch: float) -> int:
    """Poisson batches of `batch` expected samples that make an epoch of `samples`, rounded up."""
    return math.ceil(samples / batch)


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run as the accountant sees it.

    samples: records in the data set (N). batch: expected size of a Poisson batch. epochs: of training, of
    `steps_per_epoch` each. layers: objectives, the output layer's included (the paper's K in sqrt(K)). sigma: noise
    multiplier. coefficients: what is released of each layer's expansion, of `constant` (a), `linear` (b), `quadratic`
    (C). pretraining_epochs: at the same batch, and at pretraining_sigma (None: sigma). sigma_histogram: standard
    deviation of the noise on each count of the threshold histograms, one a layer and coefficient; None where
    thresholds are fixed beforehand.
    scaling: `blocks` (default) divides each block by its sensitivity and the root of the number of all blocks, which
    makes the whole vector's sensitivity 1; `layers` by the root of the number of layers only, as the paper prints it,
    which leaves sqrt(number of coefficients). They differ only where more than one coefficient is released.
    Raises InputError for what is not allowed.
    """

    samples: int
    batch: float
    epochs: int
    layers: int
    sigma: float
    coefficients: tuple[str, ...] = ("linear",)
    pretraining_epochs: int = 0
    pretraining_sigma: float | None = None
    sigma_histogram: float | None = None
    scaling: str = "blocks"

    def __post_init__(self) -> None:
        """Check numbers and names."""
        if not 0 < self.batch <= self.samples:
            raise InputError(f"batch {self.batch}: it must lie above 0 and not above the {self.samples} samples")
        if self.epochs < 0 or self.pretraining_epochs < 0 or self.epochs + self.pretraining_epochs == 0:
            raise InputError(f"epochs {self.epochs}, pre-training {self.pretraining_epochs}: at least 0, together 1")
        if self.layers < 1:
            raise InputError(f"layers {self.layers}: there must be at least 1")
        for what, value in (
            ("sigma", self.sigma),
            ("pretraining_sigma", self.pretraining_sigma),
            ("sigma_histogram", self.sigma_histogram),
        ):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(f"{what} {value}: it must be positive and finite; without noise there is no epsilon")
        known = set(self.coefficients) <= set(COEFFICIENTS)
        if not self.coefficients or not known or len(set(self.coefficients)) < len(self.coefficients):
            raise InputError(f"coefficients {self.coefficients}: one or more of {', '.join(COEFFICIENTS)}, each once")
        if self.scaling not in SCALINGS:
            raise InputError(f"scaling {self.scaling!r}: allowed are {', '.join(SCALINGS)}")

    @property
    def rate(self) -> float:
        """Chance of each record to be in a batch."""
        return self.batch / self.samples

    @property
    def sensitivity(self) -> float:
        """L2 sensitivity of the scaled vector that one step releases; the noise on it is sigma."""
        return 1.0 if self.scaling == "blocks" else math.sqrt(len(self.coefficients))

    @property
    def histograms(self) -> int:
        """Histograms released, each of sensitivity 1."""
        return 0 if self.sigma_histogram is None else self.layers * len(self.coefficients)


def parts(run: Run, orders: np.ndarray) -> dict[str, np.ndarray]:
    """RDP (k,) of `pretraining`, `histogram` and `training`, those that the run has."""
    return _parts(run, orders, run.sensitivity, 1.0)


def _parts(run: Run, orders: np.ndarray, sensitivity: float, histogram: float) -> dict[str, np.ndarray]:
    """Parts with another sensitivity of the vector, and the cost of a histogram times `histogram`."""
    orders = np.asarray(orders, float)
    length = steps_per_epoch(run.samples, run.batch)
    before = run.sigma if run.pretraining_sigma is None else run.pretraining_sigma
    found = {}
    if run.pretraining_epochs:
        once = subsampled_gaussian_rdp(orders, run.rate, before / sensitivity)
        found["pretraining"] = run.pretraining_epochs * length * once
    if run.histograms:
        found["histogram"] = histogram * run.histograms * rdp.gaussian_rdp(orders, run.sigma_histogram, 1.0)
    if run.epochs:
        found["training"] = run.epochs * length * subsampled_gaussian_rdp(orders, run.rate, run.sigma / sensitivity)
    return found


def events(run: Run) -> dict[str, dp_accounting.DpEvent]:
    """The same parts as dp_accounting events (add or remove one)."""
    length = steps_per_epoch(run.samples, run.batch)
    before = run.sigma if run.pretraining_sigma is None else run.pretraining_sigma

    def training(epochs: int, sigma: float) -> dp_accounting.DpEvent:
        step = dp_accounting.PoissonSampledDpEvent(run.rate, dp_accounting.GaussianDpEvent(sigma / run.sensitivity))
        return dp_accounting.SelfComposedDpEvent(step, epochs * length)

    found = {}
    if run.pretraining_epochs:
        found["pretraining"] = training(run.pretraining_epochs, before)
    if run.histograms:
        release = dp_accounting.GaussianDpEvent(run.sigma_histogram)
        found["histogram"] = dp_accounting.SelfComposedDpEvent(release, run.histograms)
    if run.epochs:
        found["training"] = training(run.epochs, run.sigma)
    return found


def check(run: Run, orders: np.ndarray) -> float:
    """Compare every part with dp_accounting's RDP accountant; return the largest relative difference found.

    They must agree at integer orders, within AGREEMENT. A cost never falls with the order, so that one between two
    integers must lie between theirs at these; their own value there is not used, since the series behind it (Mironov,
    Talwar and Zhang 2019, Section 3.3) alternates, and dp_accounting 0.6 adds its terms without their signs.
    Raises ArithmeticError, naming the part, where they do not agree.
    """
    orders = np.asarray(orders, float)
    around = np.unique(np.concatenate([np.floor(orders), np.ceil(orders)]))
    around = around[around > 1]
    worst = 0.0
    ours = parts(run, orders)
    for name, event in events(run).items():
        accountant = dp_rdp.RdpAccountant(around, dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
        theirs = dict(zip(around, accountant.compose(event).rdp, strict=True))
        lower = np.array([theirs.get(order, 0.0) for order in np.floor(orders)])
        upper = np.array([theirs[order] for order in np.ceil(orders)])
        outside = np.maximum(lower - ours[name], ours[name] - upper) / np.maximum(upper, AGREEMENT)
        if not outside.max() <= AGREEMENT:
            raise ArithmeticError(
                f"{name}: our accountant and dp_accounting differ by {outside.max():.3g} (relative) "
                f"at order {orders[outside.argmax()]:g}"
            )
        worst = max(worst, float(outside.max()))
    return worst


def statements(run: Run, orders: np.ndarray, delta: float) -> dict[str, PrivacyStatement]:
    """What the run costs, in every reading.

    `joint` (the guarantee; classic conversion) and `joint_tight`: all parts composed as RDP, converted once.
    `added`, `added_tight`: each part converted at `delta`, the epsilons added, as the paper composes its parts; the
    deltas are added too, which the paper leaves out. `training`: training alone, a guarantee only for a run without
    other parts. `appendix_h`: the paper's convention, no guarantee: the vector's sensitivity taken as sqrt(K), half
    of what a histogram costs, epsilons added and delta not.
    Raises InputError for a delta outside (0, 1).
    """
    if not 0 < delta < 1:
        raise InputError(f"delta {delta}: it must lie in (0, 1)")
    costs = parts(run, orders)
    total = sum(costs.values())
    made = {}
    for suffix, convert, conversion in (("", rdp.epsilon_classic, "classic"), ("_tight", rdp.epsilon_tight, "tight")):
        made[f"joint{suffix}"] = _statement(convert(orders, total, delta)[0], delta, "rdp", conversion)
        added = sum(convert(orders, cost, delta)[0] for cost in costs.values())
        made[f"added{suffix}"] = _statement(added, len(costs) * delta, "rdp, parts added", conversion)
    if run.epochs:
        alone = rdp.epsilon_classic(orders, costs["training"], delta)[0]
        made["training"] = _statement(alone, delta, "rdp, training only", "classic", guarantee=len(costs) == 1)
    made["appendix_h"] = appendix_h(run, orders, delta)
    return made


def appendix_h(run: Run, orders: np.ndarray, delta: float, layers: int | None = None) -> PrivacyStatement:
    """The paper's Appendix H as printed, never a guarantee.

    Both trainings with mu1 = N(1_K, sigma^2 I), as if the sensitivity were sqrt(K), K = `layers` (None: the run's);
    histograms at (lambda^2 + lambda) / (4 sigma^2) (Section 2.4), half of their cost; the parts' epsilons added at one
    delta.
    """
    taken = run.layers if layers is None else layers
    costs = _parts(run, orders, math.sqrt(taken), 0.5)
    epsilon = sum(rdp.epsilon_classic(orders, cost, delta)[0] for cost in costs.values())
    return _statement(epsilon, delta, f"appendix H, K={taken}", "classic", guarantee=False)


def _statement(
    epsilon: float, delta: float, accountant: str, conversion: str, guarantee: bool = True
) -> PrivacyStatement:
    return PrivacyStatement.data_independent(
        epsilon, delta, accountant=accountant, conversion=conversion, neighbouring=NEIGHBOURING, guarantee=guarantee
    )


def epsilon(run: Run, orders: np.ndarray, delta: float) -> float:
    """Epsilon that the run really costs: all parts jointly, classic conversion."""
    return rdp.epsilon_classic(orders, sum(parts(run, orders).values()), delta)[0]


def calibrated_sigma(
    run: Run,
    orders: np.ndarray,
    delta: float,
    target: float,
    cost: Callable[[Run, np.ndarray, float], float] = epsilon,
    largest: float = 1e4,
) -> float:
    """The least sigma (within `calibration.PRECISION`) at which the run costs no more than `target`.

    The run's own sigma is ignored; pre-training is done at the sigma sought unless pretraining_sigma is set. `cost`:
    what is to meet the target (default: the joint guarantee). Raises InputError if not even the sigma `largest` does,
    for instance because the histograms alone cost more.
    """
    return least_noise(
        lambda sigma: cost(replace(run, sigma=sigma), orders, delta), target, largest, "more noise on the histograms"
    )

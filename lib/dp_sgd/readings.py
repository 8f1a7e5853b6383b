"""DP-SGD with a printed noise and clip: what they may mean, what each reading costs, and how far a budget goes.

Fay et al. (2020) clip "for each layer at 4" and "apply noise with variance 6", without steps, batch or layers.
Neighbouring relation: add or remove one record, here a patient: with all that is known of one, a patient adds one
clipped gradient to the sum of a step, and is in a step's Poisson sample as a whole.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lib.accounting import rdp
from lib.accounting.statement import PrivacyStatement
from lib.accounting.subsampled_gaussian import subsampled_gaussian_rdp
from lib.core.errors import InputError

NEIGHBOURING = "add_or_remove_one"
Cost = Callable[[int], float]  # epsilon of so many steps


@dataclass(frozen=True, kw_only=True)
class NoiseReading:
    """One meaning of a noise variance beside a clip.

    clipping: `by_layer`, each layer's gradient at the clip, or `jointly`, all layers' together. noise: unit of the
    variance's root: `whole`, the bound on the whole gradient (as Opacus' noise multiplier, by layer too), `layer`, the
    clip, or `absolute`, the gradient's own. deviation: of the noise on each number of the sum of clipped gradients.
    bound: on the norm of a whole clipped gradient, clip sqrt(layers) where each layer is clipped.
    """

    clipping: str
    noise: str
    deviation: float
    bound: float

    @property
    def multiplier(self) -> float:
        """What the accountant must be given."""
        return self.deviation / self.bound


def noise_readings(variance: float, clip: float, layers: int) -> list[NoiseReading]:
    """Every reading of `variance` and `clip`, of a network of so many layers that are clipped on their own or jointly.

    Jointly, `whole` and `layer` are one. Raises InputError for what is not positive.
    """
    if not (math.isfinite(variance) and variance > 0 and math.isfinite(clip) and clip > 0):
        raise InputError(f"variance {variance}, clip {clip}: both must be positive and finite")
    if layers < 1:
        raise InputError(f"layers {layers}: there must be at least 1")
    root, whole = math.sqrt(variance), clip * math.sqrt(layers)
    return [
        NoiseReading(clipping="by_layer", noise="whole", deviation=root * whole, bound=whole),
        NoiseReading(clipping="by_layer", noise="layer", deviation=root * clip, bound=whole),
        NoiseReading(clipping="by_layer", noise="absolute", deviation=root, bound=whole),
        NoiseReading(clipping="jointly", noise="whole", deviation=root * clip, bound=clip),
        NoiseReading(clipping="jointly", noise="absolute", deviation=root, bound=clip),
    ]


def rdp_cost(multiplier: float, rate: float, orders: np.ndarray, delta: float) -> Cost:
    """Epsilon by Renyi DP of so many steps on Poisson samples of `rate`, by dp_accounting's tighter conversion.

    Raises InputError for a rate outside (0, 1], a multiplier that is not positive or a delta outside (0, 1).
    """
    _check_delta(delta)
    once = subsampled_gaussian_rdp(orders, rate, multiplier)
    return lambda steps: rdp.epsilon_tight(orders, steps * once, delta)[0] if steps else 0.0


def pld_cost(multiplier: float, rate: float, delta: float, interval: float = 1e-3) -> Cost:
    """Epsilon by dp_accounting's privacy loss distributions, rounded up at `interval`: the second route, and less."""
    import dp_accounting  # takes a second, and not every job needs it
    from dp_accounting import pld

    _check_delta(delta)
    step = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(multiplier))

    def cost(steps: int) -> float:
        accountant = pld.PLDAccountant(value_discretization_interval=interval)
        return accountant.compose(step, steps).get_epsilon(delta) if steps else 0.0

    return cost


def most_steps(cost: Cost, epsilon: float) -> int:
    """The largest number of steps that cost at most `epsilon`; 0 if not even one does."""
    if not epsilon > 0:
        raise InputError(f"epsilon {epsilon}: it must be positive")
    low, high = 0, 1
    while cost(high) <= epsilon:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= epsilon else (low, middle)
    return low


def statement(
    cost: Cost, steps: int, delta: float, accountant: str, reading: NoiseReading, clipping: str
) -> PrivacyStatement:
    """So many steps of a run, as a statement; accountant: `rdp` (tight conversion) or `pld`, whichever `cost` is.

    clipping: how the run clips. It is no guarantee where the reading clips jointly and the run by layer, since a
    gradient is then longer than the reading says.
    """
    return PrivacyStatement.data_independent(
        cost(steps),
        delta,
        accountant=accountant,
        conversion="tight" if accountant == "rdp" else "none",
        neighbouring=NEIGHBOURING,
        proved_bound=clipping == reading.clipping,
    )


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise InputError(f"delta {delta}: it must lie in (0, 1)")

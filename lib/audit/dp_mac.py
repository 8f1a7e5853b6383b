"""DP-MAC's step under audit: one record whose coefficients are known, seen on what the step releases.

As in `lib.audit.dp_sgd` the training set is one record, which is often in no batch. The network is one layer,
T = (y - w z)^2, whose linear coefficient is far beyond its threshold and has the sign of -y z; z = 0 is as good as no
record.
"""

import math
from typing import Literal

import numpy as np
import torch

from lib.audit.bound import Sampler
from lib.audit.trial import INTACT, NO_CHECK, Audited, Trial
from lib.dp_mac.accounting import MacRun
from lib.dp_mac.expansion import PerSample, per_sample
from lib.dp_mac.mac_recipe import MacRecipe
from lib.dp_mac.mac_trainer import MacTrainer, Noise
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.release import blocks, release
from lib.training.context import Context
from lib.training.poisson_sampling import padded, poisson_batch
from pate_accountant.privacy_loss import pld_cost
from pate_accountant.run_statements import statement
from pate_accountant.statement import PrivacyStatement

SIGMA, RATE = 1.0, 0.25
WHOLE = 2.0  # noise multiplier where the batch is everybody, and so no sampling hides a record that is replaced
NETWORK = MacNetwork(sizes=(1, 1), output="squared_error", linear_output=True)
WITH, WITHOUT, OTHER = (10.0, 100.0), (0.0, 100.0), (10.0, -100.0)  # z and y: coefficients far beyond thresholds of 1
HIGH = 1e4  # a threshold that nothing exceeds
SIDE_BY_SIDE = 1000  # runs of one trainer, each with draws of its own
CPU = torch.device("cpu")
STEP, RELEASE = "lib.dp_mac.mac_trainer.MacTrainer.advance", "lib.dp_mac.release.release"


def _steps(
    sigma: float,
    threshold: float = 1.0,
    batches: Literal["poisson", "in_order"] = "poisson",
    rate: float = RATE,
    steps: int = 1,
) -> Sampler:
    """Sample the gradient (runs, 1) that a step takes, or the sum of several: in the first order, its release."""
    recipe = MacRecipe(batch=rate, epochs=1, z_steps=0, z_rate=1.0, w_steps=1, w_rate=1e-9, batches=batches)

    def sampler(given: tuple[float, float], runs: int, rng: np.random.Generator) -> np.ndarray:
        count = min(runs, SIDE_BY_SIDE)
        noise = Noise(np.full(count, sigma), {"linear": np.full((count, 1), threshold)})
        x, y = (np.array([[value]]) for value in given)
        names, context = [str(number) for number in range(count)], Context(int(rng.integers(2**62)), ("audit",), CPU)
        trainer = MacTrainer(NETWORK, x, y, recipe, noise, names, context)
        outputs = []
        for _ in range(math.ceil(runs / count)):
            found = []
            for _ in range(steps):
                trainer.advance()
                gradient = trainer.weights[0].grad
                assert gradient is not None
                found.append(gradient.flatten(1).numpy().copy())
            outputs.append(np.sum(found, axis=0))
        return np.concatenate(outputs)[:runs]

    return sampler


def whole_training(sigma: float, rate: float, steps: int) -> tuple[Sampler, tuple]:
    """Sample what DP-MAC releases in so many steps on Poisson samples at `rate`; two neighbouring records beside it.

    sigma: noise multiplier. What is seen is the sum of all steps' released coefficients.
    """
    return _steps(sigma, rate=rate, steps=steps), (WITH, OTHER)


def _present(generators: list[np.random.Generator]) -> torch.Tensor:
    """Whether the record is in the Poisson sample of each run (R, 1)."""
    return torch.from_numpy(padded([poisson_batch(rng, 1, RATE) for rng in generators])[1])


def _samples(given: tuple[float, float], present: torch.Tensor, order: int) -> PerSample:
    """Return the record's coefficients in each run, at weights of 0."""
    z, y = (torch.full((*present.shape, 1), value) for value in given)
    return per_sample(NETWORK.objectives[0], torch.zeros(len(present), 1, 1), z, y, order)


def _second_order(sigma: float, scaling: str) -> Sampler:
    """Return a sampler of both coefficients (runs, 2) of the second order."""

    def sampler(given: tuple[float, float], runs: int, rng: np.random.Generator) -> np.ndarray:
        generators = rng.spawn(runs)
        present = _present(generators)
        samples = _samples(given, present, order=2)
        thresholds = {kind: torch.ones(runs) for kind in ("linear", "quadratic")}
        count = blocks(1, len(thresholds), scaling)
        released = release(samples, thresholds, present, torch.full((runs,), sigma), count, RATE, generators)
        assert released.linear is not None and released.quadratic is not None
        return torch.cat([released.linear.flatten(1), released.quadratic.flatten(1)], dim=1).numpy()

    return sampler


def _two_layers(sigma: float) -> Sampler:
    """Return a sampler of the linear coefficients (runs, 2) of two layers, the second with the noise of the first.

    The record moves them by the whole threshold, one up and one down.
    """

    def sampler(given: tuple[float, float], runs: int, rng: np.random.Generator) -> np.ndarray:
        generators = rng.spawn(runs)
        present = _present(generators)
        states, outputs = [one.bit_generator.state for one in generators], []
        for sign in (1, -1):
            for one, state in zip(generators, states, strict=True):
                one.bit_generator.state = state
            samples = _samples((given[0], sign * given[1]), present, order=1)
            threshold = {"linear": torch.ones(runs)}
            outputs.append(release(samples, threshold, present, torch.full((runs,), sigma), 2, RATE, generators))
        return torch.cat([one.linear.flatten(1) for one in outputs], dim=1).numpy()

    return sampler


def _promised(sigma: float, rate: float, delta: float) -> PrivacyStatement:
    """One step, one record more or less."""
    run = MacRun(samples=1, batch=rate, epochs=1, layers=1, sigma=sigma)
    return statement(pld_cost(run.sigma / run.sensitivity, run.rate, delta)(1), delta, "pld", "none")


def audited(delta: float) -> list[Audited]:
    """Audit a step of the first order, promised at `delta` by loss distributions; other layers for other bugs."""
    promised = _promised(SIGMA, RATE, delta)

    def trial(sampler: Sampler, share: float = 0.1) -> Trial:
        return Trial(sampler, (WITH, WITHOUT), promised, share)

    trials = {
        INTACT: trial(_steps(SIGMA), 1.0),
        "sigma_halved": trial(_steps(SIGMA / 2)),
        # two coefficients a layer, divided by the root of the layers only, as the paper prints it
        "sqrt2_forgotten": trial(_second_order(SIGMA, "layers")),
        # the same deviation on each number, of a threshold that nothing exceeds
        "no_clipping": trial(_steps(SIGMA / HIGH, threshold=HIGH)),
        "noise_reused": trial(_two_layers(SIGMA)),
        "not_poisson": trial(_steps(SIGMA, batches="in_order", rate=1.0)),
        "add_or_remove_for_replace": Trial(_steps(WHOLE, rate=1.0), (WITH, OTHER), _promised(WHOLE, 1.0, delta), 0.1),
    }
    no_room = {"threshold_not_charged": NO_CHECK}
    return [Audited("dp_mac", "torch", f"{STEP}, {RELEASE}", trials, no_room)]

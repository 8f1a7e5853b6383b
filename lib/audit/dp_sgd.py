"""DP-SGD's step under audit, with everything that clips: one record whose gradient is known, seen on the noisy sum.

The training set is one record; a record of zeros, whose gradient is zero, is as good as none (one more or less), and
one of the other sign is another (replace one). Its batches are Poisson samples, and so often empty. The loss is linear,
so that the gradient is the same at every step, and far beyond the clip.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import torch
from torch import nn

from lib.audit.bound import Sampler
from lib.audit.trial import INTACT, NO_CHECK, Audited, Trial
from lib.segmentation.clipping import JointClipping, LayerwiseClipping
from lib.training.clipping import Clipping
from lib.training.context import Context
from lib.training.dp_sgd import SgdTrainer
from lib.training.ghost_clipping import GhostClipping
from lib.training.per_sample_clipping import PerSampleClipping
from lib.training.sgd_recipe import SgdRecipe
from pate_accountant import run_statements
from pate_accountant.privacy_loss import pld_cost
from pate_accountant.replaced import replaced_gaussian_pld
from pate_accountant.statement import PrivacyStatement

SIGMA, RATE, SLOPE = 1.0, 0.25, 10.0  # noise multiplier, chance of the record in a batch, its gradient over the clip
WHOLE = 2.0  # noise multiplier where the batch is everybody, and so no sampling hides a record that is replaced
# of the runs, each of which takes a millisecond: of the intact step, of most bugs, and where a root is lacking
INTACT_SHARE, SHARE, ROOT_SHARE = 0.1, 0.06, 0.5
FUNCTION = "lib.training.dp_sgd.SgdTrainer.advance"
WITH, WITHOUT, OTHER = 1.0, 0.0, -1.0


class Side(nn.Module):
    """Two layers side by side, whose outputs are added: their gradients are what they are given."""

    def __init__(self, first: nn.Module, second: nn.Module) -> None:
        """Their weights are set to zero: no gradient depends on them."""
        super().__init__()
        self.first, self.second = first, second
        for weight in self.parameters():
            nn.init.zeros_(weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the sum of what the layers give for x (b, ...)."""
        return self.first(x) + self.second(x)


def _linear() -> nn.Module:
    return Side(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))


def _convolutions() -> nn.Module:
    return Side(nn.Conv2d(1, 1, 1, bias=False), nn.Conv2d(1, 1, 1, bias=False))


def _biased() -> nn.Module:
    return Side(nn.Linear(1, 1), nn.Linear(1, 1))


class ForgettingBiases(GhostClipping):
    """Ghost clipping with a bug: biases count for nothing in the norm."""

    def _norms(
        self, layer: nn.Linear, activations: list[torch.Tensor], backprops: torch.Tensor
    ) -> dict[torch.Tensor, torch.Tensor]:
        return {**super()._norms(layer, activations, backprops), layer.bias: torch.zeros(len(backprops))}


# by name: what clips, and a module that it suits; the latter two are segmentation's, shown one patient at a time
BACKENDS: dict[str, tuple[Callable[[nn.Module, float], Clipping], Callable[[], nn.Module]]] = {
    "ghost clipping": (GhostClipping, _linear),
    "per-sample clipping": (PerSampleClipping, _convolutions),
    "one patient, jointly": (JointClipping, _linear),
    "one patient, by layer": (LayerwiseClipping, _linear),
}
# of a record of zeros, whose label is what is given: all of its gradient is that of biases
BIASED = {"layers with biases": (GhostClipping, _biased), "biases forgotten": (ForgettingBiases, _biased)}


def _loss(output: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return SLOPE * y * output.flatten(1).sum(1)


def _steps(
    backend: str, sigma: float, clip: float = 1.0, rate: float = RATE, reused: bool = False, steps: int = 1
) -> Sampler:
    """Return a sampler of the noisy gradients (runs, 2) of the two layers, of one step a run, or the sum of several.

    With biases their shape is (runs, 4).

    reused: of two steps a run, before the second of which the noise is set back to what it was; what is given is the
    difference of their gradients, without sign.
    """
    clipping, module_of = (BACKENDS | BIASED)[backend]

    def sampler(given: float, runs: int, rng: np.random.Generator) -> np.ndarray:
        module = module_of()
        record, label = (0.0, given) if backend in BIASED else (given, 1.0)
        x = torch.full((1, 1) if clipping is not PerSampleClipping else (1, 1, 1, 1), record)
        y = torch.tensor([label])
        recipe = SgdRecipe(batch=rate, epochs=1, rate=1e-6, clip=clip)
        context = Context(int(rng.integers(2**62)), ("audit", "step"), x.device)
        trainer = SgdTrainer(module, _loss, clipping, x, y, recipe, sigma, context)

        def step() -> list[float]:
            trainer.advance()
            return [weight.grad.item() for weight in module.parameters() if weight.grad is not None]

        outputs = []
        for _ in range(runs):
            before = trainer.state()["noise"]
            found = np.sum([step() for _ in range(steps)], axis=0).tolist()
            if reused:
                trainer.restore(trainer.state() | {"noise": np.asarray(before)})
                found += step()
            outputs.append(found)
        found = np.array(outputs)
        return np.abs(found[:, :2] - found[:, 2:]) if reused else found

    return sampler


def whole_training(sigma: float, rate: float, steps: int) -> tuple[Sampler, tuple[float, float]]:
    """Sample what DP-SGD releases in so many steps on Poisson samples at `rate`; two neighbouring records beside it.

    sigma: noise multiplier. What is seen is the sum of all steps' noisy gradients.
    """
    return _steps("ghost clipping", sigma, rate=rate, steps=steps), (WITH, OTHER)


@cache  # every backend is promised the same
def _promised(sigma: float, rate: float, steps: int, delta: float) -> PrivacyStatement:
    """One record more or less."""
    return run_statements.statement(pld_cost(sigma, rate, delta)(steps), delta, "pld", "none")


def _audited(backend: str, delta: float) -> Audited:
    once, twice = (_promised(SIGMA, RATE, steps, delta) for steps in (1, 2))

    def trial(sampler: Sampler, share: float = SHARE, promised: PrivacyStatement = once) -> Trial:
        return Trial(sampler, (WITH, WITHOUT), promised, share)

    trials = {
        INTACT: trial(_steps(backend, SIGMA), INTACT_SHARE),
        "sigma_halved": trial(_steps(backend, SIGMA / 2)),
        # the same deviation on each number, of a clip that nothing exceeds
        "no_clipping": trial(_steps(backend, SIGMA / (2 * SLOPE), clip=2 * SLOPE)),
        "noise_reused": trial(_steps(backend, SIGMA, reused=True), promised=twice),
        # the first batch of a fixed order, in which the record always is
        "not_poisson": trial(_steps(backend, SIGMA, rate=1.0)),
        "add_or_remove_for_replace": Trial(
            _steps(backend, WHOLE, rate=1.0), (WITH, OTHER), _promised(WHOLE, 1.0, 1, delta), SHARE
        ),
    }
    no_room = {"threshold_not_charged": NO_CHECK}
    if BACKENDS[backend][0] is LayerwiseClipping:
        # each of two layers is clipped to 1, and both are charged as if 1 bounded them together
        trials["sqrt2_forgotten"] = trial(_steps(backend, SIGMA / math.sqrt(2), clip=math.sqrt(2)), ROOT_SHARE)
    else:
        no_room["sqrt2_forgotten"] = "all layers are clipped jointly, which takes no root"
    return Audited("dp_sgd", backend, FUNCTION, trials, no_room)


def _replaced(delta: float) -> Audited:
    """Return the step where one record is replaced, accounted for so."""
    one = _audited("ghost clipping", delta)
    statement = replace(
        one.trials[INTACT].promised,
        epsilon=replaced_gaussian_pld(RATE, SIGMA, 1, delta),
        neighbouring="replace_one",
    )
    elsewhere = "the same code as of ghost clipping, where it is tried"
    trials = {
        bug: Trial(_steps("ghost clipping", sigma), (WITH, OTHER), statement, SHARE)
        for bug, sigma in ((INTACT, SIGMA), ("sigma_halved", SIGMA / 2))
    }
    no_room = dict.fromkeys(("no_clipping", "noise_reused", "not_poisson", "add_or_remove_for_replace"), elsewhere)
    return Audited(
        "dp_sgd",
        "ghost clipping, one replaced",
        FUNCTION,
        trials,
        no_room | {name: one.no_room[name] for name in ("sqrt2_forgotten", "threshold_not_charged")},
    )


def _with_biases(delta: float) -> Audited:
    """Return a training of two steps on layers with biases."""
    promised = _promised(SIGMA, RATE, 2, delta)
    backends = {INTACT: "layers with biases", "biases_forgotten": "biases forgotten"}
    trials = {
        bug: Trial(_steps(backend, SIGMA, steps=2), (WITH, WITHOUT), promised, SHARE)
        for bug, backend in backends.items()
    }
    return Audited("dp_sgd", "layers with biases", FUNCTION, trials, {})


def audited(delta: float) -> list[Audited]:
    """Every backend, promised at `delta` by privacy loss distributions, the tightest account that there is."""
    return [*(_audited(backend, delta) for backend in BACKENDS), _replaced(delta), _with_biases(delta)]

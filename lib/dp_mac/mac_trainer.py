"""MAC and DP-MAC in training: R runs of one network at once, that differ by seed, sigma or thresholds (Algorithm 1)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from lib.core.checkpoint import State
from lib.core.errors import InputError
from lib.dp_mac.accounting import COEFFICIENTS, SCALINGS
from lib.dp_mac.auxiliary import auxiliary_coordinates
from lib.dp_mac.expansion import PerSample, Polynomial, per_sample
from lib.dp_mac.mac_recipe import Learning, MacRecipe
from lib.dp_mac.network import MacNetwork, check_data
from lib.dp_mac.release import blocks, exact, release
from lib.training.context import Context
from lib.training.epochs import under
from lib.training.optimizer_state import optimizer_state, restore_optimizer
from lib.training.poisson_sampling import padded, poisson_batch
from pate_accountant.training_run import steps_per_epoch

EXPANSIONS = {"first": 1, "second": 2, "exact": 1}  # by name, the order of the expansion


@dataclass(frozen=True)
class Noise:
    """The noise of R private runs.

    sigma: (R,) noise multipliers; 0 clips and adds nothing, for comparison, and is not private. thresholds: (R, K) for
    each coefficient released (`linear`: T_b, `quadratic`: T_C), K objectives. scaling: see `accounting.MacRun`.
    learning: how better thresholds are learned; None keeps these. Raises InputError for what is not allowed.
    """

    sigma: np.ndarray
    thresholds: dict[str, np.ndarray]
    scaling: str = "blocks"
    learning: Learning | None = None

    def __post_init__(self) -> None:
        """Check numbers, shapes and names."""
        if self.scaling not in SCALINGS:
            raise InputError(f"scaling {self.scaling!r}: allowed are {', '.join(SCALINGS)}")
        if self.sigma.ndim != 1 or not (np.isfinite(self.sigma).all() and (self.sigma >= 0).all()):
            raise InputError(f"sigma {self.sigma}: one number a run, finite and at least 0")
        for kind, values in self.thresholds.items():
            if kind not in COEFFICIENTS:
                raise InputError(f"thresholds of {kind!r}: allowed are {', '.join(COEFFICIENTS)}")
            if values.ndim != 2 or len(values) != len(self.sigma):
                raise InputError(f"thresholds of {kind} {values.shape}: a row for each of {len(self.sigma)} runs")
            if not (np.isfinite(values).all() and (values > 0).all()):
                raise InputError(f"thresholds of {kind}: all must be positive and finite")


class MacTrainer:
    """R networks in training, at a step that can be saved and restored.

    All draws of a run are keyed by the job and its name, the first weights, every batch and every batch's noise on
    their own; so they depend neither on the runs trained beside it nor on where training was interrupted. No operation
    mixes runs.
    """

    def __init__(
        self,
        network: MacNetwork,
        x: np.ndarray,
        y: np.ndarray,
        recipe: MacRecipe,
        noise: Noise | None,
        names: list[str],
        context: Context,
    ) -> None:
        """x (N, features) and y (N, outputs), floating-point, are every run's data. noise None: plain MAC.

        Either may be (R, N, ...), where each run sees the same records in a way of its own. names: one a run, all
        different. Raises InputError for data, names or noise that do not fit.
        """
        check_data(network, x, y, recipe.batch, len(names))
        if network.output == "softmax_cross_entropy":
            raise InputError("output softmax_cross_entropy: its units have no expansion; allowed for gradients only")
        if not names or len(set(names)) < len(names):
            raise InputError(f"runs {names}: one or more, each with a name of its own")
        if noise is not None:
            _check_noise(network, recipe, noise, len(names))
        self._network, self._recipe, self._names, self._context = network, recipe, names, context
        self._x, self._y = self._tensor(x), self._tensor(y)
        self._noise = noise
        if noise is not None:
            self._sigma = self._tensor(noise.sigma)
            self._thresholds = {kind: self._tensor(values) for kind, values in noise.thresholds.items()}
        drawn = [network.initial_weights(context.generator(name, "weights")) for name in names]
        self.weights = [self._tensor(np.stack(layer)) for layer in zip(*drawn, strict=True)]
        self._adam = torch.optim.Adam(self.weights, lr=recipe.w_rate, fused=True)
        self.step = 0  # batches done
        self._samples = x.shape[-2]
        self.epoch_steps = steps_per_epoch(self._samples, recipe.batch)

    @property
    def steps(self) -> int:
        """Batches in all."""
        return self._recipe.epochs * self.epoch_steps

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        # a copy in torch's own memory: matrix products of memory aligned otherwise may round otherwise
        return torch.tensor(array, dtype=torch.float32, device=self._context.device)

    def _batch(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """x (R, b, features), y (R, b, outputs) and which samples count (R, b), of this step."""
        rows, present = padded([self._drawn(name) for name in self._names])
        places = torch.from_numpy(rows).to(self._context.device)

        def taken(data: torch.Tensor) -> torch.Tensor:
            if data.ndim == 2:
                return data.index_select(0, places.flatten()).unflatten(0, places.shape)
            return torch.stack([own.index_select(0, each) for own, each in zip(data, places, strict=True)])

        return taken(self._x), taken(self._y), self._tensor(present)

    def _drawn(self, name: str) -> np.ndarray:
        """Rows (b,) of a run's batch in this step."""
        size = self._recipe.batch
        if self._recipe.batches == "in_order":
            start = self.step % self.epoch_steps * int(size)
            return np.arange(start, min(start + int(size), self._samples))
        return poisson_batch(self._context.generator(name, f"batch {self.step}"), self._samples, size / self._samples)

    def advance(self) -> None:
        """One batch of every run: z-step, expansion, release, W-steps; InputError names a run that is not finite."""
        recipe = self._recipe
        x, y, present = self._batch()
        with torch.no_grad():
            coordinates = auxiliary_coordinates(
                self._network, self.weights, x, y, recipe.z_steps, recipe.z_rate, recipe.mu
            )
            for group in self._adam.param_groups:
                group["lr"] = recipe.rate_at(self.step // self.epoch_steps)
            polynomials = self._polynomials(x, y, coordinates, present)
            finite = []
            for taken in range(recipe.w_steps):
                if taken and recipe.expansion == "exact":
                    polynomials = self._polynomials(x, y, coordinates, present)
                for weight, polynomial in zip(self.weights, polynomials, strict=True):
                    weight.grad = polynomial.gradient(weight)
                    finite.append(weight.grad.isfinite().flatten(1).all(1))
                self._adam.step()
            self._check(torch.stack(finite).all(0))
        self.step += 1

    def _per_sample(self, x: torch.Tensor, y: torch.Tensor, coordinates: list[torch.Tensor]) -> list[PerSample]:
        """Return the expansion of every layer at the weights."""
        order = EXPANSIONS[self._recipe.expansion]
        inputs, targets = [x, *coordinates], [*coordinates, y]
        return [
            per_sample(kind, weight, self._network.layer_input(z), target, order)
            for kind, weight, z, target in zip(self._network.objectives, self.weights, inputs, targets, strict=True)
        ]

    def _polynomials(
        self, x: torch.Tensor, y: torch.Tensor, coordinates: list[torch.Tensor], present: torch.Tensor
    ) -> list[Polynomial]:
        samples = self._per_sample(x, y, coordinates)
        if self._noise is None:
            return [exact(layer, present, self._recipe.batch) for layer in samples]
        count = blocks(len(samples), len(self._recipe.coefficients), self._noise.scaling)
        generators = [self._context.generator(name, f"noise {self.step}") for name in self._names]
        return [
            release(
                layer,
                {kind: self._thresholds[kind][:, k] for kind in self._recipe.coefficients},
                present,
                self._sigma,
                count,
                self._recipe.batch,
                generators,
            )
            for k, layer in enumerate(samples)
        ]

    def _check(self, finite: torch.Tensor) -> None:
        """InputError names the first run that is not finite (R,); once a step, since the host waits for the device."""
        if not finite.all():
            name = self._names[int((~finite).nonzero()[0])]
            raise InputError(
                f"run {name}: its coefficients at step {self.step} of {self.steps} are not finite; check the data, or "
                "take a smaller learning rate"
            )

    def coefficient_norms(self, chunk: int = 500) -> dict[str, np.ndarray]:
        """Norms of every sample's coefficients at the present weights, (R, K, N) for each kind; private.

        `chunk`: samples at once, which bounds the memory.
        """
        found: dict[str, list[torch.Tensor]] = {kind: [] for kind in self._recipe.coefficients}
        for start in range(0, self._samples, chunk):
            x, y = (
                data[..., start : start + chunk, :].expand(len(self._names), -1, -1).contiguous()
                for data in (self._x, self._y)
            )
            coordinates = auxiliary_coordinates(
                self._network, self.weights, x, y, self._recipe.z_steps, self._recipe.z_rate, self._recipe.mu
            )
            samples = self._per_sample(x, y, coordinates)
            for kind, pieces in found.items():
                pieces.append(torch.stack([layer.norm(kind) for layer in samples], dim=1))
        return {kind: torch.cat(pieces, dim=2).cpu().numpy() for kind, pieces in found.items()}

    def state(self) -> State:
        """All that `restore` needs to go on from here."""
        state: State = {"step": self.step}
        state |= {f"weight.{k}": weight for k, weight in enumerate(self.weights)}
        return state | optimizer_state(self._adam)

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned for the same network, data, recipe, noise and names."""
        self.step = int(state["step"])
        for name, value in under("weight", state).items():
            self.weights[int(name)].copy_(self._tensor(value))
        restore_optimizer(self._adam, state)


def _check_noise(network: MacNetwork, recipe: MacRecipe, noise: Noise, runs: int) -> None:
    if recipe.expansion == "exact":
        raise InputError("expansion 'exact' cannot be private: allowed are first, second")
    if len(noise.sigma) != runs:
        raise InputError(f"sigma: {len(noise.sigma)} for {runs} runs; there must be one each")
    if set(noise.thresholds) != set(recipe.coefficients):
        raise InputError(
            f"thresholds of {', '.join(sorted(noise.thresholds))}: the {recipe.expansion} order needs those of "
            f"{', '.join(recipe.coefficients)}"
        )
    for kind, values in noise.thresholds.items():
        if values.shape[1] != network.layers:
            raise InputError(f"thresholds of {kind}: {values.shape[1]} for {network.layers} layers")

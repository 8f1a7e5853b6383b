"""Perturbed residual networks trained together: replicas that differ by gamma, by seed, or by their part of the data.

Tao et al., Section IV-A: SGD as in He et al. (2016, Section 4.2: momentum 0.9, weight decay 1e-4, batches of 128), the
noise of residual perturbation in every step. No augmentation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch.func import stack_module_state

from lib.core.checkpoint import State
from lib.core.errors import InputError
from lib.residual_perturbation.network import PerturbedResNet8, noisy_of
from lib.residual_perturbation.pixels import pixel_scale
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.training.context import Context
from lib.training.epochs import run_to_end, under
from lib.training.optimizer_state import optimizer_state, restore_optimizer


@dataclass(frozen=True)
class Replica:
    """One network: a name of its own, which all its draws are keyed by, its rows (n,) of the data, gamma and pi.

    pi None: the paper's for this gamma (`NoiseForm.pi`).
    """

    name: str
    rows: np.ndarray
    gamma: float = 0.0
    pi: float | None = None


@dataclass(frozen=True)
class TrainedReplicas:
    """R trained networks; `arrays` is all there is to save, each with a leading axis R.

    `weight.{name}`: parameters and buffers, running statistics included. `shift`, `factor` (R, channels): see
    `pixel_scale`. `gamma`, `pi` (R,).
    """

    names: tuple[str, ...]
    arrays: dict[str, np.ndarray]


class ResidualTrainer:
    """R networks in training, at a step that can be saved and restored.

    A replica's draws are keyed by the job and its name: first weights, the order of every epoch, and its noise, a
    stream of its own. No operation mixes replicas, so one trained beside others is the one trained alone, up to
    rounding, which depends on where a weight lies in memory; and what one sees changes no bit of another.
    """

    def __init__(
        self,
        network: PerturbedResNet8,
        x: np.ndarray,
        y: np.ndarray,
        replicas: Sequence[Replica],
        recipe: ResidualRecipe,
        context: Context,
        largest: float = 255.0,
        loop: bool | None = None,
    ) -> None:
        """x (N, height, width[, channels]) uint8, `largest` its white; y (N,) below the network's classes.

        loop: see `PerturbedResNet8.logits`. Raises InputError for data or replicas that do not fit; parts must be of
        one size.
        """
        x = checked_images(x, network)
        strengths = checked_replicas(network, x, y, replicas)
        self._network, self._recipe, self._loop, self._context = network, recipe, loop, context
        self._names, device = tuple(replica.name for replica in replicas), context.device
        self._part = np.stack([replica.rows for replica in replicas])
        self._x, self._y = torch.from_numpy(x).to(device), torch.from_numpy(y.astype(np.int64)).to(device)
        scales = [pixel_scale(recipe.scale, x[rows], largest) for rows in self._part]
        self._shift, self._factor = (self._tensor(np.stack(values)) for values in zip(*scales, strict=True))
        gamma, pi = np.asarray(strengths, np.float32).T
        self._noisy = noisy_of(gamma, pi)
        self._gamma, self._pi = self._tensor(gamma), self._tensor(pi)
        modules = [network.module(context.generator(name, "weights")) for name in self._names]
        parameters, buffers = stack_module_state([module.to(device) for module in modules])
        self._module = modules[0].train()
        self._parameters, self._weights = parameters, {**parameters, **buffers}
        self._noise = [context.stream(name, "noise") for name in self._names]
        self._optimizer = torch.optim.SGD(
            parameters.values(),
            lr=recipe.rate,
            momentum=recipe.momentum,
            weight_decay=recipe.weight_decay,
            fused=True,  # one pass over memory
        )
        self._orders: torch.Tensor | None = None
        self.step = 0  # batches done
        self.epoch_steps = math.ceil(self._part.shape[1] / recipe.batch)

    @property
    def steps(self) -> int:
        """Batches in all."""
        return self._recipe.epochs * self.epoch_steps

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        # a copy in torch's own memory: matrix products of memory aligned otherwise may round otherwise
        return torch.tensor(array, device=self._context.device)

    def _batch(self) -> torch.Tensor:
        """Rows (R, b) of this step."""
        epoch, place = divmod(self.step, self.epoch_steps)
        if self._orders is None or place == 0:
            orders = [self._context.generator(name, f"order {epoch}") for name in self._names]
            drawn = np.stack([order.permutation(self._part.shape[1]) for order in orders])
            rows = torch.from_numpy(np.take_along_axis(self._part, drawn, axis=1))
            self._orders = rows.to(self._context.device)
        return self._orders[:, place * self._recipe.batch : (place + 1) * self._recipe.batch]

    def advance(self) -> None:
        """One batch of every replica; InputError names the first whose loss is not finite."""
        rows = self._batch()
        flat = rows.flatten()
        x = scaled(self._x.index_select(0, flat).unflatten(0, rows.shape), self._shift, self._factor)
        images = (rows.shape[1], *x.shape[-2:])
        normals = self._network.draw(self._module, images, self._noisy, self._noise)
        logits = self._network.logits(self._module, self._weights, x, normals, self._gamma, self._pi, loop=self._loop)
        losses = F.cross_entropy(logits.flatten(0, 1), self._y.index_select(0, flat), reduction="none")
        losses = losses.view(rows.shape).mean(1)
        self._check_finite(losses.detach(), f"the loss at step {self.step} of {self.steps}")
        for group in self._optimizer.param_groups:
            group["lr"] = self._recipe.rate_at(self.step // self.epoch_steps)
        self._optimizer.zero_grad()
        losses.sum().backward()  # the sum keeps replicas apart: each loss depends on one replica's parameters only
        self._optimizer.step()
        self.step += 1

    def _check_finite(self, values: torch.Tensor, what: str) -> None:
        """InputError if a row of values (R, ...) holds what is not finite."""
        finite = values.isfinite().flatten(1).all(1) if values.ndim > 1 else values.isfinite()
        if not finite.all():
            name = self._names[int((~finite).nonzero()[0])]
            raise InputError(f"replica {name}: {what} is not finite; take a smaller learning rate, or less noise")

    def trained(self) -> TrainedReplicas:
        """Return copies of the weights; InputError names the first replica with one that is not finite."""
        for name, values in self._weights.items():
            self._check_finite(values.detach(), f"{name} after step {self.step}")
        arrays = {f"weight.{name}": value for name, value in self._weights.items()}
        arrays |= {"shift": self._shift, "factor": self._factor, "gamma": self._gamma, "pi": self._pi}
        return TrainedReplicas(
            self._names, {name: array.detach().cpu().numpy().copy() for name, array in arrays.items()}
        )

    def state(self) -> State:
        """All that `restore` needs to go on from here."""
        state: State = {"step": self.step, "noise": torch.stack([stream.get_state() for stream in self._noise])}
        state |= {f"weight.{name}": value.detach() for name, value in self._weights.items()}
        return state | optimizer_state(self._optimizer)

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned for the same network, data, replicas and recipe."""
        self.step, self._orders = int(state["step"]), None
        for stream, saved in zip(self._noise, torch.as_tensor(state["noise"]), strict=True):
            stream.set_state(saved.clone())
        with torch.no_grad():
            for name, value in under("weight", state).items():
                self._weights[name].copy_(torch.as_tensor(value))
        restore_optimizer(self._optimizer, state)


def train_residual(
    network: PerturbedResNet8,
    x: np.ndarray,
    y: np.ndarray,
    replicas: Sequence[Replica],
    recipe: ResidualRecipe,
    context: Context,
    largest: float = 255.0,
) -> TrainedReplicas:
    """Train the replicas together on their rows of x, y (see `ResidualTrainer`, whose errors are raised).

    Progress counts epochs.
    """
    trainer = ResidualTrainer(network, x, y, replicas, recipe, context, largest)
    run_to_end(trainer, context)
    return trainer.trained()


def scaled(x: torch.Tensor, shift: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    """Images (R, b, height, width, c) uint8 as R networks see them, (R, b, c, height, width) float32.

    shift, factor (R, c). They stay in memory with the channels last, which convolutions on a CPU are faster with.
    """
    shift, factor = (values[:, None, None, None] for values in (shift, factor))
    return ((x.float() - shift) * factor).movedim(-1, 2)


def checked_images(x: np.ndarray, network: PerturbedResNet8) -> np.ndarray:
    """Images (N, height, width, channels) for this network, from (N, height, width[, channels]); InputError else."""
    images = x[..., None] if x.ndim == 3 else x
    if x.dtype != np.uint8 or images.ndim != 4 or images.shape[3] != network.channels or not len(x):
        raise InputError(
            f"images {x.shape} {x.dtype}: allowed are one or more (height, width[, channels]) uint8 with "
            f"{network.channels} channels"
        )
    return np.ascontiguousarray(images)


def checked_replicas(
    network: PerturbedResNet8, x: np.ndarray, y: np.ndarray, replicas: Sequence[Replica]
) -> list[tuple[float, float]]:
    """Gamma and pi of each replica; InputError names what does not fit."""
    if y.shape != x.shape[:1] or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= network.classes:
        raise InputError(f"labels {y.shape} {y.dtype}: {len(x)} are needed, from 0 to {network.classes - 1}")
    names = [replica.name for replica in replicas]
    if not names or len(set(names)) < len(names):
        raise InputError(f"replicas {', '.join(names) or 'none'}: at least one is needed, each with a name of its own")
    strengths = []
    for replica in replicas:
        rows = replica.rows
        if rows.shape != replicas[0].rows.shape or rows.ndim != 1 or not rows.size:
            raise InputError(f"replica {replica.name}: its part has shape {rows.shape}; all must be of one size")
        if len(np.unique(rows)) < len(rows) or rows.min() < 0 or rows.max() >= len(x):
            raise InputError(f"replica {replica.name}: rows must be different, and from 0 to {len(x) - 1}")
        pi = network.form.pi(replica.gamma) if replica.pi is None else replica.pi
        if not (0 <= replica.gamma < math.inf and 0 <= pi < math.inf):
            raise InputError(f"replica {replica.name}: gamma {replica.gamma}, pi {pi}: both must be finite, 0 at least")
        strengths.append((replica.gamma, pi))
    return strengths

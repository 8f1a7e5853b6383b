"""Teachers trained many at once: T networks of one shape, each on its own private part."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

from lib.core.checkpoint import State
from lib.core.errors import InputError
from lib.pate.teacher_recipe import Recipe
from lib.training.context import Context, silent
from lib.training.device import memory_of_a_pass
from lib.training.epochs import run_to_end, under
from lib.training.optimizer_state import optimizer_state, restore_optimizer

BLOCK = 100  # steps whose mini-batches are drawn together
Part = Callable[[int], tuple[np.ndarray, np.ndarray]]


class Network(Protocol):
    """Networks of one shape whose parameters can be stacked, such as StackedMLP and StackedTeacherCNN."""

    @property
    def classes(self) -> int:
        """Logits of a network."""

    @property
    def decayed(self) -> tuple[str, ...]:
        """Names of the parameters that weight decay shrinks."""

    @property
    def widest(self) -> int:
        """Numbers per sample in the widest layer that is computed."""

    def initial(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Parameters of one network."""

    def logits(self, parameters: dict[str, torch.Tensor], x: torch.Tensor, shared: bool = False) -> torch.Tensor:
        """Logits (T, b, classes) of T networks."""


def centred(x: torch.Tensor) -> torch.Tensor:
    """Return samples (b, ...) uint8 as float32 in [-0.5, 0.5], as the 2017 code scales MNIST."""
    return x.float().div_(255).sub_(0.5)


def whitened(x: torch.Tensor) -> torch.Tensor:
    """Return samples (b, ...) uint8 as float32 of mean 0 and deviation 1 each, as the 2017 code scales SVHN.

    The deviation is taken as at least 1/sqrt(number of values), for images of one colour.
    """
    flat = x.float().flatten(1)
    deviation = flat.std(1, correction=0, keepdim=True).clamp_min(flat.shape[1] ** -0.5)
    return flat.sub_(flat.mean(1, keepdim=True)).div_(deviation).view(x.shape)


SCALINGS = {"centred": centred, "whitened": whitened}


@dataclass(frozen=True)
class Parts:
    """x (T, n, ...) uint8 and y (T, n) int64, padded to the largest part; sizes (T,) are the samples that count."""

    x: np.ndarray
    y: np.ndarray
    sizes: np.ndarray


def stack_parts(part: Part, teachers: range, classes: int) -> Parts:
    """Return the parts of `teachers` side by side.

    part(t): samples (n, ...) uint8 and labels (n,) below `classes` of teacher t. Raises InputError, naming the
    teacher, for an empty part, other samples, or other labels.
    """
    pairs = [part(t) for t in teachers]
    shape = pairs[0][0].shape[1:]
    for t, (x, y) in zip(teachers, pairs, strict=True):
        if x.dtype != np.uint8 or x.shape[1:] != shape or len(x) != len(y) or not len(x):
            raise InputError(
                f"teacher {t}: samples {x.shape} {x.dtype}, labels {y.shape}; allowed are one or more samples {shape} "
                "uint8 with a label each"
            )
        if y.min() < 0 or y.max() >= classes:
            raise InputError(f"teacher {t}: labels from {y.min()} to {y.max()}; allowed are 0 to {classes - 1}")
    sizes = np.array([len(y) for _, y in pairs])
    padded_x = np.zeros((len(pairs), sizes.max(), *shape), np.uint8)
    padded_y = np.zeros((len(pairs), sizes.max()), np.int64)
    for i, (x, y) in enumerate(pairs):
        padded_x[i, : len(x)], padded_y[i, : len(y)] = x, y
    return Parts(padded_x, padded_y, sizes)


class Replicas:
    """T networks in training, at a step that can be saved and restored.

    All of a teacher's draws are keyed by (seed, job, teacher), its first parameters and each block of mini-batches on
    their own; so they depend neither on the other teachers trained beside it nor on where a run was interrupted. No
    operation mixes teachers: what one sees changes no bit of another.
    """

    def __init__(self, network: Network, parts: Parts, recipe: Recipe, teachers: range, context: Context) -> None:
        """`teachers`: the numbers of the T teachers whose `parts` these are."""
        self._network, self._recipe, self._teachers, self._context = network, recipe, teachers, context
        device = context.device
        self._x = torch.from_numpy(parts.x).to(device).flatten(0, 1)
        self._y = torch.from_numpy(parts.y).to(device).flatten()
        self._sizes, self._stride = parts.sizes, parts.y.shape[1]
        single = [network.initial(self._generator(t, "parameters")) for t in teachers]
        self._parameters = {name: self._tensor(np.stack([p[name] for p in single])) for name in single[0]}
        self._averages = {}
        if recipe.average is not None:
            self._averages = {name: p.clone() for name, p in self._parameters.items()}
        for parameter in self._parameters.values():
            parameter.requires_grad_()
        self._optimizer = self._make_optimizer()
        self._rows: torch.Tensor | None = None
        self.step, self.epoch_steps = 0, 1  # steps done; there are no epochs, as batches are drawn with replacement

    @property
    def steps(self) -> int:
        """Steps in all."""
        return self._recipe.steps

    def _generator(self, teacher: int, role: str) -> np.random.Generator:
        return self._context.generator(f"teacher {teacher}", role)

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        # a copy in torch's own memory: matrix products of memory aligned otherwise may round otherwise
        return torch.tensor(array, device=self._context.device)

    def _make_optimizer(self) -> torch.optim.Optimizer:
        decayed = [p for name, p in self._parameters.items() if name in self._network.decayed]
        others = [p for name, p in self._parameters.items() if name not in self._network.decayed]
        groups: list[dict[str, Any]] = [
            {"params": decayed, "weight_decay": self._recipe.weight_decay},
            {"params": others},
        ]
        # fused: one pass over memory, which on the CPU is half the time of a step
        if self._recipe.optimizer == "adam":
            return torch.optim.Adam(groups, lr=self._recipe.rate, fused=True)
        return torch.optim.SGD(groups, lr=self._recipe.rate, momentum=self._recipe.momentum, fused=True)

    def _batch(self) -> torch.Tensor:
        """Rows (T, batch) of all samples for this step."""
        block, place = divmod(self.step, BLOCK)
        if self._rows is None or place == 0:
            rows = np.empty((BLOCK, len(self._teachers), self._recipe.batch), np.int64)
            for i, (teacher, size) in enumerate(zip(self._teachers, self._sizes, strict=True)):
                rng = self._generator(teacher, f"batches {block}")
                rows[:, i] = i * self._stride + rng.integers(size, size=(BLOCK, self._recipe.batch))
            self._rows = torch.from_numpy(rows).to(self._context.device)
        return self._rows[place]

    def advance(self) -> None:
        """One step of every teacher; InputError names the first whose loss is not finite."""
        rows = self._batch()
        # index_select, not x[rows]: much faster on the CPU
        x = SCALINGS[self._recipe.scaling](self._x.index_select(0, rows.flatten())).unflatten(0, rows.shape)
        logits = self._network.logits(self._parameters, x)
        y = self._y.index_select(0, rows.flatten())
        losses = F.cross_entropy(logits.flatten(0, 1), y, reduction="none").view(rows.shape).mean(1)
        self._check_finite(losses.detach(), f"loss at step {self.step}")
        for group in self._optimizer.param_groups:
            group["lr"] = self._recipe.rate_at(self.step)
        self._optimizer.zero_grad()
        losses.sum().backward()  # the sum keeps teachers apart: each loss depends on one teacher's parameters only
        self._optimizer.step()
        self.step += 1
        for name, average in self._averages.items():
            average.lerp_(self._parameters[name].detach(), 1 - self._recipe.averaging_at(self.step))

    def _check_finite(self, values: torch.Tensor, what: str) -> None:
        """InputError if a row of values (T, ...) holds what is not finite."""
        finite = values.isfinite().flatten(1).all(1) if values.ndim > 1 else values.isfinite()
        if not finite.all():
            teacher = self._teachers[int((~finite).nonzero()[0])]
            raise InputError(
                f"teacher {teacher}: the {what} of {self._recipe.steps} is not finite; "
                "check its samples or take a smaller learning rate"
            )

    def trained(self) -> dict[str, torch.Tensor]:
        """Stacked parameters to predict with; InputError names the first teacher with one that is not finite."""
        parameters = self._averages or {name: p.detach() for name, p in self._parameters.items()}
        for name, parameter in parameters.items():
            self._check_finite(parameter, f"{name} after step {self.step}")
        return parameters

    def state(self) -> State:
        """All that `restore` needs to go on from here."""
        state: State = {"step": self.step}
        state |= {f"parameter.{name}": p.detach() for name, p in self._parameters.items()}
        state |= {f"average.{name}": average for name, average in self._averages.items()}
        return state | optimizer_state(self._optimizer)

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned for the same networks, data and recipe."""
        self.step, self._rows = int(state["step"]), None
        with torch.no_grad():
            for prefix, tensors in (("parameter", self._parameters), ("average", self._averages)):
                for name, value in under(prefix, state).items():
                    tensors[name].copy_(self._tensor(value))
        restore_optimizer(self._optimizer, state)


def predict_labels(
    network: Network,
    parameters: dict[str, torch.Tensor],
    queries: np.ndarray,
    scaling: str = "centred",
    memory: int | None = None,
) -> np.ndarray:
    """Labels (q, T) of queries (q, ...) uint8, in the smallest unsigned integers that hold the classes.

    `memory`: bytes that the widest layer of all T networks may take, by which queries are cut into chunks; None: what
    the device has for a pass.
    """
    stacked = next(iter(parameters.values()))
    memory = memory or memory_of_a_pass(stacked.device)
    chunk = max(1, memory // (4 * len(stacked) * network.widest))
    labels = np.empty((len(queries), len(stacked)), np.min_scalar_type(network.classes - 1))
    with torch.no_grad():
        for start in range(0, len(queries), chunk):
            x = SCALINGS[scaling](torch.from_numpy(queries[start : start + chunk]).to(stacked.device))
            found = network.logits(parameters, x, shared=True).argmax(2)
            labels[start : start + chunk] = found.T.cpu().numpy()
    return labels


def replica_labels(
    network: Network,
    part: Part,
    teachers: range,
    queries: np.ndarray,
    recipe: Recipe,
    context: Context,
    group: int = 10,
) -> np.ndarray:
    """Labels (q, T) that T teachers, trained here, give to the queries (q, ...) uint8.

    part: see `stack_parts`. group: teachers trained at once, which bounds the memory; on the CPU as many as fit its
    caches (10 of a small MLP, 1 of a CNN), on a GPU as many as fit its memory. Progress counts teachers, after each
    group. Raises InputError as `stack_parts` and `Replicas` do.
    """
    labels = np.empty((len(queries), len(teachers)), np.min_scalar_type(network.classes - 1))
    saved = context.saved()
    done = int(saved.get("done", 0))
    if done:
        labels[:, :done] = saved["labels"]
    while done < len(teachers):
        members = teachers[done : done + group]
        parts = stack_parts(part, members, network.classes)
        replicas = Replicas(network, parts, recipe, members, context)
        more: State = {"done": done, "labels": labels[:, :done]}
        run_to_end(replicas, replace(context, progress=silent), saved, more)
        saved = {}
        labels[:, done : done + len(members)] = predict_labels(network, replicas.trained(), queries, recipe.scaling)
        done += len(members)
        context.progress(done, len(teachers))
    return labels

"""What semi-supervised students share: their data, mini-batches, the loop of steps, and prediction."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from lib.core.checkpoint import Checkpoint
from lib.core.errors import InputError
from lib.core.seeding import generator, integer_seed

Settings = TypeVar("Settings")
Progress = Callable[[int, int, float], None]  # steps done, steps in all, loss of the newest step


def read_settings(kind: type[Settings], block: Mapping) -> Settings:
    """The settings `kind`, a dataclass, from a block of configuration; InputError for missing or unknown keys."""
    fields = {field.name for field in dataclasses.fields(kind)}
    missing, unknown = sorted(fields - set(block)), sorted(set(block) - fields)
    if missing or unknown:
        raise InputError(f"student settings: missing {missing}, unknown {unknown}; all of {sorted(fields)} are needed")
    return kind(**block)


def check_setting(name: str, value: object, holds: bool, allowed: str) -> None:
    """InputError unless `holds`; `allowed` says what the setting may be."""
    if not holds:
        raise InputError(f"student settings: {name} is {value!r}; allowed: {allowed}")


def is_whole(value: object, least: int) -> bool:
    """Whether it is an integer of at least `least`."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_number(value: object, least: float, most: float = math.inf) -> bool:
    """Whether it is a finite number in [least, most]."""
    return isinstance(value, int | float) and math.isfinite(value) and least <= value <= most


def learning_rate(initial: float, step: int, steps: int, decay_start: float) -> float:
    """`initial` until the share `decay_start` of the steps is done, then falling linearly to 0 at the end."""
    left = (steps - step) / steps
    return initial * min(1.0, left / (1 - decay_start)) if decay_start < 1 else initial


@dataclasses.dataclass(frozen=True)
class Images:
    """Images of a student, on its device: labelled (n, ...) uint8, labels (n,) int64, pool (n + u, ...) uint8.

    The pool is all images, labelled ones included, as in the authors' codes. `white`: the pixel value that becomes 1.
    """

    labelled: Tensor
    labels: Tensor
    pool: Tensor
    white: int

    def scaled(self, images: Tensor) -> Tensor:
        """Images as float32 in [0, 1]."""
        return images.float() / self.white


def make_images(
    x_labelled: np.ndarray,
    labels: np.ndarray,
    x_unlabelled: np.ndarray,
    classes: int,
    device: torch.device,
    white: int,
) -> Images:
    """Check the data of a student and move them to its device.

    x_labelled (n, ...) uint8 with n >= 1; labels (n,), 0 to classes-1; x_unlabelled (u, ...) uint8, u >= 0.
    Raises InputError, naming what is wrong.
    """
    for name, x in (("labelled", x_labelled), ("unlabelled", x_unlabelled)):
        if x.dtype != np.uint8 or x.ndim < 2:
            raise InputError(f"student: {name} images are {x.dtype} of shape {x.shape}; needed: uint8 (n, ...)")
        if len(x) and x.max() > white:
            raise InputError(f"student: a {name} pixel is {x.max()}; allowed: 0 to {white}")
    if len(x_labelled) == 0:
        raise InputError("student: no labelled images; at least one is needed")
    if x_unlabelled.shape[1:] != x_labelled.shape[1:]:
        raise InputError(
            f"student: unlabelled images of shape {x_unlabelled.shape[1:]}, labelled ones of {x_labelled.shape[1:]}"
        )
    if labels.shape != (len(x_labelled),) or labels.dtype.kind not in "iu":
        raise InputError(
            f"student: labels are {labels.dtype} of shape {labels.shape}; needed: integers, one for each of the"
            f" {len(x_labelled)} labelled images"
        )
    if labels.min() < 0 or labels.max() >= classes:
        raise InputError(f"student: labels from {labels.min()} to {labels.max()}; allowed: 0 to {classes - 1}")
    return Images(
        torch.from_numpy(np.array(x_labelled)).to(device),
        torch.from_numpy(labels.astype(np.int64)).to(device),
        torch.from_numpy(np.concatenate([x_labelled, x_unlabelled])).to(device),
        white,
    )


@dataclasses.dataclass(frozen=True)
class Draws:
    """The random numbers of a job, each a function of its name and the step alone, so that any step can be resumed."""

    seed: int
    job: tuple[str, ...]

    def initial(self, role: str) -> np.random.Generator:
        """A generator for initial weights."""
        return generator(self.seed, *self.job, role)

    def noise(self, role: str, step: int, device: torch.device) -> torch.Generator:
        """A generator on the device for the noise of one step; each call starts it anew."""
        return torch.Generator(device).manual_seed(integer_seed(self.seed, *self.job, role, str(step)))

    def batch(self, role: str, step: int, count: int, size: int) -> np.ndarray:
        """Rows (size,) of batch `step` among `count` samples: slices of one permutation after another.

        All samples are seen equally often, whatever `size`, to within one.
        """
        places = np.arange(step * size, (step + 1) * size)
        rounds = places // count
        orders = {i: _order(self.seed, self.job, role, count, int(i)) for i in np.unique(rounds)}
        return np.array([orders[i][place % count] for i, place in zip(rounds, places, strict=True)])


@lru_cache(maxsize=8)
def _order(seed: int, job: tuple[str, ...], role: str, count: int, number: int) -> np.ndarray:
    """The permutation of `count` samples with that number; cached because many batches share it."""
    return generator(seed, *job, role, str(number)).permutation(count)


class Trainer(Protocol):
    """A student in training: its networks and optimisers by name, and what a step does to them."""

    modules: dict[str, nn.Module]
    optimizers: dict[str, torch.optim.Optimizer]

    def step(self, step: int) -> float:
        """Take step `step`, counted from 0; returns the loss before it."""
        ...


def labelled_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of logits (n, K) within the K classes: mean of log-sum-exp minus the label's logit."""
    return (logits.logsumexp(1) - logits.gather(1, labels[:, None])[:, 0]).mean()


def make_adam(module: nn.Module, betas: tuple[float, float]) -> torch.optim.Adam:
    """Adam for a module; the learning rate is set anew at every step (`set_rate`)."""
    return torch.optim.Adam(module.parameters(), lr=0.0, betas=betas, fused=True)


def descend(optimizer: torch.optim.Optimizer, loss: Tensor, rate: float, beta1: float) -> None:
    """One step of Adam with that learning rate and first decay rate.

    Only the optimiser's own parameters get a gradient, whatever else the loss depends on.
    """
    (group,) = optimizer.param_groups
    group["lr"], group["betas"] = rate, (beta1, group["betas"][1])
    for parameter, gradient in zip(group["params"], torch.autograd.grad(loss, group["params"]), strict=True):
        parameter.grad = gradient
    optimizer.step()


def pack(trainer: Trainer) -> dict[str, Tensor]:
    """All tensors of a trainer's networks and optimisers by name, copied to main memory."""
    tensors = {f"{name}/{key}": x for name, m in trainer.modules.items() for key, x in m.state_dict().items()}
    for name, optimizer in trainer.optimizers.items():
        for place, moments in optimizer.state_dict()["state"].items():
            tensors.update((f"{name}/{place}/{key}", x) for key, x in moments.items())
    return {name: x.detach().cpu().clone() for name, x in tensors.items()}


def unpack(trainer: Trainer, tensors: Mapping[str, Tensor | np.ndarray]) -> None:
    """Set a trainer to what `pack` returned after at least one step."""
    tensors = {name: torch.as_tensor(x) for name, x in tensors.items()}
    for name, module in trainer.modules.items():
        module.load_state_dict({key: tensors[f"{name}/{key}"] for key in module.state_dict()})
    for name, optimizer in trainer.optimizers.items():
        state = optimizer.state_dict()
        for place, parameter in enumerate(optimizer.param_groups[0]["params"]):
            moments = {key: tensors[f"{name}/{place}/{key}"] for key in ("exp_avg", "exp_avg_sq")}
            # laid out in memory as the parameter is, so that the arithmetic goes on in the same order
            state["state"][place] = {key: torch.empty_like(parameter).copy_(x) for key, x in moments.items()}
            state["state"][place]["step"] = tensors[f"{name}/{place}/step"]
        optimizer.load_state_dict(state)


def train(trainer: Trainer, steps: int, what: str, checkpoint: Checkpoint | None, progress: Progress) -> None:
    """Take the steps that are left, all or those after the checkpoint, and keep the state when a checkpoint is due.

    what: names the job in messages. The checkpoint is left for the caller to remove once the result is written.
    Raises InputError, naming the step, as soon as the loss, or in the end a weight, is not a finite number.
    """
    state = checkpoint.load() if checkpoint else None
    start = 0
    if state is not None:
        start = int(state.pop("step"))
        unpack(trainer, state)
    for step in range(start, steps):
        loss = trainer.step(step)
        if not math.isfinite(loss):
            raise InputError(f"{what}: the loss is {loss} at step {step + 1} of {steps}; try a smaller learning rate")
        if checkpoint and checkpoint.due():
            checkpoint.save({"step": step + 1, **pack(trainer)})
        progress(step + 1, steps, loss)
    if not all(x.isfinite().all() for x in pack(trainer).values()):
        raise InputError(f"{what}: a weight is not finite after step {steps} of {steps}; try a smaller learning rate")


@dataclasses.dataclass(frozen=True)
class Student:
    """A trained student. logits: of float32 images in units of `white`, (c, ...) -> (c, classes), on `device`.

    dense: weight_i (out, in) and bias_i (out,) float32 of its layers, where it is dense layers with ReLU between them.
    """

    logits: Callable[[Tensor], Tensor]
    device: torch.device
    white: int
    chunk: int  # images at a time
    dense: Callable[[], dict[str, np.ndarray]] | None = None

    @torch.no_grad()
    def predict_probabilities(self, x: np.ndarray) -> np.ndarray:
        """Class probabilities (n, classes) float32 of images (n, ...) uint8."""
        parts = [x[i : i + self.chunk] for i in range(0, max(len(x), 1), self.chunk)]
        images = (torch.from_numpy(np.array(part)).to(self.device).float() / self.white for part in parts)
        return np.concatenate([torch.softmax(self.logits(part), 1).cpu().numpy() for part in images])

    def accuracy(self, x: np.ndarray, y: np.ndarray) -> float:
        """Share of the images (n, ...) uint8 whose most probable class is y (n,), in percent."""
        return 100 * float((self.predict_probabilities(x).argmax(1) == y).mean())

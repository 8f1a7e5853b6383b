"""Train semi-supervised students: their data, mini-batches, the loop of steps, and prediction."""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, nn

from lib.core.checkpoint import State
from lib.core.errors import InputError
from lib.core.seeding import Draws, generator
from lib.training.context import Context
from lib.training.epochs import under
from lib.training.optimizer_state import optimizer_state, restore_optimizer


def learning_rate(initial: float, step: int, steps: int, decay_start: float) -> float:
    """Return `initial` until the share `decay_start` of the steps is done, then falling linearly to 0 at the end."""
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


def batch_rows(draws: Draws, role: str, step: int, count: int, size: int) -> np.ndarray:
    """Rows (size,) of batch `step` among `count` samples: slices of one permutation after another.

    All samples are seen equally often, whatever `size`, to within one.
    """
    places = np.arange(step * size, (step + 1) * size)
    rounds = places // count
    orders = {i: _order(draws.seed, draws.job, role, count, int(i)) for i in np.unique(rounds)}
    return np.array([orders[i][place % count] for i, place in zip(rounds, places, strict=True)])


@lru_cache(maxsize=8)
def _order(seed: int, job: tuple[str, ...], role: str, count: int, number: int) -> np.ndarray:
    """Return the permutation of `count` samples with that number; cached because many batches share it."""
    return generator(seed, *job, role, str(number)).permutation(count)


class StudentTrainer(ABC):
    """A student in training: its networks and optimisers by name, at a step that can be saved and restored.

    Every draw is a function of the job, its role and the step alone, so that any step can be resumed.
    """

    modules: dict[str, nn.Module]
    optimizers: dict[str, torch.optim.Optimizer]
    context: Context
    steps: int
    step = 0  # steps done
    epoch_steps = 1  # progress is told in steps

    def batch(self, role: str, step: int, images: Tensor, size: int) -> Tensor:
        """Rows (size,) of batch `step` among images, on the device (see `batch_rows`)."""
        return torch.from_numpy(batch_rows(self.context, role, step, len(images), size)).to(self.context.device)

    def noise(self, role: str, step: int) -> torch.Generator:
        """Return a generator on the device for the noise of one step; each call starts it anew."""
        return self.context.stream(role, str(step))

    @abstractmethod
    def take(self, step: int) -> float:
        """Take step `step`, counted from 0; return the loss before it."""

    def advance(self) -> None:
        """Take the next step; InputError if the loss is not a finite number."""
        loss = self.take(self.step)
        self.step += 1
        if not math.isfinite(loss):
            raise InputError(self._diverged(f"the loss is {loss} at step {self.step}"))

    def check(self) -> None:
        """Raise InputError unless all weights and moments are finite numbers."""
        if not all(x.isfinite().all() for x in self.state().values() if torch.is_tensor(x)):
            raise InputError(self._diverged(f"a weight is not finite after step {self.step}"))

    def _diverged(self, how: str) -> str:
        return f"{' '.join(self.context.job)}: {how} of {self.steps}; try a smaller learning rate"

    def state(self) -> State:
        """All that `restore` needs to go on from here."""
        state: State = {"step": self.step}
        for name, module in self.modules.items():
            state |= {f"{name}.{key}": x.detach() for key, x in module.state_dict().items()}
        for name, optimizer in self.optimizers.items():
            state |= optimizer_state(optimizer, name)
        return state

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned."""
        self.step = int(state["step"])
        for name, module in self.modules.items():
            module.load_state_dict({key: torch.as_tensor(x) for key, x in under(name, state).items()})
        for name, optimizer in self.optimizers.items():
            restore_optimizer(optimizer, state, name)


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

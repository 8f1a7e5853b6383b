"""DP-SGD (Abadi et al. 2016, Algorithm 1) with Opacus, and plain backpropagation, of any module.

Neighbouring relation: add or remove one record. A step clips each sample's gradient, over all layers jointly, to norm
C, adds noise of standard deviation sigma C to every number of the batch's sum, and divides by the expected batch size
B, whatever size was drawn: a divisor that was drawn would change with the neighbour. So the noise on the mean is
sigma C / B; the public code of DP-MAC's paper adds sigma C / (2B) to its DP-SGD, half of what it accounts for.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import nn

from lib.core.checkpoint import State
from lib.core.errors import InputError
from lib.training.clipping import Clipping
from lib.training.clipping_slack import SLACK
from lib.training.context import Context
from lib.training.optimizer_state import optimizer_state, restore_optimizer
from lib.training.poisson_sampling import poisson_batch
from lib.training.sgd_recipe import SgdRecipe
from pate_accountant.training_run import steps_per_epoch

_OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # of each sample (b,), from what a module gives and y


class SgdTrainer:
    """One module in training, at a step that can be saved and restored.

    Every batch is keyed by the run's draws on its own, as should be the module's first weights. The noise of a run is
    one stream: a torch generator takes 32 bits of seed, and with a seed a step, two of a run's steps might share one
    and so their noise.
    """

    def __init__(
        self,
        module: nn.Module,
        loss: Loss,
        clipping: Callable[[nn.Module, float], Clipping],
        x: torch.Tensor,
        y: torch.Tensor,
        recipe: SgdRecipe,
        sigma: float,
        context: Context,
    ) -> None:
        """Train the module in place, which must compute every sample on its own and lies where x and y do.

        loss: each sample's. clipping: what clips; it must suit the module's layers. x, y (N, ...): the samples. sigma:
        noise multiplier; 0 adds none. The last word of the context's job names the run. Raises InputError for a batch
        or a sigma that do not fit.
        """
        if recipe.batch > len(x):
            raise InputError(f"batch {recipe.batch}: there are only {len(x)} samples")
        if not (math.isfinite(sigma) and sigma >= 0):
            raise InputError(f"sigma {sigma}: it must be finite and at least 0")
        if sigma and recipe.clip is None:
            raise InputError(f"sigma {sigma} without clip: noise needs a clip, plain backpropagation sigma 0")
        self.module = module
        self._loss, self._recipe, self._context = loss, recipe, context
        self._x, self._y = x, y
        momentum = {"momentum": recipe.momentum} if recipe.momentum else {}
        make = _OPTIMIZERS[recipe.optimizer]
        self._optimizer = make(module.parameters(), lr=recipe.rate, fused=True, **momentum)
        self._noise = context.stream("noise")
        self._opacus = None
        if recipe.clip is not None:
            from opacus.optimizers import DPOptimizerFastGradientClipping  # a second, and plain runs need none

            clip = (1 - SLACK) * recipe.clip
            self._clipped = clipping(module, clip)
            self._opacus = DPOptimizerFastGradientClipping(
                self._optimizer,
                noise_multiplier=sigma / (1 - SLACK),
                max_grad_norm=clip,
                expected_batch_size=recipe.batch,
                generator=self._noise,
            )
        self.step = 0  # batches done
        self.epoch_steps = steps_per_epoch(len(x), recipe.batch)

    @property
    def steps(self) -> int:
        """Batches in all."""
        return self._recipe.epochs * self.epoch_steps

    def _drawn(self) -> np.ndarray:
        """Rows (b,) of this step's Poisson sample."""
        samples = len(self._x)
        return poisson_batch(self._context.generator(f"batch {self.step}"), samples, self._recipe.batch / samples)

    def _batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what the module is given, and y, of this step's Poisson sample."""
        rows = torch.from_numpy(self._drawn()).to(self._context.device)
        return self._seen(self._x.index_select(0, rows)), self._y.index_select(0, rows)

    def _seen(self, x: torch.Tensor) -> torch.Tensor:
        """Return the floating-point batch that the module is given, from rows of x."""
        return x

    def advance(self) -> None:
        """One batch; InputError names the run if its weights are no longer finite."""
        x, y = self._batch()
        x.requires_grad_()  # Opacus hooks into the backward pass of the first layer too, which must have one to pass on
        for group in self._optimizer.param_groups:
            group["lr"] = self._recipe.rate_at(self.step // self.epoch_steps)
        if self._opacus is None:
            self._optimizer.zero_grad()
            (self._loss(self.module(x), y).sum() * (1 / self._recipe.batch)).backward()
            self._optimizer.step()
        else:
            self._opacus.zero_grad()
            self._clip_gradients(x, y)
            self._opacus.step()
        # one number for all of them: every one that is read makes the host wait for the device
        if not torch.stack([parameter.isfinite().all() for parameter in self.module.parameters()]).all():
            raise InputError(
                f"run {self._context.job[-1]}: its weights after step {self.step} of {self.steps} are not finite; "
                "check the data, or take a smaller learning rate"
            )
        self.step += 1

    def _clip_gradients(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Set every parameter's `grad` to the sum of the samples' clipped gradients."""
        self._clipped.backward(self._loss(self._clipped(x), y).sum(), x)

    def state(self) -> State:
        """All that `restore` needs to go on from here."""
        state: State = {"step": self.step, "noise": self._noise.get_state()}
        state |= {f"weight.{name}": weight.detach().clone() for name, weight in self.module.named_parameters()}
        return state | optimizer_state(self._optimizer)

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned for the same module, data, recipe, sigma and name."""
        self.step = int(state["step"])
        self._noise.set_state(torch.tensor(state["noise"]))
        with torch.no_grad():
            for name, weight in self.module.named_parameters():
                weight.copy_(torch.as_tensor(state[f"weight.{name}"]))
        restore_optimizer(self._optimizer, state)

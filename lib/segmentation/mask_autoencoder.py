"""Training of autoencoders of public masks, with noise on the code in the objective.

Fay et al. (2022, eq. 15) and (2020, Algorithm 2): the loss is the cross-entropy of what the decoder makes of the
bounded code plus N(0, sigma^2 I). The noise teaches the decoder what it will see; it protects nobody. The papers do
not say how they optimise: here by Adam after a warm-up, a longer one for the encoder, with gradients clipped, from
codes of the public masks that are standardised.
"""

import math
from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

from lib.core.checkpoint import State
from lib.core.errors import InputError
from lib.encoders.autoencoder import AutoencoderDesign, code_of, weights_of
from lib.encoders.encoder import checked_masks
from lib.segmentation.segmentation_recipes import AutoencoderRecipe
from lib.training.context import Context
from lib.training.epochs import run_to_end, under
from lib.training.optimizer_state import optimizer_state, restore_optimizer

_RAREST = 1e-4  # the share of voxels that a channel's first bias stands for is at least this
_PIECES = 64  # with so many the first codes are standardised


def voxel_cross_entropy(logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Mean over voxels of the cross-entropy, in nats, of soft masks y (b, C, ...): binary for C = 1, else softmax."""
    if y.shape[1] == 1:
        return F.binary_cross_entropy_with_logits(logits, y)
    return -(y * logits.log_softmax(1)).sum(1).mean()


def _with_dice(logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    from lib.segmentation.loss import segmentation_loss  # MONAI, seconds to import, for what asks for it alone

    return segmentation_loss(logits, y, "dice_and_cross_entropy")


LOSSES = {"cross_entropy": voxel_cross_entropy, "dice_and_cross_entropy": _with_dice}


class AutoencoderTrainer:
    """An autoencoder in training, at a step that can be saved and restored.

    Draws are keyed by (seed, job): first weights, the order of every epoch, and the noise, a stream of its own.
    """

    def __init__(self, design: AutoencoderDesign, y: np.ndarray, recipe: AutoencoderRecipe, context: Context) -> None:
        """y (n, C, X, Y, Z): public masks in [0, 1], of any real dtype; they stay as they are, batches become float32.

        Raises InputError for masks that do not fit the design, or none.
        """
        if not len(y):
            raise InputError("an autoencoder of no masks: at least one is needed")
        self._parts = design.split(checked_masks(y, design.shape))
        self._design, self._recipe, self._context = design, recipe, context
        share = np.clip(y.mean(axis=(0, 2, 3, 4), dtype=np.float64), _RAREST, 1 - _RAREST)
        bias = np.log(share / (1 - share)) if design.shape[0] == 1 else np.log(share)
        self._network = design.network(bias, context.generator("weights")).to(context.device).train()
        first = context.generator("standardise").permutation(len(self._parts))[:_PIECES]
        self._network.standardise(self._tensor(first))
        self._noise = context.stream("noise")
        encoder = [*self._network.down.parameters(), *self._network.code.parameters()]
        inward = set(map(id, encoder))
        decoder = [values for values in self._network.parameters() if id(values) not in inward]
        self._optimizer = torch.optim.Adam([{"params": decoder}, {"params": encoder}], lr=recipe.rate)
        self._order: np.ndarray | None = None
        self.step = 0  # batches done
        self.epoch_steps = math.ceil(len(self._parts) / recipe.batch)

    @property
    def steps(self) -> int:
        """Batches in all."""
        return self._recipe.epochs * self.epoch_steps

    def _batch(self) -> torch.Tensor:
        """Masks (b, C, *sides) of this step."""
        epoch, place = divmod(self.step, self.epoch_steps)
        if self._order is None or place == 0:
            self._order = self._context.generator(f"order {epoch}").permutation(len(self._parts))
        rows = self._order[place * self._recipe.batch : (place + 1) * self._recipe.batch]
        masks = self._tensor(rows)
        if not self._recipe.moved:
            return masks
        from lib.segmentation.augmentation import moved  # MONAI, seconds to import, for masks that are moved alone

        rngs = [self._context.generator(f"move {self.step} {place}") for place in range(len(rows))]
        return torch.stack([moved(rng, mask) for rng, mask in zip(rngs, masks, strict=True)])

    def _tensor(self, rows: np.ndarray) -> torch.Tensor:
        return torch.tensor(self._parts[rows], dtype=torch.float32, device=self._context.device)

    def _rate(self, warm: float) -> float:
        """Learning rate of this step, where it rises over a share `warm` of all."""
        rising = min(1.0, (self.step + 1) / (warm * self.steps))
        return self._recipe.rate * rising * (1 + math.cos(math.pi * self.step / self.steps)) / 2

    def advance(self) -> float:
        """One batch; returns its loss. InputError if that is not finite."""
        y = self._batch()
        code = code_of(self._network.encode(y), self._design.bound)
        noise = torch.randn(code.shape, generator=self._noise, device=self._context.device)
        logits = self._network.decode(code + self._recipe.sigma * noise)
        loss = LOSSES[self._recipe.loss](logits, y)
        value = loss.item()
        if not math.isfinite(value):
            raise InputError(
                f"the loss at step {self.step} of {self.steps} is not finite; take a smaller learning rate"
            )
        for group, warm in zip(self._optimizer.param_groups, self._recipe.warm_up, strict=True):
            group["lr"] = self._rate(warm)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), self._recipe.longest)
        self._optimizer.step()
        self.step += 1
        return value

    def trained(self) -> dict[str, np.ndarray]:
        """Return the weights, which `AutoencoderEncoder` takes."""
        return weights_of(self._network)

    def state(self) -> State:
        """All that `restore` needs to go on from here."""
        state: State = {"step": self.step, "noise": self._noise.get_state(), **weights_of(self._network)}
        return state | optimizer_state(self._optimizer)

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned for the same design, masks, recipe, seed and job."""
        self.step, self._order = int(state["step"]), None
        self._noise.set_state(torch.as_tensor(state["noise"]).clone())
        weights = under("weight", state)
        self._network.load_state_dict({name: torch.as_tensor(value) for name, value in weights.items()})
        restore_optimizer(self._optimizer, state)


def train_mask_autoencoder(
    design: AutoencoderDesign, y: np.ndarray, recipe: AutoencoderRecipe, context: Context
) -> dict[str, np.ndarray]:
    """Train on masks y (n, C, X, Y, Z); returns the weights, arrays to save (see `AutoencoderTrainer`).

    Progress counts epochs. Raises InputError as `AutoencoderTrainer` does.
    """
    trainer = AutoencoderTrainer(design, y, recipe, context)
    run_to_end(trainer, context)
    return trainer.trained()

"""Autoencoders as encoders of masks: whole volumes, or slice by slice, with a bounded code."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lib.core.errors import InputError
from lib.encoders.autoencoder_form import AutoencoderForm
from lib.encoders.ball import ball_activation_torch
from lib.encoders.bound import clip_to_ball
from lib.encoders.encoder import checked_masks, checked_shape
from lib.models.mask_autoencoder import MaskAutoencoder

BALL = "ball"
_VOXELS = 1 << 23  # that pass through the network at once, in whole volumes
_WEIGHT = "weight."


@dataclass(frozen=True)
class AutoencoderDesign(AutoencoderForm):
    """Settings from which an autoencoder of masks (C, X, Y, Z) is built.

    The bound clip divides a code by max{1, norm}. Raises InputError for other masks.
    """

    shape: tuple[int, int, int, int]

    def __post_init__(self) -> None:
        """Check the masks."""
        if len(self.shape) != 4 or min(self.shape) < 1:
            raise InputError(f"masks {self.shape}: allowed are (C, X, Y, Z)")

    @property
    def pieces(self) -> int:
        """Codes in a volume."""
        return self.shape[3] if self.dimensions == 2 else 1

    def network(self, bias: np.ndarray, rng: np.random.Generator) -> MaskAutoencoder:
        """Return the network with its first weights; bias (C,) of the logits."""
        raw = self.latent_dim + (self.bound == BALL)
        sides = self.shape[1 : 1 + self.dimensions]
        return MaskAutoencoder(self.shape[0], sides, self.widths, raw, self.latent_dim, bias, rng)

    def split(self, y: np.ndarray) -> np.ndarray:
        """Cut masks y (n, C, X, Y, Z) into the network's inputs: (n * pieces, C, *sides), volume after volume."""
        if self.dimensions == 3:
            return y
        return np.moveaxis(y, 4, 1).reshape(-1, *self.shape[:3])

    def join(self, parts: np.ndarray) -> np.ndarray:
        """Masks (n, C, X, Y, Z) of what the network gave, (n * pieces, C, *sides)."""
        if self.dimensions == 3:
            return parts
        return np.moveaxis(parts.reshape(-1, self.pieces, *self.shape[:3]), 1, 4)


def code_of(raw: Tensor, bound: str) -> Tensor:
    """Codes (b, l), in the unit ball up to rounding, of what a network gave: (b, l + 1) for "ball", else (b, l)."""
    if bound == BALL:
        return ball_activation_torch(raw)
    return raw / torch.linalg.vector_norm(raw, dim=-1, keepdim=True).clamp(min=1.0)


def weights_of(network: MaskAutoencoder) -> dict[str, np.ndarray]:
    """All weights as arrays `weight.{name}`, to be saved."""
    return {f"{_WEIGHT}{name}": value.detach().cpu().numpy().copy() for name, value in network.state_dict().items()}


class AutoencoderEncoder:
    """A trained autoencoder as an `Encoder`: every piece's code is clipped to norm 1 after the activation.

    radius None: sqrt(pieces), which all of them together cannot exceed. A number: the whole code of a volume is
    clipped to it; a volume whose noise should be that of one vector in the unit ball has radius 1.
    """

    def __init__(
        self,
        design: AutoencoderDesign,
        weights: Mapping[str, np.ndarray],
        device: torch.device,
        radius: float | None = None,
    ) -> None:
        """weights: of `weights_of`. Raises InputError where they are those of another design."""
        self._design, self._device = design, device
        self.latent_dim = design.pieces * design.latent_dim
        self.radius = math.sqrt(design.pieces) if radius is None else radius
        network = design.network(np.zeros(design.shape[0]), np.random.default_rng(0))  # weights are replaced
        state = {name.removeprefix(_WEIGHT): torch.from_numpy(np.array(array)) for name, array in weights.items()}
        try:
            network.load_state_dict(state)
        except RuntimeError as error:
            raise InputError(f"weights of an autoencoder: they do not fit {design}") from error
        self._network = network.to(device).eval()
        self._batch = max(1, _VOXELS // math.prod(design.shape[1:]))

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Codes (n, latent_dim) float32; InputError for masks of another shape or beyond [0, 1]."""
        checked_masks(y, self._design.shape)
        codes = np.empty((len(y), self.latent_dim), np.float32)
        for start in range(0, len(y), self._batch):
            with torch.inference_mode():
                raw = self._network.encode(self._tensor(self._design.split(y[start : start + self._batch])))
                pieces = code_of(raw, self._design.bound).cpu().numpy()
            codes[start : start + self._batch] = clip_to_ball(pieces, 1.0).reshape(-1, self.latent_dim)
        return clip_to_ball(codes, self.radius)

    def decode(self, z: np.ndarray) -> np.ndarray:
        """Masks (n, C, X, Y, Z) float32: probabilities by a sigmoid (C = 1) or a softmax over C."""
        checked_shape(z, self.latent_dim)
        masks = np.empty((len(z), *self._design.shape), np.float32)
        for start in range(0, len(z), self._batch):
            with torch.inference_mode():
                pieces = z[start : start + self._batch].reshape(-1, self._design.latent_dim)
                logits = self._network.decode(self._tensor(pieces))
                parts = logits.sigmoid() if self._design.shape[0] == 1 else logits.softmax(1)
            masks[start : start + self._batch] = self._design.join(parts.cpu().numpy())
        return masks

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        # a copy: the array may be a file that can only be read
        return torch.tensor(array, dtype=torch.float32, device=self._device)

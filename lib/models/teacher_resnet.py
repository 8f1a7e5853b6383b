"""The residual teacher of Glyph, and many of them at once.

Source: Papernot et al. (2018), whose Glyph teachers are "ResNets" with 32 leaky-ReLU layers; the shape is that of He et
al. (2016), Section 4.2, for small images: a stem, three stages of n blocks of two 3x3 convolutions, 6n + 2 layers with
weights. Batch normalisation, which both use, would make a teacher's vote on a query depend on the queries beside it, or
need running statistics; here each sample is normalised on its own, by groups of channels.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

from lib.models.stacking import stacked_logits


@dataclass(frozen=True)
class StackedTeacherResNet:
    """T independent networks of one shape.

    shape: (height, width) or (height, width, channels) of a sample. widths: channels of the three stages. blocks: in a
    stage; 5 make 32 layers. slope: of the leaky ReLU below 0. groups: of the normalisation. Parameters are a dictionary
    of arrays, with a leading axis T where they are stacked. Raises ValueError for a shape or widths that do not fit.
    """

    shape: tuple[int, ...]
    classes: int
    widths: tuple[int, int, int] = (16, 32, 64)
    blocks: int = 5
    slope: float = 0.1
    groups: int = 8

    def __post_init__(self) -> None:
        """Check the shape, the widths and the groups."""
        if len(self.shape) not in (2, 3) or min(self.shape[:2]) < 4:
            raise ValueError(
                f"sample shape {self.shape}: allowed are (height, width[, channels]), at least 4 each side"
            )
        if len(self.widths) != 3 or list(self.widths) != sorted(self.widths):
            raise ValueError(f"widths {self.widths}: allowed are three, none smaller than the one before")
        if self.blocks < 1 or any(width % self.groups for width in self.widths):
            raise ValueError(
                f"blocks {self.blocks}, groups {self.groups}: allowed are 1 or more, divisors of all widths"
            )

    @property
    def decayed(self) -> tuple[str, ...]:
        """Names of the parameters that weight decay applies to: all weights."""
        return tuple(name for name, _ in self._layers())

    @property
    def widest(self) -> int:
        """Numbers per sample in the widest layer that is computed."""
        return self.shape[0] * self.shape[1] * self.widths[0]

    def _layers(self) -> list[tuple[str, tuple[int, ...]]]:
        """Name and shape of each weight, in the order in which they are applied."""
        before = self.shape[2] if len(self.shape) == 3 else 1
        layers = [("stem", (self.widths[0], before, 3, 3))]
        before = self.widths[0]
        for stage, width in enumerate(self.widths):
            for block in range(self.blocks):
                layers.append((f"stage{stage}_block{block}_first", (width, before, 3, 3)))
                layers.append((f"stage{stage}_block{block}_second", (width, width, 3, 3)))
                before = width
        return [*layers, ("linear", (self.classes, before))]

    def initial(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Parameters (float32) of one network: He et al.'s (2015) normal weights, scales 1, shifts and bias 0."""
        parameters = {}
        for name, shape in self._layers():
            fan_in = int(np.prod(shape[1:]))
            gain = 2 / (1 + self.slope**2) if name != "linear" else 1.0
            parameters[name] = rng.standard_normal(shape, dtype=np.float32) * np.float32(np.sqrt(gain / fan_in))
            if name == "linear":
                parameters["bias"] = np.zeros(self.classes, np.float32)
            else:
                parameters[f"{name}_scale"] = np.ones(shape[0], np.float32)
                parameters[f"{name}_shift"] = np.zeros(shape[0], np.float32)
        return parameters

    def logits(
        self, parameters: dict[str, torch.Tensor], x: torch.Tensor, shared: bool = False, loop: bool | None = None
    ) -> torch.Tensor:
        """Logits (T, b, classes) of stacked parameters.

        x: float samples (T, b, *shape), a batch for each network; or with `shared` (b, *shape), the same for all.
        loop: see `stacked_logits`.
        """
        return stacked_logits(self._single, parameters, x, shared, loop)

    def _single(self, parameters: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Logits (b, classes) of one network for samples (b, *shape)."""

        def convolved(name: str, value: torch.Tensor, stride: int = 1) -> torch.Tensor:
            value = F.conv2d(value, parameters[name], stride=stride, padding=1)
            return F.group_norm(value, self.groups, parameters[f"{name}_scale"], parameters[f"{name}_shift"])

        value = x.movedim(-1, 1) if len(self.shape) == 3 else x.unsqueeze(1)
        value = F.leaky_relu(convolved("stem", value), self.slope)
        for stage, width in enumerate(self.widths):
            for block in range(self.blocks):
                stride = 2 if stage and not block else 1
                name = f"stage{stage}_block{block}"
                inner = F.leaky_relu(convolved(f"{name}_first", value, stride), self.slope)
                # the shortcut without parameters: every second pixel, and no signal in the channels that are new
                shortcut = F.pad(value[:, :, ::stride, ::stride], (0, 0, 0, 0, 0, width - value.shape[1]))
                value = F.leaky_relu(convolved(f"{name}_second", inner) + shortcut, self.slope)
        return F.linear(value.mean((2, 3)), parameters["linear"], parameters["bias"])

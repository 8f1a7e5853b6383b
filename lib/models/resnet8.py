"""ResNet8: a pre-activation residual network of one basic block a stage, with the places where noise may enter it.

Tao et al. ("Deep Learning with Data Privacy via Residual Perturbation") name it and do not draw it. It is taken from
the network of their reference 49 (Wang et al. 2019, EnResNet) with one block in each of the three stages: blocks of
norm-ReLU-convolution twice (He et al. 2016, identity mappings), and where the shape changes, a 1x1 convolution of the
activated input as shortcut. That code's first draws are kept, too.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import Tensor, nn

from lib.models.undrawn import undrawn

NORMS = ("batch", "group")
BLOCKS = 3
INPUT, STEM, *SUMS, FEATURES = range(BLOCKS + 3)  # sites of noise, in their order; SUMS are the blocks'
# from a site, what a block carries past its convolutions, and what is to be perturbed: the latter, perturbed
Perturb = Callable[[int, Tensor, Tensor], Tensor]


def unperturbed(site: int, carried: Tensor, value: Tensor) -> Tensor:
    """Return the value as it is."""
    return value


def _convolution(inputs: int, outputs: int, size: int, stride: int, rng: np.random.Generator) -> nn.Conv2d:
    """Without bias; weights N(0, 2 / (size^2 outputs))."""
    # no initial draw by torch: it would come from the global generator
    layer = undrawn(nn.Conv2d, inputs, outputs, size, stride=stride, padding=size // 2, bias=False)
    drawn = rng.standard_normal(tuple(layer.weight.shape), dtype=np.float32)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(drawn * np.float32((2 / (size**2 * outputs)) ** 0.5)))
    return layer


class _Block(nn.Module):
    """A pre-activation basic block of two 3x3 convolutions."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        stride: int,
        skip: bool,
        norm: Callable[[int], nn.Module],
        rng: np.random.Generator,
    ) -> None:
        super().__init__()
        self.skip = skip
        self.norm1, self.norm2 = norm(inputs), norm(outputs)
        self.conv1 = _convolution(inputs, outputs, 3, stride, rng)
        self.conv2 = _convolution(outputs, outputs, 3, 1, rng)
        self.stride = stride
        self.project = _convolution(inputs, outputs, 1, 1, rng) if skip and (inputs, stride) != (outputs, 1) else None

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is carried past the convolutions (without skip: the second value again), and the residual sum."""
        active = F.relu(self.norm1(x))
        mapped = self.conv2(F.relu(self.norm2(self.conv1(active))))
        if not self.skip:
            return mapped, mapped
        if self.project is None:
            return x, x + mapped
        # what a 1x1 convolution of that stride sees, taken first: oneDNN's own, on images with the channels last, reads
        # beyond them (8 channels, 50x50) and may end the process
        carried = self.project(active[:, :, :: self.stride, :: self.stride])
        return carried, carried + mapped


class ResNet8(nn.Module):
    """Logits (b, classes) of images (b, channels, height, width), at least 4 pixels each side.

    widths: channels of the three stages, of stride 1, 2, 2. skip: whether blocks add what they are given to what they
    compute; without, they have no shortcut. norm: `batch`, or `group` of `groups` groups of channels, where a sample
    must not see its batch, as in DP-SGD. Weights are drawn from `rng`. Raises ValueError for another norm, or widths
    that do not fit.
    """

    def __init__(
        self,
        channels: int,
        classes: int,
        rng: np.random.Generator,
        widths: tuple[int, ...] = (16, 32, 64),
        skip: bool = True,
        norm: str = "batch",
        groups: int = 8,
    ) -> None:
        super().__init__()
        if len(widths) != BLOCKS:
            raise ValueError(f"widths {widths}: there must be {BLOCKS}")
        if norm not in NORMS:
            raise ValueError(f"norm {norm!r}: allowed are {', '.join(NORMS)}")
        if norm == "group" and any(width % groups for width in widths):
            raise ValueError(f"groups {groups}: it must divide all of the widths {widths}")
        make_norm = nn.BatchNorm2d if norm == "batch" else partial(nn.GroupNorm, groups)
        self.channels, self.classes, self.widths = channels, classes, tuple(widths)
        self.stem = _convolution(channels, widths[0], 3, 1, rng)
        ends = zip((widths[0], *widths[:-1]), widths, strict=True)
        self.blocks = nn.ModuleList(_Block(*pair, 2 if k else 1, skip, make_norm, rng) for k, pair in enumerate(ends))
        self.norm = make_norm(widths[-1])
        self.linear = undrawn(nn.Linear, widths[-1], classes)
        with torch.no_grad():
            for parameter in (self.linear.weight, self.linear.bias):  # torch's own law of a linear layer
                drawn = rng.uniform(-1, 1, tuple(parameter.shape)).astype(np.float32)
                parameter.copy_(torch.from_numpy(drawn * np.float32(widths[-1] ** -0.5)))

    def forward(self, x: Tensor, perturb: Perturb = unperturbed) -> Tensor:
        """Logits; `perturb` is asked at every site: image, features of the stem, blocks' sums, the last layer's."""
        x = self.stem(perturb(INPUT, x, x))
        x = perturb(STEM, x, x)
        for site, block in zip(SUMS, self.blocks, strict=True):
            x = perturb(site, *block(x))
        # adaptive average pooling to one pixel; its own gradient is not deterministic on CUDA
        x = F.relu(self.norm(x)).mean((2, 3))
        return self.linear(perturb(FEATURES, x, x))

    def site_shapes(self, height: int, width: int) -> list[tuple[int, ...]]:
        """Shape of one sample at every site, (channels, height, width), and (features,) at the last."""
        shapes = [(self.channels, height, width), (self.widths[0], height, width)]
        for block, channels in enumerate(self.widths):
            if block:
                height, width = (height + 1) // 2, (width + 1) // 2
            shapes.append((channels, height, width))
        return [*shapes, (self.widths[-1],)]

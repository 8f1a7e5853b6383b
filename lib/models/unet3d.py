"""A 3D U-Net with four poolings in the manner of nnU-Net (Fay et al. 2020, Experiments; Isensee et al. 2018).

It is MONAI's DynUNet, which was written after nnU-Net: two 3x3x3 convolutions a level, each followed by instance
normalisation and leaky ReLU, a stride of 2 as pooling, transposed convolutions on the way back. Forward and backward
pass of one volume of 4 channels and 64^3 voxels with one thread of a CPU, widths from 8 to 128: 1.1 s of processor
time; BasicUNet, which pools by maximum, takes 1.4 s, and neither its pooling nor its padding has a deterministic
gradient on CUDA. UNet (0.05 s) halves the resolution first and has one convolution a level, which is not nnU-Net.
"""

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from lib.core.lean_monai import DynUNet
from lib.models.undrawn import undrawn

POOLINGS = 4
DIVISOR = 2**POOLINGS  # of every side that a network is given
SLOPE = 0.01  # of the leaky ReLU
RAREST = 1e-4  # share of the voxels that a first bias stands for at least
LAST_BIAS = "output.conv.conv.bias"
CPU = torch.device("cpu")


@dataclass(frozen=True, kw_only=True)
class UNet3D:
    """A network as it is before its weights are drawn.

    channels: of an image. outputs: channels of the logits: 1 for a binary task, with a sigmoid after them, or the
    classes with the background as the first, with a softmax. widths: channels at each of the five resolutions.
    Raises ValueError for what is not allowed.
    """

    channels: int
    outputs: int
    widths: tuple[int, ...] = (16, 32, 64, 128, 256)

    def __post_init__(self) -> None:
        """Check numbers."""
        if self.channels < 1 or self.outputs < 1:
            raise ValueError(f"channels {self.channels}, outputs {self.outputs}: there must be at least 1 of each")
        if len(self.widths) != POOLINGS + 1 or min(self.widths) < 1:
            raise ValueError(f"widths {self.widths}: allowed are {POOLINGS + 1} positive numbers")

    def module(
        self, rng: np.random.Generator, device: torch.device = CPU, shares: np.ndarray | None = None
    ) -> nn.Module:
        """Return the network with first weights drawn from rng, as `loaded` describes it.

        Weights are N(0, 2 / ((1 + slope^2) fan)) (He et al. 2015), fan being the weights at one place of their first
        axis, as MONAI draws them; scales of normalisations are 1, biases 0. shares (outputs,): of the voxels that each
        output is to name; the last biases are then such that a network that sees nothing gives them, so that training
        does not begin by unlearning a tumour that is everywhere (Lin et al. 2017, Section 3.3). Shares are clipped
        to [`RAREST`, 1 - `RAREST`].
        """
        weights = {}
        for name, parameter in self._skeleton().named_parameters():
            if parameter.ndim == 1:
                weights[name] = np.full(parameter.shape, name.endswith("weight"), np.float32)
            else:
                deviation = (2 / ((1 + SLOPE**2) * parameter[0].numel())) ** 0.5
                weights[name] = rng.standard_normal(tuple(parameter.shape), np.float32) * np.float32(deviation)
        if shares is not None:
            likely = np.clip(np.asarray(shares, np.float64), RAREST, 1 - RAREST)
            weights[LAST_BIAS] = np.log(likely / (1 - likely) if self.outputs == 1 else likely).astype(np.float32)
        return self.loaded(weights, device)

    def loaded(self, weights: dict[str, np.ndarray], device: torch.device = CPU) -> nn.Module:
        """Return the network with these weights, by the names of its parameters, on the device.

        Images (b, channels, x, y, z) float32 give logits (b, outputs, x, y, z). Sides must be multiples of `DIVISOR`,
        and not all of them `DIVISOR` itself: the last resolution would be one voxel, which has no deviation to be
        normalised by. No operation is in place, and no sample sees another. Raises RuntimeError for weights that are
        not this network's.
        """
        module = self._skeleton().to(device)
        module.load_state_dict({name: torch.tensor(weight) for name, weight in weights.items()})
        # the channels of a voxel side by side, which layers hand on: with one thread, two volumes of 48^3 take 0.20 s
        # and not 0.33 s where widths begin at 4; from 16 on there is no difference
        # PyTorch's overloads of `to` lack a module's format
        return module.to(memory_format=torch.channels_last_3d) if device.type == "cpu" else module  # type: ignore[call-overload]

    def _skeleton(self) -> nn.Module:
        """Return the network before its weights are set."""
        network = undrawn(
            DynUNet,
            spatial_dims=3,
            in_channels=self.channels,
            out_channels=self.outputs,
            kernel_size=[3] * (POOLINGS + 1),
            strides=[1] + [2] * POOLINGS,
            upsample_kernel_size=[2] * POOLINGS,
            filters=self.widths,
            norm_name=("instance", {"affine": True}),
            act_name=("leakyrelu", {"inplace": False, "negative_slope": SLOPE}),
        )
        # DynUNet knows its layers by two names, and whoever walks over it (Opacus) meets each of them twice
        return nn.Sequential(OrderedDict(levels=network.skip_layers, output=network.output_block))

"""The convolutional teacher of MNIST and SVHN, and many of them at once.

Source: `inference` in deep_cnn.py of the code of Papernot et al. (2017), on which the teachers of the 2018 paper rest.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

from lib.models.stacking import stacked_logits

_NEIGHBOURS = 4  # channels on either side that local response normalisation sums over
_ALPHA, _BETA = 0.001 / 9, 0.75  # of the normalisation; its bias is 1


@dataclass(frozen=True)
class StackedTeacherCNN:
    """T independent networks of one shape.

    conv 5x5, ReLU, max-pool 3x3/2, LRN; conv 5x5, ReLU, LRN, max-pool 3x3/2; two fully connected layers with ReLU;
    linear. shape: (height, width) or (height, width, channels) of a sample. Widths default to the paper's.
    deviation: of the convolutions' first weights; the 2017 code's default is so small that SGD may see almost no
    gradient for hundreds of steps. 0.05 (its deeper variant's) with momentum, or Adam, learns from the start.
    Parameters are a dictionary of arrays, with a leading axis T where they are stacked. Raises ValueError where height
    or width is no multiple of 4, for which TensorFlow would pad differently.
    """

    shape: tuple[int, ...]
    classes: int
    convolutions: tuple[int, int] = (64, 128)
    connected: tuple[int, int] = (384, 192)
    deviation: float = 1e-4

    def __post_init__(self) -> None:
        """Check the shape."""
        if len(self.shape) not in (2, 3) or self.shape[0] % 4 or self.shape[1] % 4:
            raise ValueError(f"sample shape {self.shape}: allowed are (height, width[, channels]), multiples of 4")

    @property
    def decayed(self) -> tuple[str, ...]:
        """Names of the parameters that weight decay applies to: the weights of both hidden connected layers."""
        return ("weight2", "weight3")

    @property
    def widest(self) -> int:
        """Numbers per sample in the widest layer that is computed."""
        return self.shape[0] * self.shape[1] * max(self.convolutions[0], self.convolutions[1] // 4)

    def initial(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Parameters (float32) of one network: truncated normal weights, constant biases, as in the 2017 code."""
        channels = self.shape[2] if len(self.shape) == 3 else 1
        first, second = self.convolutions
        third, fourth = self.connected
        flat = second * (self.shape[0] // 4) * (self.shape[1] // 4)
        layers = (  # shape of the weights, their standard deviation, the biases
            ((first, channels, 5, 5), self.deviation, 0.0),
            ((second, first, 5, 5), self.deviation, 0.1),
            ((third, flat), 0.04, 0.1),
            ((fourth, third), 0.04, 0.1),
            ((self.classes, fourth), 1 / fourth, 0.0),
        )
        parameters = {}
        for i, (shape, deviation, bias) in enumerate(layers):
            parameters[f"weight{i}"] = _truncated_normal(rng, shape) * np.float32(deviation)
            parameters[f"bias{i}"] = np.full(shape[0], bias, np.float32)
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
        value = x.movedim(-1, 1) if len(self.shape) == 3 else x.unsqueeze(1)
        value = F.relu(F.conv2d(value, parameters["weight0"], parameters["bias0"], padding=2))
        value = _normalised(_pooled(value))
        value = F.relu(F.conv2d(value, parameters["weight1"], parameters["bias1"], padding=2))
        value = _pooled(_normalised(value)).flatten(1)
        value = F.relu(F.linear(value, parameters["weight2"], parameters["bias2"]))
        value = F.relu(F.linear(value, parameters["weight3"], parameters["bias3"]))
        return F.linear(value, parameters["weight4"], parameters["bias4"])


def _truncated_normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return standard normal draws (float32), of which those beyond two standard deviations are drawn anew."""
    value = rng.standard_normal(shape, dtype=np.float32)
    while (beyond := np.abs(value) > 2).any():
        value[beyond] = rng.standard_normal(beyond.sum(), dtype=np.float32)
    return value


def _pooled(x: torch.Tensor) -> torch.Tensor:
    """Max-pool 3x3/2; for even sides `ceil_mode` is the padding "SAME" of TensorFlow: one row and column at the end."""
    return F.max_pool2d(x, 3, 2, ceil_mode=True)


def _normalised(x: torch.Tensor) -> torch.Tensor:
    """Local response normalisation across the channels of x (b, c, h, w), as tf.nn.lrn.

    The sum over neighbours is a 1x1 convolution: several times faster than the pooling over volumes in torch's own,
    whose gradient is moreover not deterministic on CUDA.
    """
    channel = torch.arange(x.shape[1], device=x.device)
    near = ((channel[:, None] - channel).abs() <= _NEIGHBOURS).to(x.dtype)
    return x * (1 + _ALPHA * F.conv2d(x * x, near[:, :, None, None])) ** -_BETA

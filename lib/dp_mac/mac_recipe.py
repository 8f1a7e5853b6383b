"""How DP-MAC trains, and what: the settings of a network, of its training, and of the thresholds' learning."""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge

from lib.core.errors import InputError
from lib.core.keywords import WHOLE, Count, Positive

Output = Literal["squared_error", "binary_cross_entropy", "softmax_cross_entropy"]
Activation = Literal["softplus", "relu", "sigmoid", "tanh", "linear"]
Initial = Literal["glorot", "standard_normal"]
Expansion = Literal["first", "second", "exact"]


@dataclass(frozen=True, kw_only=True)
class NetworkForm:
    """Layers of a fully connected network, whatever their widths. Raises InputError for what does not fit together.

    The paper's `initial` is standard_normal (Section 2.2), with which units of its widths saturate. It has no biases
    (eq. (1)), and softplus everywhere; its public code has biases, and a linear output.
    """

    output: Annotated[Output, "Reconstruct the images or classify them; softmax by gradients only."]
    activation: Annotated[Activation, "Of all layers but a classifier's last."] = "softplus"
    linear_output: Annotated[bool, "Whether an autoencoder's last layer has no activation."] = False
    bias: Annotated[bool, "Whether layers have one."] = False
    initial: Annotated[Initial, "First weights: N(0, 2 / (in + out)), or the paper's N(0, 1)."] = "glorot"

    def __post_init__(self) -> None:
        """Check what is of autoencoders alone."""
        if self.linear_output and self.output != "squared_error":
            raise InputError(f"linear_output = True: allowed is false with output {self.output}")


@dataclass(frozen=True, kw_only=True)
class MacRecipe:
    """How MAC trains a network. An epoch has ceil(samples / batch) batches."""

    batch: Annotated[float, Ge(1), WHOLE, "Expected size of a Poisson batch."]
    epochs: Annotated[Count, "Passes over the data."]
    z_steps: Annotated[int, Ge(0), "Steps of Adam on the auxiliary coordinates."]
    z_rate: Annotated[Positive, "Their learning rate."]
    w_steps: Annotated[Count, "Steps of Adam on the weights for each batch."]
    w_rate: Annotated[Positive, "Their learning rate."]
    w_decay: Annotated[Positive, "Factor of w_rate after each epoch."] = 1.0
    # in the W-step, where every layer stands alone, it would only scale the objectives, which Adam undoes
    mu: Annotated[Positive, "Weight of the hidden layers' objectives in the z-step."] = 1.0
    expansion: Annotated[Expansion, "Order, at a batch's first weights; exact: at those of each step."] = "first"
    decay_epochs: Annotated[Count | None, "Epochs after which w_rate no longer falls; null: it always does."] = None
    batches: Annotated[Literal["poisson", "in_order"], "in_order: of the data, of which no epsilon holds."] = "poisson"

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Coefficients of the expansion that a W-step needs; a constant has no gradient."""
        return ("linear", "quadratic") if self.expansion == "second" else ("linear",)

    def rate_at(self, epoch: int) -> float:
        """Learning rate of the weights in an epoch, counted from 0."""
        return self.w_rate * self.w_decay ** min(epoch, (self.decay_epochs or math.inf) - 1)


@dataclass(frozen=True, kw_only=True)
class Learning:
    """How thresholds are learned: by pre-training, then a noisy histogram for each layer.

    Pre-training takes the thresholds of `Noise` (the paper's T_b^max) and its sigma; its network is thrown away.
    """

    epochs: Annotated[Count, "Of pre-training."]
    bins: Annotated[Count, "Of the histogram."]
    sigma: Annotated[Positive, "Noise on its counts."]

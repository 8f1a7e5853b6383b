"""The settings of students that learn from unlabelled images too."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Len

from lib.core.keywords import BelowOne, Count, Counts, NotNegative, Positive, Share, TwoOrMore

Widths = Annotated[Counts, Len(1)]


@dataclass(frozen=True, kw_only=True)
class VatSettings:
    """A student of virtual adversarial training (lib/pate/vat_student.py). Published values in brackets."""

    method: Annotated[
        Literal["supervised", "vat", "vat_entropy"],
        "supervised: labelled images only; vat; vat_entropy: with the conditional entropy [vat].",
    ]
    blocks: Annotated[
        tuple[Widths, ...], "Widths of the convolutions of each block; none: fully connected [[128]*3, [256]*3]."
    ]
    top: Annotated[Widths, "Widths of the layers after the blocks, convolutions if there are any [512, 256, 128]."]
    slope: Annotated[NotNegative, "Of the leaky ReLU below 0 [0.1]."]
    dropout: Annotated[BelowOne, "Share dropped after each block [0.5]."]
    momentum: Annotated[Share, "Weight of the newest batch in running statistics [0.01]."]
    steps: Annotated[Count, "Mini-batches [48000 SVHN, 200000 CIFAR-10]."]
    labelled_batch: Annotated[TwoOrMore, "Labelled images a step [32]."]
    unlabelled_batch: Annotated[TwoOrMore, "Unlabelled images a step [128]."]
    learning_rate: Annotated[Positive, "Of Adam [0.001]."]
    beta1: Annotated[BelowOne, "Of Adam [0.9]."]
    beta1_decay: Annotated[BelowOne, "beta1 while the rate decays [0.5]."]
    beta2: Annotated[BelowOne, "Of Adam [0.999]."]
    decay_start: Annotated[Share, "Share of the steps after which the rate falls linearly to 0 [0.67 SVHN, 0.92]."]
    # [2.5 SVHN, 10 CIFAR-10, whitened]
    epsilon: Annotated[Positive, "L2 norm of the perturbation of an image, pixels in [0, 1]."]
    # [1e-6], too short in float32: `virtual_adversarial_direction`
    xi: Annotated[Positive, "Length of the finite difference."]
    power_iterations: Annotated[Count, "Iterations that find its direction [1]."]
    vat_weight: Annotated[NotNegative, "Weight of the virtual adversarial loss [1]."]
    entropy_weight: Annotated[NotNegative, "Weight of the conditional entropy [1]."]


@dataclass(frozen=True, kw_only=True)
class GanSettings:
    """A student of an improved GAN (lib/pate/gan_student.py). Published values in brackets."""

    hidden: Annotated[Widths, "Widths of the classifier [1000, 500, 250, 250, 250]."]
    generator: Annotated[Widths, "Widths of the generator [500, 500]."]
    latent: Annotated[Count, "Length of the generator's uniform noise [100]."]
    input_noise: Annotated[NotNegative, "Standard deviation of the noise on pixels [0.3]."]
    hidden_noise: Annotated[NotNegative, "Standard deviation of the noise on hidden layers [0.5]."]
    epochs: Annotated[Count, "Passes over labelled and unlabelled images together [300]."]
    labelled_batch: Annotated[Count, "Labelled images a step [100]."]
    unlabelled_batch: Annotated[TwoOrMore, "Unlabelled, and generated, images a step [100]."]
    learning_rate: Annotated[Positive, "Of Adam [0.003]."]
    beta1: Annotated[BelowOne, "Of Adam [0.5]."]
    beta2: Annotated[BelowOne, "Of Adam [0.999]."]
    decay_start: Annotated[Share, "Share of the steps after which the rate falls linearly to 0; 1: never [1]."]
    unlabelled_weight: Annotated[NotNegative, "Weight of the unlabelled loss [1]."]
    average_decay: Annotated[BelowOne, "Decay of the average of weights that predicts; 0: the newest [0.9999]."]
    initial_batch: Annotated[TwoOrMore, "Images for the data-dependent initialisation [500]."]

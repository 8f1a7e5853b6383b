"""The block models of the configuration."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge

from lib.core.keywords import ABSENT, Count, Counts, Positive
from lib.pate.student_settings import GanSettings, VatSettings
from lib.pate.teacher_recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class RandomForest:
    """A forest of decision trees."""

    kind: Annotated[Literal["random_forest"], "What it is; see lib/models."]
    trees: Annotated[Count, "Number of trees."]


@dataclass(frozen=True, kw_only=True)
class LogisticRegression:
    """Logistic regression on standardised features."""

    kind: Literal["logistic_regression"]
    iterations: Annotated[Count, "Iterations of the solver at most."]


@dataclass(frozen=True, kw_only=True)
class Network:
    """A network that learns from labelled samples alone."""

    kind: str
    together: Annotated[Count, "Networks trained at once; on a CPU as many as fit its caches, on a GPU its memory."]
    recipe: Recipe


@dataclass(frozen=True, kw_only=True)
class Mlp(Network):
    """A fully connected network."""

    kind: Literal["mlp"]
    hidden: Annotated[Counts, "Widths of the hidden layers."]


@dataclass(frozen=True, kw_only=True)
class TeacherCnn(Network):
    """The convolutional teacher of MNIST and SVHN."""

    kind: Literal["teacher_cnn"]
    convolutions: Annotated[tuple[Count, Count], "Widths of the convolutions."]
    connected: Annotated[tuple[Count, Count], "Widths of the connected layers."]
    deviation: Annotated[Positive, "Of the convolutions' first weights; by default the 2017 code's."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class TeacherResNet(Network):
    """The residual teacher of Glyph."""

    kind: Literal["teacher_resnet"]
    widths: Annotated[tuple[Count, Count, Count], "Channels of the three stages, none smaller than the one before."]
    blocks: Annotated[Count, "Residual blocks in a stage; 5 make 32 layers."]
    slope: Annotated[float, Ge(0), "Slope of the leaky ReLU below 0."]
    groups: Annotated[Count, "Groups of the normalisation; a divisor of all widths."]


@dataclass(frozen=True, kw_only=True)
class Vat(VatSettings):
    """A student of virtual adversarial training."""

    kind: Literal["vat"]


@dataclass(frozen=True, kw_only=True)
class Gan(GanSettings):
    """A student of an improved GAN."""

    kind: Literal["gan"]


Model = RandomForest | LogisticRegression | Mlp | TeacherCnn | TeacherResNet | Vat | Gan

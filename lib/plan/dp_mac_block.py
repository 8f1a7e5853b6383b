"""The block dp_mac of the configuration."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Len

from lib.core.errors import InputError
from lib.core.keywords import (
    ABSENT,
    AS_GIVEN,
    EACH_ONCE,
    Count,
    Counts,
    Delta,
    Keywords,
    Name,
    Positive,
    Printed,
    among,
)
from lib.dp_mac.cdbn_settings import CdbnSettings, PublishedSettings
from lib.dp_mac.mac_recipe import Learning, MacRecipe, NetworkForm
from lib.dp_mac.preparation import Preparation
from lib.training.sgd_recipe import SgdRecipe

PLAIN = ("mac", "backpropagation", "cdbn")  # methods without noise
BELIEF = ("cdbn", "dp_cdbn", "dp_cdbn_published")  # methods whose recipe describes the network, a classifier

SeriesName = Annotated[str, Keywords(title="series"), among("dp_mac.series")]
Level = Annotated[str, Keywords(title="level", pattern=r"^(none|(printed|needed)_[0-9.]+)\Z")]
Levels = Annotated[tuple[tuple[SeriesName, Level], ...], "Series and level of each row; none for no figure."]


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(NetworkForm):
    """A fully connected network, its input and output as wide as images and targets need."""

    hidden: Annotated[Counts, "Widths of the hidden layers, from the input on."]


@dataclass(frozen=True, kw_only=True)
class Series:
    """One method with its settings on one dataset, at several levels of noise."""

    method: str
    title: Annotated[str, "The method's name in tables."]
    variant: Annotated[str, "Which of the method's settings; the claims are about main."]
    dataset: Annotated[str, among("datasets"), "Of images."]
    label: Annotated[str, "Its name in tables."]
    stands_for: Annotated[str, "Name of the paper's dataset."]
    train: Annotated[Count, "Training samples, all private."]
    test: Annotated[Count, "Test samples."]
    largest: Annotated[Positive, "The grey value that becomes 1."]
    network: Annotated[str | None, among("dp_mac.networks"), "Null for belief networks."]
    delta: Delta
    protocol: Annotated[Literal["paper", "reduced"], "paper, or what differs from it."]
    side_by_side: Annotated[bool, "Whether all repetitions are one job, else each is one."]
    preparation: Preparation | None = None
    printed: Printed = ()

    def __post_init__(self) -> None:
        """Check that images are prepared with noise where the series is private, and there alone."""
        if self.preparation is None:
            return
        if self.method in BELIEF:
            raise InputError(f"preparation: {self.method} takes images as they are; allowed is none")
        private = self.method not in PLAIN
        for name, of, used in self.preparation.released:
            sigma = getattr(self.preparation, name)
            if sigma is None and used and private:
                raise InputError(f"preparation.{name}: missing; {self.method} is private, and {of} is taken from data")
            if sigma is not None and not (used and private):
                raise InputError(f"preparation.{name} = {sigma}: allowed is none, for there is nothing to hide")


@dataclass(frozen=True, kw_only=True)
class MacSeries(Series):
    """By auxiliary coordinates, without privacy."""

    method: Annotated[Literal["mac"], "How it is trained."]
    recipe: MacRecipe


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """Where norms of each coefficient are clipped; with learning, first and at most."""

    linear: Annotated[Positive, "T_b."]
    quadratic: Annotated[Positive | None, "T_C, of the second order."] = None


@dataclass(frozen=True, kw_only=True)
class DpMacSeries(Series):
    """By auxiliary coordinates, with noise."""

    method: Literal["dp_mac"]
    recipe: MacRecipe
    thresholds: Thresholds
    learning: Learning | None

    def __post_init__(self) -> None:
        """Check that what is expanded can be private, and is clipped."""
        super().__post_init__()
        quadratic = self.thresholds.quadratic
        if self.recipe.expansion == "exact":
            raise InputError("recipe.expansion = 'exact': not private; allowed are first, second")
        if (self.recipe.expansion == "second") != (quadratic is not None):
            raise InputError(f"thresholds.quadratic = {quadratic}: allowed is a number with expansion second alone")


@dataclass(frozen=True, kw_only=True)
class GradientSeries(Series):
    """By gradients, with noise or without."""

    method: Literal["backpropagation", "dp_sgd"]
    recipe: SgdRecipe

    def __post_init__(self) -> None:
        """Check that what is noised is clipped."""
        super().__post_init__()
        if self.method == "dp_sgd" and self.recipe.clip is None:
            raise InputError("recipe.clip = None: allowed is a number, with dp_sgd")


@dataclass(frozen=True, kw_only=True)
class BeliefSeries(Series):
    """A convolutional belief network, by releases with noise or without."""

    method: Literal["cdbn", "dp_cdbn"]
    recipe: CdbnSettings


@dataclass(frozen=True, kw_only=True)
class PublishedSeries(Series):
    """A convolutional belief network as the authors' public code trains it."""

    method: Literal["dp_cdbn_published"]
    recipe: PublishedSettings


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A job for each level of noise, or for each repetition."""

    series: Annotated[SeriesName, "What is trained."]
    noise: Annotated[Literal["none", "printed", "needed"], "None, the paper's for each epsilon, or what it needs."]
    epsilon: Annotated[tuple[Positive, ...], EACH_ONCE, "The paper's epsilons."] = ()
    repetitions: Annotated[Count, "Independent runs; by default those of the whole configuration."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Fig2:
    """Objectives of layers of one weight, and their approximations."""

    samples: Annotated[Count, "Data points."]
    bound: Annotated[Positive, "Largest input."]
    sigma: Annotated[float, Ge(0), "Noise in units of each coefficient's sensitivity."]
    draws: Annotated[Count, "Noisy points."]


@dataclass(frozen=True, kw_only=True)
class Fig3:
    """Features of classifiers, the first of one without noise."""

    labels: Annotated[tuple[Annotated[int, Ge(0)], ...], Len(1), "Labels shown."]
    curves: Levels


@dataclass(frozen=True, kw_only=True)
class Fig4:
    """Reconstructions by autoencoders."""

    images: Annotated[Count, "Images shown."]
    curves: Levels


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """A series of method mac, whose analytic sensitivities stand beside a threshold."""

    series: SeriesName
    bound: Annotated[Positive, "T_z, of norms of inputs and targets."]
    threshold: Annotated[Positive, "T_b."]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Settings as the paper prints them, to be accounted for."""

    dataset: Annotated[str, "Name in tables."]
    samples: Annotated[Count, "Records."]
    batch: Annotated[Count, "Expected size of a batch."]
    epochs: Annotated[Count, "Of training."]
    layers: Annotated[Count, "Objectives, the output's included."]
    pretraining_epochs: Annotated[int, Ge(0), "At the same noise."] = 0
    sigma_histogram: Annotated[Positive | None, "Noise of the threshold histograms; null for none."] = None
    delta: Delta
    printed: Printed


AnySeries = MacSeries | DpMacSeries | GradientSeries | BeliefSeries | PublishedSeries


@dataclass(frozen=True, kw_only=True)
class DpMac:
    """DP-MAC: Differentially Private Method of Auxiliary Coordinates (Harder et al. 2019)."""

    device: Annotated[Literal["cpu"] | None, "cpu: also where the configured device is cuda; null: that one."] = None
    networks: Annotated[dict[Name, NetworkSettings], "Catalogue of fully connected networks by name."]
    series: Annotated[dict[Name, Annotated[AnySeries, AS_GIVEN]], "Catalogue of series by name."]
    curves: Annotated[tuple[Annotated[Curve, AS_GIVEN], ...], "What is trained."]
    components: Annotated[Count, "Principal components of the reference line."]
    fig2: Fig2
    fig3: Fig3
    fig4: Fig4
    sensitivity: Annotated[tuple[Sensitivity, ...], "Analytic bounds beside thresholds; none for no table."]
    budget: Annotated[dict[Name, Budget], "Settings as the paper prints them, by name."]

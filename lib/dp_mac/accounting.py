"""Account for a DP-MAC run: its preparation of images, pre-training, the histograms of the thresholds, and training.

Neighbouring relation: add or remove one record, throughout. A training step releases one vector, the coefficients of
all layers, each block divided by its own sensitivity and by the root of the number of blocks: its sensitivity is 1, so
a step is one Gaussian mechanism with multiplier sigma on a Poisson sample. The paper's Appendix H accounts for the
same vector as if that sensitivity were sqrt(K) (its mixture N(1_K, sigma^2 I)); that interpretation has its own name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lib.core.errors import InputError
from pate_accountant import rdp
from pate_accountant.training_run import TrainingRun, check_sigma

if TYPE_CHECKING:
    import dp_accounting

COEFFICIENTS = ("constant", "linear", "quadratic")  # the paper's a, b and C
SCALINGS = ("blocks", "layers")


@dataclass(frozen=True, kw_only=True)
class MacRun(TrainingRun):
    """A run of DP-MAC as the accountant sees it.

    epochs: of training, which may be 0 where there is pre-training. layers: objectives, the output layer's included
    (the paper's K in sqrt(K)). coefficients: what is released of each layer's expansion, of `constant` (a), `linear`
    (b), `quadratic` (C). pretraining_epochs: at the same batch and noise.
    sigma_histogram: standard deviation of the noise on each count of the threshold histograms, one a layer and
    coefficient; None where thresholds are fixed beforehand.
    scaling: `blocks` (default) divides each block by its sensitivity and the root of the number of all blocks, which
    makes the whole vector's sensitivity 1; `layers` by the root of the number of layers only, as the paper prints it,
    which leaves sqrt(number of coefficients). They differ only where more than one coefficient is released.
    sigma_centre, sigma_pca: of what `preparation` releases before, the mean pixel and the second moments, each of
    sensitivity 1; None where it is not used.
    Raises InputError for what is not allowed.
    """

    layers: int
    coefficients: tuple[str, ...] = ("linear",)
    pretraining_epochs: int = 0
    sigma_histogram: float | None = None
    scaling: str = "blocks"
    sigma_centre: float | None = None
    sigma_pca: float | None = None

    def __post_init__(self) -> None:
        """Check numbers and names."""
        super().__post_init__()
        if self.layers < 1:
            raise InputError(f"layers {self.layers}: there must be at least 1")
        for what in ("sigma_histogram", "sigma_centre", "sigma_pca"):
            if getattr(self, what) is not None:
                check_sigma(what, getattr(self, what))
        known = set(self.coefficients) <= set(COEFFICIENTS)
        if not self.coefficients or not known or len(set(self.coefficients)) < len(self.coefficients):
            raise InputError(f"coefficients {self.coefficients}: one or more of {', '.join(COEFFICIENTS)}, each once")
        if self.scaling not in SCALINGS:
            raise InputError(f"scaling {self.scaling!r}: allowed are {', '.join(SCALINGS)}")

    def _check_epochs(self) -> None:
        if self.epochs < 0 or self.pretraining_epochs < 0 or self.epochs + self.pretraining_epochs == 0:
            raise InputError(f"epochs {self.epochs}, pre-training {self.pretraining_epochs}: at least 0, together 1")
        if self.epochs % 1 or self.pretraining_epochs % 1:
            raise InputError(f"epochs {self.epochs}, pre-training {self.pretraining_epochs}: allowed are whole numbers")

    @property
    def sensitivity(self) -> float:
        """L2 sensitivity of the scaled vector that one step releases; the noise on it is sigma."""
        return 1.0 if self.scaling == "blocks" else math.sqrt(len(self.coefficients))

    @property
    def histograms(self) -> int:
        """Histograms released, each of sensitivity 1."""
        return 0 if self.sigma_histogram is None else self.layers * len(self.coefficients)

    @property
    def _prepared(self) -> dict[str, float]:
        """Noise multipliers of what the preparation of images releases, by name."""
        sigmas = {"centre": self.sigma_centre, "pca": self.sigma_pca}
        return {name: sigma for name, sigma in sigmas.items() if sigma is not None}

    def parts(self, orders: np.ndarray) -> dict[str, np.ndarray]:
        """RDP (k,) of `centre`, `pca`, `pretraining`, `histogram` and `training`, those that the run has."""
        return self.parts_read(orders, self.sensitivity, 1.0)

    def parts_read(self, orders: np.ndarray, sensitivity: float, histogram: float) -> dict[str, np.ndarray]:
        """Parts with another sensitivity of the vector, and the cost of a histogram times `histogram`."""
        orders = np.asarray(orders, float)
        found = {name: rdp.gaussian_rdp(orders, sigma, 1.0) for name, sigma in self._prepared.items()}
        if self.pretraining_epochs:
            found["pretraining"] = self.training_rdp(orders, self.pretraining_epochs, self.sigma / sensitivity)
        if self.histograms and self.sigma_histogram is not None:
            found["histogram"] = histogram * self.histograms * rdp.gaussian_rdp(orders, self.sigma_histogram, 1.0)
        if self.epochs:
            found["training"] = self.training_rdp(orders, self.epochs, self.sigma / sensitivity)
        return found

    def events(self) -> dict[str, dp_accounting.DpEvent]:
        """Return the parts as dp_accounting events (add or remove one)."""
        import dp_accounting  # takes a second, and not every job needs it

        found = {name: dp_accounting.GaussianDpEvent(sigma) for name, sigma in self._prepared.items()}
        if self.pretraining_epochs:
            found["pretraining"] = self.training_event(self.pretraining_epochs, self.sigma)
        if self.histograms:
            release = dp_accounting.GaussianDpEvent(self.sigma_histogram)
            found["histogram"] = dp_accounting.SelfComposedDpEvent(release, self.histograms)
        if self.epochs:
            found["training"] = self.training_event(self.epochs, self.sigma)
        return found


def one_block(run: TrainingRun, **releases: Any) -> MacRun:
    """Return a run of DP-SGD as one of DP-MAC that releases one block: one mechanism, so that it has the same readings.

    That a gradient has many layers does not matter, since they are clipped jointly. releases: sigma_centre and
    sigma_pca, where its images are prepared.
    """
    return MacRun(samples=run.samples, batch=run.batch, epochs=run.epochs, layers=1, sigma=run.sigma, **releases)

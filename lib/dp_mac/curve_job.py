"""A job that trains one curve of DP-MAC's figures, or of what it is compared with: what it is told, and its record."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lib.accounting import rdp
from lib.accounting.statement import PrivacyStatement
from lib.accounting.training_run import pld_statement
from lib.core.command import Job
from lib.core.files import save_arrays
from lib.data.supervised import Images
from lib.dp_mac.accounting import MacRun, statements
from lib.dp_mac.levels import sigma_of
from lib.dp_mac.series import series_images
from lib.dp_mac.task import preparation_of, write_curves
from lib.reporting.records import write_record


@dataclass(frozen=True)
class CurveJob:
    """What a command line says of a curve.

    data: prepared dataset of images. series: the series' block of the configuration, with its network's. noise:
    printed, needed or none. repetitions: numbers of the runs to train. accounting: the block of the configuration.
    record: the record to write. curves: the CSV of errors by repetition and epoch to write. weights: the .npz of
    weights to write. epsilon: the paper's epsilon, where there is noise.
    """

    data: Path
    series: dict
    noise: str
    repetitions: list[int]
    accounting: dict
    record: Path
    curves: Path
    weights: Path
    epsilon: float | None = None

    @property
    def orders(self) -> np.ndarray:
        """Orders of Renyi divergences."""
        return rdp.order_grid(**self.accounting["orders"])

    def images(self, job: Job) -> Images:
        """The images to train on and to test on."""
        return series_images(self.data, self.series, job.seed, job.dataset)

    def sigma(self, run_at: Callable[[float], MacRun]) -> float | None:
        """The noise multiplier, None for no noise; run_at: the run as the accountant sees it, at a sigma."""
        printed, delta = self.series.get("printed", []), self.series["delta"]
        return sigma_of(self.noise, self.epsilon, printed, run_at, self.orders, delta)

    @property
    def releases(self) -> dict[str, float]:
        """Noise multipliers of what is released of the images before training; nothing without noise."""
        preparation = preparation_of(self.series)
        return {} if preparation is None or self.noise == "none" else preparation.releases

    def privacy(self, run: MacRun, poisson: bool = True) -> dict[str, PrivacyStatement]:
        """What a run costs, in every reading.

        Where its batches are no Poisson samples, that is `published`, what is claimed for it, and no guarantee.
        """
        delta = self.series["delta"]
        made = statements(run, self.orders, delta)
        if not poisson:
            claimed = replace(made["joint"], accountant="rdp, as if batches were sampled", proved_bound=False)
            return {"published": claimed}
        return made | {"pld": pld_statement(run, delta)}

    def write(
        self,
        job: Job,
        device: str,
        fingerprint: str,
        curves: dict[str, np.ndarray],
        weights: dict[str, np.ndarray],
        sigma: float | None,
        privacy: dict[str, PrivacyStatement],
        metrics: dict[str, float] | None = None,
    ) -> None:
        """Write the curves (R, epochs + 1), the weights, and the record with what the training cost.

        fingerprint: of the images' dataset. privacy: `joint`, the guarantee, and other readings; empty without noise.
        metrics: more that is public.
        """
        write_curves(self.curves, curves, self.repetitions)
        save_arrays(self.weights, **weights)
        final = {name: float(values[:, -1].mean()) for name, values in curves.items()}
        public = {name: value for name, value in final.items() if name.startswith("test")}
        write_record(
            self.record,
            **job.identity(),
            fingerprint=fingerprint,
            parameters={
                "series": self.series,
                "noise": self.noise,
                "paper_epsilon": self.epsilon,
                "sigma": sigma,
                "repetitions": self.repetitions,
            },
            device=device,
            metrics=public | (metrics or {}),
            private_metrics={name: value for name, value in final.items() if name not in public},
            privacy=privacy,
        )

"""A job that trains one curve of DP-MAC's figures, or of a method beside it: its settings and its record."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lib.core.command import Job
from lib.core.files import save_arrays
from lib.core.records import write_record
from lib.data.supervised import Images
from lib.dp_mac.accounting import MacRun
from lib.dp_mac.levels import sigma_of
from lib.dp_mac.series import series_images
from lib.dp_mac.task import preparation_of, write_curves
from pate_accountant import rdp


@dataclass(frozen=True)
class CurveJob:
    """Settings of a curve on a command line.

    data: prepared dataset of images. series: how the series is trained, with its network's block. noise: printed,
    needed or none. repetitions: numbers of the runs to train. accounting: `orders` of that block of the configuration.
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
        """Return the images to train on and to test on."""
        return series_images(self.data, self.series, job.seed, job.dataset)

    def sigma(self, run_at: Callable[[float], MacRun]) -> float | None:
        """Return the noise multiplier, None for no noise; run_at: the run as the accountant sees it, at a sigma."""
        printed, delta = self.series.get("printed", []), self.series["delta"]
        return sigma_of(self.noise, self.epsilon, printed, run_at, self.orders, delta)

    @property
    def releases(self) -> dict[str, float]:
        """Noise multipliers of what is released of the images before training; nothing without noise."""
        preparation = preparation_of(self.series)
        return {} if preparation is None or self.noise == "none" else preparation.releases

    def spent(self, run: MacRun, poisson: bool = True) -> dict[str, Any]:
        """Describe what a run released, for the record; `lib/dp_mac/statements.py` states what that costs.

        poisson: whether its batches are Poisson samples.
        """
        orders, delta = self.accounting["orders"], self.series["delta"]
        return {"run": asdict(run), "poisson": poisson, "orders": orders, "delta": delta}

    def write(
        self,
        job: Job,
        device: str,
        fingerprint: str,
        curves: dict[str, np.ndarray],
        weights: dict[str, np.ndarray],
        sigma: float | None,
        spent: dict[str, Any] | None,
        metrics: dict[str, float] | None = None,
    ) -> None:
        """Write the curves (R, epochs + 1), the weights, and the record with what the training released.

        fingerprint: of the images' dataset. spent: see `lib.dp_mac.statements.stated`; None without noise.
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
                "spent": spent,
            },
            device=device,
            metrics=public | (metrics or {}),
            private_metrics={name: value for name, value in final.items() if name not in public},
        )

"""What the scripts share that train one curve of DP-MAC's figures, or of what it is compared with."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.accounting import rdp
from lib.accounting.statement import PrivacyStatement
from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.files import save_arrays
from lib.data.supervised import Images, divided
from lib.dp_mac.accounting import MacRun, statements
from lib.dp_mac.levels import sigma_of
from lib.dp_mac.task import write_curves
from lib.reporting.records import write_record
from scripts import cli


@dataclass(frozen=True)
class Curve:
    """One job: its arguments, the images it trains on, and the orders of its accounting."""

    arguments: argparse.Namespace
    images: Images
    orders: np.ndarray

    @property
    def series(self) -> dict:
        """The series' block of the configuration, with its network's."""
        return self.arguments.series

    def sigma(self, run_at: Callable[[float], MacRun]) -> float | None:
        """The noise multiplier, None for no noise; run_at: the run as the accountant sees it, at a sigma."""
        printed, delta = self.series.get("printed", []), self.series["delta"]
        return sigma_of(self.arguments.noise, self.arguments.epsilon, printed, run_at, self.orders, delta)

    def privacy(self, run: MacRun) -> dict[str, PrivacyStatement]:
        """What a run costs, in every reading."""
        return statements(run, self.orders, self.series["delta"])

    def checkpoint(self, script: str) -> Checkpoint:
        """Where the job keeps half-done work; script: its file."""
        files = dict.fromkeys(("checkpoint", "output", "curves", "weights"))
        key = state_key(vars(self.arguments) | files, digest(f"scripts/{Path(script).name}"), self.images.fingerprint)
        return Checkpoint(self.arguments.checkpoint, key)

    def write(
        self,
        curves: dict[str, np.ndarray],
        weights: dict[str, np.ndarray],
        sigma: float | None,
        privacy: dict[str, PrivacyStatement],
        metrics: dict[str, float] | None = None,
    ) -> None:
        """Write the curves (R, epochs + 1), the weights, and the record with what the training cost.

        privacy: `joint`, the guarantee, and other readings; empty without noise. metrics: more that is public.
        """
        arguments = self.arguments
        write_curves(arguments.curves, curves, arguments.repetitions)
        save_arrays(arguments.weights, **weights)
        final = {name: float(values[:, -1].mean()) for name, values in curves.items()}
        public = {name: value for name, value in final.items() if name.startswith("test")}
        write_record(
            arguments.output,
            **cli.identity(arguments),
            fingerprint=self.images.fingerprint,
            parameters={
                "series": self.series,
                "noise": arguments.noise,
                "paper_epsilon": arguments.epsilon,
                "sigma": sigma,
                "repetitions": arguments.repetitions,
            },
            device=arguments.device,
            metrics=public | (metrics or {}),
            private_metrics={name: value for name, value in final.items() if name not in public},
            privacy=privacy,
        )


def read_curve(description: str | None, argv: list[str] | None) -> Curve:
    """The job of a command line."""
    parser = cli.job_parser(description)
    parser.add_argument("--data", required=True, help="prepared dataset of images")
    cli.add_json(parser, "--series", "the series' block of the configuration, with its network's")
    parser.add_argument("--noise", required=True, help="printed, needed or none")
    parser.add_argument("--epsilon", type=float, help="the paper's epsilon, with noise")
    parser.add_argument("--repetitions", nargs="+", type=int, required=True, help="numbers of the runs to train")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    cli.add_training(parser)
    parser.add_argument("--curves", required=True, help="errors by repetition and epoch to write, .csv")
    parser.add_argument("--weights", required=True, help="weights to write, .npz: (R, in, out) a layer")
    parser.add_argument("--output", required=True, help="the record to write")
    arguments = parser.parse_args(argv)
    series = arguments.series
    images = divided(
        arguments.data, series["train"], series["test"], series["largest"], arguments.seed, "split", arguments.dataset
    )
    return Curve(arguments, images, rdp.order_grid(**arguments.accounting["orders"]))

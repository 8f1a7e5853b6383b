"""Audit mechanisms whose epsilon is known exactly, intact and broken on purpose: table and figure."""

from itertools import product
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from lib.attacks.reference_mechanisms import (
    AUDITS,
    Gaussian,
    RandomisedResponse,
    repeated,
    response_epsilon,
    response_flip,
)
from lib.audit.bound import as_often_as_allowed
from lib.core.command import command, run
from lib.core.seeding import Draws
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import GREY, at_delta, figure, legend, save
from lib.reporting.tables import write_table, yes_no
from pate_accountant.gaussian import epsilon_analytic, sigma_analytic
from pate_accountant.statement import PrivacyStatement

TITLES = {"gaussian": "normal noise", "randomised_response": "randomised response"}
AXES = {"many_runs": "runs with the record, and without it", "one_run": "canaries of one run"}


def known(name: str, epsilon: float, delta: float, noise: float) -> tuple[Gaussian | RandomisedResponse, float]:
    """A mechanism that claims (epsilon, delta) with a share of the noise that takes, and its exact epsilon at delta."""
    if name == "gaussian":
        sigma = sigma_analytic(1.0, epsilon, delta)
        return Gaussian(sigma, noise), epsilon_analytic(1.0, sigma * noise, delta)
    flip = response_flip(epsilon, delta)
    return RandomisedResponse(flip, noise), response_epsilon(flip * noise, delta)


def stated(epsilon: float, delta: float, accountant: str, proved_bound: bool) -> PrivacyStatement:
    """An epsilon of a mechanism that looks at no data of anybody's."""
    return PrivacyStatement.data_independent(
        epsilon, delta, accountant=accountant, conversion="none", neighbouring="replace_one", proved_bound=proved_bound
    )


def row_of(audit: str, name: str, noise: float, size: int, settings: dict, seed: int) -> dict:
    """One row: a mechanism audited again and again at one size."""
    delta, level, repetitions = settings[audit]["delta"], settings["level"], settings["repetitions"]
    mechanism, exact = known(name, settings["epsilon"], delta, noise)
    bounds, largest = repeated(
        audit,
        mechanism,
        size,
        settings[audit].get("guesses", []),
        delta,
        level,
        repetitions,
        Draws(seed, ("audit_known", audit, name, f"{noise:g}", str(size))),
    ).T
    above, caught = (bounds > exact).sum(), (bounds > settings["epsilon"]).sum()
    return {
        "audit": audit,
        "mechanism": name,
        "noise": noise,
        "size": size,
        "delta": delta,
        "exact_epsilon": stated(exact, delta, f"{name}, exact", True),
        "claimed_epsilon": stated(settings["epsilon"], delta, f"{name}, claimed", noise == 1),
        "lower_bound": bounds.mean(),
        "lower_bound_least": bounds.min(),
        "lower_bound_most": bounds.max(),
        "largest": largest.max(),
        "above_exact": above / repetitions,
        "holds": yes_no(as_often_as_allowed(above, repetitions, level)),
        "caught_share": caught / repetitions,
        "caught": yes_no(caught == repetitions),
        "level": level,
        "repetitions": repetitions,
    }


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A panel for each audit and mechanism."""
    kinds, names = table["audit"].unique(), table["mechanism"].unique()
    with figure(len(kinds), len(names), height=3) as (drawn, axes):
        for axis, (kind, name) in zip(axes, product(kinds, names), strict=True):
            own = table[(table["audit"] == kind) & (table["mechanism"] == name)]
            panel(axis, own)
            axis.set(xlabel=AXES[kind], title=f"{TITLES[name]}, {at_delta(own['delta'].iloc[0])}")
            axis.set_ylim(-0.05, 1.1 * table["exact_epsilon"].max())
        for axis in axes[:: len(names)]:
            axis.set_ylabel(r"lower bound on $\varepsilon$")
        legend(drawn, axes)
        save(drawn, *paths)


def panel(axis: Axes, rows: pd.DataFrame) -> None:
    """Bounds of one audit and mechanism over sizes, and the exact epsilons."""
    for number, (noise, own) in enumerate(rows.groupby("noise", sort=False)):
        colour, called = f"C{number}", "intact" if noise == 1 else f"{noise:g} times the noise"
        axis.plot(own["size"], own["lower_bound"], "-", marker="o", markersize=3.5, color=colour, label=called)
        axis.fill_between(
            own["size"], own["lower_bound_least"], own["lower_bound_most"], color=colour, alpha=0.2, linewidth=0
        )
        axis.axhline(own["exact_epsilon"].iloc[0], color=colour, linestyle="--", linewidth=1)
    axis.plot([], [], "--", color=GREY, linewidth=1, label=r"exact $\varepsilon$")
    axis.fill_between([], [], color=GREY, alpha=0.2, linewidth=0, label="least to largest of all audits")
    axis.set(xscale="log")


@command
def main(seed: int, audit: dict, table: Path, privacy: Path, png: Path, pdf: Path) -> None:
    """Write the table, the meaning of its epsilons, and the figure.

    seed: seed of the preset. audit: the block of the configuration. table: the CSV to write. privacy: the meaning of
    its epsilons.
    """
    rows = [
        row_of(kind, name, noise, size, audit, seed)
        for kind in AUDITS
        for name in audit["mechanisms"]
        for noise in audit["noises"]
        for size in sorted(audit[kind]["sizes"])
    ]
    write_table(table, privacy, rows, key=("audit", "mechanism", "noise", "size"))
    draw(read_table(table), png, pdf)


if __name__ == "__main__":
    run(main)

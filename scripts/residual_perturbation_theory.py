"""Compute what Theorems 1 and 2 of residual perturbation say of its cost, in every interpretation; no guarantee."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from lib.core.command import command, run
from lib.reporting.tables import write_table
from lib.residual_perturbation.theorems import CONDITIONS, best_share, least_noise, theorem1, theorem2
from pate_accountant.statement import PrivacyStatement

DATA = "none: theory only"
SHARES = {"best": None, "half": 0.5}  # readings of the free lambda


def strategy1_rows(setting: dict, delta: float) -> Iterator[dict]:
    """One row a gamma, reading and condition; the uses of a sample, T b / N, are epochs or left out of account."""
    bounds = {"gamma": setting["residual_bound"], "pi": setting["input_bound"]}
    readings = [("epochs", epochs) for epochs in setting["epochs"]] + [("left out", 1)]
    for gamma, (reading, uses), share in product(setting["gammas"], readings, SHARES):
        noise = {"gamma": gamma, "pi": setting["pi_share"] * gamma}
        made = theorem1(
            **noise,
            residual_bound=bounds["gamma"],
            input_bound=bounds["pi"],
            uses=uses,
            delta=delta,
            share=SHARES[share],
        )
        about = {"dataset": setting["dataset"], "method": "Strategy I", **noise, "uses_reading": reading, "uses": uses}
        yield from condition_rows(about, made, bounds, share, setting["published"])


def strategy2_rows(setting: dict, delta: float) -> Iterator[dict]:
    """One row a gamma, reading and condition, of one prediction; uses are releases, the output layer counted or not."""
    bounds = {"gamma": setting["residual_bound"] / setting["floor"], "pi": setting["output_bound"]}
    readings = [("M", setting["mappings"]), ("M + 1", setting["mappings"] + 1)]
    for gamma, (reading, uses), share in product(setting["gammas"], readings, SHARES):
        noise = {"gamma": gamma, "pi": setting["pi_share"] * gamma}
        made = theorem2(
            **noise,
            residual_bound=setting["residual_bound"],
            floor=setting["floor"],
            output_bound=setting["output_bound"],
            mappings=uses,
            delta=delta,
            share=SHARES[share],
        )
        about = {"dataset": setting["dataset"], "method": "Strategy II", **noise, "uses_reading": reading, "uses": uses}
        yield from condition_rows(about, made, bounds, share, None)


def condition_rows(
    about: dict, made: dict[str, PrivacyStatement], bounds: dict[str, float], share: str, published: float | None
) -> Iterator[dict]:
    """One row a condition, with the gamma that the published epsilon takes, and the bound that it takes instead."""
    for condition in CONDITIONS:
        # of two conditions that with the larger bound over noise needs the larger epsilon, whatever else
        binding = max(bounds, key=lambda name: bounds[name] / about[name]) if condition == "joint" else condition
        noise, bound, delta = about[binding], bounds[binding], made[condition].delta
        row = about | {
            "lambda_reading": share,
            "lambda": SHARES[share] or best_share(noise, bound, about["uses"], delta),
            "condition": condition,
            "bound": bound,
            "epsilon_theorem": made[condition],
            "delta": delta,
        }
        compared: dict[str, float | None] = dict.fromkeys(("times_the_papers", "gamma_needed", "bound_needed"))
        if published:
            needed = least_noise(published, bound, about["uses"], delta, SHARES[share]) / noise
            compared["times_the_papers"] = made[condition].epsilon / published
            compared |= {"gamma_needed": about["gamma"] * needed, "bound_needed": bound / needed}
        about_it = {"stands_for": about["dataset"], "protocol": "paper", "seeds": 0, "data": DATA}
        yield row | {"paper_epsilon": published} | compared | about_it


@command
def main(theory: dict, table: Path, privacy: Path) -> None:
    """Write the table.

    theory: delta, strategy1 and strategy2 of the block `theory`. table: the .csv to write. privacy: the .csv of what
    its epsilons mean to write.
    """
    rows = [row for setting in theory["strategy1"] for row in strategy1_rows(setting, theory["delta"])]
    rows += [row for setting in theory["strategy2"] for row in strategy2_rows(setting, theory["delta"])]
    key = ("dataset", "method", "gamma", "uses_reading", "uses", "lambda_reading", "condition")
    write_table(table, privacy, rows, key=key)


if __name__ == "__main__":
    run(main)

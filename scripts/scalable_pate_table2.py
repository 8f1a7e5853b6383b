"""Table 2 of Scalable PATE (Appendix B): what it costs to publish a data-dependent epsilon."""

from pathlib import Path

from lib.core.command import command, run
from lib.reporting.results import by_job, data_name, numbers, statement
from lib.reporting.spread import mean_and_spread
from lib.reporting.tables import write_table
from pate_accountant.released_epsilon import TOGETHER


def row(run: dict, records: list[dict]) -> dict:
    """One row: the paper's release, the same at its exact cost, the best at the exact cost, and the fixed one."""
    ensemble = run["ensemble"]

    def number(name: str) -> float | None:
        return numbers(records, name, private=True)[0]

    def release(name: str) -> dict:
        """The columns of one release."""
        return {
            f"{name}_beta": number(f"{name}_beta"),
            f"{name}_smooth_sensitivity": number(f"{name}_smooth_sensitivity"),
            f"{name}_sigma_ss": number(f"{name}_sigma_ss"),
            f"{name}_gnss_cost": number(f"{name}_gnss_cost"),
            f"{name}_sanitized_epsilon_mean": statement(records, f"sanitized_epsilon_{name}")[0],
            f"{name}_sanitized_epsilon_std": number(f"{name}_std"),
        }

    epsilon, epsilon_spread = statement(records, "epsilon")
    printed = {key.removeprefix("printed_"): value for key, value in release("printed").items()}

    def fraction(name: str) -> tuple[float | None, float | None]:
        """Return what the release adds to epsilon, as a share of it; mean and spread."""
        privacy = [record["privacy"] for record in records if f"sanitized_epsilon_{name}" in record["privacy"]]
        return mean_and_spread([p[f"sanitized_epsilon_{name}"].epsilon / p["epsilon"].epsilon - 1 for p in privacy])

    as_printed, as_printed_spread = fraction("printed")
    as_exact, as_exact_spread = fraction("exact")
    return (
        {
            "dataset": ensemble["label"],
            "aggregator": run["aggregator"],
            "order": number("order"),
            "epsilon": epsilon,
        }
        | printed
        | {
            "delta": run["delta"],
            "data": data_name(records[0]),
            "run": run["name"],
            "stands_for": ensemble.get("stands_for", ensemble["label"]),
            "protocol": ensemble["protocol"],
            "seeds": len(records) if len(records) > 1 else 0,
            "epsilon_spread": epsilon_spread,
            "sanitizing_cost_fraction": as_printed,
            "sanitizing_cost_fraction_spread": as_printed_spread,
            "sanitizing_cost_fraction_exact": as_exact,
            "sanitizing_cost_fraction_exact_spread": as_exact_spread,
            # the paper's parameters at the exact cost of their release
            "repriced_gnss_cost": number("repriced_gnss_cost"),
            "repriced_sanitized_epsilon_mean": statement(records, "sanitized_epsilon_repriced")[0],
        }
        | release("exact")
        # parameters fixed before the votes were seen, every query charged: this one holds
        | {"fixed_order": number("fixed_order")}
        | release("fixed")
        # of the first repetition alone: the mean of several draws is no draw, and not what one release would publish
        | {"fixed_sanitized_epsilon_released": statement(records[:1], "sanitized_epsilon_released")[0]}
        # what holds for the answers alone, and for the answers and the value of `fixed`, published together
        | {name: statement(records, name)[0] for name in ("epsilon_caps", TOGETHER)}
    )


@command
def main(runs: list, records: list[Path], table: Path, privacy: Path) -> None:
    """Write the table.

    runs: the blocks of the runs, each with its name and its ensemble's block under ensemble. records: records of
    sanitize_epsilon. table: the table, .csv. privacy: the meaning of its epsilons, .csv.
    """
    found = by_job(records)
    rows = [row(block, found["sanitize_epsilon", block["name"]]) for block in runs]
    write_table(table, privacy, rows, key=("dataset", "aggregator"))


if __name__ == "__main__":
    run(main)

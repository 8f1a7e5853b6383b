"""The privacy statement of a release: what was announced, what was spent, and on what it rests."""

from lib.accounting.discrete import CONTINUOUS, DISCRETE, KIND, is_discrete
from lib.accounting.draws import as_dict
from lib.release.pricing import check_draws, statement

PROTECTS = (
    "one record of the private data, replaced by any other: whoever sees this folder learns hardly more than without it"
)

ANSWERS = ("gnmax", "lnmax", DISCRETE["gnmax"])  # draws that a label comes of
CHECKS = ("threshold", DISCRETE["threshold"])  # draws that decide whether there is one


def delta_fault(delta: float, samples: int) -> str | None:
    """What is wrong with a delta that lets a mechanism publish one of so many records, None if nothing is."""
    if samples >= 1 and delta * samples < 1:
        return None
    return f"delta {delta:g}: allowed is less than 1 / private_samples, of which there are {samples}"


def announced_draws(run: dict, released: list[dict]) -> list[dict]:
    """The most draws that a run of gnmax or confident_gnmax may make, known before it; and the release of an epsilon.

    released: draws of `sanitize_epsilon`, none where no data-dependent epsilon is published.
    """

    def draws(name: str, count: int, parameters: dict[str, float]) -> dict:
        return as_dict(DISCRETE[name] if is_discrete(run) else name, count, parameters)

    if run["aggregator"] == "gnmax":
        return [draws("gnmax", run["queries"], {"sigma": run["sigma"]}), *released]
    checks = {"sigma": run["sigma_threshold"], "threshold": run["threshold"]}
    return [
        draws("threshold", run["queries"], checks),
        draws("gnmax", run["max_answered"], {"sigma": run["sigma"]}),
        *released,
    ]


def reason(noise_seed: int | None) -> str:
    """Why a release is private, or not."""
    if noise_seed is None:
        return "the noise was drawn from the entropy of the operating system and is known to nobody"
    return (
        f"the noise was drawn with the seed {noise_seed}, for reproduction: whoever knows the seed can subtract it, "
        "and nothing here is private"
    )


def privacy(
    run: dict,
    orders: list[float],
    noise_seed: int | None,
    spent: list[dict],
    released: list[dict],
    sanitized: dict | None,
) -> dict:
    """Everything that privacy.json says.

    spent: the ledger of the run. released, sanitized: the draws of a published data-dependent epsilon and its
    statement, if there is one; they are part of what is announced and spent. Every epsilon holds for the whole folder.
    Raises InputError for draws that are no ledger.
    """
    private = noise_seed is None
    delta, announced = run["delta"], announced_draws(run, released)
    spent = [*spent, *released]
    check_draws(announced, "announced")
    check_draws(spent, "spent")
    # the number of checks is known from what was released only where there is none
    counts_are_fixed = run["aggregator"] == "gnmax"
    return {
        "format": 1,
        "private": private,
        "reason": reason(noise_seed),
        "noise_seed": noise_seed,
        "noise": KIND if is_discrete(run) else CONTINUOUS,
        "protects": PROTECTS,
        "neighbouring": "replace_one",
        "delta": delta,
        "orders": orders,
        "announced": {
            "draws": announced,
            "statement": statement(orders, announced, delta, fixed=True, guarantee=private).as_dict(),
        },
        "spent": {
            "draws": spent,
            "statement": statement(
                orders, spent, delta, fixed=counts_are_fixed, guarantee=private and counts_are_fixed
            ).as_dict(),
        },
        "sanitized": sanitized,
    }

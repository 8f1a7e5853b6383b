"""The privacy statement of a release: what was announced, what was spent, and what that means."""

import math
from fractions import Fraction

from lib.release.pricing import check_draws, statement
from pate_accountant.discrete import CONTINUOUS, DISCRETE, KIND, is_discrete
from pate_accountant.draws import as_dict

# what may happen to one record, by neighbouring relation
_CHANGES = {"replace_one": "replaced by any other", "add_or_remove_one": "added or removed"}
LARGEST_EPSILON = 10.0  # announced, if nobody says otherwise
_LARGEST_WRITTEN = 1000  # larger factors are written as powers of ten

ANSWERS = ("gnmax", "lnmax", DISCRETE["gnmax"])  # draws that a label comes of
CHECKS = ("threshold", DISCRETE["threshold"])  # draws that decide whether there is one


def delta_fault(delta: float, samples: int) -> str | None:
    """Say what is wrong with a delta that lets a mechanism publish one of so many records; None if nothing is."""
    if samples >= 1 and delta * samples < 1:
        return None
    return f"delta {delta:g}: allowed is less than 1 / private_samples, of which there are {samples}"


def epsilon_fault(epsilon: float, largest: float) -> str | None:
    """Say what is wrong with an epsilon; None if it is no larger than `largest` (`release.largest_epsilon`)."""
    if epsilon <= largest:
        return None
    return f"epsilon {shown(epsilon)} is announced: allowed is at most release.largest_epsilon = {largest}"


def announced_draws(run: dict, released: list[dict]) -> list[dict]:
    """Return the most draws that a run of gnmax or confident_gnmax may make, known before it, and an epsilon's release.

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


def shown(epsilon: float) -> str:
    """Return an epsilon as pages write it, rounded up to two decimals."""
    return f"{_up(epsilon, 2):,.2f}"


def meaning(noise_seed: int | None, statement: dict) -> str:
    """Describe what a release gives away, in Markdown, by whether the noise is known, epsilon, delta and relation.

    statement: a `PrivacyStatement` as a mapping. Numbers are rounded up, and no word says how large they are. "Except
    with probability delta" is the tail of the privacy loss that the classic conversion bounds (Mironov 2017, Prop. 3).
    """
    if noise_seed is not None:
        return (
            f"**NOT PRIVATE**: the noise was drawn with the seed {noise_seed}, for reproduction. Whoever knows the "
            "seed can subtract it, and nothing here is private."
        )
    epsilon, delta = shown(statement["epsilon"]), statement["delta"]
    return (
        f"**Epsilon {epsilon} at delta {delta}**: this folder changes the odds of any conclusion about one record "
        f"of the private data, {_CHANGES[statement['neighbouring']]}, by a factor of at most e^{epsilon} "
        f"({_factor(statement['epsilon'])}), except with probability {delta}. The noise was drawn from the entropy of "
        "the operating system and is known to nobody."
    )


def _factor(epsilon: float) -> str:
    """e to the shown epsilon, rounded up."""
    epsilon = _up(epsilon, 2)
    if epsilon < math.log(_LARGEST_WRITTEN):
        return f"{_up(math.exp(epsilon), 2):.2f}"
    return f"10^{_up(epsilon / math.log(10), 1):,.1f}"


def _up(value: float, decimals: int) -> float:
    """Return the number as it is written, rounded up."""
    return math.ceil(Fraction(repr(value)) * 10**decimals) / 10**decimals


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
    unknown = noise_seed is None
    delta, announced = run["delta"], announced_draws(run, released)
    spent = [*spent, *released]
    check_draws(announced, "announced")
    check_draws(spent, "spent")
    # the number of checks is known from what was released only where there is none
    counts_are_fixed = run["aggregator"] == "gnmax"
    before = statement(orders, announced, delta, fixed=True, proved_bound=unknown).as_dict()
    return {
        "format": 2,
        "meaning": meaning(noise_seed, before),
        "noise_seed": noise_seed,
        "noise": KIND if is_discrete(run) else CONTINUOUS,
        "neighbouring": "replace_one",
        "delta": delta,
        "orders": orders,
        "announced": {
            "draws": announced,
            "statement": before,
        },
        "spent": {
            "draws": spent,
            "statement": statement(
                orders, spent, delta, fixed=counts_are_fixed, proved_bound=unknown and counts_are_fixed
            ).as_dict(),
        },
        "sanitized": sanitized,
    }

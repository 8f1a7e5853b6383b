"""Ways to train with noise, beside what the paper prints at two noise coefficients: does one way give both?"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lib.attacks.summary import SEEN, Attacked, only, read_attacked, summary_row
from lib.attacks.threshold import THRESHOLD
from lib.core.command import command, run
from lib.core.errors import InputError
from lib.reporting.claims.cells import read_table
from lib.reporting.tables import write_numbers, yes_no

RECIPE = ["pixels", "noise", "weight_decay", "rate_falls_at", "epochs"]
SHOWN = [
    *("dataset", "attack", "auc", "auc_spread", "train_accuracy", "train_accuracy_spread", "test_accuracy"),
    *("test_accuracy_spread", "attacker_works", "seeds", "stands_for", "protocol", "data"),
]


def words_of(trained: dict) -> dict:
    """How networks were trained, as the table has it: what all rows of one recipe have in common."""
    recipe, form = trained["recipe"], trained["form"]
    noise = "sums" if form.get("pi_share") == 0 else f"{form.get('start', 'image')} and sums"
    if form.get("scaling", "unscaled") == "std":
        noise += ", times deviation"
    falls = ", ".join(f"{epoch / recipe['epochs']:.0%}" for epoch in recipe["milestones"])
    pixels = SEEN[recipe["scale"]].format(largest=trained["largest"])
    return dict(zip(RECIPE, (pixels, noise, recipe["weight_decay"], falls, recipe["epochs"]), strict=True))


def answered(table: pd.DataFrame, points: list[dict], floors: list[dict]) -> pd.DataFrame:
    """Add the answer of each recipe, the same in all its rows.

    `both`: near all points. `not both`: it has a row at every point, and is not near all. `excluded`: at the largest
    noise it is less accurate than the floor of its length, or of the longest of fewer epochs. Else `open`.
    """

    def floor(epochs: int) -> float:
        return max((each["test_accuracy"] for each in floors if each["epochs"] <= epochs), default=0)

    def answer(rows: pd.DataFrame) -> str:
        strongest = rows[rows["gamma"] == points[-1]["gamma"]]
        if (strongest["test_accuracy"] < strongest["epochs"].map(floor)).any():
            return "excluded"
        if len(rows) < len(points):
            return "open"
        return "both" if (rows["near"] == "yes").all() else "not both"

    told = {words: answer(rows) for words, rows in table.groupby(RECIPE)}
    return table.assign(answer=[told[words] for words in table[RECIPE].itertuples(index=False, name=None)])


@command
def main(
    records: list[Path],
    control: Path,
    tasks: dict,
    methods: dict,
    points: list,
    tolerance: float,
    floors: list,
    recipes: list,
    table: Path,
    table3: Path | None = None,
) -> None:
    """Write the table: a row for each recipe at each point where it was trained.

    records: records of attacks; scores and curves lie beside them. control: record of the attack on what was learned by
    heart. tasks, methods: what is said of each, by name. points: gamma, auc and test_accuracy that the paper prints, by
    rising noise. tolerance: by which a row near a point differs at most, in area and in accuracy. floors: epochs and
    the test accuracy below which a recipe is excluded. recipes: title, gamma, recipe, form and largest grey value of
    each row. table: the .csv to write. table3: Table III, for rows without a record.
    """
    found = read_attacked(records, tasks, methods)
    (learned,) = read_attacked([control], tasks, methods)
    printed = read_table(table3) if table3 else None
    printed_of = {point["gamma"]: point for point in points}
    rows = []
    for trained in recipes:
        own, point = measured(found, learned, printed, trained), printed_of[trained["gamma"]]
        away = [abs(own[name] - point[name]) for name in ("auc", "test_accuracy")]
        row = words_of(trained) | {"gamma": trained["gamma"]} | {name: own[name] for name in SHOWN}
        row |= {"paper_auc": point["auc"], "paper_test_accuracy": point["test_accuracy"]}
        rows.append(row | {"near": yes_no(max(away) <= tolerance)})
    write_numbers(table, answered(pd.DataFrame(rows), points, floors))


def measured(found: Sequence[Attacked], control: Attacked, printed: pd.DataFrame | None, trained: dict) -> dict:
    """Return the attack on the networks of a row by a threshold: of its record, or of Table III."""
    title, gamma = trained["title"], trained["gamma"]
    if any((each.method["title"], each.gamma) == (title, gamma) for each in found):
        return summary_row(only(found, title=title, gamma=gamma), 1, THRESHOLD, control)
    if printed is None:
        raise InputError(f"{title} at {gamma:g}: there is no record of it, nor a Table III")
    own = printed[(printed["method"] == title) & (printed["gamma"] == gamma) & (printed["members"] == 1)]
    own = own[own["attack"] == THRESHOLD]
    if len(own) != 1:
        raise InputError(f"{title} at {gamma:g}: Table III has {len(own)} rows of it, one is needed")
    return own.iloc[0].to_dict()


if __name__ == "__main__":
    run(main)

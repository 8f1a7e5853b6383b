"""Choose the settings of the board's methods: the same number of settings for each method and budget, by accuracy.

    python -m bench.board_settings DATA TABLE

DATA: the prepared dataset of the leaderboard of the preset real (results/real/private/data/cifar10.npz). The private
sets that settings are tried in are sampled from images of its training set that no private set of the leaderboard
holds, and that are not in its pool. So the leaderboard's epsilons say nothing of them, as of public data. Accuracy is
that on others of these images, the mean over the sets. The leaderboard's own test set is not looked at.

A table that exists is gone on with. The catalogue has the best of each method and budget, the first of equals.
"""

import argparse
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from threadpoolctl import threadpool_limits

from lib.core.code_inputs import ROOT
from lib.core.files import atomic_path
from lib.core.seeding import Draws
from lib.data.samples import Samples, read_samples
from lib.leaderboard.features import told
from lib.leaderboard.method import Given, Method
from lib.leaderboard.method_settings import settings_at
from lib.leaderboard.methods import build_method
from lib.leaderboard.votes import teacher_votes
from lib.leaderboard.worlds import PrivateWorlds, PublicPart, draw_worlds, parted
from lib.plan.config import layered
from lib.plan.leaderboard_checks import ASK_TEACHERS, promises
from lib.training.context import Context
from lib.training.device import choose_device
from pate_accountant.rdp import order_grid

TABLE = ROOT / "bench" / "board_settings.csv"
JOB = ("leaderboard", "settings")
WORLDS, TEST = 2, 5000
LINEAR, HIDDEN = {"hidden": []}, {"hidden": [64]}


def combined(*choices: list[dict]) -> list[dict]:
    """Every choice of the first with every one of the second, and so on; blocks are joined key by key."""
    found = []
    for parts in itertools.product(*choices):
        joined: dict = {}
        for part in parts:
            for name, value in part.items():
                joined[name] = {**joined.get(name, {}), **value} if isinstance(value, dict) else value
        found.append(joined)
    return found


def recipes(**values: list) -> list[dict]:
    """Every combination of values of a recipe."""
    return [{"recipe": dict(zip(values, chosen, strict=True))} for chosen in itertools.product(*values.values())]


STUDENTS = [{"student": LINEAR}, {"student": HIDDEN}]
CHECKED = [(200, 50), (200, 100), (500, 100), (500, 250), (1000, 250), (1000, 500)]  # queries, and answers at most
ASKED = combined([{"queries": queries} for queries in (50, 100, 200, 400, 700, 1000)], STUDENTS)
TEACHERS = [{"teachers": count} for count in (100, 200, 400)]
BY_GRADIENTS = combined([LINEAR, HIDDEN, {"hidden": [256]}], recipes(rate=[0.0003, 0.001], epochs=[10, 30]))
COLUMNS = ("method", "epsilon", "settings", "accuracy", "least", "most")
SETTINGS = {  # of the methods that are tried; the others have those of one of these, or were set by hand
    "feature_plain": BY_GRADIENTS,
    "feature_untouched": BY_GRADIENTS,
    "feature_dp_sgd": combined([LINEAR, HIDDEN], recipes(rate=[0.5, 1.0, 2.0], epochs=[10, 30])),
    "feature_dp_mac": combined(
        [{"hidden": [32]}, {"hidden": [128]}],
        [{"threshold": 0.1}, {"threshold": 0.3}],
        recipes(w_rate=[0.01, 0.03, 0.1]),
    ),
    "feature_dp_sgd_warm": recipes(rate=[0.5, 1.0, 2.0, 4.0], epochs=[3, 10, 30]),
    "feature_lnmax": ASKED,
    "feature_gnmax": ASKED,
    "feature_encoded_mean": ASKED,
    "feature_confident": combined([{"queries": q, "max_answered": a} for q, a in CHECKED], STUDENTS),
    "feature_interactive": combined([{"queries": q, "first": q // 2, "max_answered": a} for q, a in CHECKED], STUDENTS),
    "teachers": TEACHERS,
}
METHODS = {"teachers": "feature_gnmax"}  # of what is tried beside a method's own settings, with those of each epsilon


def tried(block: dict) -> Iterator[tuple[str, float | None, dict]]:
    """Every method, budget (None: it has none) and what is laid over the method's block."""
    for name, settings in SETTINGS.items():
        for epsilon in block["epsilons"] if promises(block["methods"][METHODS.get(name, name)]) else [None]:
            for over in settings:
                yield name, epsilon, over


def best(table: pd.DataFrame) -> dict[tuple[str, float | None], dict]:
    """The most accurate settings of each method and budget, the first of equals."""
    rows = table.loc[table.groupby(["method", "epsilon"], dropna=False)["accuracy"].idxmax()]
    return {
        (row.method, None if np.isnan(row.epsilon) else row.epsilon): json.loads(row.settings)
        for row in rows.itertuples()
    }


def others(samples: Samples, block: dict, seed: int) -> Samples:
    """The images of the training set that the board's worlds and its pool do not hold."""
    used, _ = parted(
        samples, 2 * block["slots"] + block["public"], block["test"], Draws(seed, ("leaderboard", "worlds"))
    )
    left = np.setdiff1d(np.arange(samples.official_train), used)
    return Samples(samples.x[left], samples.y[left], samples.fingerprint, None)


def drawn(samples: Samples, block: dict, seed: int) -> tuple[PrivateWorlds, PublicPart]:
    """Sample private sets of these images as the leaderboard does, described by features of their own pool."""
    sizes = {name: block[name] for name in ("slots", "canaries", "public", "classes")}
    worlds = draw_worlds(samples, **sizes, worlds=WORLDS, test=TEST, draws=Draws(seed, JOB))
    return told(*worlds, **block["features"], unit=block["largest"], draws=Draws(seed, JOB))


class Trial:
    """The worlds, and the accuracy in percent of a method in each."""

    def __init__(self, config: dict, samples: Samples, device: torch.device) -> None:
        """config: the whole configuration, of which the block leaderboard and the teachers' model are used."""
        self._block, self._models, self._device = config["leaderboard"], config["models"], device
        self._seed = config["seed"]
        self._private, self._public = drawn(others(samples, self._block, self._seed), self._block, self._seed)
        self._votes: dict[tuple[int, int], np.ndarray] = {}

    def accuracy(self, name: str, epsilon: float | None, over: dict) -> list[float]:
        """Of the catalogue's method with `over` laid over its block, in every world."""
        block = self._block
        method = block["methods"][METHODS.get(name, name)]
        base = settings_at(method, epsilon if name in METHODS else None)
        settings = settings_at({**base, "per_epsilon": [[epsilon, over]]}, epsilon)
        settings.pop("title")
        if settings["kind"] in ASK_TEACHERS:
            settings.setdefault("teachers", block["teachers"]["count"])
        slots, shape = self._private.slots, self._private.x.shape[1:]
        given = (block["classes"], block["largest"], epsilon, block["delta"], order_grid(**block["orders"]))
        built = build_method(settings, slots, shape, *given)
        return [self._in_world(world, built, (*JOB, name, f"{epsilon}", str(world))) for world in range(WORLDS)]

    def _in_world(self, world: int, built: Method, job: tuple[str, ...]) -> float:
        votes = self._asked(world, built.teachers) if built.teachers else None
        context = Context(self._seed, job, self._device)
        predict = built.fit(Given(*self._private.world(world), self._public, votes, context))
        return 100 * float((predict(self._public.test_x).argmax(1) == self._public.test_y).mean())

    def _asked(self, world: int, teachers: int) -> np.ndarray:
        """The teachers' votes about the pool, counted once."""
        if (world, teachers) not in self._votes:
            model, job = self._models[self._block["teachers"]["model"]], (*JOB, "teachers", str(world))
            given = (*self._private.world(world), teachers, model, self._public.x, self._block["classes"])
            self._votes[world, teachers] = teacher_votes(*given, Context(self._seed, job, self._device))
        return self._votes[world, teachers]


def main() -> None:
    """Try all that the table has not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the prepared dataset")
    parser.add_argument("table", type=Path, nargs="?", default=TABLE, help="the CSV to write")
    arguments = parser.parse_args()
    config = layered([ROOT / "presets" / "real.yaml"])
    threadpool_limits(1)  # the teachers are scikit-learn's
    trial = Trial(config, read_samples(arguments.data), choose_device("cpu", 1))
    rows = pd.read_csv(arguments.table).to_dict("records") if arguments.table.exists() else []
    known = {(row["method"], str(row["epsilon"]), row["settings"]) for row in rows}
    for name, epsilon, over in tried(config["leaderboard"]):
        key = (name, str(np.nan if epsilon is None else epsilon), json.dumps(over, sort_keys=True))
        if key in known:
            continue
        found = trial.accuracy(name, epsilon, over)
        rows.append(dict(zip(COLUMNS, (name, epsilon, key[2], np.mean(found), min(found), max(found)), strict=True)))
        print(*key, f"{np.mean(found):.2f}", flush=True)
        with atomic_path(arguments.table) as temporary:
            pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()

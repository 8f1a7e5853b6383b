"""Figures of Scalable PATE, from votes that are made up: what their scripts write, and that nothing else is drawn."""

import json

import numpy as np
import pandas as pd
import pytest

from lib.core.files import save_arrays
from lib.core.records import write_record
from lib.plan.config import LEDGER
from scripts import (
    account,
    label_tradeoff,
    scalable_pate_epsilon,
    scalable_pate_fig1,
    scalable_pate_fig4,
    scalable_pate_fig5,
)
from tests.redrawn import assert_redrawn

pytestmark = pytest.mark.slow

ACCOUNTING = {"orders": {"linear": [2.0, 20.0, 0.5], "logarithmic": [20.0, 100.0, 10]}, "moments": 8}
ACCOUNTING["curve_points"] = 20
ENSEMBLE = {"name": "own", "dataset": "own", "label": "Open Glyph", "stands_for": "Glyph", "protocol": "reduced"}
ENSEMBLE |= {"teachers": 20, "private": 4000}
LNMAX = {"aggregator": "lnmax", "queries": 60, "laplace_scale": 2.0, "delta": 1e-3}
CONFIDENT = {"aggregator": "confident_gnmax", "queries": 60, "threshold": 12, "sigma_threshold": 4.0, "sigma": 2.0}
CONFIDENT |= {"delta": 1e-3, "max_answered": 60}
RUNS = {"glyph_lnmax": LNMAX, "glyph_confident": CONFIDENT}
PAPER = {"queries_answered": "scalable_pate.v01", "epsilon": "scalable_pate.v02"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two draws of the votes of 20 teachers and of 10, and what each run on the former costs."""
    root = tmp_path_factory.mktemp("pate")
    rng = np.random.default_rng(1)
    for name, teachers in (("1", 20), ("2", 20), ("small1", 10), ("small2", 10)):
        truth = rng.integers(0, 3, 80)
        sure = rng.uniform(0.3, 1.0, 80)
        chances = (1 - sure[:, None]) / 3 + sure[:, None] * np.eye(3)[truth]
        votes = np.array([rng.multinomial(teachers, each) for each in chances])
        save_arrays(root / f"votes{name}.npz", votes=votes, labels=truth, fingerprint=np.array("ab" * 32))
    for name, run in RUNS.items():
        for draw in "12":
            account.main(
                [
                    *[f"--votes={root}/votes{draw}.npz", "--teachers=20", f"--run={json.dumps(run)}", "--seed=1"],
                    *[f"--accounting={json.dumps(ACCOUNTING)}", "--preset=test", "--dataset=own"],
                    *["--job", "account", name, draw, f"--record={root}/{name}{draw}.json"],
                    f"--curve={root}/{name}{draw}.npz",
                ]
            )
    return root


def figure(folder, item, script, *arguments, others=()):
    """Run a script; the tables that it wrote, of which the first `others` make the figure with its own."""
    files = {"numbers": "", **{other: f"_{other}" for other in others}}
    paths = {name: folder / f"{item}{end}.csv" for name, end in files.items()}
    options = [f"--{name.replace('_', '-')}={path}" for name, path in paths.items()]
    pictures = [f"--{end}={folder / item}.{end}" for end in ("png", "pdf")]
    script.main([*arguments, *options, *pictures])
    return paths


def test_epsilon_is_drawn_with_the_papers_points(folder):
    runs = [run | {"name": name, "ensemble": ENSEMBLE, "claims": {}} for name, run in RUNS.items()]
    runs[1]["claims"] = PAPER
    names = [f"{folder}/{name}{draw}" for name in RUNS for draw in "12"]
    given = ["--runs", json.dumps(runs), "--records", *(f"{name}.json" for name in names)]
    given += ["--curves", *(f"{name}.npz" for name in names)]
    given += ["--claims", *map(str, LEDGER)]
    paths = figure(folder, "epsilon", scalable_pate_epsilon, *given)
    table = pd.read_csv(paths["numbers"])
    printed = table.dropna(subset=["paper_epsilon"])
    assert set(printed["run"]) == {"glyph_confident"} and set(table["run"]) == set(RUNS)
    assert printed[["paper_queries_answered", "paper_epsilon"]].drop_duplicates().to_numpy().tolist() == [[100, 2.04]]
    assert_redrawn(scalable_pate_epsilon, folder / "epsilon.png", paths["numbers"])


def test_students_epsilon_and_consensus_are_drawn_from_three_tables(folder):
    runs, records = [], [f"{folder}/{name}{draw}.json" for name in RUNS for draw in "12"]
    for name, run in RUNS.items():
        runs.append(run | {"name": name, "ensemble": ENSEMBLE, "student_kind": "random_forest"})
        for stage, number in (("aggregate", 30.0), ("train_student", 70.0)):
            for draw in "12":
                records.append(f"{folder}/{stage}_{name}{draw}.json")
                found = {"queries_answered": number, "student_accuracy": number + int(draw), "label_accuracy": 90.0}
                about = {"preset": "test", "seed": 1, "dataset": "own", "fingerprint": "ab" * 32, "parameters": {}}
                about["code"] = "c0" * 32
                write_record(records[-1], job=[stage, name, draw], metrics=found, **about)
    names = [f"{folder}/{name}{draw}" for name in RUNS for draw in "12"]
    given = ["--runs", json.dumps(runs), "--records", *records, "--curve-records", *(f"{name}.json" for name in names)]
    given += ["--curves", *(f"{name}.npz" for name in names), "--votes", f"{folder}/votes1.npz", f"{folder}/votes2.npz"]
    given += ["--figure", json.dumps({"selection": CONFIDENT, "queries": 60, "bins": 5})]
    others = ("privacy", "epsilon", "histogram", "comparison", "comparison_privacy")
    paths = figure(folder, "fig1", scalable_pate_fig1, *given, others=others)
    students = pd.read_csv(paths["numbers"])
    assert students["student_accuracy"].tolist() == [71.5, 71.5] and students["epsilon"].gt(0).all()
    assert len(pd.read_csv(paths["histogram"])) == 2 * 5 and len(pd.read_csv(paths["comparison"])) == 1 + 6
    tables = [paths[name] for name in ("numbers", "epsilon", "histogram")]
    assert_redrawn(scalable_pate_fig1, folder / "fig1.png", *tables)


def test_accuracy_over_epsilon_is_drawn_of_the_ensembles_of_each_panel(folder):
    small, draws = ENSEMBLE | {"name": "small", "teachers": 10}, ("1", "2", "small1", "small2")
    blocks = [ENSEMBLE, ENSEMBLE, small, small]
    tradeoff = {"queries": 60, "delta": 1e-3, "laplace_scale": [0.5, 2.0], "sigma": [0.5, 2.0, 4.0]}
    for name, block in zip(draws, blocks, strict=True):
        label_tradeoff.main(
            [
                *[f"--votes={folder}/votes{name}.npz", f"--teachers={block['teachers']}", "--repetitions=3"],
                *["--tradeoff", json.dumps(tradeoff), "--accounting", json.dumps(ACCOUNTING), "--seed=1"],
                *["--preset=test", "--dataset=own", "--job", "label_tradeoff", "own", name],
                f"--table={folder}/tradeoff{name}.csv",
            ]
        )
    given = ["--tradeoffs", *(f"{folder}/tradeoff{name}.csv" for name in draws)]
    given += ["--ensembles", json.dumps(blocks), "--figure", json.dumps({"left": "own", "right": ["own", "small"]})]
    paths = figure(folder, "fig4", scalable_pate_fig4, *given, others=("comparison", "comparison_privacy"))
    panels = pd.read_csv(paths["numbers"])[["ensemble", "left", "right", "private_samples"]].drop_duplicates()
    assert panels.to_numpy().tolist() == [["own", "yes", "yes", 4000], ["small", "no", "yes", 4000]]
    assert_redrawn(scalable_pate_fig4, folder / "fig4.png", paths["numbers"])


def test_what_checks_select_and_cost_is_drawn_from_two_tables(folder):
    runs = {"lnmax": LNMAX, "moderate": CONFIDENT, "aggressive": CONFIDENT | {"threshold": 16}}
    given = ["--votes", f"{folder}/votes1.npz", f"{folder}/votes2.npz", "--ensemble", json.dumps(ENSEMBLE)]
    given += ["--figure", json.dumps({"runs": runs, "bins": 5, "queries": 60, "order": 5.0})]
    given += ["--accounting", json.dumps(ACCOUNTING)]
    others = ("histogram", "comparison", "comparison_privacy")
    paths = figure(folder, "fig5", scalable_pate_fig5, *given, others=others)
    assert set(pd.read_csv(paths["numbers"])["series"]) == set(runs)
    assert_redrawn(scalable_pate_fig5, folder / "fig5.png", paths["numbers"], paths["histogram"])

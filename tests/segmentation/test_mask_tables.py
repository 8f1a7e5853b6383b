"""Tables and figures of PATE for masks, from records and measurements of tiny phantoms."""

import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lib.core.errors import InputError
from lib.encoders.reconstruction import errors_over_noise, noisy_reconstruction
from lib.segmentation.released import cost_of_codes
from pate_accountant.encoded_mean import calibrated
from pate_accountant.rounding import rounded_up
from scripts import (
    autoencoded_pate_fig1,
    autoencoded_pate_fig2,
    autoencoded_pate_noise,
    autoencoded_pate_results,
    autoencoded_pate_sensitivity,
    compressed_pate_external,
    compressed_pate_fig1,
    compressed_pate_fig2,
    compressed_pate_fig3,
    compressed_pate_limits,
    measure_external,
    pca_formula,
)
from tests.redrawn import assert_redrawn
from tests.segmentation.conftest import ENCODERS, MADE, MEAN_MASK, SEED, SIDES, TASK, TRUTH, WHOLE, record_of

pytestmark = pytest.mark.slow

SWEEP = {"block": [8, 8, 8], "sigmas": [0.05, 0.5, 2.0], "shown": 2, "fixed": 4}
ERRORS = {name: SWEEP[name] for name in ("sigmas", "shown")}
LIMITS = {"teachers": [100, 1000], "epsilons": [1.0, 8.0], "queries": 2, "delta": 1e-3, "route": "analytic"}
SEEDS = (1, 2)  # repetitions of what is measured


def made(folder, script, *arguments, **files):
    """Run a script that writes files of these ends, named by their options; returns the tables among them.

    A picture is drawn again from the numbers behind it.
    """
    paths = {name: folder / f"{name}{end}" for name, end in files.items()}
    script.main([*arguments, *(f"--{name}={path}" for name, path in paths.items())])
    for path in paths.values():
        assert path.stat().st_size
        if path.suffix == ".png":
            assert path.read_bytes()[:4] == b"\x89PNG"
            assert_redrawn(script, path, paths["numbers"])
    return {name: pd.read_csv(path) for name, path in paths.items() if path.suffix == ".csv"}


ROOT = Path(__file__).parents[2]
CLAIMS = pd.concat(pd.read_csv(ROOT / name, keep_default_na=False) for name in ("claims.csv", "checks.csv"))


def assert_claimed(table, paper, item):
    """The table has every column that a claim about it names."""
    about = CLAIMS[(CLAIMS["paper"] == paper) & CLAIMS["table"].str.split(";").map(lambda tables: item in tables)]
    assert len(about)
    for claim in about.to_dict("records"):
        rows = [part.partition("=")[0] for key in ("row", "than_row", "gate") for part in claim[key].split(";")]
        columns = {*rows, claim["column"], claim["than_column"]} - {""}
        assert columns <= set(table), f"{claim['id']}: {sorted(columns - set(table))}"


FIGURE = {"png": ".png", "pdf": ".pdf"}


def records(*paths):
    return [f"{path}.json" for path in paths]


def written_epsilons(codes, route, budgets):
    """What tables say that labellings cost, to six digits and rounded up; each costs its budget."""
    found = {said.epsilon for name, said in cost_of_codes(record_of(codes)).items() if name.endswith(f" {route}")}
    assert sorted(found) == pytest.approx(sorted(budgets), rel=1e-6) and len(found) == len(budgets)
    return {rounded_up(epsilon, 6) for epsilon in found}


# ---------------------------------------------------------------- the table of Dice


@pytest.fixture(scope="module")
def results(work, tmp_path_factory):
    """The table, with all students that the rules would train, and some of another encoder."""
    students = [work.students(unit) for unit in ("teachers/ball", "teachers/whole_naive", TRUTH, MEAN_MASK)]
    sgd = [work.sgd(noise) for noise in ("printed", "budget", "clipped")]
    patients = [f"{path}.csv" for path in (*students, *sgd, work.baselines())]
    return made(
        tmp_path_factory.mktemp("results"),
        autoencoded_pate_results,
        *["--students", *records(*students), "--codes"],
        *records(work.codes("teachers/ball"), work.codes("teachers/whole_naive")),
        *["--judged", json.dumps({"encoder": "ball", "epsilon": 8.0}), f"--seed={SEED}", "--patients", *patients],
        *["--baselines", *records(work.baselines()), "--sgd", *records(*sgd)],
        *["--tasks", json.dumps({"tiny": TASK})],
        *["--published", json.dumps({"student": 0.561, "teachers": 0.547, "dp_sgd": 0.53})],
        table=".csv",
        privacy=".csv",
    )


def test_the_table_of_dice_has_every_method_with_what_it_was_measured_to_be(work, results):
    table = results["table"]
    ours, truth, baselines = (
        record_of(path) for path in (work.students("teachers/ball"), work.students(TRUTH), work.baselines())
    )
    mean_mask = record_of(work.students(MEAN_MASK))
    sgd = {noise: record_of(work.sgd(noise)) for noise in ("printed", "budget", "clipped")}
    found = {
        "Autoencoded PATE student": {
            "calibrated": [ours["metrics"][f"{name} dice"] for name in ("k2-n3-e8", "k2-n3-e1e+06")],
            "none": [ours["private_metrics"]["noiseless-n3 dice"]],
        },
        "student on true labels": {"none": [truth["private_metrics"]["n3 dice"]]},
        "student on the mean mask": {"none": [mean_mask["private_metrics"]["n3 dice"]]},
        "teachers' average": {"none": [baselines["private_metrics"]["average_dice"]]},
        "teachers' ensemble": {"none": [baselines["private_metrics"]["ensemble_dice"]]},
        "mean mask": {"none": [baselines["private_metrics"]["mean_mask_dice"]]},
        "DP-SGD": {
            "printed": [sgd["printed"]["metrics"]["dice"]],
            "calibrated": [sgd["budget"]["metrics"]["dice"]],
            "clipped": [sgd["clipped"]["private_metrics"]["dice"]],
        },
    }
    assert len(table) == 14
    assert_claimed(table, "autoencoded_pate", "results")
    for method, noises in found.items():
        for noise, dice in noises.items():
            same = (table["method"] == method) & (table["noise"] == noise)
            np.testing.assert_allclose(table.loc[same, "dice"], dice, rtol=1e-5)
    codes = record_of(work.codes("teachers/ball"))["private_metrics"]
    student = table.iloc[0]
    assert student["label_dice_whole"] == pytest.approx(codes["k2-n3-e8 dice_whole"], rel=1e-5)
    assert student["encoder_dice_whole"] == pytest.approx(codes["encoder_dice_whole"], rel=1e-5)
    for column, name in (("label", "k2-n3-e8 "), ("encoder", "encoder_")):  # and at the best public threshold
        assert student[f"{column}_tuned_dice_whole"] == pytest.approx(codes[f"{name}tuned_dice_whole"], rel=1e-5)
    # noise of training and of use, and what an answer can carry: three numbers in the unit ball
    assert student["sigma_train"] == 0.2 and student["sigma"] == pytest.approx(
        calibrated(queries=3, teachers=2, radius=1.0, epsilon=8.0, delta=1e-3, route="rdp").sigma, rel=1e-5
    )
    assert student["bits"] == pytest.approx(1.5 * math.log2(1 + 1 / (3 * student["sigma"] ** 2)), rel=1e-5)
    assert (table["bits"].notna() == table["budget"].notna()).all()
    assert student["bits_all"] == pytest.approx(3 * student["bits"], rel=1e-5)
    # all classes are encoded here
    assert student["dice_compared"] == student["dice"] and table["main"].tolist().count("yes") == 2
    # of two patients
    ends = table.dropna(subset="dice")[["dice_low", "dice", "dice_high"]].to_numpy()
    assert np.isfinite(ends).all() and (np.diff(ends, axis=1) >= -1e-9).all()
    assert (student["paper_dice"], student["latent_dim"], student["teachers"]) == (0.561, 3, 2)
    # of whole tumours alone where no more is encoded
    whole = table[table["encoder"] == "whole_naive"]
    assert (whole["coded_classes"] == 1).all() and student["coded_classes"] == 3
    assert (
        (whole["dice_compared"] == whole["tuned_dice_whole"]).all() and whole["dice"].isna().all() and len(whole) == 3
    )
    # every row says something of private volumes that no noise hides
    assert not table["sanitized"].any()


def test_only_what_has_noise_has_an_epsilon_in_the_table_and_it_is_explained(work, results):
    table, meanings = results["table"], results["privacy"]
    assert (table["epsilon"].notna() == ~table["noise"].isin(["none", "clipped"])).all()
    assert len(meanings) == 6 and meanings["guarantee"].all() and not meanings["data_dependent"].any()
    assert set(meanings["epsilon"]) == set(table["epsilon"].dropna())
    students = table[table["method"] == "Autoencoded PATE student"]
    assert students["budget"].dropna().tolist() == [8.0, 1e6]
    assert set(students["epsilon"].dropna()) == written_epsilons(work.codes("teachers/ball"), "rdp", (8.0, 1e6))
    # one relation for all, in the table itself, too
    assert (meanings["neighbouring"] == "replace_one").all()
    assert (table["neighbouring"].notna() == table["epsilon"].notna()).all()
    assert set(table["neighbouring"].dropna()) == {"replace_one"}


def test_students_over_noise_cost_less_with_more_teachers(results, tmp_path):
    source = tmp_path / "results.csv"
    results["table"].to_csv(source, index=False)
    arguments = [f"--results={source}", "--teachers", "2", "100", "--route=rdp"]
    found = made(tmp_path, autoencoded_pate_noise, *arguments, numbers=".csv", privacy=".csv", **FIGURE)
    table, meanings = found["numbers"], found["privacy"]
    assert "whole_naive" not in set(table["encoder"])  # its students learn something else than the main one's
    # last what students are compared with
    beside = table[table["noise"].isna()]
    sgd = {name for name in beside["method"] if name.startswith("DP-SGD, ε = ")}
    assert len(sgd) == 1 and set(beside["method"]) - sgd == set(autoencoded_pate_noise.LINES)
    assert set(table["main_encoder"][:3]) == {"yes"}
    table = table.drop(beside.index)
    assert table["noise"].tolist() == sorted(table["noise"]) and table["noise"][0] == 0 and len(table) == 3
    noisy = table[table["noise"] > 0]
    np.testing.assert_allclose(sorted(noisy["epsilon_2"]), [8.0, 1e6], rtol=1e-3)
    assert (noisy["epsilon_100"] < noisy["epsilon_2"]).all()
    # nobody asked a hundred teachers
    assert (meanings["guarantee"] == (meanings["column"] == "epsilon_2")).all() and len(meanings) == 4


# ---------------------------------------------------------------- figures of the first paper


def test_the_theory_figures_say_how_far_distributions_are_apart(tmp_path):
    found = made(
        tmp_path, autoencoded_pate_fig1, "--largest=8", "--points=41", numbers=".csv", comparison=".csv", **FIGURE
    )
    assert len(found["numbers"]) == 41
    assert_claimed(found["comparison"], "autoencoded_pate", "fig1_comparison")
    row = found["comparison"].iloc[0]
    # the normal of the same slope at 0 is within 0.02 of the logistic
    assert np.abs(found["numbers"]["cdf_difference"]).max() <= row["largest_cdf_difference"] < 0.02
    found = made(
        tmp_path,
        autoencoded_pate_fig2,
        *["--samples=20000", "--bins=10", f"--seed={SEED}", "--repetitions=2"],
        numbers=".csv",
        comparison=".csv",
        **FIGURE,
    )
    row = found["comparison"].iloc[0]
    assert_claimed(found["comparison"], "autoencoded_pate", "fig2_comparison")
    assert len(found["numbers"]) == 100 and row["seeds"] == 2
    assert row["two_uniform_samples"] < 0.1 and abs(row["total_variation"] - row["total_variation_exact"]) < 0.1


def test_the_sensitivity_of_components_lies_between_its_bounds(work, tmp_path):
    settings = {"components": [1, 2, 50], "starts": 3}
    found = made(
        tmp_path,
        autoencoded_pate_sensitivity,
        *[f"--volumes={work.index}", "--tasks", json.dumps([WHOLE]), "--settings", json.dumps(settings)],
        *[f"--seed={SEED}", "--repetitions=2"],
        table=".csv",
    )["table"]
    assert_claimed(found, "autoencoded_pate", "sensitivity")
    assert found["components"].tolist() == [1, 2] and (found["d"] == math.prod(SIDES)).all()  # four masks have three
    assert (found["lower"] <= found["upper"] + 1e-6).all() and (found["upper"] <= 1 + 1e-6).all()
    assert (found["seeds"] == 2).all() and found["data"].str.startswith("made (").all()


# ---------------------------------------------------------------- figures of the second


@pytest.fixture(scope="module")
def components(work):
    return [work.components(SWEEP, repetition) for repetition in SEEDS]


def test_components_kept_and_errors_over_noise(components, tmp_path):
    tasks = json.dumps([WHOLE, WHOLE])
    sweeps = [f"{path}.csv" for path in components]
    found = made(
        tmp_path,
        compressed_pate_fig1,
        "--sweeps",
        *sweeps,
        "--tasks",
        tasks,
        numbers=".csv",
        comparison=".csv",
        **FIGURE,
    )
    table = found["numbers"]
    assert table["sigma"].tolist() == SWEEP["sigmas"] and (table["seeds"] == 2).all()
    for how in ("heuristic", "optimal", "search_public"):
        one = [pd.read_csv(path).set_index("sigma")[f"{how}_components"] for path in sweeps]
        np.testing.assert_allclose(table[f"{how}_components"], (one[0] + one[1]) / 2)
        assert (table[f"{how}_fraction"] * 512 - table[f"{how}_components"]).abs().max() < 0.01
        assert table[f"{how}_components"].is_monotonic_decreasing
    # an exhaustive search over the very masks is the best there is
    for how in ("heuristic", "search_public"):
        assert (table["optimal_mse"] <= table[f"{how}_mse"] * (1 + 1e-5)).all()
    assert (table["optimal_mse"] <= table["mse_without"] * (1 + 1e-5)).all()
    assert_claimed(found["comparison"], "compressed_pate", "fig1_comparison")
    assert found["comparison"]["strongest"].tolist() == ["no", "yes"]
    assert found["comparison"]["optimal_fraction_before"].tolist() == table["optimal_fraction"].tolist()[:-1]


def test_the_error_formula_holds_with_noise_drawn(components, tmp_path):
    sweeps, tasks = [f"{path}.formula.csv" for path in components], json.dumps([WHOLE, WHOLE])
    arguments = ["--sweeps", *sweeps, "--tasks", tasks, "--key", "sigma", "kept"]
    found = made(tmp_path, pca_formula, *arguments, table=".csv")["table"]
    assert_claimed(found, "compressed_pate", "theorem4")
    assert set(found["kept"]) == {"heuristic", "fixed"} and len(found) == 2 * len(SWEEP["sigmas"])
    assert (found.loc[found["kept"] == "fixed", "components"] == 4).all()
    assert found["error_over_formula"].between(0.85, 1.15).all()
    arguments = ["--sweeps", *(f"{path}.csv" for path in components), "--tasks", tasks, "--key", "sigma"]
    found = made(tmp_path, pca_formula, *arguments, table=".csv")["table"]
    assert_claimed(found, "autoencoded_pate", "pca")
    assert (found["heuristic_over_least"] >= 1 - 1e-6).all() and set(found["below_rank"]) <= {"yes", "no"}


RECONSTRUCTED = ("naive", "clip", "slices")


def reconstructed(work, components, folder, shards):
    """Figure 2 of some shards of encoders, in two repetitions, and of principal components."""
    sweeps = [
        work.measured("measure_reconstruction", *shard, settings=ERRORS, repetition=number)
        for shard in shards
        for number in SEEDS
    ]
    sweeps += [path.with_name(f"{path.name}.errors") for path in components]
    return made(
        folder,
        compressed_pate_fig2,
        *["--sweeps", *(f"{path}.csv" for path in sweeps), "--tasks", json.dumps([WHOLE] * len(sweeps))],
        *["--encoders", json.dumps({name: ENCODERS[name] for name in RECONSTRUCTED})],
        numbers=".csv",
        comparison=".csv",
        **FIGURE,
    )


def test_what_noise_leaves_of_masks_is_shown_for_every_encoder_beside_the_naive_one(work, components, tmp_path):
    found = reconstructed(work, components, tmp_path, [[name] for name in RECONSTRUCTED])
    table = found["numbers"].set_index(["encoder", "reading", "sigma"])
    assert set(table.index.unique("encoder")) == {"naive", "naive, posterior mean", "clip", "slices", "pca"}
    assert len(table) == 5 * 2 * 3 and (table["seeds"] == 2).all()
    # a sigma in units of the bound is one on each number, times the bound
    radius = {"naive": math.sqrt(math.prod(SIDES)) / 2, "clip": 1.0, "slices": 4.0}
    for name, bound in radius.items():
        for sigma in SWEEP["sigmas"]:
            assert table.loc[(name, "each number", sigma), "applied"] == pytest.approx(sigma)
            assert table.loc[(name, "bound", sigma), "applied"] == pytest.approx(sigma * bound, rel=1e-5)
    # the best reading of the naive approach is never worse, and nearly nothing is lost to nearly no noise
    for reading, sigma in ((reading, sigma) for reading in ("each number", "bound") for sigma in SWEEP["sigmas"]):
        best = table.loc[("naive, posterior mean", reading, sigma), "cross_entropy"]
        assert best <= table.loc[("naive", reading, sigma), "cross_entropy"] + 1e-3
    comparison = found["comparison"]
    assert_claimed(comparison, "compressed_pate", "fig2_comparison")
    assert set(comparison["method"]) == {"naive", "autoencoder", "pca"}
    naive = comparison[comparison["encoder"] == "naive"]
    assert (naive["cross_entropy"] == naive["cross_entropy_naive"]).all()


def test_encoders_measured_by_one_job_are_those_measured_by_several(work, components, tmp_path):
    """To the byte, and in their order: how the work is cut changes no result."""
    for folder, shards in (("alone", [[name] for name in RECONSTRUCTED]), ("together", [RECONSTRUCTED])):
        reconstructed(work, components, tmp_path / folder, shards)
    for name in ("numbers.csv", "comparison.csv", "png.png"):
        assert (tmp_path / "together" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    limits = partial(work.measured, "measure_limits", settings=LIMITS)
    both, *alone = (pd.read_csv(f"{limits(*shard)}.csv") for shard in (["slices", "clip"], ["slices"], ["clip"]))
    pd.testing.assert_frame_equal(both, pd.concat(alone, ignore_index=True), check_exact=True)


def test_errors_are_those_of_test_masks(work):
    """And noise is keyed by the encoder: the same errors, asked for anew."""
    job = ("measure_reconstruction", "whole", "clip", "1")
    path = work.measured(job[0], "clip", settings=ERRORS)
    found = pd.read_csv(f"{path}.csv").set_index("reading").loc["each number"]
    noisy = partial(noisy_reconstruction, work.built("clip", WHOLE))
    for name, errors in errors_over_noise(noisy, work.masks("test", WHOLE), SWEEP["sigmas"], SEED, job).items():
        np.testing.assert_allclose(found[name], errors.mean(axis=1), rtol=1e-6)


# ---------------------------------------------------------------- students over labels, and limits


def test_dice_over_labelled_volumes_with_the_epsilon_of_each(work, tmp_path):
    """Of one repetition, which has no spread."""
    students = work.students("labels/clip"), work.students(TRUTH, task=WHOLE)
    found = made(
        tmp_path,
        compressed_pate_fig3,
        *["--students", *records(*students), "--codes", *records(work.codes("labels/clip"))],
        *["--tasks", json.dumps({"whole": WHOLE}), "--sources", "labels", "truth"],
        numbers=".csv",
        privacy=".csv",
        comparison=".csv",
        **FIGURE,
    )
    table, meanings = found["numbers"], found["privacy"]
    assert len(table) == 7 and table["labels"].tolist().count("true") == 1
    noisy = table[table["epsilon"].notna()]
    assert sorted(zip(noisy["queries"], noisy["budget"], strict=True)) == [(1, 1.0), (1, 8.0), (2, 1.0), (2, 8.0)]
    assert (noisy["teachers"] == 1000).all()
    assert set(noisy["epsilon"]) == written_epsilons(work.codes("labels/clip"), "analytic", (1.0, 1.0, 8.0, 8.0))
    # true labels in the answers' place: nobody is protected, and nothing is sanitised
    assert len(meanings) == 4 and not meanings["guarantee"].any() and not table["sanitized"].any()
    measured = record_of(students[0])["private_metrics"]
    for it in MADE["labels"]:
        same = (table["queries"] == it["queries"]) & (table["labels"] == "decoded")
        same &= table["budget"].isna() if it["epsilon"] is None else table["budget"] == it["epsilon"]
        for measure in ("dice", "tuned_dice"):
            assert table.loc[same, measure].item() == pytest.approx(measured[f"{it['name']} {measure}"], rel=1e-5)
    comparison = found["comparison"].set_index(["queries", "budget"])["tuned_dice"]
    assert_claimed(found["comparison"], "compressed_pate", "fig3_comparison")
    others = found["comparison"].set_index(["queries", "budget"])
    gain = {name: others[f"gain_over_{name}"] for name in ("less", "fewest", "most", "noiseless")}
    assert gain["less"][(2, 8.0)] == pytest.approx(comparison[(2, 8.0)] - comparison[(2, 1.0)], abs=1e-5)
    assert gain["fewest"][(2, 8.0)] == pytest.approx(comparison[(2, 8.0)] - comparison[(1, 8.0)], abs=1e-5)
    assert gain["most"][(1, 1.0)] == pytest.approx(comparison[(1, 1.0)] - comparison[(2, 1.0)], abs=1e-5)
    free = measured["noiseless-n2 tuned_dice"]
    assert gain["noiseless"][(1, 1.0)] == pytest.approx(comparison[(1, 1.0)] - free, abs=1e-5)
    # chosen before any run: the most labels, and the two ends of the budgets
    contrasts = {(1, 1.0): "no", (1, 8.0): "no", (2, 1.0): "smallest", (2, 8.0): "largest"}
    assert others["contrast"].to_dict() == contrasts


@pytest.fixture(scope="module")
def limits(work, tmp_path_factory):
    """The table of limits, of two encoders of which one has students."""
    sweeps = [
        work.measured("measure_limits", name, settings=LIMITS, repetition=number)
        for name in ("clip", "slices")
        for number in SEEDS
    ]
    students = [work.students("labels/clip")]
    return made(
        tmp_path_factory.mktemp("limits"),
        compressed_pate_limits,
        *["--sweeps", *(f"{path}.csv" for path in sweeps), "--students", *records(*students)],
        *["--tasks", json.dumps([WHOLE] * len(sweeps))],
        *["--settings", json.dumps({name: LIMITS[name] for name in ("queries", "delta", "route")})],
        numbers=".csv",
        privacy=".csv",
        **FIGURE,
    )


def test_limits_have_the_noise_that_each_budget_needs(work, limits):
    table = limits["numbers"].set_index("encoder")
    assert len(table) == 2 * 5 and (table["seeds"] == 2).all()
    for name, radius in (("clip", 1.0), ("slices", 4.0)):
        own = table.loc[name]
        noisy = own[own["teachers"].notna()]
        budgets = sorted(zip(noisy["teachers"], noisy["epsilon"].round(4), strict=True))
        assert budgets == [(k, epsilon) for k in (100, 1000) for epsilon in (1.0, 8.0)]
        for _, row in noisy.iterrows():
            noise = calibrated(2, int(row["teachers"]), radius, round(row["epsilon"], 4), 1e-3, "analytic")
            assert row["sigma"] == pytest.approx(noise.sigma, rel=1e-4)
            assert row["noise_norm"] == pytest.approx(noise.sigma * math.sqrt(row["latent_dim"]), rel=1e-4)
        assert own["sigma"].min() == 0 and own.loc[own["teachers"].isna(), "epsilon"].isna().all()


def test_limits_name_the_students_of_the_same_setting_alone(work, limits):
    table = limits["numbers"]
    found = table.dropna(subset=["student_tuned_dice"])
    assert set(zip(found["encoder"], found["teachers"], found["epsilon"].round(4), strict=True)) == {
        ("clip", 1000, 1.0),
        ("clip", 1000, 8.0),
    }
    for _, row in found.iterrows():
        measured = record_of(work.students("labels/clip"))["private_metrics"]
        expected = measured[f"k1000-n2-e{row['epsilon']:.4g} tuned_dice"]
        assert row["student_tuned_dice"] == pytest.approx(expected, rel=1e-5)


def test_students_of_another_setting_are_not_those_of_a_row(work):
    students = records(work.students("labels/clip"))
    settings = {name: LIMITS[name] for name in ("queries", "delta", "route")}
    row = pd.Series({"encoder": "clip", "teachers": 1000.0, "epsilon": 8.0})
    found = partial(compressed_pate_limits.student_dice, students, "whole")
    assert found(row, settings)[0] is not None
    for name, value in (("delta", 1e-4), ("route", "rdp"), ("queries", 3)):
        assert found(row, settings | {name: value}) == (None, None)
    for name, value in (("encoder", "slices"), ("teachers", 100.0), ("epsilon", 2.0), ("epsilon", float("nan"))):
        assert found(pd.Series(dict(row) | {name: value}), settings) == (None, None)


def test_limits_of_a_single_budget_and_number_of_teachers_are_drawn(limits, tmp_path):
    table = limits["numbers"]
    row = table[table["teachers"].notna()].index[:1]
    compressed_pate_limits.draw(table.loc[[*row, *table.index[table["teachers"].isna()]]], tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size


# ---------------------------------------------------------------- other volumes


def test_students_tried_on_the_same_volumes_do_there_what_they_do(work, tmp_path):
    """The volumes themselves as the other collection: all of them, not the test part alone."""
    learned = [["true labels", TRUTH, "n3"], ["decoded masks", "labels/clip", "noiseless-n2"]]

    def run(name, fitted, students):
        measure_external.main(
            [
                *work.common(WHOLE, 1, ("measure_external", "1")),
                *[f"--external={work.index}", "--encoder=clip", "--settings", json.dumps(ENCODERS["clip"])],
                *["--fitted", *(f"{path}.npz" for path in fitted), "--students", *(f"{path}.npz" for path in students)],
                *["--learned", json.dumps(learned), f"--table={tmp_path / name}"],
            ]
        )
        return (tmp_path / name).read_bytes()

    fitted = [work.encoder("clip", task=WHOLE)]
    students = [work.students(TRUTH, task=WHOLE), work.students("labels/clip")]
    alone = run("sweep.csv", fitted, students)
    # in whichever shards they are
    together = work.students("labels/clip", TRUTH, task=WHOLE)
    assert run("again.csv", [work.encoder("pca", task=WHOLE), *fitted], [together]) == alone
    with pytest.raises(InputError, match="no arrays of labels/clip"):
        run("refused.csv", fitted, students[:1])
    assert not (tmp_path / "refused.csv").exists()
    found = made(
        tmp_path,
        compressed_pate_external,
        *[f"--sweeps={tmp_path / 'sweep.csv'}", "--volumes=made", "--stands-for=BraTS 2019"],
        table=".csv",
    )["table"].set_index("what")
    assert list(found.index) == ["encoder, without noise", "student of true labels", "student of decoded masks"]
    assert (found["subjects"] == 9).all() and found["dice"].between(0, 1).all()

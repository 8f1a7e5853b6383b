"""The scripts of DP-MAC from data to tables and figures, on a few digits: what they write, and that it agrees."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from lib.core import seeding
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.dp_mac.curves import level_row, read_levels, without_exponent
from lib.dp_mac.statements import stated
from lib.reporting.plotting import figure
from lib.reporting.records import read_record
from scripts import (
    dp_mac_budget,
    dp_mac_fig1,
    dp_mac_fig2,
    dp_mac_fig3,
    dp_mac_fig4,
    dp_mac_sensitivity,
    dp_mac_table1,
    reference_lines,
    train_cdbn,
    train_mac,
    train_sgd,
)
from tests.redrawn import assert_redrawn

pytestmark = pytest.mark.slow

ACCOUNTING = {"orders": {"linear": [1.5, 64.0, 0.5], "logarithmic": [64.0, 256.0, 10]}}
SERIES = {
    "method": "mac",
    "classes": 10,
    "train": 150,
    "test": 50,
    "largest": 16,
    "delta": 1e-5,
    "network": {"hidden": [12, 4, 12], "output": "squared_error"},
    "recipe": {"batch": 30, "epochs": 2, "z_steps": 3, "z_rate": 0.02, "w_steps": 1, "w_rate": 0.01, "w_decay": 0.9},
}
# what tables say of the series that are trained here, by name
WORDS = {"title": "MAC", "variant": "main", "label": "digits", "stands_for": "USPS", "protocol": "reduced"}
SAID = dict.fromkeys(("mac", "classifier"), WORDS)
SAID |= dict.fromkeys(("dp_mac", "private_classifier"), WORDS | {"title": "DP-MAC"})
SAID |= {"dp_sgd": WORDS | {"title": "DP-SGD"}, "plain_as_run": WORDS | {"variant": "as run"}}
SAID |= dict.fromkeys(("as_run", "centred"), WORDS | {"title": "DP-MAC", "variant": "as run"})
SAID |= {"as_coded": WORDS | {"title": "DP-MAC", "variant": "as coded"}}
SERIES_SAID = ["--series", json.dumps(SAID)]
PRIVATE = SERIES | {
    "method": "dp_mac",
    "thresholds": {"linear": 0.01},
    "learning": {"epochs": 1, "bins": 5, "sigma": 20.0},
    "printed": [[8, 2.2], [1, 12.1]],
}
SGD = SERIES | {
    "method": "dp_sgd",
    "recipe": {"batch": 30, "epochs": 2, "optimizer": "sgd", "rate": 1.0, "decay": 0.9, "decay_every": 1, "clip": 0.1},
    "printed": [[8, 1.3], [1, 7.0]],
}
CLASSIFIER = {"hidden": [10, 6], "output": "binary_cross_entropy"}
CDBN = SERIES | {
    "method": "dp_cdbn",
    "title": "DP-CDBN",
    "network": None,
    "recipe": {"filters": [2, 2], "sizes": [3, 3], "stride": 1, "grid": 2, "clips": [0.3, 0.1, 0.1], "epochs": 2},
}


def privacy_of(record):
    """What the training of a record cost; the record itself states none."""
    assert record["privacy"] == {}
    return stated(record["parameters"]["spent"])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with prepared digits, and a function that trains a curve there and returns its record."""
    folder = tmp_path_factory.mktemp("mac")
    digits = load_digits()
    x, y = digits.images.astype(np.uint8)[:400], digits.target.astype(np.int64)[:400]
    save_arrays(folder / "digits.npz", x=x, y=y, fingerprint=np.array("ab" * 32))
    made = {}

    def train(script, name, series, noise, epsilon=None, repetitions=(1, 2), part="all"):
        place = folder / name / f"{noise}_{epsilon}" / part
        if place not in made:
            arguments = [f"--data={folder / 'digits.npz'}", "--series", json.dumps(series), "--noise", noise]
            arguments += [f"--epsilon={epsilon}"] if epsilon else []
            arguments += ["--repetitions", *map(str, repetitions), "--accounting", json.dumps(ACCOUNTING)]
            arguments += ["--preset=tiny", "--seed=1", "--dataset=digits", "--device=cpu", "--threads=1"]
            arguments += ["--job", name, f"{noise}_{epsilon}", f"--checkpoint={folder / 'half.npz'}"]
            arguments += [f"--curves={place}.csv", f"--weights={place}.npz", f"--record={place}.json"]
            script.main(arguments)
            made[place] = SimpleNamespace(record=f"{place}.json", weights=f"{place}.npz")
        return made[place]

    return folder, train


@pytest.fixture(scope="module")
def levels(trained):
    """Records of MAC, DP-MAC at two levels, and DP-SGD at the same two, a repetition a job."""
    _, train = trained
    found = [train(train_mac, "mac", SERIES, "none")]
    found += [train(train_mac, "dp_mac", PRIVATE, "printed", epsilon) for epsilon in (8, 1)]
    for epsilon in (8, 1):
        for repetition in (1, 2):
            found.append(train(train_sgd, "dp_sgd", SGD, "printed", epsilon, (repetition,), str(repetition)))
    return found


def test_a_private_curve_says_what_it_cost(trained):
    _, train = trained
    record = read_record(train(train_mac, "dp_mac", PRIVATE, "printed", 8).record)
    assert record["parameters"]["sigma"] == 2.2 and record["parameters"]["paper_epsilon"] == 8
    assert privacy_of(record)["joint"].guarantee and not privacy_of(record)["appendix_h"].guarantee
    assert set(record["metrics"]) == {"test_error", *(f"threshold.linear.{layer}" for layer in range(1, 5))}
    assert set(record["private_metrics"]) == {"train_error"}


def test_the_needed_sigma_costs_the_papers_epsilon(trained):
    _, train = trained
    record = read_record(train(train_mac, "dp_mac", PRIVATE, "needed", 8).record)
    assert 7.9 < privacy_of(record)["joint"].epsilon <= 8


def test_repetitions_in_one_job_and_in_many_are_read_alike(levels):
    found = read_levels([each.record for each in levels], SAID)
    assert [(level.series["title"], level.epsilon, level.repetitions) for level in found] == [
        ("MAC", None, 2),
        ("DP-MAC", 8, 2),
        ("DP-MAC", 1, 2),
        ("DP-SGD", 8, 2),
        ("DP-SGD", 1, 2),
    ]
    assert found[0].table("test_error").shape == (2, 3)
    row = level_row(found[0])
    assert row["epsilon"] is None and row["delta"] is None
    assert level_row(found[1])["epsilon"].epsilon > level_row(found[2])["epsilon"].epsilon


def test_the_table_of_autoencoders_has_every_level_and_the_reference_lines(trained, levels):
    folder, _ = trained
    reference_lines.main(
        [
            *[f"--data={folder / 'digits.npz'}", "--series", json.dumps(SERIES), "--components=4", "--preset=tiny"],
            *["--seed=1", "--job", "reference_lines", "mac", "--dataset=digits", f"--record={folder / 'lines.json'}"],
        ]
    )
    records = [each.record for each in levels]
    dp_mac_table1.main(
        [
            *["--records", *records, f"--references={folder / 'lines.json'}", *SERIES_SAID],
            *[f"--table={folder / 'table1b.csv'}", f"--privacy={folder / 'table1b_privacy.csv'}"],
        ]
    )
    table = pd.read_csv(folder / "table1b.csv")
    assert table["method"].tolist() == ["MAC", "DP-MAC", "DP-MAC", "DP-SGD", "DP-SGD", "mean image", "PCA 4"]
    np.testing.assert_allclose(table["test_error_half"], table["test_error"] / 2, rtol=1e-4)
    last = pd.read_csv(records[1].replace(".json", ".csv")).query("epoch == 2")["test_error"]
    assert table["test_error"][1] == pytest.approx(last.mean(), rel=1e-4)
    assert table["test_error"][6] < table["test_error"][5]

    dp_mac_fig1.main(
        [
            *SERIES_SAID,
            *["--records", *records, f"--references={folder / 'lines.json'}", f"--numbers={folder / 'fig1.csv'}"],
            *[f"--comparison={folder / 'compared.csv'}", f"--comparison-privacy={folder / 'compared_privacy.csv'}"],
            *[
                f"--privacy={folder / 'fig1_privacy.csv'}",
                f"--png={folder / 'fig1.png'}",
                f"--pdf={folder / 'fig1.pdf'}",
            ],
        ]
    )
    compared = pd.read_csv(folder / "compared.csv")
    counts = compared["comparison"].value_counts().to_dict()
    # after two epochs neither method need have learned more than the mean image
    assert counts.pop("epochs_to_learn_of_dp_mac_and_dp_sgd", 0) <= 2
    best = "error_of_best_dp_mac_and_best_dp_sgd"
    assert counts == {"error_at_larger_and_smaller_epsilon": 2, "error_of_dp_mac_and_mean_image": 2, best: 2}
    assert len(pd.read_csv(folder / "fig1.csv")) == 5 * 3
    last = pd.read_csv(folder / "fig1.csv").query("epoch == 2")
    # what a training costs is said where it ends
    assert last["epsilon"].notna().tolist() == [False, True, True, True, True]
    assert len(pd.read_csv(folder / "fig1_privacy.csv")) == 4 * 2  # by two accountants
    assert_redrawn(dp_mac_fig1, folder / "fig1.png", folder / "fig1.csv")


@pytest.mark.parametrize(("epsilon", "said"), [(10935.4, "11,000"), (208.66, "209"), (20.8384, "20.9")])
def test_figures_say_a_large_epsilon_without_an_exponent(epsilon, said):
    assert without_exponent(epsilon) == said


def test_figure_1_marks_the_papers_errors_and_rounds_epsilons_up():
    about = {"dataset": "USPS", "method": "DP-MAC", "variant": "main", "noise": "printed", "mean_image_error": 30.0}
    errors = {"test_error": 25.0, "test_error_spread": 0.1, "train_error": 24.0, "seeds": 3}
    rows = [
        about
        | errors
        | {"paper_epsilon": epsilon, "series": "one", "epoch": epoch, "epsilon": cost, "epsilon_pld": 30.0}
        for epsilon, cost in ((8, 20.8384), (1, 2.07021))
        for epoch in (0, 20)
    ]
    table = pd.DataFrame(rows)
    printed = dp_mac_fig1.read_table(Path(dp_mac_fig1.__file__).parent / dp_mac_fig1.DATA_FILES[0])
    with figure() as (_, (axis,)):
        dp_mac_fig1.panel(axis, table, 30.0, (6.0, 50.0))
        dp_mac_fig1.mark_published(axis, table, printed[printed["method"] == "DP-MAC"])
        crosses = {
            (line.get_color(), *line.get_xydata()[0])
            for line in axis.lines
            if line.get_marker() == "x" and len(line.get_xdata())
        }
        colours = {line.get_label(): line.get_color() for line in axis.lines}
        eight, one = (colours[rf"stated $\varepsilon$ = {name}"] for name in ("8, costs 20.9", "1, costs 2.08"))
        assert crosses == {(eight, 20, 12.0), (one, 20, 19.0)}


@pytest.mark.parametrize(
    ("variant", "title", "epsilon", "said"),
    [
        ("main", "MAC", None, " (paper: 11.1)"),
        ("noise / 50", "DP-MAC", 4, " (paper: 12.7)"),
        ("main", "DP-MAC", 8, ""),
        ("as run", "DP-MAC", 4, ""),
    ],
)
def test_figure_4_says_the_papers_error_beside_networks_with_table_2s_settings(variant, title, epsilon, said):
    printed = dp_mac_fig4.read_table(Path(dp_mac_fig4.__file__).parent / dp_mac_fig4.DATA_FILES[0])
    series = {"label": "USPS", "title": title, "variant": variant}
    trained = SimpleNamespace(series=series, paper_epsilon=epsilon)
    assert dp_mac_fig4.in_the_paper(trained, printed) == said
    assert (
        dp_mac_fig4.in_the_paper(SimpleNamespace(series=series | {"label": "digits"}, paper_epsilon=epsilon), printed)
        == ""
    )


def test_features_reconstructions_and_sensitivities_come_from_the_weights(trained):
    folder, train = trained
    plain = train(train_mac, "classifier", SERIES | {"network": CLASSIFIER}, "none")
    private = train(train_mac, "private_classifier", PRIVATE | {"network": CLASSIFIER}, "printed", 8)
    data, figure = f"--data={folder / 'digits.npz'}", [f"--png={folder / 'f.png'}", f"--pdf={folder / 'f.pdf'}"]
    pair = ["--records", plain.record, private.record, "--weights", plain.weights, private.weights, data, "--seed=1"]
    numbers = [f"--numbers={folder / 'f.csv'}", f"--comparison={folder / 'f_comparison.csv'}"]
    dp_mac_fig3.main([*SERIES_SAID, *pair, "--labels", "0", "3", "5", *numbers, *figure])
    assert len(pd.read_csv(folder / "f.csv")) == 2 * 2 * 3
    assert pd.read_csv(folder / "f_comparison.csv")["seeds"].tolist() == [2]

    autoencoder = train(train_mac, "mac", SERIES, "none")
    pair = ["--records", autoencoder.record, "--weights", autoencoder.weights, data, "--seed=1"]
    dp_mac_fig4.main([*SERIES_SAID, *pair, "--images=12", f"--numbers={folder / 'f.csv'}", *figure])
    found = pd.read_csv(folder / "f.csv")
    first = pd.read_csv(autoencoder.record.replace(".json", ".csv")).query("epoch == 2 and repetition == 1")
    assert found["test_error"].unique() == pytest.approx(first["test_error"].to_numpy(), rel=1e-4)
    assert found["label"].tolist() == [i % 10 for i in range(12)]

    lists = ["--records", autoencoder.record, plain.record, "--weights", autoencoder.weights, plain.weights]
    lists += ["--data", *[str(folder / "digits.npz")] * 2, "--bounds", "8", "8", "--thresholds", "0.01", "0.1"]
    dp_mac_sensitivity.main([*SERIES_SAID, *lists, "--seed=1", f"--table={folder / 's.csv'}"])
    table = pd.read_csv(folder / "s.csv")
    assert table["layer"].tolist() == [1, 2, 3, 4, 1, 2, 3]
    assert (table["analytic_corrected"] > 0).all()


RUN = {"hidden": [10], "output": "binary_cross_entropy", "activation": "relu", "bias": True}
AS_RUN = PRIVATE | {
    "network": RUN,
    "learning": None,
    "preparation": {"centre": True, "components": 9, "sigma_centre": 50.0, "sigma_pca": 8.0},
}


def test_prepared_images_are_charged_for_and_no_draw_is_made_twice(trained, monkeypatch):
    """Every draw of a job, its preparation's included, has a key of its own, and so numbers of its own."""
    _, train = trained
    keys, plain = [], seeding.seed_sequence
    monkeypatch.setattr(seeding, "seed_sequence", lambda seed, *job: keys.append(job) or plain(seed, *job))
    mac = train(train_mac, "as_run", AS_RUN, "printed", 8)
    kept = [key for key in keys if key[0] == "as_run"]
    assert len(set(kept)) == len(kept)
    of_preparation = {(name, role) for *_, name, what, role in kept if what == "preparation"}
    assert of_preparation == {(name, role) for name in "12" for role in ("mean pixel", "second moments")}
    record = read_record(mac.record)
    bare = read_record(train(train_mac, "bare", AS_RUN | {"preparation": None}, "printed", 8).record)
    for name in ("joint", "pld"):
        assert privacy_of(record)[name].guarantee
        assert privacy_of(record)[name].epsilon > privacy_of(bare)[name].epsilon
    assert privacy_of(record)["pld"].epsilon < privacy_of(record)["joint"].epsilon
    arrays = load_arrays(mac.weights)
    assert arrays["basis"].shape == (2, 64, 9) and arrays["centre"].shape == (2,)
    assert not np.array_equal(arrays["basis"][0], arrays["basis"][1])
    keys.clear()
    preparation = AS_RUN["preparation"]
    sgd = AS_RUN | SGD | {"network": RUN, "preparation": preparation}
    by_gradients = read_record(train(train_sgd, "sgd_as_run", sgd, "needed", 8, (1,), "1").record)
    kept = [key for key in keys if key[0] == "sgd_as_run"]
    assert len(set(kept)) == len(kept) and any("second moments" in key for key in kept)
    assert 7.9 < privacy_of(by_gradients)["joint"].epsilon <= 8


def test_private_images_must_be_prepared_with_noise(trained):
    _, train = trained
    without = AS_RUN | {"preparation": {"centre": True}}
    with pytest.raises(InputError, match="sigma_centre: none, and so no epsilon"):
        train(train_mac, "without", without, "printed", 8)


def test_a_plain_series_that_learns_thresholds_is_refused(trained):
    _, train = trained
    with pytest.raises(InputError, match="plain MAC has none"):
        train(train_mac, "learning", SERIES | {"learning": {"epochs": 1, "bins": 5, "sigma": 1.0}}, "none")


def test_batches_in_order_have_no_guarantee(trained):
    _, train = trained
    coded = AS_RUN | {"recipe": SERIES["recipe"] | {"batches": "in_order"}}
    record = read_record(train(train_mac, "as_coded", coded, "printed", 8).record)
    assert set(privacy_of(record)) == {"published"} and not privacy_of(record)["published"].guarantee
    (level,) = read_levels([train(train_mac, "as_coded", coded, "printed", 8).record], SAID)
    assert level_row(level)["epsilon"] is None and level_row(level)["epsilon_published"].epsilon > 0


def test_figures_of_prepared_images_are_of_their_pixels(trained):
    folder, train = trained
    data, figure = f"--data={folder / 'digits.npz'}", [f"--png={folder / 'f.png'}", f"--pdf={folder / 'f.pdf'}"]
    main = train(train_mac, "classifier", SERIES | {"network": CLASSIFIER}, "none")
    exact = SERIES | {"network": RUN, "preparation": {"centre": True, "components": 9}}
    plain = train(train_mac, "plain_as_run", exact, "none")
    private = train(train_mac, "as_run", AS_RUN, "printed", 8)
    rows = [main, plain, private]
    lists = ["--records", *[each.record for each in rows], "--weights", *[each.weights for each in rows]]
    numbers = [f"--numbers={folder / 'f.csv'}", f"--comparison={folder / 'f_comparison.csv'}"]
    dp_mac_fig3.main([*SERIES_SAID, *lists, data, "--seed=1", "--labels", "0", "3", *numbers, *figure])
    found, compared = pd.read_csv(folder / "f.csv"), pd.read_csv(folder / "f_comparison.csv")
    assert compared["comparison"].tolist() == ["roughness_of_features_as_run"]
    beside = found[found["network"] == "MAC, as run"]["roughness"].mean()
    assert compared["other_value"].item() == pytest.approx(beside, rel=1e-4)

    linear = SERIES["network"] | {"activation": "relu", "linear_output": True, "bias": True}
    centred = AS_RUN | {"network": linear, "preparation": {"centre": True, "sigma_centre": 50.0}}
    autoencoder = train(train_mac, "centred", centred, "printed", 8)
    pair = ["--records", autoencoder.record, "--weights", autoencoder.weights, data, "--seed=1"]
    dp_mac_fig4.main([*SERIES_SAID, *pair, "--images=5", f"--numbers={folder / 'f.csv'}", *figure])
    first = pd.read_csv(autoencoder.record.replace(".json", ".csv")).query("epoch == 2 and repetition == 1")
    found = pd.read_csv(folder / "f.csv")
    assert found["test_error"].unique() == pytest.approx(first["test_error"].to_numpy(), rel=1e-4)


def test_belief_networks_are_trained_by_releases_and_as_published(trained):
    _, train = trained
    private = train(train_cdbn, "dp_cdbn", CDBN, "needed", 2, (1,), "1")
    record = read_record(private.record)
    assert privacy_of(record)["joint"].epsilon == 2 and privacy_of(record)["joint"].guarantee
    assert "output" in load_arrays(private.weights)
    recipe = {"filters": [2, 2], "batch": 75, "pretraining_epochs": 0, "epochs": 1}
    as_published = CDBN | {"method": "dp_cdbn_published", "recipe": recipe, "printed": [[2, 1]]}
    published = read_record(train(train_cdbn, "published", as_published, "printed", 2, (1,), "1").record)
    assert set(privacy_of(published)) == {"published"} and not privacy_of(published)["published"].guarantee
    none = read_record(train(train_cdbn, "cdbn", CDBN | {"method": "cdbn"}, "none", None, (1,), "1").record)
    assert privacy_of(none) == {}


def test_the_budget_agrees_with_what_is_known(tmp_path):
    """Figures of the moments accountant at the paper's settings, computed apart from this project."""
    autoencoder = {"dataset": "USPS", "samples": 5000, "batch": 50, "epochs": 20, "layers": 6, "delta": 1e-5}
    autoencoder |= {"pretraining_epochs": 1, "sigma_histogram": 20.0, "printed": [[8, 2.2], [1, 12.1]]}
    sgd = {"dataset": "USPS", "samples": 5000, "batch": 100, "epochs": 100, "layers": 1, "delta": 1e-5}
    budget = {"autoencoder": autoencoder, "dp_sgd": sgd | {"printed": [[2, 3.7]]}}
    orders = {"orders": {"linear": [1.25, 20.0, 0.25], "logarithmic": [20.0, 500.0, 100]}}
    arguments = ["--budget", json.dumps(budget), "--accounting", json.dumps(orders)]
    dp_mac_budget.main([*arguments, f"--table={tmp_path / 'b.csv'}", f"--privacy={tmp_path / 'p.csv'}"])
    table = pd.read_csv(tmp_path / "b.csv")
    np.testing.assert_allclose(table["epsilon_training"], [1.08, 0.18, 1.96], atol=0.011)
    np.testing.assert_allclose(table["epsilon_histogram"][:2], 0.595, atol=0.002)
    np.testing.assert_allclose(table["sigma_needed_training"][:2], [0.699, 2.351], atol=0.0006)
    assert (table["epsilon"] <= table["epsilon_added"]).all() and (table["epsilon"] >= table["epsilon_training"]).all()
    # as much noise on a count of a batch is hidden by the sampling, as much in proportion is hardly any
    each = table[["epsilon_each_batch", "epsilon_each_batch_in_proportion"]]
    np.testing.assert_allclose(each.iloc[0], [1.125, 141_753], rtol=0.001)
    assert each.iloc[2].isna().all()
    meaning = pd.read_csv(tmp_path / "p.csv").set_index(["run", "paper_epsilon", "column"])
    assert meaning.loc[("autoencoder", 8, "epsilon"), "guarantee"]
    for column in ("epsilon_appendix_h", "epsilon_each_batch", "epsilon_each_batch_in_proportion"):
        assert not meaning.loc[("autoencoder", 8, column), "guarantee"]


def test_figure_2_needs_no_data(tmp_path):
    files = [f"--{name}={tmp_path / name}.csv" for name in ("numbers", "comparison")]
    files += [f"--png={tmp_path / 'f.png'}", f"--pdf={tmp_path / 'f.pdf'}"]
    dp_mac_fig2.main(["--seed=1", "--samples=60", "--bound=1.0", "--sigma=1.0", "--draws=10", *files])
    compared = pd.read_csv(tmp_path / "comparison.csv")
    assert len(compared) == 4 and len(pd.read_csv(tmp_path / "numbers.csv")) == 2 * (81 + 10)
    assert_redrawn(dp_mac_fig2, tmp_path / "f.png", tmp_path / "numbers.csv")

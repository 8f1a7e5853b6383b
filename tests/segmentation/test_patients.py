"""Measures by patient beside MONAI's own, means over them, and intervals."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from monai.metrics import DiceMetric
from scipy.stats import bootstrap

from lib.segmentation.patients import columns_of, interval, means_of, measured

SIDES = (8, 8, 6)
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 4, (3, *SIDES)).astype(np.uint8)
LABELS[2] = np.minimum(LABELS[2], 2)  # nothing enhancing
MASKS = RNG.dirichlet(np.ones(4), (3, *SIDES)).transpose(0, 4, 1, 2, 3).astype(np.float32)
ROWS = np.array([2, 0])


def job(classes):
    prepared = SimpleNamespace(label=LABELS, names=["a", "b", "c"])
    return SimpleNamespace(prepared=prepared, task={"classes": classes})


def test_dice_is_monais_of_every_patient_and_region():
    table = measured(job(3), iter(MASKS[ROWS]), ROWS)
    assert table["patient"].tolist() == ["c", "a"]
    found, true = MASKS[ROWS].argmax(1), LABELS[ROWS]
    for region, labels in {
        "oedema": [1],
        "non_enhancing": [2],
        "enhancing": [3],
        "whole": [1, 2, 3],
        "core": [2, 3],
    }.items():
        pair = [torch.from_numpy(np.isin(array, labels)).float()[:, None] for array in (found, true)]
        expected = DiceMetric(ignore_empty=True)(*pair)[:, 0].numpy()
        np.testing.assert_allclose(table[f"dice_{region}"], expected, rtol=1e-6)
    assert np.isnan(table["dice_enhancing"][0])
    means = means_of(table)
    classes = [table[f"dice_{region}"].mean() for region in ("oedema", "non_enhancing", "enhancing")]
    assert means["dice"] == pytest.approx(np.mean(classes)) and "dice_core" in means and "hd95" in means
    assert set(means_of(table, "tuned_dice")) >= {"tuned_dice", "tuned_dice_whole", "tuned_hd95"}


def test_of_two_classes_each_is_measured_and_the_whole():
    labels, masks = LABELS % 3, MASKS[:, :3]
    given = SimpleNamespace(prepared=SimpleNamespace(label=labels, names=["a", "b", "c"]), task={"classes": 2})
    table = measured(given, masks[ROWS], ROWS, edges=False)
    found, true = masks[ROWS].argmax(1), labels[ROWS]
    for region, of in {"first": [1], "second": [2], "whole": [1, 2]}.items():
        here, there = (np.isin(array, of).reshape(2, -1) for array in (found, true))
        expected = 2 * (here & there).sum(1) / (here.sum(1) + there.sum(1))
        np.testing.assert_allclose(table[f"dice_{region}"], expected, rtol=1e-12)
    assert list(table) == ["patient", "dice_first", "dice_second", "dice_whole"]
    assert means_of(table)["dice"] == pytest.approx(table[["dice_first", "dice_second"]].mean().mean())


def test_of_one_class_the_whole_tumour_is_all():
    table = measured(job(1), MASKS[ROWS, :1], ROWS, 0.3)
    assert columns_of(table) == ["dice_whole"]
    assert means_of(table)["dice"] == means_of(table)["dice_whole"]


def test_edges_are_as_far_apart_as_a_shift():
    labels = np.zeros((1, 20, 8, 8), np.uint8)
    labels[0, 4:8, 2:6, 2:6] = 1
    given = SimpleNamespace(prepared=SimpleNamespace(label=labels, names=["a"]), task={"classes": 1})
    shifted = np.roll(labels, 3, axis=1)[:, None].astype(np.float32)
    assert measured(given, shifted, np.array([0]))["hd95"][0] == 3
    without = measured(given, shifted, np.array([0]), edges=False)
    assert without.equals(measured(given, shifted, np.array([0])).drop(columns="hd95"))
    assert "hd95" not in means_of(without)
    assert np.isnan(measured(given, 0 * shifted, np.array([0]))["hd95"][0])


def test_an_interval_is_about_the_mean_and_narrows_with_patients():
    rng, widths = np.random.default_rng(1), []
    for count in (10, 160):
        values = rng.normal(0.5, 0.1, (count, 2))
        values[0, 1] = np.nan
        table = pd.DataFrame(values, columns=["x", "y"]).assign(patient=range(count))
        low, high = interval(table, ["x", "y"], np.random.default_rng(2))
        assert low < np.nanmean(values, axis=0).mean() < high
        widths.append(high - low)
    assert 2.5 < widths[0] / widths[1] < 6
    assert np.isnan(interval(pd.DataFrame({"x": [0.5], "patient": "a"}), ["x"], rng)).all()
    nothing = pd.DataFrame({"x": [np.nan, np.nan], "patient": ["a", "b"]})
    assert np.isnan(interval(nothing, ["x"], rng)).all()


def test_an_interval_is_that_of_the_bootstrap_of_single_rows():
    values = np.random.default_rng(3).normal(0.5, 0.1, (30, 2))
    table = pd.DataFrame(values, columns=["x", "y"]).assign(patient=np.random.default_rng(4).permutation(30))
    found = interval(table, ["x", "y"], np.random.default_rng(5))
    means = values.mean(1)
    expected = bootstrap((means,), np.mean, n_resamples=20000, method="percentile", rng=np.random.default_rng(6))
    np.testing.assert_allclose(found, expected.confidence_interval, atol=0.005)


def test_a_region_that_nobody_who_was_drawn_has_is_left_out_and_not_0():
    """One patient of eight has it: a third of all draws are without."""
    table = pd.DataFrame({"x": 0.8, "y": [0.8] + [np.nan] * 7, "patient": range(8)})
    low, high = interval(table, ["x", "y"], np.random.default_rng(7))
    assert (low, high) == (pytest.approx(0.8), pytest.approx(0.8))


def test_repetitions_of_one_patient_are_no_more_patients():
    values = np.random.default_rng(8).normal(0.5, 0.1, 20)
    once = pd.DataFrame({"x": values, "patient": range(20)})
    again = pd.concat([once] * 5)
    ends = [interval(table, ["x"], np.random.default_rng(9)) for table in (once, again)]
    np.testing.assert_allclose(*ends, rtol=1e-12)

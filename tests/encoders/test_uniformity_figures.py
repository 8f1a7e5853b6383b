"""Figures 1 and 2 of autoencoded PATE: what they write, and that it is what the distributions say."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import logistic, norm

from lib.encoders.uniformity import exact_total_variation, total_variation
from scripts import autoencoded_pate_fig1, autoencoded_pate_fig2
from tests.redrawn import assert_redrawn


def files(folder):
    named = [f"--{kind}={folder / f'figure.{kind}'}" for kind in ("png", "pdf")]
    return [*named, f"--numbers={folder / 'figure.csv'}", f"--comparison={folder / 'comparison.csv'}"]


def assert_same_bytes(first, second):
    for name in ("figure.png", "figure.pdf", "figure.csv", "comparison.csv"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_total_variation_by_quadrature():
    scale = math.sqrt(8 / math.pi)
    crossings = [x * side for x in (1.0, 3.0) for side in (-1, 1)]  # near these the densities cross
    exact = quad(lambda x: abs(logistic.pdf(x) - norm.pdf(x, scale=scale)), -40, 40, points=crossings, limit=500)[0] / 2
    assert exact_total_variation() == pytest.approx(exact, rel=1e-5)
    edges = np.linspace(-1, 1, 3)
    uniform, corner = np.full((2, 2), 0.25), np.array([[1.0, 0], [0, 0]])
    assert total_variation(uniform, corner, edges) == pytest.approx(0.75)
    assert total_variation(uniform, uniform, edges) == 0


@pytest.mark.slow
def test_figure_1_has_both_curves_and_their_gap(tmp_path):
    for run in ("a", "b"):
        autoencoded_pate_fig1.main(["--largest=8", "--points=161", *files(tmp_path / run)])
    assert_same_bytes(tmp_path / "a", tmp_path / "b")
    assert_redrawn(autoencoded_pate_fig1, tmp_path / "a" / "figure.png", tmp_path / "a" / "figure.csv")
    curves, compared = (pd.read_csv(tmp_path / "a" / name) for name in ("figure.csv", "comparison.csv"))
    assert len(curves) == 161
    scale = math.sqrt(8 / math.pi)
    np.testing.assert_allclose(curves["normal_cdf"], norm.cdf(curves["x"], scale=scale), rtol=1e-5)
    np.testing.assert_allclose(curves["logistic_density"], logistic.pdf(curves["x"]), rtol=1e-5)
    # equal heights at 0 is what the variance 8/pi is chosen for
    assert curves.loc[80, "x"] == 0
    assert curves.loc[80, "logistic_density"] == pytest.approx(curves.loc[80, "normal_density"], rel=1e-6)
    gap = compared["largest_cdf_difference"].item()
    assert gap == pytest.approx(0.01767, abs=1e-5)
    assert gap == pytest.approx(curves["cdf_difference"].abs().max(), rel=1e-2)
    assert gap >= curves["cdf_difference"].abs().max()


@pytest.mark.slow
def test_figure_2_is_nearly_uniform_but_not_quite(tmp_path):
    arguments = ["--seed=1", "--samples=200000", "--bins=20", "--repetitions=3"]
    for run in ("a", "b"):
        autoencoded_pate_fig2.main([*arguments, *files(tmp_path / run)])
    assert_same_bytes(tmp_path / "a", tmp_path / "b")
    assert_redrawn(autoencoded_pate_fig2, tmp_path / "a" / "figure.png", tmp_path / "a" / "figure.csv")
    cells, compared = (pd.read_csv(tmp_path / "a" / name) for name in ("figure.csv", "comparison.csv"))
    assert len(cells) == 400
    np.testing.assert_allclose(cells["difference"], (cells["activation"] - cells["uniform"]).abs(), atol=1e-5)
    assert cells[["activation", "uniform"]].sum().to_numpy() / 100 == pytest.approx([1, 1], rel=1e-5)
    inside = cells[np.hypot(cells["x"].abs() + 0.05, cells["y"].abs() + 0.05) < 1]
    assert inside["uniform"].mean() == pytest.approx(1 / math.pi, rel=0.01)
    row = compared.iloc[0]
    # more than chance, and what it must be up to chance
    assert row["total_variation"] > row["two_uniform_samples"] + 5 * row["two_uniform_samples_spread"]
    assert abs(row["total_variation"] - row["total_variation_exact"]) < row["two_uniform_samples"]
    assert row["seeds"] == 3

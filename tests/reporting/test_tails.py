"""The table of the noise's tails, against the distributions themselves."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from scripts import scalable_pate_tails

RATIOS = [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize(("name", "noise"), [("lnmax", stats.laplace()), ("gnmax", stats.norm())])
def test_a_chance_is_that_of_two_noises_to_make_up_for_the_difference(name, noise):
    for ratio, chance in zip(RATIOS, scalable_pate_tails.chances(RATIOS)[name], strict=True):
        exact, _ = integrate.quad(lambda x, r=ratio: noise.pdf(x) * noise.sf(x + r), -np.inf, np.inf, epsabs=1e-12)
        assert chance == pytest.approx(exact, rel=1e-6)


def test_each_fall_is_since_the_ratio_before_and_at_first_since_equal_counts(tmp_path):
    path = tmp_path / "tails.csv"
    scalable_pate_tails.main([f"--table={path}", "--ratios", *map(str, RATIOS)])
    table = pd.read_csv(path)
    assert list(table["ratio"]) == RATIOS
    for name in ("lnmax", "gnmax"):
        before = np.concatenate([[0.5], table[f"chance_{name}"][:-1]])
        np.testing.assert_allclose(table[f"fall_{name}"], table[f"chance_{name}"] / before, rtol=1e-4)
    assert (table["fall_gnmax"] < table["fall_lnmax"]).all()

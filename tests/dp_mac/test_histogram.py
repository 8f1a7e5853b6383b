"""The thresholds' histograms: one count a record, noise as stated, edges from the released counts alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from lib.core.errors import InputError
from lib.dp_mac.histogram import learned_thresholds, modal_edge, noisy_histogram

FIXED = settings(derandomize=True, deadline=None, max_examples=100)
norms_lists = st.lists(st.floats(0, 5), max_size=12)


def counts(norms, top, bins):
    return noisy_histogram(np.array(norms, float), top, bins, 0.0, np.random.default_rng(0))


@given(norms_lists, st.floats(0, 5), st.floats(0.01, 4), st.integers(1, 25))
@FIXED
def test_one_record_changes_one_count_by_one(norms, added, top, bins):
    change = counts([*norms, added], top, bins) - counts(norms, top, bins)
    assert np.abs(change).sum() == np.linalg.norm(change) == 1
    assert counts(norms, top, bins).sum() == len(norms)


def test_bins_are_equal_and_the_last_takes_all_above():
    found = counts([0.0, 0.24, 0.25, 0.5, 0.74, 0.99, 1.0, 1.01, 50.0, np.inf], 1.0, 4)
    assert found.tolist() == [2, 1, 2, 5]


def test_noise_has_the_stated_deviation():
    rng = np.random.default_rng(3)
    drawn = np.concatenate(
        [noisy_histogram(np.zeros(100), 1.0, 20, 20.0, rng) - counts(np.zeros(100), 1.0, 20) for _ in range(200)]
    )
    assert kstest(drawn / 20.0, "norm").pvalue > 1e-3
    assert drawn.std() == pytest.approx(20.0, rel=0.05)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=30), st.floats(0.01, 10))
@FIXED
def test_the_edge_is_the_upper_one_of_the_first_largest_bin(released, top):
    edge = modal_edge(np.array(released), top)
    place = round(edge / top * len(released)) - 1
    assert released[place] == max(released) and max(released[:place], default=-np.inf) < released[place]
    assert 0 < edge <= top * (1 + 1e-12)


def test_thresholds_follow_each_runs_and_layers_own_norms():
    rng = np.random.default_rng(0)
    middles = np.array([[0.12, 0.57, 5.0], [0.88, 0.02, 0.42]])
    norms = np.abs(middles[..., None] + 0.01 * rng.standard_normal((2, 3, 4000)))
    tops = np.array([[1.0, 1.0, 1.0], [1.0, 0.1, 2.0]])
    found = learned_thresholds(norms, tops, 20, 20.0, [np.random.default_rng(i) for i in range(2)])
    np.testing.assert_allclose(found, [[0.15, 0.6, 1.0], [0.9, 0.02, 0.5]], atol=0.011)
    # a run's draws are its own
    alone = learned_thresholds(norms[1:], tops[1:], 20, 20.0, [np.random.default_rng(1)])
    assert np.array_equal(alone, found[1:])
    # with noise far above all counts the bin is drawn, not read
    blind = [
        learned_thresholds(norms[:1, :1], tops[:1, :1], 20, 1e6, [np.random.default_rng(i)]).item() for i in range(60)
    ]
    assert len(set(blind)) > 10


@pytest.mark.parametrize(
    ("norms", "top", "bins", "sigma", "match"),
    [
        ([0.1], 0.0, 5, 1.0, "top 0"),
        ([0.1], np.nan, 5, 1.0, "top nan"),
        ([0.1], 1.0, 0, 1.0, "bins 0"),
        ([0.1], 1.0, 5, -1.0, "sigma -1"),
        ([np.nan], 1.0, 5, 1.0, "norms"),
        ([-0.1], 1.0, 5, 1.0, "norms"),
    ],
)
def test_impossible_histograms_are_refused(norms, top, bins, sigma, match):
    with pytest.raises(InputError, match=match):
        noisy_histogram(np.array(norms), top, bins, sigma, np.random.default_rng(0))

"""The error of PCA under noise: the formula against simulation, the heuristic against every other choice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.encoders.blocks import Blocks
from lib.encoders.component_choice import (
    exhaustive_components,
    heuristic_components,
    lost_squares,
    pca_error,
)
from lib.encoders.principal_components import fit_blocks, fit_volumes
from tests.encoders.test_principal_components import BLOCKS, masks

SIGMAS = [0.0, 0.05, 0.3, 0.6, 1.0, 3.0]
TRAIN, HELD_OUT = masks(60), masks(40, seed=1)
PCA = fit_blocks([TRAIN], BLOCKS)
D = BLOCKS.dimension


def by_hand(pca, y, components, sigma, rng, blocks=BLOCKS):
    """Squared errors (m,) of encoding, noise and decoding, block by block (Fay et al. 2022, eq. 9)."""
    rows = blocks.split(y).reshape(-1, blocks.dimension).astype(float)
    a = pca.components[:components].astype(float)
    z = (rows - pca.mean) @ a.T + sigma * rng.standard_normal((len(rows), components))
    return np.square(rows - (z @ a + pca.mean)).sum(axis=1)


@pytest.mark.parametrize("sigma", [0.3, 1.0])
@pytest.mark.parametrize("components", [0, 1, 7, D])
def test_the_formula_is_the_simulated_error(components, sigma):
    """Within five standard errors of the simulation, which are below 3 % of the error; half the noise is not."""
    rng = np.random.default_rng(components)
    # the mean over all blocks in each of 60 repetitions: they differ by noise alone, as the formula's expectation does
    means = [by_hand(PCA, TRAIN, components, sigma, rng).mean() for _ in range(60)]
    deviation = np.std(means) / np.sqrt(len(means))
    formula = pca_error(PCA.eigenvalues, components, sigma)
    assert deviation < 0.03 * formula
    assert abs(np.mean(means) - formula) <= 5 * deviation + 1e-5 * formula
    if components:
        assert abs(np.mean(means) - pca_error(PCA.eigenvalues, components, sigma / 2)) > 5 * deviation


def test_what_is_lost_of_the_fitted_masks_is_the_formula():
    lost = lost_squares(PCA, iter([TRAIN[:20], TRAIN[20:]]), BLOCKS)
    np.testing.assert_allclose(lost, pca_error(PCA.eigenvalues, np.arange(D + 1), 0.0), atol=1e-5 * PCA.total)
    some = fit_blocks([TRAIN], BLOCKS, 5)
    formula = pca_error(some.eigenvalues, np.arange(6), 0.0, some.total)
    np.testing.assert_allclose(lost_squares(some, [TRAIN], BLOCKS), formula, atol=1e-5 * PCA.total)
    np.testing.assert_allclose(formula, lost[:6], atol=1e-5 * PCA.total)


def test_what_is_lost_of_others_is_what_reconstructions_lack():
    lost = lost_squares(PCA, [HELD_OUT], BLOCKS)
    for components in range(D + 1):
        expected = by_hand(PCA, HELD_OUT, components, 0.0, np.random.default_rng(0)).mean()
        assert lost[components] == pytest.approx(expected, abs=1e-5 * PCA.total)


def test_whole_volumes_are_one_block():
    whole = Blocks(BLOCKS.shape, BLOCKS.shape[1:])
    pca = fit_volumes(TRAIN[:10])
    lost = lost_squares(pca, [HELD_OUT], whole)
    expected = [by_hand(pca, HELD_OUT, k, 0.0, None or np.random.default_rng(0), whole).mean() for k in range(10)]
    np.testing.assert_allclose(lost, expected, rtol=1e-4)


@settings(deadline=None)
@given(st.lists(st.floats(0, 10), min_size=1, max_size=20), st.floats(0, 4))
def test_the_heuristic_minimises_the_formula(values, sigma):
    values = np.sort(values)[::-1]
    errors = pca_error(values, np.arange(len(values) + 1), sigma)
    chosen = heuristic_components(values, sigma)
    assert errors[chosen] <= errors.min() + 1e-12 * (1 + errors.max())


@pytest.mark.parametrize("sigma", SIGMAS[1:])
def test_the_heuristic_is_the_exhaustive_search_of_the_formula(sigma):
    formula = pca_error(PCA.eigenvalues, np.arange(D + 1), 0.0)
    assert heuristic_components(PCA.eigenvalues, sigma) == exhaustive_components(formula, sigma)


def test_the_heuristic_keeps_what_exceeds_the_noise():
    values = np.array([4.0, 1.0, 0.25])
    assert [heuristic_components(values, s) for s in (0.0, 0.4, 0.5, 0.99, 1.0, 2.0)] == [3, 3, 2, 2, 1, 0]


def test_the_search_is_at_least_as_good_on_the_masks_it_sees_and_better_on_some():
    """By independent reconstruction of held-out masks, at every L."""
    lost = lost_squares(PCA, [HELD_OUT], BLOCKS)
    better = 0
    for sigma in np.linspace(0.05, 1.5, 30):
        direct = [by_hand(PCA, HELD_OUT, k, 0.0, np.random.default_rng(0)).mean() + k * sigma**2 for k in range(D + 1)]
        searched = exhaustive_components(lost, sigma)
        assert direct[searched] <= min(direct) + 1e-5 * PCA.total
        better += direct[searched] < direct[heuristic_components(PCA.eigenvalues, sigma)] - 1e-5 * PCA.total
    assert better > 0


def test_more_noise_keeps_fewer():
    lost = lost_squares(PCA, [HELD_OUT], BLOCKS)
    chosen = [exhaustive_components(lost, sigma) for sigma in SIGMAS]
    assert chosen == sorted(chosen, reverse=True) and chosen[0] > 0 and chosen[-1] == 0

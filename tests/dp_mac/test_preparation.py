"""The private preparation of images: sensitivities over all neighbours, noise as accounted for and drawn once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from lib.core.errors import InputError
from lib.dp_mac import preparation as module
from lib.dp_mac.accounting import MacRun, one_block
from lib.dp_mac.preparation import Preparation, first_components, fitted, mean_pixel, second_moments
from lib.dp_mac.statements import statements
from lib.training.clipping_slack import SLACK
from pate_accountant import rdp
from pate_accountant.gaussian import epsilon_analytic
from pate_accountant.run_statements import pld_statement
from pate_accountant.training_run import AGREEMENT, check

FIXED = settings(derandomize=True, deadline=None, max_examples=200)
ORDERS = rdp.order_grid()
WHOLE = Preparation(centre=True, components=3, sigma_centre=2.0, sigma_pca=4.0)


def exact(rows):
    """What is released of the second moments, each number once, without noise."""
    moments = second_moments(rows, None, np.random.default_rng(0))
    return moments[np.triu_indices(rows.shape[1])]


def total(rows):
    """What is released of the mean pixel, without noise: the sum over records."""
    return mean_pixel(rows, None, np.random.default_rng(0)) * len(rows)


# ---------------------------------------------------------------- one record added or removed


@given(st.integers(0, 2**31), st.integers(1, 6), st.integers(1, 5), st.floats(-6, 6))
@FIXED
def test_no_record_moves_the_second_moments_by_more_than_1(seed, records, pixels, scale):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((records, pixels)) * 10**scale * (rng.random((records, pixels)) < 0.7)
    for left_out in range(records):
        assert np.linalg.norm(exact(rows) - exact(np.delete(rows, left_out, 0))) <= 1


def test_the_bound_on_the_second_moments_is_reached():
    """By a row with one pixel: half of the bound would be wrong."""
    rows = np.array([[0.3, 0.4], [0.0, 5.0]])
    assert np.linalg.norm(exact(rows) - exact(rows[:1])) == pytest.approx((1 - SLACK) ** 2, rel=1e-12)


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=6))
@FIXED
def test_no_record_moves_the_sum_of_mean_pixels_by_more_than_1(rows):
    rows = np.array(rows)
    for left_out in range(len(rows)):
        assert abs(total(rows) - total(np.delete(rows, left_out, 0))) <= 1 + 1e-12
    white = np.vstack([rows, np.ones(3)])
    assert total(white) - total(rows) == pytest.approx(1)


def test_rows_are_scaled_to_norm_1_and_zeros_stay():
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [3e-162, 0.0]])
    moments = second_moments(rows, None, np.random.default_rng(0)) / (1 - SLACK) ** 2
    np.testing.assert_allclose(moments, [[0.36 + 1, 0.48], [0.48, 0.64]])


# ---------------------------------------------------------------- noise


def test_noise_is_symmetric_has_the_stated_deviation_and_every_number_its_own():
    noise = np.array([second_moments(np.zeros((1, 30)), 4.0, np.random.default_rng(i)) for i in range(40)])
    assert np.array_equal(noise, noise.swapaxes(1, 2))
    upper = noise[:, *np.triu_indices(30)]
    assert kstest(upper.ravel() / 4.0, "norm").pvalue > 1e-3
    assert len(np.unique(upper)) == upper.size
    means = np.array([mean_pixel(np.full((1000, 2), 0.5), 2.0, np.random.default_rng(i)) for i in range(2000)])
    assert kstest((means - 0.5) * 1000 / 2.0, "norm").pvalue > 1e-3


def test_no_noise_of_a_preparation_is_used_twice(monkeypatch):
    """Runs and releases draw numbers of their own: what two runs share would cancel in their difference."""
    keys, plain = [], module.generator

    def recorded(seed, *job):
        keys.append(job)
        return plain(seed, *job)

    monkeypatch.setattr(module, "generator", recorded)
    rows = np.random.default_rng(0).random((20, 5))
    found = [fitted(WHOLE, rows, 1, "job", name, "preparation") for name in ("one", "two")]
    assert len(set(keys)) == len(keys) == 4
    assert len({plain(1, *key).standard_normal() for key in keys}) == 4
    assert found[0].centre != found[1].centre and not np.allclose(found[0].basis, found[1].basis)
    again = fitted(WHOLE, rows, 1, "job", "one", "preparation")
    assert again.centre == found[0].centre and np.array_equal(again.basis, found[0].basis)


# ---------------------------------------------------------------- what is made of it


def test_without_noise_it_is_the_mean_and_the_first_components():
    rng = np.random.default_rng(2)
    rows = 0.5 + 0.1 * rng.standard_normal((200, 3)).clip(-3, 3) * [1, 1, 0.01]
    found = fitted(replace(WHOLE, components=2, sigma_centre=None, sigma_pca=None), rows, 1, "job")
    assert found.centre == pytest.approx(rows.mean())
    assert np.abs(found.basis[2]).max() < 0.2
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(2), atol=1e-12)
    expected = (rows - found.centre) / max(found.centre, 1 - found.centre) @ found.basis
    np.testing.assert_allclose(found(rows), expected, rtol=1e-5, atol=1e-7)
    centred = fitted(Preparation(centre=True), rows, 1, "job")
    np.testing.assert_allclose(centred(rows), rows - rows.mean(), rtol=1e-5, atol=1e-7)
    assert centred.basis is None and fitted(Preparation(), rows, 1, "job").centre == 0


def test_the_second_moments_are_about_the_mean_that_was_released():
    """Not about the rows' own mean, which no noise hides."""
    rows = np.random.default_rng(3).random((40, 4)) * [1, 0.1, 0.5, 0.2]
    noisy = replace(WHOLE, components=1, sigma_centre=20.0, sigma_pca=None)
    for seed in range(5):
        found = fitted(noisy, rows, seed, "job")
        assert abs(found.centre - rows.mean()) > 0.05
        about = second_moments(rows - found.centre, None, np.random.default_rng(0))
        np.testing.assert_allclose(found.basis, first_components(about, 1, "magnitude"))
        own = second_moments(rows - rows.mean(), None, np.random.default_rng(0))
        assert not np.allclose(np.abs(found.basis), np.abs(first_components(own, 1, "magnitude")), atol=0.02)


def test_components_come_by_magnitude_or_by_value():
    moments = np.diag([1.0, -3.0, 2.0])
    assert np.abs(first_components(moments, 2, "magnitude")).argmax(0).tolist() == [1, 2]
    assert np.abs(first_components(moments, 2, "value")).argmax(0).tolist() == [2, 0]


# ---------------------------------------------------------------- its cost


def test_the_accountant_is_told_of_every_release():
    assert WHOLE.releases == {"sigma_centre": 2.0, "sigma_pca": 4.0}
    assert Preparation().releases == {}
    for without in ({"sigma_centre": None}, {"sigma_pca": None}):
        with pytest.raises(InputError, match="no epsilon"):
            _ = replace(WHOLE, **without).releases


@pytest.mark.parametrize(
    ("batch", "epochs", "sigma", "sigma_pca", "classic", "pld"),
    [(1000, 30, 1.0, 4.0, 5.54, 4.47), (1000, 30, 2.8, 8.0, 1.45, 1.10), (500, 10, 4.4, 16.0, 0.447, 0.312)],
)
def test_the_authors_classifiers_cost_less_than_they_say(batch, epochs, sigma, sigma_pca, classic, pld):
    """All parts composed, by both accountants; parts added would be 6.6, 1.92 and .63, of which the last is more."""
    run = MacRun(
        samples=60000, batch=batch, epochs=epochs, layers=2, sigma=sigma, sigma_centre=100, sigma_pca=sigma_pca
    )
    assert check(run, ORDERS) <= AGREEMENT
    made = statements(run, ORDERS, 1e-5)
    assert made["joint"].epsilon == pytest.approx(classic, rel=0.01) and made["joint"].guarantee
    second = pld_statement(run, 1e-5)
    assert second.epsilon == pytest.approx(pld, rel=0.02) and second.guarantee
    assert second.epsilon < made["joint_tight"].epsilon < made["added"].epsilon


@pytest.mark.slow
def test_a_preparation_costs_something_by_both_accountants():
    run = MacRun(samples=5000, batch=50, epochs=2, layers=2, sigma=2.0)
    for more in ({"sigma_centre": 5.0}, {"sigma_pca": 5.0}):
        dearer = replace(run, **more)
        (name,) = set(dearer.parts(ORDERS)) - {"training"}
        np.testing.assert_allclose(dearer.parts(ORDERS)[name], ORDERS / (2 * 25))
        for cost in (lambda run: statements(run, ORDERS, 1e-5)["joint"], lambda run: pld_statement(run, 1e-5)):
            assert cost(dearer).epsilon > cost(run).epsilon
        assert not statements(dearer, ORDERS, 1e-5)["training"].guarantee
    assert one_block(run, sigma_pca=3.0).parts(ORDERS).keys() == {"pca", "training"}


def test_the_second_accountant_agrees_with_the_exact_gaussian():
    """Without sampling and with one part: the analytic epsilon of sensitivity sqrt(epochs)."""
    run = MacRun(samples=100, batch=100, epochs=9, layers=1, sigma=5.0)
    exact_epsilon = epsilon_analytic(3.0, 5.0, 1e-5)
    assert exact_epsilon <= pld_statement(run, 1e-5).epsilon <= 1.01 * exact_epsilon


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("components", [0, 6])
def test_components_lie_within_the_pixels(components):
    with pytest.raises(InputError, match="the pixels"):
        fitted(replace(WHOLE, components=components), np.zeros((4, 5)), 1, "job")

"""The accountant of a run against dp_accounting's two routes, and the numbers of the paper's settings."""

import math
from dataclasses import replace

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.dp_mac.accounting import COEFFICIENTS, MacRun
from lib.dp_mac.statements import appendix_h, statements
from pate_accountant import rdp
from pate_accountant.subsampled_gaussian import subsampled_gaussian_rdp
from pate_accountant.training_run import AGREEMENT, TrainingRun, calibrated_sigma, check, epsilon, steps_per_epoch

FIXED = settings(derandomize=True, deadline=None, max_examples=40)
ORDERS = rdp.order_grid()
SHORT = rdp.order_grid((1.5, 40.0, 0.5), (40.0, 200.0, 8))
DELTA = 1e-5
AUTOENCODER = MacRun(samples=5000, batch=50, epochs=20, layers=6, sigma=1.0)
CLASSIFIER = MacRun(samples=60000, batch=50, epochs=20, layers=3, sigma=1.0)
WHOLE = {"pretraining_epochs": 1, "sigma_histogram": 20.0}


# ---------------------------------------------------------------- a second accountant


@pytest.mark.slow
@given(st.floats(0.001, 0.2), st.floats(0.5, 15), st.integers(0, 2), st.booleans(), st.integers(1, 3), st.booleans())
@FIXED
def test_dp_accounting_agrees(rate, sigma, pretraining, learned, coefficients, printed):
    run = MacRun(
        samples=5000,
        batch=rate * 5000,
        epochs=3,
        layers=4,
        sigma=sigma,
        coefficients=COEFFICIENTS[:coefficients],
        pretraining_epochs=pretraining,
        sigma_histogram=20.0 if learned else None,
        scaling="layers" if printed else "blocks",
    )
    assert check(run, SHORT) <= AGREEMENT


@pytest.mark.parametrize("change", [{"epochs": 21}, {"sigma": 0.99}, {"sigma_histogram": 21.0}])
def test_a_difference_between_the_accountants_is_seen(change, monkeypatch):
    run = replace(AUTOENCODER, **WHOLE)
    other = replace(run, **change).events()
    monkeypatch.setattr(MacRun, "events", lambda run: other)
    with pytest.raises(ArithmeticError, match="differ"):
        check(run, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.75, 2.2, 12.1])
def test_epsilon_lies_above_the_exact_one_and_not_far(sigma):
    """The privacy loss distribution composes exactly, up to its grid, which it rounds upwards."""
    whole = replace(AUTOENCODER, sigma=sigma, epochs=5)
    made = privacy_loss_distribution.from_gaussian_mechanism(
        sigma, value_discretization_interval=1e-4, sampling_prob=whole.rate
    )
    exact = made.self_compose(500).get_epsilon_for_delta(DELTA)
    classic, tight = (statements(whole, ORDERS, DELTA)[name].epsilon for name in ("joint", "joint_tight"))
    assert 0.99 * exact <= tight <= classic <= 2 * exact


def test_parts_make_the_whole_and_events_name_the_relation():
    run = replace(AUTOENCODER, **WHOLE, sigma=3.0)
    found = run.parts(ORDERS)
    assert set(found) == set(run.events()) == {"pretraining", "histogram", "training"}
    np.testing.assert_allclose(found["training"], 2000 * subsampled_gaussian_rdp(ORDERS, 0.01, 3.0))
    np.testing.assert_allclose(found["pretraining"], 100 * subsampled_gaussian_rdp(ORDERS, 0.01, 3.0))
    np.testing.assert_allclose(found["histogram"], 6 * ORDERS / (2 * 20.0**2))
    assert epsilon(run, ORDERS, DELTA) == rdp.epsilon_classic(ORDERS, sum(found.values()), DELTA)[0]
    accountant = dp_accounting.rdp.RdpAccountant(ORDERS)  # whose own default is add or remove one
    for event in run.events().values():
        accountant.compose(event)
    assert accountant.get_epsilon(DELTA) == pytest.approx(statements(run, ORDERS, DELTA)["joint_tight"].epsilon, 1e-3)


# ---------------------------------------------------------------- the paper's settings


@pytest.mark.parametrize(("sigma", "expected"), [(2.2, 1.0796), (3.0, 0.7615), (5.2, 0.4247), (12.1, 0.1791)])
def test_the_autoencoders_sigmas_cost(sigma, expected):
    assert epsilon(replace(AUTOENCODER, sigma=sigma), ORDERS, DELTA) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("sigma", "expected"), [(1.7, 0.4358), (5.8, 0.1082)])
def test_the_classifiers_sigmas_cost(sigma, expected):
    assert epsilon(replace(CLASSIFIER, sigma=sigma), ORDERS, DELTA) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("sigma", "claimed", "expected"), [(1.3, 8, 7.11), (2, 4, 3.97), (3.7, 2, 1.96)])
def test_the_claims_for_dp_sgd_hold(sigma, claimed, expected):
    """The same accountant gives what the paper claims for DP-SGD (7 costs 1.00): it is DP-MAC that differs."""
    run = TrainingRun(samples=5000, batch=100, epochs=100, sigma=sigma)
    found = epsilon(run, ORDERS, DELTA)
    assert found == pytest.approx(expected, abs=0.005) and found <= claimed
    assert epsilon(replace(run, sigma=7.0), ORDERS, DELTA) == pytest.approx(1.0, abs=0.001)


@pytest.mark.parametrize(
    ("sigma", "six", "seven_whole", "six_whole"),
    [(2.2, 4.2, 8.0, 6.7), (3.0, 2.33, 4.3, 3.8), (5.2, 1.13, 2.05, 1.9), (12.1, 0.45, 1.02, 0.97)],
)
def test_appendix_h_with_seven_layers_explains_the_published_epsilons(sigma, six, seven_whole, six_whole):
    run = replace(AUTOENCODER, sigma=sigma)
    whole = replace(run, **WHOLE)
    assert appendix_h(run, ORDERS, DELTA).epsilon == pytest.approx(six, rel=0.01)
    assert appendix_h(whole, ORDERS, DELTA, layers=7).epsilon == pytest.approx(seven_whole, rel=0.01)
    assert appendix_h(whole, ORDERS, DELTA).epsilon == pytest.approx(six_whole, rel=0.01)


@pytest.mark.parametrize(("sigma", "two", "three"), [(1.7, 1.71, 2.46), (5.8, 0.505, 0.567)])
def test_appendix_h_brackets_the_classifiers_epsilons(sigma, two, three):
    whole = replace(CLASSIFIER, sigma=sigma, **WHOLE)
    assert appendix_h(whole, ORDERS, DELTA, layers=2).epsilon == pytest.approx(two, rel=0.01)
    assert appendix_h(whole, ORDERS, DELTA).epsilon == pytest.approx(three, rel=0.01)


@pytest.mark.parametrize(("layers", "correct", "printed"), [(6, 0.595, 0.419), (3, 0.419, 0.296)])
def test_histograms_cost_twice_what_the_paper_writes(layers, correct, printed):
    costs = replace(AUTOENCODER, layers=layers, sigma_histogram=20.0).parts(ORDERS)["histogram"]
    assert rdp.epsilon_classic(ORDERS, costs, DELTA)[0] == pytest.approx(correct, abs=0.001)
    moments = ORDERS - 1  # alpha(lambda) = lambda (lambda + 1) / (4 sigma^2) a layer, lambda = order - 1
    formula = layers * (moments**2 + moments) / (4 * 20.0**2) / moments
    np.testing.assert_allclose(costs, 2 * formula, rtol=1e-12)
    assert rdp.epsilon_classic(ORDERS, formula, DELTA)[0] == pytest.approx(printed, abs=0.001)
    without = replace(AUTOENCODER, layers=layers)
    difference = [appendix_h(replace(without, sigma_histogram=s), ORDERS, DELTA).epsilon for s in (20.0, None)]
    assert difference[0] - difference[1] == pytest.approx(printed, abs=0.001)


@pytest.mark.parametrize(("sigma", "added"), [(2.2, 2.0), (3.0, 1.55), (5.2, 1.12), (12.1, 0.815)])
def test_parts_added_cost_more_than_parts_composed_and_have_their_deltas(sigma, added):
    made = statements(replace(AUTOENCODER, sigma=sigma, **WHOLE), ORDERS, DELTA)
    assert made["added"].epsilon == pytest.approx(added, rel=0.005)
    assert made["added"].delta == pytest.approx(3e-5)
    assert made["joint_tight"].epsilon < made["joint"].epsilon < made["added"].epsilon


@pytest.mark.parametrize(("sigma", "expected"), [(2.2, 1.6565), (3.0, 1.1266), (5.2, 0.6113), (12.1, 0.2546)])
def test_two_coefficients_at_the_printed_noise_cost_more_than_one(sigma, expected):
    both = replace(AUTOENCODER, sigma=sigma, coefficients=("linear", "quadratic"))
    printed = replace(both, scaling="layers")
    assert printed.sensitivity == pytest.approx(math.sqrt(2))
    assert epsilon(printed, ORDERS, DELTA) == pytest.approx(expected, abs=1e-4)
    assert epsilon(both, ORDERS, DELTA) == epsilon(replace(AUTOENCODER, sigma=sigma), ORDERS, DELTA)


@pytest.mark.parametrize(("batch", "sigma", "expected"), [(500, 1.8, 7.73), (500, 3.1, 3.94), (250, 4.1, 1.99)])
def test_the_public_codes_settings_cost_what_they_say(batch, sigma, expected):
    run = MacRun(samples=5000, batch=batch, epochs=50, layers=6, sigma=sigma)
    assert epsilon(run, ORDERS, DELTA) == pytest.approx(expected, abs=0.01)


# ---------------------------------------------------------------- the noise a target asks for


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "target", "expected"),
    [
        (AUTOENCODER, 8, 0.70),
        pytest.param(AUTOENCODER, 4, 0.92, marks=pytest.mark.long),
        pytest.param(AUTOENCODER, 2, 1.36, marks=pytest.mark.long),
        (AUTOENCODER, 1, 2.35),
        (CLASSIFIER, 8, 0.50),
        pytest.param(CLASSIFIER, 2, 0.78, marks=pytest.mark.long),
        (CLASSIFIER, 0.5, 1.56),
    ],
)
def test_training_alone_needs_far_less_noise_than_the_paper_takes(run, target, expected):
    sigma = calibrated_sigma(run, ORDERS, DELTA, target)
    assert sigma == pytest.approx(expected, abs=0.006)
    assert epsilon(replace(run, sigma=sigma), ORDERS, DELTA) <= target
    assert epsilon(replace(run, sigma=sigma / 1.0002), ORDERS, DELTA) > target


@pytest.mark.slow
@given(st.floats(0.9, 8), st.integers(0, 2), st.floats(20, 100))
@settings(derandomize=True, deadline=None, max_examples=10)
def test_the_calibrated_whole_never_costs_more_than_its_target(target, pretraining, sigma_histogram):
    run = replace(AUTOENCODER, pretraining_epochs=pretraining, sigma_histogram=sigma_histogram)
    sigma = calibrated_sigma(run, SHORT, DELTA, target)
    made = statements(replace(run, sigma=sigma), SHORT, DELTA)["joint"]
    assert made.guarantee and 0.99 * target < made.epsilon <= target
    assert sigma >= calibrated_sigma(replace(run, sigma_histogram=None), SHORT, DELTA, target)


@pytest.mark.slow
def test_calibration_takes_another_reading():
    def reading(run, orders, delta):
        return appendix_h(run, orders, delta, layers=7).epsilon

    sigma = calibrated_sigma(replace(AUTOENCODER, **WHOLE), ORDERS, DELTA, 8.0, reading)
    assert sigma == pytest.approx(2.2, abs=0.01)


def test_targets_out_of_reach_are_refused():
    run = replace(AUTOENCODER, **WHOLE)
    with pytest.raises(InputError, match=r"epsilon 0\.5: even sigma 10000"):
        calibrated_sigma(run, ORDERS, DELTA, 0.5)
    for target in (0.0, -1.0, math.nan):
        with pytest.raises(InputError, match="positive"):
            calibrated_sigma(run, ORDERS, DELTA, target)
    with pytest.raises(InputError, match="hardly any noise"):
        calibrated_sigma(replace(AUTOENCODER, epochs=1), np.array([1.01, 1.02]), 0.5, 1e9)


# ---------------------------------------------------------------- what is said of an epsilon


def test_every_statement_says_what_it_is():
    made = statements(replace(AUTOENCODER, sigma=2.2, **WHOLE), ORDERS, DELTA)
    guarantees = {name for name, statement in made.items() if statement.guarantee}
    assert guarantees == {"joint", "joint_tight", "added", "added_tight"}
    assert set(made) - guarantees == {"training", "appendix_h"}
    for name, statement in made.items():
        assert statement.neighbouring == "add_or_remove_one" and not statement.data_dependent
        assert statement.conversion == ("tight" if name.endswith("tight") else "classic")
    assert statements(AUTOENCODER, ORDERS, DELTA)["training"].guarantee
    assert made["appendix_h"].accountant == "appendix H, K=6"


def test_an_epoch_is_rounded_up():
    assert [steps_per_epoch(5000, b) for b in (50, 499, 500, 5000, 0.5)] == [100, 11, 10, 1, 10000]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"batch": 0}, "batch 0"),
        ({"batch": 5001}, "batch 5001"),
        ({"batch": math.nan}, "batch nan"),
        ({"epochs": 0}, "epochs 0"),
        ({"epochs": -1}, "epochs -1"),
        ({"epochs": 1.4}, r"epochs 1\.4.*whole"),
        ({"pretraining_epochs": math.nan}, "pre-training nan"),
        ({"layers": 0}, "layers 0"),
        ({"sigma": 0.0}, r"sigma 0\.0: .*no epsilon"),
        ({"sigma": -1.0}, "sigma -1"),
        ({"sigma": math.inf}, "sigma inf"),
        ({"sigma_histogram": math.nan}, "sigma_histogram"),
        ({"coefficients": ()}, "coefficients"),
        ({"coefficients": ("linear", "linear")}, "each once"),
        ({"coefficients": ("cubic",)}, "cubic"),
        ({"scaling": "none"}, "scaling 'none'"),
    ],
)
def test_impossible_runs_are_refused(change, match):
    with pytest.raises(InputError, match=match):
        replace(AUTOENCODER, **change)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, math.nan])
def test_impossible_deltas_are_refused(delta):
    with pytest.raises(InputError, match="delta"):
        statements(AUTOENCODER, ORDERS, delta)

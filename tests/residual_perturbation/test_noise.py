"""Residual perturbation: the noise of both strategies where it enters, in training and in test."""

import numpy as np
import pytest
import torch
from scipy.stats import kstest

from lib.core.errors import InputError
from lib.models.resnet8 import FEATURES, INPUT, STEM, SUMS
from lib.residual_perturbation.network import PerturbedResNet8, noisy_of
from lib.residual_perturbation.noise import NoiseForm

pytestmark = pytest.mark.usefixtures("one_thread")

GAMMA, PI = 0.75, 0.4
ADDITIVE, STD, MULTIPLICATIVE = NoiseForm(), NoiseForm(scaling="std"), NoiseForm("multiplicative")
AFTER_STEM = NoiseForm(start="stem")
FLOORED = NoiseForm("multiplicative", floor=0.3)


def network(form, **settings):
    return PerturbedResNet8(channels=3, classes=5, widths=(4, 6, 8), form=form, **settings)


def seen(form, training, gamma=GAMMA, pi=PI, seed=1):
    """What one pass of 30 images of 12x12 carries, has before and has after the noise, at every site."""
    made = network(form)
    module = made.module(np.random.default_rng(0)).train(training)
    x = 0.5 + torch.randn((30, 3, 12, 12), generator=torch.Generator().manual_seed(9))
    strengths = torch.tensor([gamma]), torch.tensor([pi])
    normals = made.draw(module, (30, 12, 12), noisy_of(*strengths), [torch.Generator().manual_seed(seed)])
    perturb = form.perturb({site: normal[0] for site, normal in normals.items()}, *(s[0] for s in strengths))
    found = {}

    def noting(site, carried, value):
        found[site] = (carried, value, perturb(site, carried, value))
        return found[site][2]

    with torch.no_grad():
        module(x, noting)
    return found


def is_standard_normal(draws):
    draws = draws.flatten().numpy().astype(float)
    return (
        abs(draws.mean()) < 5 / np.sqrt(draws.size)
        and abs(draws.std() - 1) < 5 / np.sqrt(2 * draws.size)
        and kstest(draws, "norm").pvalue > 1e-3
    )


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(("form", "start", "unperturbed"), [(ADDITIVE, INPUT, STEM), (AFTER_STEM, STEM, INPUT)])
def test_strategy_one_adds_gamma_to_every_sum_and_pi_to_the_input(form, start, unperturbed, training):
    found = seen(form, training)
    for site, (_, before, after) in found.items():
        if site in (unperturbed, FEATURES):
            assert torch.equal(before, after)
        else:
            assert is_standard_normal((after - before) / (PI if site == start else GAMMA)), site


@pytest.mark.parametrize("training", [True, False])
def test_strategy_two_multiplies_what_is_carried(training):
    found = seen(MULTIPLICATIVE, training)
    for site, (carried, before, after) in found.items():
        if site in (INPUT, STEM):
            assert torch.equal(before, after)
        else:
            scale = carried * (PI if site == FEATURES else GAMMA)
            kept = scale.abs() > 1e-2  # features are 0 where no unit is active, and the noise with them
            assert is_standard_normal(((after - before) / scale)[kept]), site
            assert torch.equal(before[carried == 0], after[carried == 0])


@pytest.mark.parametrize("training", [True, False])
def test_with_a_floor_small_values_have_the_noise_of_the_floor(training):
    for site, (carried, before, after) in seen(FLOORED, training).items():
        if site not in (INPUT, STEM):
            scale = carried.abs().clamp(min=0.3) * (PI if site == FEATURES else GAMMA)
            assert (carried.abs() < 0.3).any() and is_standard_normal((after - before) / scale), site


def test_the_floor_keeps_the_sign_and_what_lies_above():
    carried = torch.tensor([-2.0, -0.1, 0.0, 0.1, 2.0])
    one = torch.ones(())
    after = FLOORED.perturb({SUMS[0]: torch.ones(5)}, one, one)(SUMS[0], carried, torch.zeros(5))
    torch.testing.assert_close(after, torch.tensor([-2.0, -0.3, 0.3, 0.3, 2.0]))


@pytest.mark.parametrize("training", [True, False])
def test_std_scaled_noise_is_relative_to_the_whole_batch(training):
    for site, (_, before, after) in seen(STD, training).items():
        if site not in (STEM, FEATURES):
            assert is_standard_normal((after - before) / (before.std() * (PI if site == INPUT else GAMMA))), site


@pytest.mark.parametrize("form", [ADDITIVE, MULTIPLICATIVE])
def test_noise_is_fresh_at_every_site_and_follows_its_generator(form):
    found, same, other = seen(form, True), seen(form, True), seen(form, True, seed=2)
    for site in SUMS:
        assert torch.equal(found[site][2], same[site][2]) and not torch.equal(found[site][2], other[site][2])
    noise = [((after - before) / GAMMA).flatten() for _, before, after in (found[site] for site in SUMS[:2])]
    product = (noise[0][: len(noise[1])] * noise[1]).mean() / (noise[0].std() * noise[1].std())
    assert abs(product) < 5 / np.sqrt(len(noise[1]))


def test_without_strength_there_is_no_noise_and_nothing_is_drawn():
    for form in (ADDITIVE, STD, FLOORED):
        assert all(torch.equal(before, after) for _, before, after in seen(form, True, 0.0, 0.0).values())
    generator = torch.Generator().manual_seed(1)
    state = generator.get_state()
    made = network(ADDITIVE)
    module = made.module(np.random.default_rng(0))
    assert made.draw(module, (2, 8, 8), [(False, False)], [generator]) == {}
    assert torch.equal(generator.get_state(), state)


def test_pi_is_half_of_gamma_in_strategy_one():
    assert ADDITIVE.pi(2.5) == STD.pi(2.5) == 1.25 and MULTIPLICATIVE.pi(2.5) == 0


def test_pi_can_be_configured():
    assert NoiseForm(pi_share=0.2).pi(2.5) == NoiseForm("multiplicative", pi_share=0.2).pi(2.5) == 0.5


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"strategy": "multiplicative", "scaling": "std"}, "scaling = 'std': allowed is unscaled with multiplicative"),
        ({"strategy": "multiplicative", "start": "stem"}, "start = 'stem': allowed is image with multiplicative noise"),
        ({"floor": 0.1}, "floor = 0.1: allowed is 0 with additive noise"),
    ],
)
def test_impossible_forms_are_refused(settings, match):
    with pytest.raises(InputError, match=match):
        NoiseForm(**settings)


@pytest.mark.parametrize(
    ("settings", "match"),
    [({"form": MULTIPLICATIVE, "skip": False}, "skip connections"), ({"form": ADDITIVE, "norm": "none"}, "norm")],
)
def test_impossible_networks_are_refused(settings, match):
    with pytest.raises(InputError, match=match):
        network(**settings)

"""Many perturbed networks at once: each is what its module is alone, one after the other and by vmap."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.func import stack_module_state

from lib.residual_perturbation.job import Design
from lib.residual_perturbation.network import PerturbedResNet8, noisy_of
from lib.residual_perturbation.noise import NoiseForm

pytestmark = pytest.mark.usefixtures("one_thread")

FORMS = [NoiseForm(), NoiseForm(scaling="std"), NoiseForm(start="stem"), NoiseForm("multiplicative", floor=0.1)]
GAMMA, PI = torch.tensor([0.0, 0.5, 1.0]), torch.tensor([0.0, 0.25, 0.0])
NOISY = noisy_of(GAMMA, PI)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("loop", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_logits_gradients_and_statistics_are_those_of_single_modules(form, loop, training):
    network = PerturbedResNet8(channels=2, classes=5, widths=(4, 6, 8), form=form)
    modules = [network.module(np.random.default_rng(k)).train(training) for k in range(3)]
    parameters, buffers = stack_module_state(modules)
    x = torch.randn((3, 7, 2, 8, 8), generator=torch.Generator().manual_seed(1))
    y = torch.randint(5, (3, 7), generator=torch.Generator().manual_seed(2))
    streams = [torch.Generator().manual_seed(k) for k in range(3)]
    normals = network.draw(modules[0], (7, 8, 8), NOISY, streams)
    logits = network.logits(modules[0], {**parameters, **buffers}, x, normals, GAMMA, PI, loop=loop)
    nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="sum").backward()
    for k, module in enumerate(modules):
        # its own stream, as if it were alone
        stream = torch.Generator().manual_seed(k)
        own = network.draw(module, (7, 8, 8), NOISY[k : k + 1], [stream])
        assert torch.equal(stream.get_state(), streams[k].get_state())
        perturb = form.perturb({site: normal[0] for site, normal in own.items()}, GAMMA[k], PI[k])
        expected = module(x[k], perturb)
        torch.testing.assert_close(logits[k], expected, rtol=1e-4, atol=1e-5)
        nn.functional.cross_entropy(expected, y[k], reduction="sum").backward()
        for name, parameter in module.named_parameters():
            torch.testing.assert_close(parameters[name].grad[k], parameter.grad, rtol=1e-3, atol=1e-4)
        for name, buffer in module.named_buffers():
            torch.testing.assert_close(buffers[name][k], buffer, rtol=1e-4, atol=1e-5)
            assert name.endswith("running_var") or bool(buffer.any()) == training


def test_shared_images_are_the_same_images_for_all():
    network = PerturbedResNet8(channels=1, classes=3, widths=(4, 6, 8))
    modules = [network.module(np.random.default_rng(k)).eval() for k in range(2)]
    weights = {name: value for part in stack_module_state(modules) for name, value in part.items()}
    x, none = torch.randn(4, 1, 8, 8), torch.zeros(2)
    for loop in (True, False):
        shared = network.logits(modules[0], weights, x, {}, none, none, shared=True, loop=loop)
        torch.testing.assert_close(shared, torch.stack([module(x) for module in modules]), rtol=1e-4, atol=1e-5)


def test_a_method_may_have_a_form_a_norm_and_groups_of_its_own():
    task = {"classes": 2, "widths": [8, 8, 16]}
    made = Design(Path("none"), task, {"norm": "group", "groups": 4, "form": {"pi_share": 0.25}}).network(3)
    assert (made.norm, made.groups, made.form.pi(2.0)) == ("group", 4, 0.5)
    assert Design(Path("none"), task, {}).network(3) == PerturbedResNet8(channels=3, classes=2, widths=(8, 8, 16))

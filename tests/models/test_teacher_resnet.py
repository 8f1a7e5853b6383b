"""The residual teacher: against modules of torch, one by one and many at once, and that it learns."""

import numpy as np
import pytest
import torch
from torch import nn

from lib.models.teacher_resnet import StackedTeacherResNet
from lib.pate.replicas import replica_labels
from lib.pate.teacher_recipe import Recipe
from lib.training.context import Context

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"classes": 5, "widths": (4, 8, 8), "blocks": 2, "groups": 2}


def stacked(network, teachers):
    """Parameters of `teachers` networks, the scales and shifts of their normalisation drawn, too."""
    rng = np.random.default_rng(5)
    single = [network.initial(rng) for _ in range(teachers)]
    for parameters in single:
        for name in parameters:
            if name.endswith(("_scale", "_shift", "bias")):
                parameters[name] = parameters[name] + rng.normal(0, 0.3, parameters[name].shape).astype(np.float32)
    return {name: torch.tensor(np.stack([p[name] for p in single])) for name in single[0]}


class Block(nn.Module):
    """A residual block of ordinary modules."""

    def __init__(self, before, width, stride, groups, slope):
        super().__init__()
        self.first = nn.Conv2d(before, width, 3, stride, 1, bias=False)
        self.first_norm = nn.GroupNorm(groups, width)
        self.second = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.second_norm = nn.GroupNorm(groups, width)
        self.act, self.stride, self.new = nn.LeakyReLU(slope), stride, width - before

    def forward(self, x):
        y = self.second_norm(self.second(self.act(self.first_norm(self.first(x)))))
        kept = x[:, :, :: self.stride, :: self.stride]
        empty = kept.new_zeros(kept.shape[0], self.new, *kept.shape[2:])
        return self.act(y + torch.cat([kept, empty], 1))


def module_of(network, parameters, teacher):
    """The same network built of modules, in the order of its layers, with one teacher's parameters."""
    channels = network.shape[2] if len(network.shape) == 3 else 1
    stem = nn.Conv2d(channels, network.widths[0], 3, 1, 1, bias=False)
    norm = nn.GroupNorm(network.groups, network.widths[0])
    blocks, before = [], network.widths[0]
    for stage, width in enumerate(network.widths):
        for block in range(network.blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            blocks.append(Block(before, width, stride, network.groups, network.slope))
            before = width
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, network.classes)]
    module = nn.Sequential(stem, norm, nn.LeakyReLU(network.slope), *blocks, *head)
    own = {name: value[teacher] for name, value in parameters.items()}
    values = [own["stem"], own["stem_scale"], own["stem_shift"]]
    for stage in range(3):
        for block in range(network.blocks):
            for part in ("first", "second"):
                name = f"stage{stage}_block{block}_{part}"
                values += [own[name], own[f"{name}_scale"], own[f"{name}_shift"]]
    values += [own["linear"], own["bias"]]
    with torch.no_grad():
        for target, value in zip(module.parameters(), values, strict=True):
            target.copy_(value)
    return module


@pytest.mark.parametrize("shape", [(8, 8), (28, 28), (9, 12, 3)])
def test_every_network_is_the_one_built_of_modules(shape):
    network = StackedTeacherResNet(shape, **SMALL)
    parameters = stacked(network, 2)
    x = torch.rand(2, 3, *shape) - 0.5
    found = network.logits(parameters, x)
    for teacher in range(2):
        given = x[teacher].movedim(-1, 1) if len(shape) == 3 else x[teacher].unsqueeze(1)
        torch.testing.assert_close(found[teacher], module_of(network, parameters, teacher)(given))


def test_the_papers_network_has_32_layers_with_weights():
    network = StackedTeacherResNet((28, 28), 150)
    assert len(network.decayed) == 32
    assert network.initial(np.random.default_rng(0))["stage2_block4_second"].shape == (64, 64, 3, 3)


def test_the_first_weights_keep_the_size_of_a_signal():
    p = StackedTeacherResNet((28, 28), 150).initial(np.random.default_rng(0))
    assert p["stage2_block4_second"].std() == pytest.approx(np.sqrt(2 / 1.01 / (64 * 9)), rel=0.02)
    assert p["linear"].std() == pytest.approx(1 / 8, rel=0.05)
    assert all(value.dtype == np.float32 for value in p.values())


@pytest.mark.parametrize("shared", [False, True])
def test_many_at_once_are_one_after_the_other(shared):
    network = StackedTeacherResNet((8, 8), **SMALL)
    parameters = stacked(network, 3)
    x = torch.rand(4, 8, 8) if shared else torch.rand(3, 4, 8, 8)
    one_by_one, at_once = (network.logits(parameters, x, shared, loop) for loop in (True, False))
    torch.testing.assert_close(one_by_one, at_once)


def test_a_vote_does_not_depend_on_the_queries_beside_it():
    network = StackedTeacherResNet((8, 8), **SMALL)
    parameters = stacked(network, 2)
    x = torch.rand(5, 8, 8)
    torch.testing.assert_close(network.logits(parameters, x, True)[:, :1], network.logits(parameters, x[:1], True))


def test_it_learns():
    rng = np.random.default_rng(1)
    patterns = rng.integers(0, 120, (2, 8, 8))

    def part(teacher):
        own = np.random.default_rng(teacher)
        y = own.integers(0, 2, 60)
        return (patterns[y] + own.integers(0, 135, (60, 8, 8))).astype(np.uint8), y

    network = StackedTeacherResNet((8, 8), 2, widths=(4, 4, 8), blocks=1, groups=2)
    queries, truth = part(100)
    recipe = Recipe(steps=60, batch=20, rate=0.05, momentum=0.9, weight_decay=1e-4)
    labels = replica_labels(network, part, range(2), queries, recipe, Context(0, ("test",), torch.device("cpu")), 2)
    assert ((labels == truth[:, None]).mean(0) > 0.9).all()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"shape": (28,)}, "sample shape"),
        ({"shape": (3, 28)}, "sample shape"),
        ({"widths": (16, 32)}, "widths"),
        ({"widths": (32, 16, 64)}, "widths"),
        ({"groups": 3}, "groups 3"),
        ({"blocks": 0}, "blocks 0"),
    ],
)
def test_what_does_not_fit_is_refused(fault, message):
    with pytest.raises(ValueError, match=message):
        StackedTeacherResNet(**({"shape": (28, 28), "classes": 5} | fault))

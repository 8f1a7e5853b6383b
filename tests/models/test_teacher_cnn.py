"""The convolutional teacher: its layers by formula, and many at once against one by one."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from lib.models import teacher_cnn
from lib.models.teacher_cnn import StackedTeacherCNN

pytestmark = pytest.mark.usefixtures("one_thread")

# first weights larger than the paper's, so that the convolutions matter
SMALL = {"classes": 10, "convolutions": (6, 8), "connected": (12, 9), "deviation": 0.1}


def stacked(network, teachers):
    """Parameters of `teachers` networks."""
    rng = np.random.default_rng(5)
    single = [network.initial(rng) for _ in range(teachers)]
    return {name: torch.tensor(np.stack([p[name] for p in single])) for name in single[0]}


def test_the_papers_widths_and_initial_values():
    network = StackedTeacherCNN((28, 28), 10)
    p = network.initial(np.random.default_rng(0))
    shapes = {name: value.shape for name, value in p.items() if name.startswith("weight")}
    assert shapes == {
        "weight0": (64, 1, 5, 5),
        "weight1": (128, 64, 5, 5),
        "weight2": (384, 7 * 7 * 128),
        "weight3": (192, 384),
        "weight4": (10, 192),
    }
    assert [float(p[f"bias{i}"][0]) for i in range(5)] == pytest.approx([0, 0.1, 0.1, 0.1, 0])
    for name, deviation in (("weight1", 1e-4), ("weight2", 0.04), ("weight3", 0.04), ("weight4", 1 / 192)):
        assert np.abs(p[name]).max() <= 2 * deviation * (1 + 1e-6)
        # a normal cut at two deviations has 0.8796 of the deviation
        assert p[name].std() == pytest.approx(0.8796 * deviation, rel=0.03)
        assert p[name].dtype == np.float32


def test_normalisation_is_the_formula_of_tensorflow():
    x = torch.rand(2, 12, 3, 4, dtype=torch.float64) * 30
    expected = torch.empty_like(x)
    for c in range(12):
        window = x[:, max(0, c - 4) : c + 5]
        expected[:, c] = x[:, c] / (1 + 0.001 / 9 * (window**2).sum(1)) ** 0.75
    torch.testing.assert_close(teacher_cnn._normalised(x), expected)


def test_pooling_pads_as_tensorflow_does_on_even_sides():
    x = torch.randn(2, 3, 8, 12)
    padded = F.pad(x, (0, 1, 0, 1), value=-np.inf)
    expected = torch.empty(2, 3, 4, 6)
    for i in range(4):
        for j in range(6):
            expected[:, :, i, j] = padded[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3].amax((2, 3))
    assert torch.equal(teacher_cnn._pooled(x), expected)


@pytest.mark.parametrize("shape", [(8, 8), (12, 8, 3)])
@pytest.mark.parametrize("shared", [False, True])
def test_all_at_once_equals_one_by_one(shape, shared):
    network = StackedTeacherCNN(shape, **SMALL)
    x = torch.rand(*(() if shared else (4,)), 5, *shape) - 0.5
    found = []
    for loop in (True, False):
        parameters = {name: p.requires_grad_() for name, p in stacked(network, 4).items()}
        logits = network.logits(parameters, x, shared, loop=loop)
        assert logits.shape == (4, 5, 10)
        (logits**2).sum().backward()
        found.append((logits.detach(), *(p.grad for p in parameters.values())))
    for one, other in zip(*found, strict=True):
        assert one.abs().max() > 0
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5 * float(one.abs().max()))


def test_channels_come_last():
    network = StackedTeacherCNN((8, 8, 3), **SMALL)
    parameters = stacked(network, 1)
    parameters["weight0"][:, :, 1:] = 0  # deaf to all but the first channel
    x = torch.rand(1, 5, 8, 8, 3)
    y = x.clone()
    y[..., 1:] = 0
    assert torch.equal(network.logits(parameters, x), network.logits(parameters, y))
    y[..., 0] += 0.5
    assert not torch.equal(network.logits(parameters, x), network.logits(parameters, y))


@pytest.mark.parametrize("shape", [(8,), (10, 8), (8, 6, 3)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="multiples of 4"):
        StackedTeacherCNN(shape, 10)

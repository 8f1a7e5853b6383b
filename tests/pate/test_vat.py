import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from lib.core.errors import InputError
from lib.models.student_vat import BATCH, UPDATE, BatchNorm, VatClassifier
from lib.pate.semi_supervised import make_images
from lib.pate.student_settings import VatSettings
from lib.pate.vat_student import (
    VatTrainer,
    conditional_entropy,
    divergence,
    pixels,
    planes,
    train_vat_student,
    unit,
    virtual_adversarial_direction,
)
from lib.training.context import Context

CPU = torch.device("cpu")
SMALL = {
    "method": "vat_entropy",
    "blocks": [[4]],
    "top": [5, 4],
    "slope": 0.1,
    "dropout": 0.5,
    "momentum": 0.1,
    "steps": 6,
    "labelled_batch": 4,
    "unlabelled_batch": 6,
    "learning_rate": 0.01,
    "beta1": 0.9,
    "beta1_decay": 0.5,
    "beta2": 0.999,
    "decay_start": 0.5,
    "epsilon": 1.0,
    "xi": 0.01,
    "power_iterations": 1,
    "vat_weight": 1.0,
    "entropy_weight": 1.0,
}


def settings(**changes):
    return VatSettings(**SMALL | changes)


def data(labelled=7, unlabelled=20, seed=1, shape=(8, 8)):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 256, (labelled + unlabelled, *shape), dtype=np.uint8)
    return x[:labelled], rng.integers(0, 3, labelled), x[labelled:]


def train(seed=5, job=("student", "a"), inputs=None, **changes):
    arguments = {name: changes.pop(name) for name in ("checkpoint", "progress") if name in changes}
    return train_vat_student(*(inputs or data()), 3, 255, settings(**changes), Context(seed, job, CPU, **arguments))


def probabilities(**arguments):
    return train(**arguments).predict_probabilities(data()[2])


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_divergence_and_entropy_by_hand():
    p, q = torch.tensor([[math.log(3.0), 0.0]]), torch.zeros(1, 2)
    expected = 0.75 * math.log(0.75 / 0.5) + 0.25 * math.log(0.25 / 0.5)
    assert divergence(p, q).item() == pytest.approx(expected, rel=1e-5)
    assert divergence(torch.cat([p, q]), torch.cat([q, q])).item() == pytest.approx(expected / 2, rel=1e-5)
    assert conditional_entropy(q).item() == pytest.approx(math.log(2))
    assert conditional_entropy(p).item() == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25), rel=1e-5)


def test_unit_vectors_have_norm_one_however_small():
    d = torch.randn(5, 1, 8, 8, generator=generator())
    for scale in (1e-25, 1.0, 1e15):
        assert torch.allclose(unit(d * scale).flatten(1).norm(dim=1), torch.ones(5), atol=1e-5)
    assert torch.equal(unit(torch.zeros(2, 3)), torch.zeros(2, 3))


@pytest.mark.parametrize("xi", [0.01, 1.0])
def test_the_perturbation_raises_the_divergence_more_than_a_random_one(xi):
    network = VatClassifier(1, [[4]], [5], 3, 0.1, 0.0, 0.1, np.random.default_rng(0))
    with torch.no_grad():
        network.last.weight.mul_(3)

    def predict(images):
        return network(images, BATCH)

    x = torch.rand(64, 1, 8, 8, generator=generator())
    logits = predict(x).detach()
    start = torch.randn(x.shape, generator=generator(1))
    d = virtual_adversarial_direction(predict, x, logits, start, xi, 1)
    assert torch.allclose(d.flatten(1).norm(dim=1), torch.ones(64), atol=1e-5)
    assert not d.requires_grad
    epsilon = 0.5
    random = [unit(torch.randn(x.shape, generator=generator(seed))) for seed in range(2, 22)]
    with torch.no_grad():
        adversarial = divergence(logits, predict(x + epsilon * d)).item()
        mean = np.mean([divergence(logits, predict(x + epsilon * r)).item() for r in random])
    assert adversarial > 2 * mean


def test_power_iteration_finds_the_dominant_direction_of_a_linear_model():
    # two classes with logits w.x and 0: the divergence grows along w alone
    w = torch.tensor([3.0, -4.0, 0.0], dtype=torch.float64)

    def predict(images):
        return torch.stack([images @ w, torch.zeros(len(images), dtype=torch.float64)], 1)

    x = torch.randn(5, 3, generator=generator(), dtype=torch.float64)
    start = torch.randn(5, 3, generator=generator(1), dtype=torch.float64)
    d = virtual_adversarial_direction(predict, x, predict(x), start, 1e-3, 1)
    assert torch.allclose((d @ (w / 5)).abs(), torch.ones(5, dtype=torch.float64), atol=1e-6)


def test_batch_statistics_of_unlabelled_images_leave_the_averages_alone():
    norm = BatchNorm(3, 0.1)
    x = 2 + 3 * torch.randn(50, 3, 4, 4, generator=generator())
    out = norm(x, BATCH)
    assert torch.equal(norm.mean, torch.zeros(3))
    assert torch.allclose(out.mean((0, 2, 3)), torch.zeros(3), atol=1e-5)
    assert torch.equal(norm(x, UPDATE), out)
    assert torch.allclose(norm.mean, 0.1 * x.mean((0, 2, 3)), atol=1e-6)


def test_adam_forgets_faster_once_the_rate_decays(monkeypatch):
    """Steps 0 to 5 with decay from step 3 on: beta1 and the rate of each."""
    seen = []
    monkeypatch.setattr(
        "lib.pate.semi_supervised.descend", lambda optimizer, loss, rate, beta1: seen.append((beta1, rate))
    )
    train(beta1=0.9, beta1_decay=0.4)
    assert [beta1 for beta1, _ in seen] == [0.9] * 3 + [0.4] * 3
    assert [rate for _, rate in seen] == pytest.approx([0.01] * 4 + [0.02 / 3, 0.01 / 3])


def test_only_labelled_images_move_the_running_averages():
    trainers = []
    for unlabelled_batch in (6, 9):
        changed = settings(unlabelled_batch=unlabelled_batch)
        trainers.append(VatTrainer(make_images(*data(), 3, CPU, 255), 3, changed, Context(5, ("a",), CPU)))
        trainers[-1].take(0)
    first, second = (trainer.network.blocks[0][0][1] for trainer in trainers)
    assert not torch.equal(first.mean, torch.zeros(4))
    assert torch.equal(first.mean, second.mean)


def test_dropout_comes_from_the_generator_alone():
    network = VatClassifier(1, [[4]], [5], 3, 0.1, 0.5, 0.1, np.random.default_rng(0))
    x = torch.rand(6, 1, 8, 8, generator=generator())
    assert torch.equal(network(x), network(x))
    assert torch.equal(network(x, BATCH, generator(1)), network(x, BATCH, generator(1)))
    assert not torch.equal(network(x, BATCH, generator(1)), network(x, BATCH, generator(2)))


def test_supervised_training_ignores_the_other_images():
    x, y, rest = data()
    students = [train(method="supervised", inputs=(x, y, other)) for other in (rest, rest[:0], 255 - rest)]
    found = {student.predict_probabilities(x).tobytes() for student in students}
    assert len(found) == 1
    assert found != {train(inputs=(x, y, rest)).predict_probabilities(x).tobytes()}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["supervised", "vat", "vat_entropy"])
@pytest.mark.parametrize("blocks", [[[8]], []])
def test_the_student_learns_its_labels(method, blocks):
    x, y, rest = data()
    student = train(method=method, steps=150, dropout=0.0, blocks=blocks, top=[8], epsilon=0.2, inputs=(x, y, rest))
    assert student.accuracy(x, y) == 100
    found = student.predict_probabilities(rest)
    assert found.dtype == np.float32
    assert np.allclose(found.sum(1), 1, atol=1e-6)


def test_without_other_images_the_labelled_ones_serve():
    x, y, rest = data()
    assert train(inputs=(x, y, rest[:0])).predict_probabilities(x).shape == (7, 3)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 3)])
def test_without_blocks_every_layer_is_fully_connected(shape):
    x, y, rest = data(shape=shape)
    images = make_images(x, y, rest, 3, CPU, 255)
    network = VatTrainer(images, 3, settings(blocks=[]), Context(5, ("a",), CPU)).network
    h = images.scaled(images.labelled).flatten(1)
    for layer, norm in network.top:
        h = functional.leaky_relu(norm((h @ layer.weight.flatten(1).T)[:, :, None, None], BATCH).flatten(1), 0.1)
    assert torch.allclose(network(pixels(images.scaled(images.labelled)), BATCH), network.last(h), atol=1e-6)
    assert train(blocks=[], inputs=(x, y, rest)).predict_probabilities(x).shape == (7, 3)


def test_colour_images():
    x, y, rest = data(shape=(6, 8, 3))
    assert planes(torch.from_numpy(x)).shape == (7, 3, 6, 8)
    assert train(inputs=(x, y, rest)).predict_probabilities(x).shape == (7, 3)


def test_same_names_same_bytes_and_others_others():
    assert probabilities().tobytes() == probabilities().tobytes()
    assert probabilities().tobytes() != probabilities(seed=6).tobytes()
    assert probabilities().tobytes() != probabilities(job=("student", "b")).tobytes()


def one_line(error):
    message = str(error.value)
    assert "\n" not in message
    return message


def test_divergence_stops_and_names_the_step():
    with pytest.raises(InputError) as error:
        train(learning_rate=1e30)
    assert "step" in one_line(error)
    assert "student a" in one_line(error)


@pytest.mark.parametrize("shape", [(5, 8), (8,), (8, 5, 3)])
def test_images_too_small_or_flat_are_refused(shape):
    with pytest.raises(InputError) as error:
        train(inputs=data(shape=shape))
    assert "h, w >= 6" in one_line(error)


def test_labels_out_of_range_are_refused():
    x, y, rest = data()
    with pytest.raises(InputError) as error:
        train(inputs=(x, y + 2, rest))
    assert "allowed: 0 to 2" in one_line(error)

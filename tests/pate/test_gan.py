import math

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch.nn import functional

from lib.core.errors import InputError
from lib.core.seeding import Draws
from lib.models.student_gan import GanClassifier, GanGenerator, WeightNormLinear
from lib.pate.gan_student import (
    GanTrainer,
    feature_matching_loss,
    train_gan_student,
    unlabelled_loss,
)
from lib.pate.inner_epsilon_adam import InnerEpsilonAdam
from lib.pate.semi_supervised import (
    batch_rows,
    descend,
    labelled_loss,
    learning_rate,
    make_adam,
    make_images,
)
from lib.pate.student_settings import GanSettings
from lib.training.context import Context

CPU = torch.device("cpu")
SMALL = {
    "hidden": [12, 8],
    "generator": [9],
    "latent": 5,
    "input_noise": 0.3,
    "hidden_noise": 0.5,
    "epochs": 2,
    "labelled_batch": 4,
    "unlabelled_batch": 6,
    "learning_rate": 0.003,
    "beta1": 0.5,
    "beta2": 0.999,
    "decay_start": 0.5,
    "unlabelled_weight": 1.0,
    "average_decay": 0.9,
    "initial_batch": 10,
}


def settings(**changes):
    return GanSettings(**SMALL | changes)


def data(labelled=7, unlabelled=20, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 256, (labelled + unlabelled, 4, 4), dtype=np.uint8)
    return x[:labelled], rng.integers(0, 3, labelled), x[labelled:]


def train(seed=5, job=("student", "a"), inputs=None, **changes):
    arguments = {name: changes.pop(name) for name in ("checkpoint", "progress") if name in changes}
    return train_gan_student(*(inputs or data()), 3, 255, settings(**changes), Context(seed, job, CPU, **arguments))


def probabilities(**arguments):
    return train(**arguments).predict_probabilities(data()[2])


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_losses_by_hand():
    zeros = torch.zeros(3, 2)
    assert labelled_loss(zeros, torch.tensor([0, 1, 0])).item() == pytest.approx(math.log(2))
    # real with probability 2/3, generated with 1/3
    expected = -0.5 * math.log(2 / 3) - 0.5 * math.log(1 / 3)
    assert unlabelled_loss(zeros, zeros).item() == pytest.approx(expected)
    means = torch.tensor([[1.0, 0.0], [3.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    assert feature_matching_loss(*means).item() == pytest.approx((2**2 + 1) / 2)


def test_losses_equal_those_of_a_softmax_over_one_more_class():
    logits = 5 * torch.randn(2, 40, 4, generator=generator(), dtype=torch.float64)
    log_p = functional.log_softmax(torch.cat([logits, torch.zeros(2, 40, 1, dtype=torch.float64)], 2), 2)
    labels = torch.arange(40) % 4
    real, generated = log_p
    explicit = -0.5 * torch.log1p(-real[:, 4].exp()).mean() - 0.5 * generated[:, 4].mean()
    assert unlabelled_loss(*logits).item() == pytest.approx(explicit.item(), rel=1e-9)
    within = real.gather(1, labels[:, None])[:, 0] - torch.log1p(-real[:, 4].exp())
    assert labelled_loss(logits[0], labels).item() == pytest.approx(-within.mean().item(), rel=1e-9)


def test_losses_are_finite_for_huge_logits():
    huge = torch.tensor([[1e4, -1e4]])
    assert unlabelled_loss(huge, -huge).isfinite()
    assert unlabelled_loss(torch.full((1, 2), -1e4), huge).isfinite()


def test_weights_have_the_norm_of_their_scale():
    layer = WeightNormLinear(30, 4, True, np.random.default_rng(0))
    with torch.no_grad():
        layer.scale.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    weights = layer(torch.eye(30)) - layer.bias
    assert torch.allclose(weights.norm(dim=0), layer.scale, rtol=1e-4)


def test_initialisation_standardises_every_layer():
    network = GanClassifier(20, [15, 10], 3, 0.0, 0.0, np.random.default_rng(0))
    x = torch.rand(200, 20, generator=generator())
    network.standardise(x, generator())
    for out in (network.layers[0](x), network(x)):
        assert torch.allclose(out.mean(0), torch.zeros(out.shape[1]), atol=1e-4)
        assert torch.allclose(out.std(0, unbiased=False), torch.ones(out.shape[1]), atol=1e-3)


def test_noise_comes_from_the_generator_alone():
    network = GanClassifier(20, [15, 10], 3, 0.3, 0.5, np.random.default_rng(0))
    x = torch.rand(6, 20, generator=generator())
    assert torch.equal(network(x), network(x))
    assert torch.equal(network(x, generator(1)), network(x, generator(1)))
    assert not torch.equal(network(x, generator(1)), network(x, generator(2)))
    images = GanGenerator(5, [9], 20, np.random.default_rng(0))(8, generator(3))
    assert images.shape == (8, 20)
    assert 0 <= images.min() <= images.max() <= 1


def test_feature_matching_moves_the_generator_only():
    classifier = GanClassifier(20, [15, 10], 3, 0.3, 0.5, np.random.default_rng(0))
    made = GanGenerator(5, [9], 20, np.random.default_rng(1))
    before = [p.clone() for p in classifier.parameters()], [p.clone() for p in made.parameters()]
    real = classifier.features(torch.rand(6, 20), generator(1))
    loss = feature_matching_loss(real, classifier.features(made(6, generator(2)), generator(3)))
    descend(make_adam(made, (0.5, 0.999)), loss, 0.01, 0.5)
    assert all(p.grad is None for p in classifier.parameters())
    assert all(torch.equal(p, q) for p, q in zip(classifier.parameters(), before[0], strict=True))
    assert all(not torch.equal(p, q) for p, q in zip(made.parameters(), before[1], strict=True))


def test_adam_with_its_epsilon_below_the_root():
    rng = generator()
    parameters = [torch.randn(3, 2, generator=rng, dtype=torch.float64), torch.randn(4, generator=rng).double()]
    expected = [p.clone() for p in parameters]
    optimizer = InnerEpsilonAdam(parameters, 0.1, (0.5, 0.999), epsilon=0.01)
    means, squares = [torch.zeros_like(p) for p in parameters], [torch.zeros_like(p) for p in parameters]
    for step in range(1, 6):
        for i, p in enumerate(parameters):
            p.grad = 0.1 * torch.randn(p.shape, generator=rng, dtype=p.dtype)
            means[i] = 0.5 * means[i] + 0.5 * p.grad
            squares[i] = 0.999 * squares[i] + 0.001 * p.grad**2
            root = (squares[i] / (1 - 0.999**step) + 0.01).sqrt()
            expected[i] = expected[i] - 0.1 * means[i] / (1 - 0.5**step) / root
        optimizer.step()
    for p, q in zip(parameters, expected, strict=True):
        assert torch.allclose(p, q, rtol=1e-12)


def test_without_epsilon_it_is_the_adam_of_torch():
    start = torch.randn(50, generator=generator(), dtype=torch.float64)
    pairs = [(InnerEpsilonAdam, {"epsilon": 0.0}), (torch.optim.Adam, {"eps": 0.0})]
    found = []
    for kind, settings_of_kind in pairs:
        p = start.clone().requires_grad_()
        optimizer = kind([p], lr=0.01, betas=(0.5, 0.999), **settings_of_kind)
        for _ in range(20):
            optimizer.zero_grad()
            (p**4).sum().backward()
            optimizer.step()
        found.append(p.detach())
    assert torch.allclose(*found, rtol=1e-10)
    assert not torch.allclose(found[0], start, atol=0.01)


def test_a_small_gradient_moves_a_weight_less():
    moved = []
    for size in (1e-2, 1e-4, 1e-6):
        p = torch.zeros(1)
        p.grad = torch.full((1,), size)
        InnerEpsilonAdam([p], 1.0, (0.5, 0.999)).step()
        moved.append(-float(p))
    assert moved == pytest.approx([1.0, 0.5**0.5, 0.01], rel=1e-3)


def test_prediction_uses_the_mean_of_the_weights_of_all_steps():
    images = make_images(*data(), 3, CPU, 255)
    trainer = GanTrainer(images, 3, settings(average_decay=0.7), Context(5, ("a",), CPU))
    mean, total = 0.0, 0.0
    for step in range(trainer.steps):
        trainer.take(step)
        mean, total = 0.7 * mean + trainer.classifier.layers[1].direction.detach(), 0.7 * total + 1
    assert torch.allclose(trainer.predictor().layers[1].direction, mean / total, atol=1e-6)
    assert not torch.equal(trainer.predictor().layers[1].direction, trainer.classifier.layers[1].direction)


def test_without_averaging_prediction_uses_the_newest_weights():
    trainer = GanTrainer(make_images(*data(), 3, CPU, 255), 3, settings(average_decay=0.0), Context(5, ("a",), CPU))
    for step in range(trainer.steps):
        trainer.take(step)
    assert torch.equal(trainer.predictor().layers[0].direction, trainer.classifier.layers[0].direction)


@pytest.mark.slow
def test_the_student_learns_its_labels():
    x, y, rest = data()
    student = train(epochs=60, inputs=(x, y, rest))
    assert student.accuracy(x, y) == 100
    found = student.predict_probabilities(rest)
    assert found.dtype == np.float32
    assert found.shape == (20, 3)
    assert np.allclose(found.sum(1), 1, atol=1e-6)
    assert student.predict_probabilities(rest[:0]).shape == (0, 3)


@pytest.mark.slow
def test_other_images_help():
    # the seeds were fixed before the first run, which took four times the steps; shortened for time, not for its result
    x, y = load_digits(return_X_y=True)
    x = x.astype(np.uint8).reshape(-1, 8, 8)
    changes = {"hidden": [64, 64], "generator": [64], "latent": 20, "epochs": 20, "average_decay": 0.0}
    changes |= {"labelled_batch": 100, "unlabelled_batch": 100}
    gains = []
    for seed in (0, 1):
        order = np.random.default_rng(seed).permutation(len(x))
        own, rest = order[:40], order[40:]
        accuracy = [
            train_gan_student(
                x[own], y[own], x[rest], 10, 16, settings(unlabelled_weight=w, **changes), Context(seed, ("toy",), CPU)
            ).accuracy(x[rest], y[rest])
            for w in (0.0, 1.0)
        ]
        gains.append(accuracy[1] - accuracy[0])
    assert np.mean(gains) > 0


def test_without_other_images_the_labelled_ones_serve():
    x, y, rest = data()
    assert train(inputs=(x, y, rest[:0])).predict_probabilities(x).shape == (7, 3)


def test_same_names_same_bytes_and_others_others():
    assert probabilities().tobytes() == probabilities().tobytes()
    assert probabilities().tobytes() != probabilities(seed=6).tobytes()
    assert probabilities().tobytes() != probabilities(job=("student", "b")).tobytes()


def test_batches_see_all_samples_equally_often():
    draws = Draws(3, ("a",))
    seen = np.concatenate([batch_rows(draws, "role", step, 7, 4) for step in range(7)])
    assert np.array_equal(np.bincount(seen), np.full(7, 4))
    assert len(batch_rows(draws, "role", 0, 3, 10)) == 10
    assert not np.array_equal(batch_rows(draws, "role", 0, 50, 50), batch_rows(draws, "role", 1, 50, 50))


def test_learning_rate_falls_linearly_to_zero():
    rates = [learning_rate(0.1, step, 10, 0.5) for step in range(11)]
    assert rates == pytest.approx([0.1] * 6 + [0.08, 0.06, 0.04, 0.02, 0.0])
    assert learning_rate(0.1, 9, 10, 1.0) == 0.1


def one_line(error):
    message = str(error.value)
    assert "\n" not in message
    return message


def test_divergence_stops_and_names_the_step():
    with pytest.raises(InputError) as error:
        train(learning_rate=1e30, epochs=3)
    assert "step" in one_line(error)
    assert "student a" in one_line(error)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda x, y, u: (x, y + 1, u), "allowed: 0 to 2"),
        (lambda x, y, u: (x, y - 1, u), "allowed: 0 to 2"),
        (lambda x, y, u: (x, y[:-1], u), "one for each"),
        (lambda x, y, u: (x, y.astype(float), u), "integers"),
        (lambda x, y, u: (x.astype(np.float32), y, u), "labelled images are float32"),
        (lambda x, y, u: (x, y, u[:, :2]), "unlabelled images of shape (2, 4)"),
        (lambda x, y, u: (x[:0], y[:0], u), "no labelled images"),
    ],
)
def test_data_that_do_not_fit_are_refused_in_one_line(change, named):
    with pytest.raises(InputError) as error:
        train(inputs=change(*data()))
    assert named in one_line(error)


def test_pixels_beyond_white_are_refused():
    with pytest.raises(InputError, match="pixel"):
        make_images(*data(), 3, CPU, white=16)

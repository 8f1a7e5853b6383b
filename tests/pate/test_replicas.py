"""Teachers trained many at once: the same as one by one, and apart from each other."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from lib.core.checkpoint import Checkpoint
from lib.core.errors import InputError
from lib.models.mlp import StackedMLP
from lib.models.teacher_cnn import StackedTeacherCNN
from lib.pate import replicas as module
from lib.pate.replicas import Parts, Replicas, predict_labels, replica_labels, stack_parts
from lib.pate.teacher_recipe import Recipe
from lib.training.context import Context
from lib.training.device import choose_device, memory_of_a_pass

pytestmark = pytest.mark.usefixtures("device")

SIZES = (30, 7, 1, 30)
TEACHERS = range(3, 7)
CLASSES = 5
MLP = StackedMLP(64, (12, 9), CLASSES, slope=0.1)
CNN = StackedTeacherCNN((8, 8), CLASSES, (6, 8), (12, 9), deviation=0.1)  # so that its convolutions learn at once
SGD = Recipe(steps=8, batch=6, rate=0.1, momentum=0.9, weight_decay=0.01, drops=(3, 6))
ADAM = Recipe(steps=8, batch=6, rate=0.01, optimizer="adam", average=0.9999, scaling="whitened")
CASES = [(MLP, SGD), (MLP, ADAM), (CNN, replace(SGD, average=0.99)), (CNN, ADAM)]
QUERIES = np.random.default_rng(2).integers(0, 256, (23, 8, 8), np.uint8)


def part(teacher):
    """A small part of each teacher's own."""
    rng = np.random.default_rng(teacher)
    size = SIZES[teacher - TEACHERS.start]
    return rng.integers(0, 256, (size, 8, 8), np.uint8), rng.integers(0, CLASSES, size)


def make(network, recipe, parts=None, teachers=TEACHERS):
    parts = stack_parts(part, teachers, CLASSES) if parts is None else parts
    return Replicas(network, parts, recipe, teachers, Context(1, ("job",), torch.device("cpu")))


def advance(replicas, steps):
    for _ in range(steps):
        replicas.advance()
    return replicas


def as_bytes(replicas):
    """Everything about the networks, bit by bit."""
    return {name: np.asarray(value).tobytes() for name, value in replicas.state().items()}


def row(replicas, teacher):
    """One teacher's share of the state, bit by bit."""
    state = {name: value for name, value in replicas.state().items() if name != "step" and not name.endswith(".step")}
    return {name: value[teacher].numpy().tobytes() for name, value in state.items()}


def single_mlp(parameters, teacher):
    """An ordinary module with one teacher's parameters."""
    layers = []
    for i in range(3):
        weight, bias = parameters[f"weight{i}"][teacher], parameters[f"bias{i}"][teacher]
        linear = nn.Linear(*weight.shape)
        with torch.no_grad():
            linear.weight.copy_(weight.T)
            linear.bias.copy_(bias[0])
        layers += [linear, nn.LeakyReLU(0.1)]
    return nn.Sequential(nn.Flatten(), *layers[:-1])


def test_logits_and_gradients_equal_those_of_single_modules():
    parameters = {k.split(".")[1]: v for k, v in make(MLP, SGD).state().items() if k.startswith("parameter")}
    singles = [single_mlp(parameters, t) for t in range(4)]
    x, y = torch.randn(4, 11, 8, 8), torch.randint(CLASSES, (4, 11))
    for p in parameters.values():
        p.requires_grad_()
    logits = MLP.logits(parameters, x)
    sum(nn.functional.cross_entropy(logits[t], y[t]) for t in range(4)).backward()
    for t, single in enumerate(singles):
        expected = single(x[t])
        torch.testing.assert_close(logits[t], expected, rtol=1e-5, atol=1e-6)
        nn.functional.cross_entropy(expected, y[t]).backward()
        for i in range(3):
            linear = single[1 + 2 * i]
            torch.testing.assert_close(parameters[f"weight{i}"].grad[t], linear.weight.grad.T, rtol=1e-4, atol=1e-7)
            torch.testing.assert_close(parameters[f"bias{i}"].grad[t][0], linear.bias.grad, rtol=1e-4, atol=1e-7)
    shared = torch.randn(13, 8, 8)
    expected = torch.stack([single(shared) for single in singles])
    torch.testing.assert_close(MLP.logits(parameters, shared, shared=True), expected, rtol=1e-5, atol=1e-6)


def test_training_equals_a_loop_with_the_optimisers_of_torch():
    for recipe in (SGD, replace(ADAM, average=None, scaling="centred")):
        replicas = make(MLP, recipe)
        start = {k.split(".")[1]: v.clone() for k, v in replicas.state().items() if k.startswith("parameter")}
        singles = [single_mlp(start, t) for t in range(4)]
        optimisers = []
        for single in singles:
            groups = [
                {"params": [p], "weight_decay": recipe.weight_decay if p.ndim == 2 else 0} for p in single.parameters()
            ]
            kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[recipe.optimizer]
            settings = {"momentum": 0.9} if recipe.optimizer == "sgd" else {}
            optimisers.append(kind(groups, lr=recipe.rate, **settings))
        for step in range(recipe.steps):
            rows = replicas._batch().numpy() - 30 * np.arange(4)[:, None]
            replicas.advance()
            rate = recipe.rate * 0.1 ** ((step >= 3) + (step >= 6)) if recipe.drops else recipe.rate
            for t, (single, optimiser) in enumerate(zip(singles, optimisers, strict=True)):
                x, y = part(TEACHERS[t])
                x, y = torch.from_numpy(x[rows[t]]).float() / 255 - 0.5, torch.from_numpy(y[rows[t]])
                for group in optimiser.param_groups:
                    group["lr"] = rate
                optimiser.zero_grad()
                nn.functional.cross_entropy(single(x), y).backward()
                optimiser.step()
        trained = replicas.trained()
        for t, single in enumerate(singles):
            for i in range(3):
                weight = single[1 + 2 * i].weight.detach().T
                torch.testing.assert_close(trained[f"weight{i}"][t], weight, rtol=1e-4, atol=1e-5)
                assert not torch.allclose(start[f"weight{i}"][t], weight, atol=1e-3)


@pytest.mark.parametrize(("network", "recipe"), CASES)
def test_what_one_teacher_sees_changes_no_bit_of_another(network, recipe):
    parts = stack_parts(part, TEACHERS, CLASSES)
    other = Parts(parts.x.copy(), parts.y.copy(), parts.sizes)
    other.x[1, :7] = 255 - other.x[1, :7]
    other.y[1, :7] = (other.y[1, :7] + 1) % CLASSES
    one, two = (advance(make(network, recipe, p), recipe.steps) for p in (parts, other))
    assert [row(one, t) == row(two, t) for t in range(4)] == [True, False, True, True]
    # nor does what pads a small part
    other = Parts(parts.x.copy(), parts.y.copy(), parts.sizes)
    for t, size in enumerate(SIZES):
        other.x[t, size:], other.y[t, size:] = 99, 1
    assert as_bytes(advance(make(network, recipe, other), recipe.steps)) == as_bytes(one)


def test_batches_come_from_all_of_the_own_part_and_not_from_the_neighbours():
    replicas = make(MLP, replace(SGD, steps=1000, batch=20))
    rows = []
    for step in range(250):
        replicas.step = step
        rows.append(replicas._batch().numpy())
    for t, size in enumerate(SIZES):
        assert set(np.stack(rows)[:, t].ravel() - 30 * t) == set(range(size))


def test_results_do_not_depend_on_how_teachers_are_grouped(device):
    for network, recipe in CASES:
        together = advance(make(network, recipe), 3).trained()
        for t in (3, 6):
            alone = advance(make(network, recipe, teachers=range(t, t + 1)), 3).trained()
            for name, value in alone.items():
                torch.testing.assert_close(together[name][t - 3], value[0], rtol=1e-4, atol=1e-5)
    context = Context(1, ("job",), device)
    labels = [replica_labels(MLP, part, TEACHERS, QUERIES, SGD, context, group=g) for g in (1, 3, 4)]
    assert np.array_equal(labels[0], labels[1]) and np.array_equal(labels[0], labels[2])


def labels_with(checkpoint, device):
    """Labels of all teachers, two at a time, 40 steps each."""
    recipe = replace(ADAM, steps=40)
    return replica_labels(MLP, part, TEACHERS, QUERIES, recipe, Context(1, ("job",), device, checkpoint), group=2)


def test_a_finished_group_is_not_trained_again(tmp_path, device, monkeypatch):
    with Checkpoint(tmp_path / "state.npz", "key", seconds=0) as checkpoint:
        expected = labels_with(checkpoint, device)
    asked = []

    def noting(teacher):
        asked.append(teacher)
        return part(teacher)

    with Checkpoint(tmp_path / "state.npz", "key", seconds=1000) as checkpoint:
        recipe = replace(ADAM, steps=40)
        found = replica_labels(MLP, noting, TEACHERS, QUERIES, recipe, Context(1, ("job",), device, checkpoint), 2)
    assert np.array_equal(found, expected)
    assert asked == [5, 6]


def test_a_loss_that_is_not_finite_stops_the_training_and_names_the_teacher():
    with pytest.raises(InputError) as error:
        advance(make(MLP, replace(SGD, rate=1e20)), 8)
    assert "teacher 3: the loss at step 1 of 8 is not finite" in str(error.value)
    assert "\n" not in str(error.value)
    replicas = advance(make(MLP, SGD), 2)
    replicas._parameters["weight1"].data[2] = np.nan
    with pytest.raises(InputError, match="teacher 5: the loss at step 2 of 8 is not finite"):
        replicas.advance()
    with pytest.raises(InputError, match="teacher 5: the weight1 after step 2 of 8 is not finite"):
        replicas.trained()


def test_the_average_follows_the_rule_of_tensorflow():
    recipe = replace(SGD, average=0.5)
    assert [recipe.averaging_at(t) for t in (1, 2, 7, 8, 100)] == pytest.approx([2 / 11, 3 / 12, 8 / 17, 0.5, 0.5])
    assert replace(SGD, average=0.9999).averaging_at(3000) == pytest.approx(3001 / 3010)
    averaged, plain = make(MLP, recipe), make(MLP, SGD)
    expected = {name: p.clone() for name, p in averaged.trained().items()}
    for t in range(1, 9):
        averaged.advance(), plain.advance()
        decay = min(0.5, (1 + t) / (10 + t))
        for name, p in plain.trained().items():
            expected[name] = decay * expected[name] + (1 - decay) * p
    for name, p in averaged.trained().items():
        torch.testing.assert_close(p, expected[name], rtol=1e-5, atol=1e-6)
        assert not torch.equal(p, plain.trained()[name])


def test_teachers_learn_their_own_parts(device):
    recipe = Recipe(steps=300, batch=10, rate=0.05, momentum=0.9)
    replicas = advance(make(MLP, recipe), recipe.steps)
    for t, teacher in enumerate(TEACHERS):
        x, y = part(teacher)
        assert np.array_equal(predict_labels(MLP, replicas.trained(), x)[:, t], y)


@pytest.mark.parametrize(("classes", "dtype"), [(2, np.uint8), (256, np.uint8), (257, np.uint16)])
def test_labels_are_as_small_as_the_classes_allow_and_chunks_do_not_matter(classes, dtype):
    network = StackedMLP(64, (3,), classes)
    rng = np.random.default_rng(0)
    single = [network.initial(rng) for _ in range(3)]
    parameters = {name: torch.tensor(np.stack([p[name] for p in single])) for name in single[0]}
    labels = predict_labels(network, parameters, QUERIES)
    assert labels.dtype == dtype and labels.shape == (23, 3)
    assert np.array_equal(labels, predict_labels(network, parameters, QUERIES, memory=1))
    logits = network.logits(parameters, torch.from_numpy(QUERIES).float() / 255 - 0.5, shared=True)
    assert np.array_equal(labels, logits.argmax(2).T.numpy())


def test_a_gpu_is_asked_as_many_queries_at_a_time_whatever_else_runs_there(monkeypatch):
    for free in (80 * 2**30, 20 * 2**30):
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device, free=free: (free, 80 * 2**30))
        assert memory_of_a_pass(torch.device("cuda", 0)) == 10 * 2**30
    assert memory_of_a_pass(torch.device("cpu")) < 2**25


def test_scalings():
    x = torch.from_numpy(np.concatenate([QUERIES, np.full((1, 8, 8), 9, np.uint8)]))
    assert torch.allclose(module.centred(x), x / 255 - 0.5)
    white = module.whitened(x)
    assert torch.allclose(white[:-1].flatten(1).mean(1), torch.zeros(23), atol=1e-6)
    assert torch.allclose(white[:-1].flatten(1).std(1, correction=0), torch.ones(23), atol=1e-5)
    assert torch.equal(white[-1], torch.zeros(8, 8))


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        (np.zeros((0, 8, 8), np.uint8), np.zeros(0, int), "one or more samples"),
        (np.zeros((2, 8, 8)), np.zeros(2, int), "uint8"),
        (np.zeros((2, 8, 7), np.uint8), np.zeros(2, int), "allowed are"),
        (np.zeros((2, 8, 8), np.uint8), np.zeros(3, int), "a label each"),
        (np.zeros((2, 8, 8), np.uint8), np.array([0, 5]), "allowed are 0 to 4"),
        (np.zeros((2, 8, 8), np.uint8), np.array([0, -1]), "allowed are 0 to 4"),
    ],
)
def test_bad_parts_are_refused(x, y, reason):
    with pytest.raises(InputError, match=reason) as error:
        stack_parts(lambda t: (x, y) if t == 4 else part(t), TEACHERS, CLASSES)
    assert str(error.value).startswith("teacher 4: ")


def test_bad_recipes_and_devices_are_refused():
    with pytest.raises(InputError, match="allowed are cpu, cuda"):
        choose_device("tpu", 1)
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="no CUDA device"):
            choose_device("cuda", 1)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize(("network", "recipe"), CASES)
def test_cuda_agrees_with_the_cpu_and_with_itself(network, recipe):
    cuda = choose_device("cuda", 1)
    parts = stack_parts(part, TEACHERS, CLASSES)
    runs = [
        advance(Replicas(network, parts, recipe, TEACHERS, Context(1, ("job",), place)), recipe.steps).trained()
        for place in (cuda, cuda, torch.device("cpu"))
    ]
    for name, value in runs[0].items():
        assert torch.equal(value, runs[1][name])
        torch.testing.assert_close(value.cpu(), runs[2][name], rtol=1e-3, atol=1e-4)

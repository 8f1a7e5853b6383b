"""Training: as good as backpropagation, runs apart from each other, and charged in full."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from lib.core.errors import InputError
from lib.dp_mac import histogram, release
from lib.dp_mac import mac_trainer as module
from lib.dp_mac.evaluation import accuracies, squared_errors
from lib.dp_mac.mac_recipe import Learning, MacRecipe
from lib.dp_mac.mac_run import account, train
from lib.dp_mac.mac_trainer import MacTrainer, Noise
from lib.dp_mac.network import MacNetwork
from lib.training.context import Context
from lib.training.poisson_sampling import padded
from pate_accountant import rdp, training_run

pytestmark = pytest.mark.usefixtures("device")

BACKPROPAGATION = 1.15  # MAC's training loss over backpropagation's, both with Adam, at the same rates, at most
DIGITS = load_digits()
X = (DIGITS.data[:400] / 16).astype(np.float32)
LABELS = np.eye(10, dtype=np.float32)[DIGITS.target[:400]]
AUTOENCODER = MacNetwork((64, 30, 10, 30, 64), output="squared_error")
CLASSIFIER = MacNetwork((64, 30, 10), output="binary_cross_entropy", bias=True)
PLAIN = MacRecipe(batch=50, epochs=40, z_steps=20, z_rate=0.02, w_steps=1, w_rate=0.01, w_decay=0.97, expansion="exact")
SMALL = MacRecipe(batch=4, epochs=2, z_steps=3, z_rate=0.02, w_steps=2, w_rate=0.01, w_decay=0.5)
TINY = MacNetwork((6, 4, 3), output="binary_cross_entropy", bias=True)
RNG = np.random.default_rng(5)
TINY_X, TINY_Y = RNG.random((13, 6)), RNG.integers(0, 2, (13, 3)).astype(float)
NAMES = ["one", "two", "three"]


def noise_for(network, recipe, sigma, top=0.05, scaling="blocks"):
    sigma = np.asarray(sigma, float)
    return Noise(sigma, {kind: np.full((len(sigma), network.layers), top) for kind in recipe.coefficients}, scaling)


def make(recipe=SMALL, noise=None, names=NAMES, x=TINY_X, y=TINY_Y, network=TINY, seed=1):
    return MacTrainer(network, x, y, recipe, noise, names, Context(seed, ("job",), torch.device("cpu")))


def advance(trainer, steps=None):
    for _ in range(trainer.steps if steps is None else steps):
        trainer.advance()
    return trainer


def as_bytes(trainer):
    return {name: np.asarray(value).tobytes() for name, value in trainer.state().items()}


SECOND = replace(SMALL, expansion="second")
CASES = {
    "plain": (SMALL, None),
    "exact": (replace(SMALL, expansion="exact"), None),
    "first": (SMALL, noise_for(TINY, SMALL, [0.7, 1.0, 2.0])),
    "second": (SECOND, noise_for(TINY, SECOND, [0.7, 1.0, 2.0])),
}


# ---------------------------------------------------------------- how good it is


def backpropagation(network, x, y, recipe, first):
    """Weights after the same number of batches by Adam on the nested objective, at the same learning rates."""
    weights = [weight.clone().requires_grad_() for weight in first]
    adam = torch.optim.Adam(weights, lr=recipe.w_rate)
    inputs, targets = torch.from_numpy(x), torch.from_numpy(y)
    order = torch.Generator().manual_seed(0)
    for epoch in range(recipe.epochs):
        adam.param_groups[0]["lr"] = recipe.w_rate * recipe.w_decay**epoch
        for rows in torch.randperm(len(x), generator=order).split(int(recipe.batch)):
            adam.zero_grad()
            losses(network, weights, inputs[rows], targets[rows]).sum().backward()
            adam.step()
    return [weight.detach() for weight in weights]


def losses(network, weights, x, y):
    """Eq. (1), (R,): sum over outputs, mean over samples, halved; cross-entropy where the output asks for it."""
    *hidden, _ = network.outputs(weights, x.expand(len(weights[0]), -1, -1))
    u = network.preactivation(weights[-1], hidden[-1])
    return network.objectives[-1].value(u, y.expand(len(u), -1, -1)).sum(-1).mean(1) / 2


@pytest.mark.slow
@pytest.mark.parametrize(("network", "y"), [(AUTOENCODER, X), (CLASSIFIER, LABELS)], ids=["autoencoder", "classifier"])
def test_mac_reaches_the_training_loss_of_backpropagation(network, y):
    trainer = MacTrainer(network, X, y, PLAIN, None, NAMES, Context(0, ("job",), torch.device("cpu")))
    first = [weight.clone() for weight in trainer.weights]
    advance(trainer)
    x, targets = torch.from_numpy(X), torch.from_numpy(y)
    start, mine, theirs = (
        losses(network, weights, x, targets).detach().mean()
        for weights in (first, trainer.weights, backpropagation(network, X, y, PLAIN, first))
    )
    assert theirs < 0.4 * start  # it has learned something to compare with
    assert mine <= BACKPROPAGATION * theirs, (float(start), float(mine), float(theirs))


def test_errors_are_on_the_papers_scale():
    trainer = advance(make(network=AUTOENCODER, x=X, y=X, recipe=replace(SMALL, batch=50, epochs=1)))
    x = torch.from_numpy(X)
    predicted = AUTOENCODER.predict(trainer.weights, x)
    expected = ((predicted - x) ** 2).sum(-1).mean(1).double()
    torch.testing.assert_close(
        squared_errors(AUTOENCODER, trainer.weights, x, x, chunk=130), expected, rtol=1e-6, atol=0
    )
    mean_image = ((X - X.mean(0)) ** 2).sum(1).mean()
    assert (expected > mean_image / 10).all() and 4 < mean_image < 5
    y = torch.from_numpy(DIGITS.target[:400])
    trainer = advance(make(network=CLASSIFIER, x=X, y=LABELS, recipe=replace(SMALL, batch=50, epochs=5)))
    right = (CLASSIFIER.predict(trainer.weights, x).argmax(-1) == y).double().mean(1)
    torch.testing.assert_close(accuracies(CLASSIFIER, trainer.weights, x, y, chunk=130), right)
    assert (right > 0.3).all()


@pytest.mark.slow
def test_less_noise_learns_more():
    recipe = replace(PLAIN, epochs=10, expansion="first")
    noise = noise_for(AUTOENCODER, recipe, [0.0, 1.0, 300.0], top=0.1)
    trainer = advance(MacTrainer(AUTOENCODER, X, X, recipe, noise, NAMES, Context(0, ("job",), torch.device("cpu"))))
    x = torch.from_numpy(X)
    none, some, much = squared_errors(AUTOENCODER, trainer.weights, x, x).tolist()
    mean_image = float(((X - X.mean(0)) ** 2).sum(1).mean())
    assert none < some < much and some < mean_image < much


# ---------------------------------------------------------------- what a step does


def test_a_private_step_with_no_noise_and_high_thresholds_is_a_plain_one():
    for recipe in (SMALL, SECOND):
        plain = advance(make(recipe))
        private = advance(make(recipe, noise_for(TINY, recipe, [0.0] * 3, top=1e6)))
        for one, two in zip(plain.weights, private.weights, strict=True):
            torch.testing.assert_close(one, two, rtol=1e-5, atol=1e-6)
    once = [replace(SMALL, w_steps=1, expansion=expansion) for expansion in ("first", "second", "exact")]
    first, second, exact = (advance(make(recipe)).weights for recipe in once)
    for one, two, three in zip(first, second, exact, strict=True):  # at the expansion point all have one gradient
        assert torch.equal(one, three)
        torch.testing.assert_close(one, two, rtol=1e-3, atol=1e-4)
    twice = [advance(make(replace(SMALL, expansion=e))).weights[0] for e in ("first", "second", "exact")]
    assert not torch.allclose(twice[0], twice[2], atol=1e-4) and not torch.allclose(twice[1], twice[2], atol=1e-5)


def test_the_step_is_adam_on_the_noisy_coefficients(monkeypatch):
    """Every layer's noise once a batch, from the run's own stream, and the same polynomial in all W-steps."""
    released = []

    def noting(*arguments):
        released.append(actual(*arguments))
        return released[-1]

    actual = module.release
    monkeypatch.setattr(module, "release", noting)
    recipe, noise = CASES["second"]
    trainer = make(recipe, noise)
    start = [weight.clone() for weight in trainer.weights]
    trainer.advance()
    assert len(released) == TINY.layers  # one a layer, though w_steps is 2
    for k, polynomial in enumerate(released):
        weight = start[k].clone().requires_grad_()
        adam = torch.optim.Adam([weight], lr=recipe.w_rate)
        for _ in range(2):
            weight.grad = polynomial.gradient(weight.detach())
            adam.step()
        torch.testing.assert_close(trainer.weights[k], weight.detach(), rtol=1e-5, atol=1e-6)


def test_noise_in_training_has_the_accounted_deviation(monkeypatch):
    """Sigma sqrt(M) T / (2B), fresh with every batch: with black images the first layer's b is nothing but noise."""
    sigma, top = [0.7, 1.0, 2.0], 0.05
    recipe = replace(SMALL, epochs=30, w_steps=1)
    network = replace(TINY, bias=False)
    drawn = []
    monkeypatch.setattr(MacTrainer, "_check", lambda self, _: drawn.append(self.weights[0].grad.flatten(1).clone()))
    advance(make(recipe, noise_for(network, recipe, sigma, top), x=np.zeros_like(TINY_X), network=network))
    first = torch.stack(drawn).double().numpy()  # (steps, R, numbers)
    assert first.shape == (30 * 4, 3, 6 * 4)
    for run in range(3):
        expected = sigma[run] * np.sqrt(2) * top / (2 * recipe.batch)
        assert first[:, run].std() == pytest.approx(expected, rel=5 / np.sqrt(2 * first[:, run].size))
        correlation = np.corrcoef(first[:-1, run].ravel(), first[1:, run].ravel())[0, 1]
        assert abs(correlation) < 5 / np.sqrt(first[1:, run].size)


def test_the_learning_rate_falls_with_every_epoch():
    trainer = make(replace(SMALL, epochs=3, w_decay=0.5))
    assert trainer.epoch_steps == 4 and trainer.steps == 12
    rates = []
    for _ in range(12):
        trainer.advance()
        rates.append(trainer._adam.param_groups[0]["lr"])
    np.testing.assert_allclose(rates, 0.01 * 0.5 ** np.repeat([0, 1, 2], 4))


def test_the_learning_rate_stops_falling_where_it_is_told():
    recipe = replace(SMALL, w_decay=0.5, decay_epochs=3)
    assert [recipe.rate_at(epoch) for epoch in range(5)] == [0.01, 0.005, 0.0025, 0.0025, 0.0025]


def test_batches_in_order_are_all_samples_once_an_epoch(monkeypatch):
    seen = []
    monkeypatch.setattr(module, "padded", lambda drawn: seen.append(drawn) or actual(drawn))
    actual = padded
    advance(make(replace(SMALL, batches="in_order")))
    epoch = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12]]
    for run in range(3):
        assert [drawn[run].tolist() for drawn in seen] == 2 * epoch


# ---------------------------------------------------------------- runs apart, runs again


@pytest.mark.parametrize("case", CASES)
def test_runs_with_samples_of_their_own_are_the_same_alone(case):
    recipe, noise = CASES[case]
    own = np.stack([TINY_X, TINY_X**2, 1 - TINY_X])
    together = advance(make(recipe, noise, x=own))
    norms = together.coefficient_norms(chunk=5)
    for run, name in enumerate(NAMES):
        one = None
        if noise is not None:
            one = Noise(noise.sigma[run : run + 1], {k: v[run : run + 1] for k, v in noise.thresholds.items()})
        alone = advance(make(recipe, one, names=[name], x=own[run]))
        for found, expected in zip(together.weights, alone.weights, strict=True):
            torch.testing.assert_close(found[run], expected[0], rtol=1e-3, atol=1e-4)
        for kind, expected in alone.coefficient_norms().items():
            np.testing.assert_allclose(norms[kind][run], expected[0], rtol=1e-2, atol=1e-4)
    x, labels = torch.tensor(own, dtype=torch.float32), torch.arange(13) % 3
    each = [accuracies(TINY, [w[run : run + 1] for w in together.weights], x[run], labels) for run in range(3)]
    torch.testing.assert_close(accuracies(TINY, together.weights, x, labels, chunk=5), torch.cat(each))
    y = torch.tensor(TINY_Y, dtype=torch.float32).expand(3, -1, -1)
    each = [squared_errors(TINY, [w[run : run + 1] for w in together.weights], x[run], y[run]) for run in range(3)]
    torch.testing.assert_close(squared_errors(TINY, together.weights, x, y, chunk=5), torch.cat(each))


@pytest.mark.parametrize("case", CASES)
def test_runs_are_the_same_alone_and_together(case):
    recipe, noise = CASES[case]
    together = advance(make(recipe, noise))
    for run, name in enumerate(NAMES):
        own = None
        if noise is not None:
            own = Noise(noise.sigma[run : run + 1], {k: v[run : run + 1] for k, v in noise.thresholds.items()})
        alone = advance(make(recipe, own, names=[name]))
        for one, two in zip(together.weights, alone.weights, strict=True):
            torch.testing.assert_close(one[run], two[0], rtol=1e-3, atol=1e-4)


def test_runs_differ_by_name_seed_and_sigma_only_in_what_they_should():
    recipe, noise = CASES["first"]
    trainer, other_seed = make(recipe, noise), make(recipe, noise, seed=2)
    for weight, other in zip(trainer.weights, other_seed.weights, strict=True):
        assert not torch.equal(weight[0], weight[1]) and not torch.equal(weight, other)
    assert as_bytes(advance(make(recipe, noise))) == as_bytes(advance(make(recipe, noise)))
    louder = Noise(noise.sigma * [1, 1, 5], noise.thresholds)
    one, two = advance(make(recipe, noise)), advance(make(recipe, louder))
    for a, b in zip(one.weights, two.weights, strict=True):
        assert [torch.equal(a[run], b[run]) for run in range(3)] == [True, True, False]


def test_norms_are_those_of_all_samples_in_order():
    trainer = advance(make(*CASES["second"]), 3)
    whole, pieces = trainer.coefficient_norms(), trainer.coefficient_norms(chunk=5)
    assert set(whole) == {"linear", "quadratic"}
    for kind, norms in whole.items():
        assert norms.shape == (3, TINY.layers, 13) and (norms > 0).all()
        np.testing.assert_allclose(norms, pieces[kind], rtol=1e-4)
    swapped = make(*CASES["second"], x=TINY_X[::-1].copy(), y=TINY_Y[::-1].copy())
    swapped.restore({name: np.asarray(value) for name, value in trainer.state().items()})
    np.testing.assert_allclose(swapped.coefficient_norms()["linear"][..., ::-1], whole["linear"], rtol=1e-4)


# ---------------------------------------------------------------- Algorithm 2

LEARNING = Learning(epochs=1, bins=20, sigma=2.0)


def whole_run(recipe, noise, learning, checkpoint=None, progress=lambda done, total: None, names=NAMES):
    x, y = torch.tensor(TINY_X, dtype=torch.float32), torch.tensor(TINY_Y, dtype=torch.float32)

    def evaluate(weights):
        return {"error": squared_errors(TINY, weights, x, y)}

    noise = noise and replace(noise, learning=learning)
    context = Context(1, ("job",), torch.device("cpu"), checkpoint, progress)
    return train(TINY, TINY_X, TINY_Y, recipe, noise, names, evaluate, context)


def test_no_noise_is_used_twice(monkeypatch):
    """Runs, layers, coefficients, steps, pre-training and training draw numbers of their own: shared, they cancel."""
    drawn, plain = [], release._noise

    def recorded(like, generators):
        drawn.append(plain(like, generators))
        return drawn[-1]

    monkeypatch.setattr(release, "_noise", recorded)
    recipe = replace(SMALL, expansion="second")
    whole_run(recipe, noise_for(TINY, recipe, [1.0, 1.0, 2.0]), Learning(epochs=1, bins=5, sigma=1.0))
    assert len(drawn) == 3 * 4 * 2 * 2  # epochs, batches, layers, coefficients
    numbers = np.concatenate([block.numpy().ravel() for block in drawn])
    repeated = len(numbers) - len(np.unique(numbers))
    # numbers in single precision fall together by chance now and then; a block used twice would be 15 at least
    assert repeated < 15


@pytest.mark.parametrize("case", ["first", "second"])
def test_thresholds_are_learned_before_training_and_the_first_network_is_discarded(case):
    recipe, noise = CASES[case]
    noise = Noise(noise.sigma, {kind: 40 * values for kind, values in noise.thresholds.items()})
    seen = []
    found = whole_run(recipe, noise, LEARNING, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert found.curves["error"].shape == (3, 3) and len(found.weights) == TINY.layers
    for kind, values in found.thresholds.items():
        edges = values / noise.thresholds[kind] * 20
        np.testing.assert_allclose(edges, np.round(edges), atol=1e-9)
        assert (values < noise.thresholds[kind]).any()
    # training then is what it would be with these thresholds fixed
    fixed = whole_run(recipe, Noise(noise.sigma, found.thresholds), None)
    for one, two in zip(found.weights, fixed.weights, strict=True):
        assert np.array_equal(one, two)
    assert np.array_equal(found.curves["error"], fixed.curves["error"])


def test_plain_runs_learn_no_thresholds():
    found = whole_run(SMALL, None, None)
    assert found.thresholds == {} and found.curves["error"].shape == (3, 3)


def test_a_run_is_charged_for_every_batch_and_histogram_it_draws(monkeypatch):
    """Releases are counted where they are made, and compared with what the accountant is told."""
    made = {"release": 0, "histograms": 0}
    actual_release, actual_histogram = module.release, histogram.noisy_histogram

    def releasing(*arguments):
        made["release"] += 1
        return actual_release(*arguments)

    def counting(*arguments):
        made["histograms"] += 1
        return actual_histogram(*arguments)

    monkeypatch.setattr(module, "release", releasing)
    monkeypatch.setattr(histogram, "noisy_histogram", counting)
    for case in ("first", "second"):
        recipe, noise = CASES[case]
        made.update(release=0, histograms=0)
        whole_run(recipe, noise, LEARNING)
        run = account(TINY, 13, recipe, 1.0, noise.scaling, LEARNING)
        steps = training_run.steps_per_epoch(run.samples, run.batch) * (run.epochs + run.pretraining_epochs)
        assert made == {"release": steps * run.layers, "histograms": 3 * run.histograms}
        assert run.coefficients == recipe.coefficients and run.rate == recipe.batch / 13
        assert run.sigma_histogram == LEARNING.sigma
        orders = rdp.order_grid((2.0, 30.0, 1.0), (30.0, 100.0, 5))
        assert training_run.check(run, orders) <= training_run.AGREEMENT


def test_a_run_without_noise_has_no_account():
    with pytest.raises(InputError, match=r"sigma 0\.0.*no epsilon"):
        account(TINY, 13, SMALL, 0.0, "blocks", None)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"scaling": "none"}, "scaling"),
        ({"sigma": np.array([1.0, np.nan, 1.0])}, "sigma"),
        ({"sigma": np.array([1.0, -1.0, 1.0])}, "sigma"),
        ({"sigma": np.ones((3, 1))}, "sigma"),
        ({"thresholds": {"cubic": np.ones((3, 2))}}, "cubic"),
        ({"thresholds": {"linear": np.ones((2, 2))}}, "linear"),
        ({"thresholds": {"linear": np.ones(3)}}, "linear"),
        ({"thresholds": {"linear": np.zeros((3, 2))}}, "positive"),
        ({"thresholds": {"linear": np.full((3, 2), np.inf)}}, "positive"),
    ],
)
def test_impossible_noise_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        Noise(**{"sigma": np.ones(3), "thresholds": {"linear": np.ones((3, 2))}} | change)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"x": TINY_X[:, :5]}, "x "),
        ({"x": np.stack([TINY_X] * 2)}, "x "),
        ({"y": TINY_Y[:5]}, "y "),
        ({"x": (TINY_X * 255).astype(np.uint8)}, "x .* uint8"),
        ({"x": np.full_like(TINY_X, np.nan)}, "finite"),
        ({"y": TINY_Y + 1}, r"targets lie in \[0, 1\]"),
        ({"names": ["one", "one", "two"]}, "name of its own"),
        ({"names": []}, "one or more"),
        ({"recipe": replace(SMALL, batch=14)}, "only 13 samples"),
        ({"recipe": replace(SMALL, expansion="exact")}, "cannot be private"),
        ({"names": ["one", "two"]}, "3 for 2 runs"),
        ({"recipe": SECOND}, "second order needs"),
        ({"noise": CASES["second"][1]}, "first order needs"),
        ({"noise": Noise(np.ones(3), {"linear": np.ones((3, 3))})}, "3 for 2 layers"),
    ],
)
def test_what_does_not_fit_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        make(**{"noise": CASES["first"][1]} | change)


def test_the_run_that_diverges_is_named():
    trainer = make()
    trainer.weights[0][1] = float("nan")
    with pytest.raises(InputError, match=r"run two: .*step 0 of 8"):
        trainer.advance()


def test_mac_refuses_a_softmax_output():
    with pytest.raises(InputError, match="softmax_cross_entropy: its units have no expansion"):
        make(network=replace(TINY, output="softmax_cross_entropy"))

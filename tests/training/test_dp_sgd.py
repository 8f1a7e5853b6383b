"""DP-SGD with Opacus: the step that is accounted for, on MAC's networks; backpropagation."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from hypothesis import given, settings
from hypothesis import strategies as st
from opacus.accountants import RDPAccountant
from opacus.optimizers import DPOptimizerFastGradientClipping
from scipy.stats import kstest
from sklearn.datasets import load_digits

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.dp_mac.accounting import one_block
from lib.dp_mac.backpropagation import ChainTrainer, train_dp_sgd
from lib.dp_mac.evaluation import accuracies, squared_errors
from lib.dp_mac.mac_recipe import MacRecipe
from lib.dp_mac.mac_trainer import MacTrainer
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.references import mean_image_error
from lib.dp_mac.statements import statements
from lib.training import dp_sgd as module
from lib.training.context import Context
from lib.training.sgd_recipe import SgdRecipe, account
from pate_accountant import rdp, run_statements, training_run

pytestmark = pytest.mark.usefixtures("device")

CPU = torch.device("cpu")
CLASSIFIER = MacNetwork((6, 4, 3), output="binary_cross_entropy", bias=True)
AUTOENCODER = MacNetwork((6, 4, 6), output="squared_error")
RNG = np.random.default_rng(5)
X, Y = RNG.random((13, 6)), RNG.integers(0, 2, (13, 3)).astype(float)
PRIVATE = SgdRecipe(batch=4, epochs=2, rate=0.5, decay=0.5, clip=0.3)
PLAIN = replace(PRIVATE, clip=None)
CASES = {
    "private": (PRIVATE, 1.3),
    "private momentum": (replace(PRIVATE, momentum=0.9), 1.3),
    "private adam": (replace(PRIVATE, optimizer="adam", rate=0.05), 1.3),
    "clipped": (PRIVATE, 0.0),
    "plain": (PLAIN, 0.0),
    "plain adam": (replace(PLAIN, optimizer="adam", rate=0.05), 0.0),
}


def make(recipe=PRIVATE, sigma=0.0, network=CLASSIFIER, x=X, y=Y, name="one", seed=1):
    return ChainTrainer(network, x, y, recipe, sigma, Context(seed, ("job", name), CPU))


def advance(trainer, steps=None):
    for _ in range(trainer.steps if steps is None else steps):
        trainer.advance()
    return trainer


def as_bytes(trainer):
    return {name: np.asarray(value).tobytes() for name, value in trainer.state().items()}


def moved(trainer, before):
    """Change of all weights, (numbers,) in double precision."""
    pairs = zip(trainer.weights, before, strict=True)
    return torch.cat([(after.double() - weight.double()).flatten() for after, weight in pairs]).numpy()


def sample_gradients(network, weights, x, y):
    """Gradient of every sample's loss, (n, numbers) in double precision, one at a time and without Opacus."""
    found = []
    for row, target in zip(torch.from_numpy(x).double(), torch.from_numpy(y).double(), strict=True):
        variables = [weight.double().requires_grad_() for weight in weights]
        *hidden, predicted = network.outputs(variables, row.expand(1, 1, -1))
        if network.output == "squared_error":
            loss = ((predicted[0, 0] - target) ** 2).sum() / 2
        else:
            logits = network.preactivation(variables[-1], hidden[-1])[0, 0]
            loss = F.binary_cross_entropy_with_logits(logits, target, reduction="sum")
        found.append(torch.cat([g.flatten() for g in torch.autograd.grad(loss, variables)]).numpy())
    return np.array(found)


@pytest.fixture
def all_rows(monkeypatch):
    """Every batch is all of the samples."""
    monkeypatch.setattr(module, "poisson_batch", lambda rng, samples, rate: np.arange(samples))


# ---------------------------------------------------------------- what a step does


@pytest.mark.parametrize(
    ("network", "y"),
    [(CLASSIFIER, Y), (AUTOENCODER, X), (replace(AUTOENCODER, activation="tanh", bias=True), X)],
    ids=["classifier", "autoencoder", "tanh"],
)
@pytest.mark.parametrize("clip", [None, 0.3, 100.0])
def test_a_step_is_the_sum_of_clipped_gradients_over_the_expected_size(network, y, clip, all_rows):
    """Joint norm of all layers; 13 samples drawn, 4 expected."""
    trainer = make(replace(PRIVATE, clip=clip), network=network, y=y)
    before = trainer.weights
    gradients = sample_gradients(network, before, X, y)
    norms = np.linalg.norm(gradients, axis=1)
    assert (norms > 0.3).any() and (norms < 100).all()
    factors = np.minimum(1, (clip or np.inf) / norms)
    trainer.advance()
    np.testing.assert_allclose(moved(trainer, before), -0.5 * factors @ gradients / 4, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "make_expected"),
    [
        ({"optimizer": "adam", "rate": 0.05}, lambda weights: torch.optim.Adam(weights, lr=0.05)),
        ({"momentum": 0.9}, lambda weights: torch.optim.SGD(weights, lr=0.5, momentum=0.9)),
    ],
    ids=["adam", "momentum"],
)
def test_an_optimizer_with_a_memory_takes_the_same_gradient(change, make_expected, all_rows):
    """What it makes of the gradients is post-processing: they are clipped, and the weights move, as without it."""
    trainer = make(replace(PRIVATE, **change))
    weights = [torch.nn.Parameter(weight.double()) for weight in trainer.weights]
    expected = make_expected(weights)
    for _ in range(3):
        gradients = sample_gradients(CLASSIFIER, [weight.detach() for weight in weights], X, Y)
        factors = np.minimum(1, 0.3 / np.linalg.norm(gradients, axis=1))
        pieces = torch.from_numpy(factors @ gradients / 4).split([weight.numel() for weight in weights])
        for weight, piece in zip(weights, pieces, strict=True):
            weight.grad = piece.view_as(weight)
        expected.step()
        trainer.advance()
    for mine, weight in zip(trainer.weights, weights, strict=True):
        torch.testing.assert_close(mine.double(), weight.detach(), rtol=1e-3, atol=1e-4)


def test_batches_are_the_poisson_sample_of_the_step(monkeypatch):
    drawn = []
    actual = module.poisson_batch

    def noting(rng, samples, rate):
        assert (samples, rate) == (13, 4 / 13)
        drawn.append(actual(rng, samples, rate))
        return drawn[-1]

    monkeypatch.setattr(module, "poisson_batch", noting)
    trainer = advance(make(replace(PRIVATE, epochs=30)))
    assert len(drawn) == trainer.steps == 30 * 4
    expected = [actual(generator(1, "job", "one", f"batch {step}"), 13, 4 / 13) for step in range(len(drawn))]
    assert all(np.array_equal(one, two) for one, two in zip(drawn, expected, strict=True))
    sizes = [len(rows) for rows in drawn]
    assert min(sizes) < 2 and np.mean(sizes) == pytest.approx(4, abs=5 * np.sqrt(4 * 9 / 13 / 120))


@pytest.mark.parametrize(("every", "falls"), [(1, [0, 1, 2, 3, 4]), (2, [0, 0, 1, 1, 2]), (5, [0] * 5)])
@pytest.mark.parametrize("case", ["private", "plain adam"])
def test_the_learning_rate_falls_after_so_many_epochs(case, every, falls):
    recipe, sigma = CASES[case]
    trainer = make(replace(recipe, epochs=5, decay_every=every), sigma)
    rates = []
    for _ in range(20):
        trainer.advance()
        rates.append(trainer._optimizer.param_groups[0]["lr"])
    np.testing.assert_allclose(rates, recipe.rate * 0.5 ** np.repeat(falls, 4))


def test_the_learning_rate_falls_along_a_line_and_stays():
    trainer = make(replace(PRIVATE, epochs=6, decay=1.0, decay_epochs=4, last_rate=0.1), 1.3)
    rates = []
    for _ in range(24):
        trainer.advance()
        rates.append(trainer._optimizer.param_groups[0]["lr"])
    np.testing.assert_allclose(rates, np.repeat([0.5, 0.4, 0.3, 0.2, 0.1, 0.1], 4))


def test_a_softmax_network_is_trained_on_its_cross_entropy():
    network, targets = replace(CLASSIFIER, output="softmax_cross_entropy"), np.eye(3)[RNG.integers(0, 3, 13)]
    trainer = make(replace(PLAIN, batch=13, epochs=1), network=network, y=targets)  # one step of all rows
    weights = [torch.tensor(weight[0].numpy(), requires_grad=True) for weight in trainer.weights]
    x = torch.tensor(X, dtype=torch.float32)
    hidden = F.softplus(x @ weights[0][:-1] + weights[0][-1])
    loss = F.cross_entropy(hidden @ weights[1][:-1] + weights[1][-1], torch.tensor(targets).argmax(1), reduction="sum")
    (loss / 13).backward()
    advance(trainer)
    for before, after in zip(weights, trainer.weights, strict=True):
        torch.testing.assert_close(after[0], (before - PLAIN.rate * before.grad).detach(), rtol=1e-5, atol=1e-6)


def test_it_starts_from_the_weights_of_dp_mac():
    recipe = MacRecipe(batch=4, epochs=1, z_steps=1, z_rate=0.1, w_steps=1, w_rate=0.1)
    mac = MacTrainer(CLASSIFIER, X, Y, recipe, None, ["one"], Context(1, ("job",), CPU))
    for one, two in zip(make().weights, mac.weights, strict=True):
        assert torch.equal(one, two)


# ---------------------------------------------------------------- privacy of a step


WIDE = MacNetwork((40, 30, 40), output="squared_error")


@pytest.mark.parametrize(
    ("rows", "network", "pixel"),
    [(range(0), WIDE, 1.0), (range(13), replace(WIDE, activation="linear"), 0.0)],
    ids=["no samples", "black images"],
)
def test_noise_on_the_weights_has_the_accounted_deviation(rows, network, pixel, monkeypatch):
    """Sigma C / B on every weight, fresh with every step, and nothing else where no sample has a gradient."""
    monkeypatch.setattr(module, "poisson_batch", lambda rng, samples, rate: np.array(rows, np.int64))
    x, sigma = np.full((13, 40), pixel), 2.0
    trainer = make(SgdRecipe(batch=4, epochs=5, rate=1.0, clip=0.3), sigma, network, x, x)
    assert not sample_gradients(network, trainer.weights, x[rows], x[rows]).any()
    steps = []
    while trainer.step < trainer.steps:
        before = trainer.weights
        trainer.advance()
        steps.append(moved(trainer, before) / (sigma * 0.3 / 4))
    noise = np.array(steps)
    assert noise.shape == (20, 2400)
    assert noise.std() == pytest.approx(1, rel=5 / np.sqrt(2 * noise.size))
    assert noise.mean() == pytest.approx(0, abs=5 / np.sqrt(noise.size))
    assert kstest(noise.ravel(), "norm").pvalue > 1e-3
    products = (noise @ noise.T)[~np.eye(20, dtype=bool)] / noise.shape[1]
    assert np.abs(products).max() < 5 / np.sqrt(noise.shape[1])


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 999),
    samples=st.integers(1, 12),
    spread=st.sampled_from([1e-20, 1e-3, 1.0, 30.0, 1e15, 1e20]),
    decades=st.sampled_from([0, 20]),
    clip=st.sampled_from([1e-3, 0.3, 50.0]),
    network=st.sampled_from([CLASSIFIER, AUTOENCODER, replace(AUTOENCODER, bias=True, activation="tanh")]),
)
def test_a_sample_moves_the_sum_by_no_more_than_the_clip(seed, samples, spread, decades, clip, network):
    """Every sample left out in turn; what is clipped moves it by the clip itself."""
    rng = np.random.default_rng(seed)
    x = spread * rng.standard_normal((samples + 1, 6)) / 10 ** rng.uniform(0, decades, (samples + 1, 6))
    y = rng.random((samples + 1, 3)) if network is CLASSIFIER else x
    sums = {}

    def noting(optimizer):
        sums["seen"] = torch.cat([p.summed_grad.double().flatten() for p in optimizer.params]).numpy()
        actual(optimizer)

    def clipped_sum(rows):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "poisson_batch", lambda rng, samples, rate: rows)
            patch.setattr(DPOptimizerFastGradientClipping, "add_noise", noting)
            make(replace(PRIVATE, batch=1, clip=clip, rate=1e-30), 1.0, network, x, y).advance()
        return sums["seen"]

    actual = DPOptimizerFastGradientClipping.add_noise
    everything = np.arange(samples + 1)
    whole = clipped_sum(everything)
    first = make(network=network, y=Y if network is CLASSIFIER else X).weights
    norms = np.linalg.norm(sample_gradients(network, first, x, y), axis=1)
    for row in everything:
        distance = np.linalg.norm(whole - clipped_sum(np.delete(everything, row)))
        assert distance <= clip
        if clip < norms[row]:
            assert distance >= (1 - 1e-4) * clip


def test_a_bound_of_half_the_clip_does_not_hold(all_rows):
    one, two = make(replace(PRIVATE, rate=1.0)), make(replace(PRIVATE, rate=1.0), x=X[:12], y=Y[:12])
    before = one.weights
    one.advance()
    two.advance()
    assert 0.99 * 0.3 < np.linalg.norm(4 * (moved(one, before) - moved(two, before))) <= 0.3 * (1 + 1e-5)


# ---------------------------------------------------------------- accounting

ORDERS = np.arange(2.0, 64.0)
SETTINGS = [(5000, 100.0, 100, 1.3), (5000, 100.0, 100, 7.0), (60000, 256.0, 3, 1.1), (1000, 1000.0, 10, 4.0)]


@pytest.mark.parametrize(("samples", "batch", "epochs", "sigma"), SETTINGS)
def test_opacus_agrees_on_epsilon(samples, batch, epochs, sigma):
    """Both with the tight conversion, which is Opacus's; the classic one is never less."""
    run = account(samples, replace(PRIVATE, batch=batch, epochs=epochs), sigma)
    theirs = RDPAccountant()
    theirs.history = [(sigma, batch / samples, training_run.steps_per_epoch(samples, batch) * epochs)]
    expected = theirs.get_epsilon(delta=1e-5, alphas=list(ORDERS))
    total = sum(run.parts(ORDERS).values())
    assert rdp.epsilon_tight(ORDERS, total, 1e-5)[0] == pytest.approx(expected, rel=1e-6)
    assert training_run.epsilon(run, ORDERS, 1e-5) >= expected
    assert training_run.check(run, ORDERS) <= training_run.AGREEMENT
    made = statements(one_block(run), ORDERS, 1e-5)
    assert made.items() >= run_statements.statements(run, ORDERS, 1e-5).items()
    assert made["joint"].guarantee
    assert made["appendix_h"].epsilon == made["joint"].epsilon  # one block: the paper's reading is no other


def test_the_papers_noise_has_the_papers_epsilon():
    """Table 2's DP-SGD: 5,000 images, batches of 100, 100 epochs; sigma 2, 3.7, 7 for 4, 2, 1; that of 8 is 7.2."""
    recipe = SgdRecipe(batch=100, epochs=100, rate=0.03, clip=0.01)
    found = [training_run.epsilon(account(5000, recipe, sigma), rdp.order_grid(), 1e-5) for sigma in (1.3, 2, 3.7, 7)]
    np.testing.assert_allclose(found, [7.2, 4, 2, 1], rtol=0.03)


@pytest.mark.parametrize("case", ["private", "private momentum", "private adam"])
def test_a_run_is_charged_for_every_noise_it_adds(case, monkeypatch):
    added = []
    actual = DPOptimizerFastGradientClipping.add_noise

    def adding(optimizer):
        added.append(optimizer.noise_multiplier * optimizer.max_grad_norm)
        actual(optimizer)

    monkeypatch.setattr(DPOptimizerFastGradientClipping, "add_noise", adding)
    recipe, sigma = CASES[case]
    advance(make(recipe, sigma))
    run = account(13, recipe, sigma)
    assert len(added) == run.epochs * training_run.steps_per_epoch(run.samples, run.batch) == 8
    np.testing.assert_allclose(added, run.sigma * recipe.clip, rtol=1e-12)
    assert run.rate == 4 / 13 and run.sensitivity == 1 and set(run.events()) == {"training"}


@pytest.mark.parametrize(
    ("recipe", "sigma", "match"),
    [(PLAIN, 1.0, "clip None"), (PRIVATE, 0.0, "sigma 0.0")],
)
def test_what_has_no_epsilon_has_no_account(recipe, sigma, match):
    with pytest.raises(InputError, match=match):
        account(13, recipe, sigma)


# ---------------------------------------------------------------- whole runs

DIGITS = load_digits()
IMAGES = (DIGITS.data[:400] / 16).astype(np.float32)


def whole_run(recipe, sigma, checkpoint=None, progress=lambda done, total: None, network=CLASSIFIER, x=X, y=Y):
    inputs, targets = (torch.tensor(data, dtype=torch.float32) for data in (x, y))

    def evaluate(weights):
        return {"error": squared_errors(network, weights, inputs, targets)}

    return train_dp_sgd(network, x, y, recipe, sigma, evaluate, Context(1, ("job", "one"), CPU, checkpoint, progress))


@pytest.mark.slow
def test_backpropagation_learns_and_less_noise_learns_more():
    network = MacNetwork((64, 30, 10, 30, 64), output="squared_error")
    recipe = SgdRecipe(batch=50, epochs=25, rate=0.01, optimizer="adam", decay=0.97)
    plain = whole_run(recipe, 0.0, network=network, x=IMAGES, y=IMAGES).curves["error"][0]
    reference = mean_image_error(IMAGES, IMAGES)
    assert plain.shape == (26,) and plain[-1] < 0.5 * reference < plain[0]
    private = replace(recipe, epochs=8, clip=0.5)
    last = [
        whole_run(private, sigma, network=network, x=IMAGES, y=IMAGES).curves["error"][0, -1] for sigma in (0, 1, 30)
    ]
    assert last[0] < last[1] < last[2] and last[0] < reference < last[2]


def test_a_classifier_learns():
    network = MacNetwork((64, 30, 10), output="binary_cross_entropy", bias=True)
    targets = np.eye(10)[DIGITS.target[:400]]
    trainer = make(SgdRecipe(batch=50, epochs=20, rate=0.5, clip=1.0), 0.5, network, IMAGES, targets)
    advance(trainer)
    labels = torch.from_numpy(DIGITS.target[:400])
    assert accuracies(network, trainer.weights, torch.from_numpy(IMAGES), labels) > 0.7


@pytest.mark.parametrize("case", CASES)
def test_a_result_holds_weights_and_curves(case):
    recipe, sigma = CASES[case]
    seen = []
    found = whole_run(recipe, sigma, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
    trainer = make(recipe, sigma)
    inputs, targets = torch.tensor(X, dtype=torch.float32), torch.tensor(Y, dtype=torch.float32)
    for column in range(3):
        error = squared_errors(CLASSIFIER, trainer.weights, inputs, targets)
        assert found.curves["error"][0, column] == float(error)
        if column < 2:
            advance(trainer, 4)
    assert found.curves["error"].shape == (1, 3) and found.thresholds == {}
    for one, two in zip(found.weights, trainer.weights, strict=True):
        assert one.tobytes() == two.numpy().tobytes()
    assert [weight.shape for weight in found.weights] == [(1, *shape) for shape in CLASSIFIER.shapes]


def test_runs_differ_by_name_seed_and_sigma():
    recipe, sigma = CASES["private"]
    same, other = advance(make(recipe, sigma)), [make(recipe, sigma, name="two"), make(recipe, sigma, seed=2)]
    assert as_bytes(same) == as_bytes(advance(make(recipe, sigma)))
    for trainer in other:
        assert not torch.equal(trainer.weights[0], make().weights[0])
        assert not torch.equal(torch.from_numpy(np.asarray(trainer.state()["noise"])), make().state()["noise"])
    assert not torch.equal(same.weights[0], advance(make(recipe, 2 * sigma)).weights[0])


def test_empty_batches_move_weights_by_noise_only(monkeypatch):
    monkeypatch.setattr(module, "poisson_batch", lambda rng, samples, rate: np.arange(0))
    for case, (recipe, sigma) in CASES.items():
        trainer = make(recipe, sigma)
        before = trainer.weights
        assert moved(advance(trainer), before).any() == (sigma > 0), case


def test_runs_of_another_name_or_seed_have_noise_of_their_own(monkeypatch):
    """Without any sample weights move by noise alone."""
    monkeypatch.setattr(module, "poisson_batch", lambda rng, samples, rate: np.arange(0))
    found = []
    for other in ({}, {"name": "two"}, {"seed": 2}, {}):
        trainer = make(sigma=1.3, **other)
        start = trainer.weights
        found.append(moved(advance(trainer, 1), start))
    np.testing.assert_array_equal(found[0], found[-1])
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert abs(np.corrcoef(found[one], found[other])[0, 1]) < 0.6


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"momentum": 0.9, "optimizer": "adam"}, "momentum = 0.9: allowed is 0 with adam"),
        ({"last_rate": 0.1}, "last_rate = 0.1: the line needs decay_epochs, and a decay of 1"),
    ],
)
def test_impossible_recipes_are_refused(change, match):
    with pytest.raises(InputError, match=match):
        replace(PRIVATE, **change)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"x": X[:, :5]}, "x "),
        ({"y": Y[:5]}, "y "),
        ({"x": np.full_like(X, np.nan)}, "finite"),
        ({"y": Y + 1}, r"targets lie in \[0, 1\]"),
        ({"recipe": replace(PRIVATE, batch=14)}, "only 13 samples"),
        ({"sigma": -1.0}, "sigma -1"),
        ({"sigma": float("nan")}, "sigma nan"),
        ({"recipe": PLAIN, "sigma": 1.0}, "sigma 1.0 without clip"),
    ],
)
def test_what_does_not_fit_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        make(**change)


def test_a_sample_whose_gradient_overflows_ends_the_run(all_rows):
    """It is counted neither whole nor as nothing."""
    x = X.copy()
    x[7] = 3e38
    trainer = make(PRIVATE, 1.3, replace(AUTOENCODER, sizes=(6, 6, 6), activation="linear"), x, x)
    with pytest.raises(InputError, match="run one: its weights after step 0 of 8 are not finite"):
        trainer.advance()


@pytest.mark.parametrize("case", CASES)
def test_the_run_that_diverges_is_named(case):
    recipe, sigma = CASES[case]
    trainer = make(replace(recipe, rate=1e38, epochs=50), sigma, AUTOENCODER, y=X)
    with pytest.raises(InputError, match=r"run one: .* not finite; check the data, or take a smaller learning rate"):
        advance(trainer)

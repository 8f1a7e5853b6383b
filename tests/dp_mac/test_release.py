"""What leaves a W-step: clipped, of the stated sensitivity, with the stated noise, from Poisson batches."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chisquare, kstest

from lib.dp_mac import release as module
from lib.dp_mac.accounting import MacRun
from lib.dp_mac.expansion import PerSample
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.release import blocks, clip_factors, exact, noise_deviation, release
from lib.training.poisson_sampling import padded, poisson_batch
from tests.dp_mac.builders import KINDS, coefficients, dense, drawn

FIXED = settings(derandomize=True, deadline=None, max_examples=60)
NETWORKS = [
    MacNetwork((4, 3, 2, 4), output="squared_error"),
    MacNetwork((5, 3, 2), output="binary_cross_entropy", bias=True),
    MacNetwork((4, 3, 4), output="squared_error", activation="relu", linear_output=True, bias=True),
]
BATCH = 7.0
networks = st.sampled_from(NETWORKS)
# none of whose coefficients is zero; a unit of ReLU that is off gives nothing that could be clipped
clippable = st.sampled_from([network for network in NETWORKS if network.activation != "relu"])
seeds = st.integers(0, 2**31)


def generators(runs, seed=0):
    return [np.random.default_rng((seed, run)) for run in range(runs)]


def flat(polynomial, kinds):
    """All that was released of a layer, (R, numbers)."""
    return torch.cat([getattr(polynomial, kind).reshape(len(polynomial.linear), -1) for kind in kinds], dim=1).double()


def released_vector(layers, thresholds, present, kinds, scaling="blocks"):
    """Every layer's coefficients without noise, each over sqrt(M) T/(2B), as one vector (R, numbers) (eq. (33))."""
    runs = len(present)
    count = blocks(len(layers), len(kinds), scaling)
    found = []
    for k, layer in enumerate(layers):
        for kind in kinds:
            threshold = thresholds[kind][:, k]
            polynomial = release(
                layer,
                {"linear": thresholds["linear"][:, k], kind: threshold},
                present,
                torch.zeros(runs),
                count,
                BATCH,
                generators(runs),
            )
            found.append(flat(polynomial, [kind]) / noise_deviation(threshold, torch.ones(runs), count, BATCH)[:, None])
    return torch.cat(found, dim=1)


def drawn_thresholds(layers, seed, quantile=None):
    """Thresholds (R, K) around the norms, so that some samples are clipped and some not; or far below all of them."""
    rng = np.random.default_rng(seed)
    return {
        kind: torch.stack(
            [
                layer.norm(kind).median(dim=1).values.clamp_min(1e-10) * 10 ** rng.uniform(-1, 1)
                if quantile is None
                else layer.norm(kind).min(dim=1).values * quantile
                for layer in layers
            ],
            dim=1,
        )
        for kind in KINDS
    }


# ---------------------------------------------------------------- clipping


@given(networks, seeds, st.floats(-4, 4))
@FIXED
def test_no_clipped_norm_exceeds_its_threshold_and_small_ones_stay(network, seed, power):
    layers = coefficients(network, 2, *drawn(network, 3, 9, seed, spread=10**power, dtype=torch.float32))
    thresholds = drawn_thresholds(layers, seed)
    for k, layer in enumerate(layers):
        for kind in KINDS:
            threshold = thresholds[kind][:, k]
            factors = clip_factors(layer.norm(kind), threshold)
            # what is really summed: factors multiply the outer part, in single precision
            outer = getattr(layer, kind)
            scaled = replace(layer, **{kind: outer * (factors if kind == "constant" else factors[..., None])})
            clipped = np.linalg.norm(dense(scaled, kind), axis=2)
            limit = threshold.double().numpy()[:, None]
            assert (clipped <= limit).all()
            below = layer.norm(kind).double().numpy() <= limit * (1 - 2 * module.SLACK)
            assert (factors.numpy()[below] == 1).all()
            assert (clipped[~below] >= limit.repeat(9, 1)[~below] * (1 - 4 * module.SLACK)).all()


@pytest.mark.parametrize(("outer", "inner"), [(1e-23, 1e18), (1e-30, 1e25), (1e18, 1e-23), (1e-12, 1e3)])
def test_what_vanishes_in_single_precision_is_clipped_all_the_same(outer, inner):
    """Squares of 1e-23 are 0 in single precision; the product with a large other part is not."""
    value = torch.full((1, 1, 4), outer)
    layer = PerSample(torch.full((1, 1, 3), inner), torch.zeros(1, 1), value, value)
    threshold = torch.tensor([1e-12])
    for kind in ("linear", "quadratic"):
        norm = layer.norm(kind)
        true = np.linalg.norm(dense(layer, kind)[0, 0])
        assert norm.item() == pytest.approx(true, rel=1e-5)
        factor = clip_factors(norm, threshold).double().item()
        assert factor * true <= threshold.item() * (1 + 1e-6)


@pytest.mark.parametrize("inner", [1e15, 9e14, 1e8])
def test_a_factor_too_small_for_its_digits_is_no_larger_than_it_should_be(inner):
    """1e-45 is the smallest number of single precision: what is rounded to it may have been half as large."""
    layer = PerSample(torch.full((1, 1, 1), inner), torch.zeros(1, 1), torch.full((1, 1, 1), 1e30), None)
    norm, threshold = layer.norm("linear"), torch.ones(1)
    factor = clip_factors(norm, threshold)
    assert (factor.double() * norm).item() <= 1 and torch.isfinite(layer.total("linear", factor)).all()


def test_a_zero_coefficient_stays_zero():
    assert clip_factors(torch.zeros(1, 2), torch.ones(1)).tolist() == [[1.0, 1.0]]


# ---------------------------------------------------------------- sensitivity


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [("linear",), ("linear", "quadratic"), KINDS])
@given(networks, seeds)
@FIXED
def test_one_sample_moves_the_whole_released_vector_by_no_more_than_one(kinds, network, seed):
    """Add or remove one: every sample of the batch in turn, at whatever thresholds and for batches of any size."""
    layers = coefficients(network, 2, *drawn(network, 2, 6, seed))
    thresholds = drawn_thresholds(layers, seed)
    rng = np.random.default_rng(seed)
    present = torch.from_numpy(rng.integers(0, 2, (2, 6))).double()
    before = released_vector(layers, thresholds, present, kinds)
    for n in range(6):
        flipped = present.clone()
        flipped[:, n] = 1 - flipped[:, n]
        change = (released_vector(layers, thresholds, flipped, kinds) - before).norm(dim=1)
        assert (change <= 1 + 1e-9).all()


@pytest.mark.parametrize("kinds", [("linear",), ("linear", "quadratic"), KINDS])
@given(clippable, seeds)
@FIXED
def test_it_moves_by_one_where_every_block_is_clipped(kinds, network, seed):
    layers = coefficients(network, 2, *drawn(network, 2, 6, seed))
    thresholds = drawn_thresholds(layers, seed, quantile=0.5)
    with_all, without = torch.ones(2, 6, dtype=torch.float64), torch.ones(2, 6, dtype=torch.float64)
    without[:, 2] = 0
    change = released_vector(layers, thresholds, with_all, kinds) - released_vector(layers, thresholds, without, kinds)
    np.testing.assert_allclose(change.norm(dim=1).numpy(), 1 - module.SLACK, rtol=1e-6)
    # as the paper scales it, the vector moves by the root of the number of coefficients, which is what is accounted
    change = released_vector(layers, thresholds, with_all, kinds, "layers") - released_vector(
        layers, thresholds, without, kinds, "layers"
    )
    accounted = MacRun(
        samples=9, batch=1, epochs=1, layers=len(layers), sigma=1.0, coefficients=kinds, scaling="layers"
    )
    assert accounted.sensitivity == math.sqrt(len(kinds))
    np.testing.assert_allclose(change.norm(dim=1).numpy(), accounted.sensitivity * (1 - module.SLACK), rtol=1e-6)


@given(clippable, seeds)
@FIXED
def test_a_replaced_sample_moves_it_by_up_to_two(network, seed):
    """Replace-one is another relation: opposite coefficients attain twice the stated sensitivity."""
    layers = coefficients(network, 2, *drawn(network, 1, 2, seed))
    for layer in layers:
        layer.inputs[:, 1], layer.linear[:, 1] = layer.inputs[:, 0], -layer.linear[:, 0]
    thresholds = drawn_thresholds(layers, seed, quantile=0.5)
    one, other = torch.tensor([[1.0, 0.0]]).double(), torch.tensor([[0.0, 1.0]]).double()
    change = released_vector(layers, thresholds, one, ("linear",)) - released_vector(
        layers, thresholds, other, ("linear",)
    )
    np.testing.assert_allclose(change.norm(dim=1).numpy(), 2 * (1 - module.SLACK), rtol=1e-6)


def test_a_normaliser_of_the_drawn_size_would_break_the_bound():
    """Why it is constant: with 1/(2n) over the n samples drawn, removing one of two opposite ones moves b by T/2."""
    layers = coefficients(NETWORKS[0], 1, *drawn(NETWORKS[0], 1, 2, 0))[:1]
    layers[0].inputs[:, 1], layers[0].linear[:, 1] = layers[0].inputs[:, 0], -layers[0].linear[:, 0]
    thresholds = {"linear": layers[0].norm("linear")[:, :1] / 2}
    vectors = [
        released_vector(layers, thresholds, torch.tensor([present]).double(), ("linear",))
        for present in ([1.0, 1.0], [1.0, 0.0])
    ]
    drawn_normaliser = (vectors[0] * BATCH / 2 - vectors[1] * BATCH).norm()
    assert drawn_normaliser > 1.9 * BATCH / 2  # in units of T/(2B), at a drawn size of 2
    assert (vectors[0] - vectors[1]).norm() <= 1


# ---------------------------------------------------------------- noise


@pytest.mark.parametrize("kinds", [("linear",), ("linear", "quadratic"), KINDS])
def test_noise_has_the_stated_deviation_and_no_more_structure(kinds):
    network = MacNetwork((20, 15, 20), output="squared_error")
    layers = coefficients(network, 2, *drawn(network, 2, 5, 1, dtype=torch.float32))
    sigma = torch.tensor([1.7, 5.8])
    present = torch.ones(2, 5)
    count = blocks(2, len(kinds))
    assert count == 2 * len(kinds)
    for k, layer in enumerate(layers):
        thresholds = {kind: torch.tensor([0.01, 0.3]) * (1 + i) for i, kind in enumerate(kinds)}
        thresholds.setdefault("linear", torch.tensor([0.01, 0.3]))
        clean = release(layer, thresholds, present, torch.zeros(2), count, BATCH, generators(2))
        noises = []
        for draw in range(20):
            noisy = release(layer, thresholds, present, sigma, count, BATCH, generators(2, 100 + draw))
            noises.append({kind: (flat(noisy, [kind]) - flat(clean, [kind])).numpy() for kind in thresholds})
        for kind, threshold in thresholds.items():
            for run in range(2):
                expected = float(sigma[run]) * math.sqrt(count) * float(threshold[run]) / (2 * BATCH)
                numbers = np.concatenate([noise[kind][run] for noise in noises])
                assert kstest(numbers / expected, "norm").pvalue > 1e-3, (k, kind, run)
                if len(numbers) > 1000:
                    assert numbers.std() == pytest.approx(expected, rel=6 / math.sqrt(2 * len(numbers)))
                    first, second = noises[0][kind][run], noises[1][kind][run]
                    assert abs(np.corrcoef(first, second)[0, 1]) < 6 / math.sqrt(len(first))


def test_noise_of_different_blocks_and_runs_is_independent():
    network = MacNetwork((20, 15), output="squared_error")
    layer = coefficients(network, 2, *drawn(network, 2, 5, 1, dtype=torch.float32))[0]
    layer.inputs.zero_()  # nothing but noise is released
    ones = torch.ones(2)
    found = release(layer, {"linear": ones, "quadratic": ones}, torch.ones(2, 5), ones, 1, 0.5, generators(2))
    vectors = torch.cat([found.linear.flatten(1), found.quadratic.flatten(1)[:, :300]]).numpy()
    correlation = np.corrcoef(vectors) - np.eye(4)
    assert vectors.std(axis=1) == pytest.approx(np.ones(4), rel=0.15)
    assert np.abs(correlation).max() < 5 / math.sqrt(300)


def test_nothing_is_released_that_was_not_asked_for():
    layer = coefficients(NETWORKS[0], 2, *drawn(NETWORKS[0], 1, 4, 0, dtype=torch.float32))[0]
    found = release(layer, {"linear": torch.ones(1)}, torch.ones(1, 4), torch.ones(1), 1, 4.0, generators(1))
    assert found.quadratic is None and found.constant is None
    assert exact(layer, torch.ones(1, 4), 4.0).constant is not None


def test_absent_samples_leave_no_trace():
    layers = coefficients(NETWORKS[0], 2, *drawn(NETWORKS[0], 2, 5, 0, dtype=torch.float32))
    present = torch.tensor([[1.0, 0, 1, 0, 0], [0, 0, 0, 0, 0]])
    for layer in layers:
        thresholds = {kind: torch.ones(2) for kind in KINDS}
        one = release(layer, thresholds, present, torch.ones(2), 3, BATCH, generators(2))
        for name in ("constant", "linear", "quadratic"):
            getattr(layer, name)[present == 0] = 9.0
        two = release(layer, thresholds, present, torch.ones(2), 3, BATCH, generators(2))
        assert torch.equal(flat(one, KINDS), flat(two, KINDS))
        none = release(layer, thresholds, present, torch.zeros(2), 3, BATCH, generators(2))
        assert not flat(none, KINDS)[1].any()


def test_an_unknown_scaling_is_an_error():
    assert blocks(6, 2, "layers") == 6 and blocks(6, 2) == 12
    with pytest.raises(ValueError, match="scaling"):
        blocks(6, 2, "none")


# ---------------------------------------------------------------- batches


def test_poisson_batches_have_the_law_of_independent_draws():
    rng = np.random.default_rng(0)
    drawn_batches = [poisson_batch(rng, 6, 0.3) for _ in range(20000)]
    for batch in drawn_batches:
        assert len(set(batch.tolist())) == len(batch)
    sizes = np.bincount([len(batch) for batch in drawn_batches], minlength=7)
    expected = 20000 * binom.pmf(np.arange(7), 6, 0.3)
    assert chisquare(sizes[:6], expected[:6] * sizes[:6].sum() / expected[:6].sum()).pvalue > 1e-3
    # every one of the 64 subsets, not sizes and single records only
    subsets = np.bincount([sum(1 << n for n in batch.tolist()) for batch in drawn_batches], minlength=64)
    members = np.array([bin(subset).count("1") for subset in range(64)])
    probabilities = 0.3**members * 0.7 ** (6 - members)
    assert chisquare(subsets, 20000 * probabilities).pvalue > 1e-3


def test_whole_and_empty_batches():
    rng = np.random.default_rng(0)
    assert sorted(poisson_batch(rng, 5, 1.0)) == [0, 1, 2, 3, 4]
    assert len(poisson_batch(rng, 5, 1e-12)) == 0
    rows, present = padded([np.array([], np.int64), np.array([3, 1]), np.array([2])])
    assert rows.tolist() == [[0, 0], [3, 1], [2, 0]] and present.tolist() == [[0, 0], [1, 1], [1, 0]]
    assert padded([np.array([], np.int64)])[1].tolist() == [[0]]

"""The noisy mean of codes: its sensitivity over every neighbour of small inputs, its noise, and what it refuses."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from lib.core.errors import InputError
from lib.pate.encoded_mean import capacity, noise_norm, noisy_mean, noisy_means, signal_to_noise
from pate_accountant.encoded_mean import calibrated, sensitivity

# All of the unit disc that has coordinates in halves: exact in float32, as are means over 1, 2 or 4 teachers.
DISC = np.array([p for p in itertools.product((-1, -0.5, 0, 0.5, 1), repeat=2) if np.hypot(*p) <= 1], np.float32)
NOBODY = np.random.default_rng(0)  # not drawn from


def all_answers(grid: np.ndarray, queries: int) -> np.ndarray:
    """Every way for one teacher to answer all queries, (ways, queries, L)."""
    return np.array(list(itertools.product(grid, repeat=queries)))


def largest_difference(grid, radius, queries, teachers, pieces=1):
    """Largest distance of means between neighbours, over all pairs of answers of every teacher, and pairs attaining it.

    Each of the `pieces` of a query is a code of its own within the radius. The others answer at random.
    """
    ways = all_answers(grid, queries * pieces)
    rng = np.random.default_rng(queries * 100 + teachers * 10 + pieces)
    largest, pairs = 0.0, set()
    for teacher in range(teachers):
        codes = grid[rng.integers(len(grid), size=(queries * pieces, teachers))]
        means = []
        for way in ways:
            codes[:, teacher] = way
            means.append(noisy_mean(codes, radius, None, NOBODY).ravel().astype(np.float64))
        means = np.array(means)
        squared = np.square(means[:, None] - means[None]).sum(-1)
        found = math.sqrt(squared.max())
        if found > largest:
            largest, pairs = found, set()
        if found == largest:
            pairs |= set(zip(*np.nonzero(squared == squared.max()), strict=True))
    return largest, pairs, ways


# ---------------------------------------------------------------- sensitivity, by every neighbour


@pytest.mark.parametrize("teachers", [1, 2, 4])
@pytest.mark.parametrize("queries", [1, 2])
def test_no_neighbour_exceeds_the_bound_and_opposite_answers_attain_it(queries, teachers):
    bound = sensitivity(queries, teachers, 1.0)
    largest, pairs, ways = largest_difference(DISC, 1.0, queries, teachers)
    assert largest <= bound * (1 + 1e-15)
    assert largest == pytest.approx(bound, rel=1e-15)
    assert largest > bound / 2
    for before, after in pairs:
        np.testing.assert_array_equal(ways[before], -ways[after])
        np.testing.assert_array_equal(np.linalg.norm(ways[before], axis=1), np.ones(queries))


@pytest.mark.parametrize("radius", [0.5, 2.0])
def test_the_bound_grows_with_the_radius(radius):
    grid = np.array([[-radius], [0], [radius / 2], [radius]], np.float32)
    largest, _, _ = largest_difference(grid, radius, 3, 2)
    assert largest == pytest.approx(sensitivity(3, 2, radius), rel=1e-15)


def test_pieces_that_are_not_counted_break_the_bound():
    """Patches of a volume, each within the unit ball on its own: together they are within a larger one only."""
    grid = np.array([[-1], [0], [1]], np.float32)
    largest, _, _ = largest_difference(grid, 1.0, 2, 2, pieces=3)
    assert largest > sensitivity(2, 2, 1.0) * 1.7
    assert largest == pytest.approx(sensitivity(2, 2, 1.0, pieces=3), rel=1e-15)
    # as one code a query the three pieces are refused, unless the radius says what they are together
    code = np.ones((1, 2, 3), np.float32)
    with pytest.raises(InputError, match="norm"):
        noisy_mean(code, 1.0, None, NOBODY)
    assert noisy_mean(code, math.sqrt(3), None, NOBODY).shape == (1, 3)
    assert sensitivity(2, 2, math.sqrt(3)) == pytest.approx(sensitivity(2, 2, 1.0, pieces=3), rel=1e-15)


def hockey_stick(distance, sigma, epsilon):
    """Integral of (p - e^epsilon q)+ for two normal densities this far apart, by quadrature between their crossing."""

    def excess(x):
        return max(norm.pdf(x, distance, sigma) - math.exp(epsilon) * norm.pdf(x, 0, sigma), 0.0)

    crossing = distance / 2 + epsilon * sigma**2 / distance
    return quad(excess, crossing, crossing + 40 * sigma, points=[crossing + sigma], limit=500, epsabs=1e-13)[0]


@pytest.mark.parametrize(("epsilon", "delta"), [(8.0, 1e-3), (1.0, 1e-5)])
def test_the_worst_neighbours_are_as_far_apart_as_the_budget_allows(epsilon, delta):
    queries, teachers = 2, 4
    sigma = calibrated(queries, teachers, 1.0, epsilon, delta, "analytic").sigma
    largest, _, _ = largest_difference(DISC, 1.0, queries, teachers)
    assert hockey_stick(largest, sigma, epsilon) == pytest.approx(delta, rel=1e-6)
    assert hockey_stick(largest, 0.9 * sigma, epsilon) > 1.2 * delta
    # whoever takes half the bound for the sensitivity adds half the noise
    assert hockey_stick(largest, sigma / 2, epsilon) > 10 * delta
    closed = calibrated(queries, teachers, 1.0, epsilon, delta, "rdp").sigma
    assert hockey_stick(largest, closed, epsilon) < delta


def test_whoever_guesses_from_answers_succeeds_as_often_as_the_noise_allows():
    """Answers to both of the worst neighbours, told apart along the line between them."""
    queries, teachers, epsilon, delta, runs = 3, 2, 1.0, 0.2, 3000
    sigma = calibrated(queries, teachers, 1.0, epsilon, delta, "analytic").sigma
    rng = np.random.default_rng(5)
    code = np.tile(np.array([1.0, 0.0], np.float32), (queries * runs, teachers, 1))
    other = code.copy()
    other[:, 0] *= -1
    here, there = (noisy_mean(codes, 1.0, sigma, rng).reshape(runs, queries, 2) for codes in (code, other))
    means = [noisy_mean(codes[:queries], 1.0, None, NOBODY) for codes in (code, other)]
    unit = means[0] - means[1]
    distance = float(np.linalg.norm(unit))
    middle = float((unit / distance * means[1]).sum())
    limit = middle + distance / 2 + epsilon * sigma**2 / distance
    hits, alarms = (float(((a * unit / distance).sum((1, 2)) > limit).mean()) for a in (here, there))
    error = math.sqrt((hits * (1 - hits) + math.e**2 * alarms * (1 - alarms)) / runs)
    assert hits - math.e * alarms == pytest.approx(delta, abs=4 * error)
    assert 4 * error < delta / 2


# ---------------------------------------------------------------- noise


def drawn(queries, teachers, numbers, seed=1):
    codes = np.random.default_rng(seed).standard_normal((queries, teachers, numbers))
    return (codes / np.linalg.norm(codes, axis=-1, keepdims=True) * 0.99).astype(np.float32)


def test_noise_is_independent_and_of_its_sigma():
    codes = drawn(100, 3, 100)
    answers = noisy_mean(codes, 1.0, 0.7, np.random.default_rng(2))
    assert answers.dtype == np.float32
    noise = answers - codes.mean(axis=1)
    assert noise.std() == pytest.approx(0.7, rel=0.03)  # four standard errors: 1e4 numbers
    assert abs(noise.mean()) < 0.03
    for across in (noise, noise.T):
        correlations = np.corrcoef(across)[np.triu_indices(100, 1)]
        assert correlations.std() == pytest.approx(0.1, rel=0.1)
        assert np.abs(correlations).max() < 0.5
    np.testing.assert_allclose(noisy_mean(codes, 1.0, None, NOBODY), codes.astype(float).mean(axis=1), atol=1e-7)


def test_answers_one_at_a_time_are_the_same_numbers():
    codes = drawn(5, 4, 6)
    whole = noisy_mean(codes, 1.0, 0.3, np.random.default_rng(3))
    taken = []

    def one_at_a_time():
        for number, code in enumerate(codes):
            taken.append(number)
            yield code

    answers = noisy_means(one_at_a_time(), 5, 4, 1.0, 0.3, np.random.default_rng(3))
    assert taken == []
    np.testing.assert_array_equal(next(answers), whole[0])
    assert taken == [0]
    np.testing.assert_array_equal(list(answers), whole[1:])
    np.testing.assert_array_equal(noisy_mean(codes[0], 1.0, 0.3, np.random.default_rng(3)), whole[0])


def test_a_code_as_long_as_a_mask_is_answered():
    code = np.full((8, 1_000_000), 1.0, np.float32)
    answer = noisy_mean(code, 1000.0, None, NOBODY)
    assert answer.shape == (1_000_000,)
    assert set(answer) == {1.0}


def test_signal_and_noise_of_the_paper():
    sigma = calibrated(80, 8, 1.0, 8.0, 1e-3, "rdp").sigma
    for numbers, expected, ratio in ((2, 1.81, 0.15), (8, 3.6, 0.061), (64, 10.3, 0.0092), (512, 29, 0.0012)):
        assert noise_norm(sigma, numbers) == pytest.approx(expected, rel=0.01)
        assert signal_to_noise(sigma, numbers, 1.0) == pytest.approx(ratio, rel=0.04)
    rng = np.random.default_rng(7)
    directions = rng.standard_normal((200_000, 3))
    points = 2 * directions / np.linalg.norm(directions, axis=1, keepdims=True) * rng.random((200_000, 1)) ** (1 / 3)
    ratio = np.square(points).sum() / np.square(0.5 * rng.standard_normal((200_000, 3))).sum()
    assert signal_to_noise(0.5, 3, 2.0) == pytest.approx(ratio, rel=0.01)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_code_that_is_not_finite_is_refused(number):
    codes = drawn(2, 3, 4)
    codes[1, 2, 0] = number
    with pytest.raises(InputError, match="finite"):
        noisy_mean(codes, 1.0, 1.0, np.random.default_rng(0))


def test_a_code_beyond_its_radius_is_refused():
    codes = drawn(2, 3, 4)
    codes[1, 1] *= 1.02
    with pytest.raises(InputError, match="norm"):
        noisy_mean(codes, 1.0, 1.0, np.random.default_rng(0))
    assert noisy_mean(codes, 1.01, 1.0, np.random.default_rng(0)).shape == (2, 4)


@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3), (2, 2, 0), (4,), (1, 2, 3, 4)])
def test_codes_of_another_shape_are_refused(shape):
    with pytest.raises(InputError, match="shape"):
        noisy_mean(np.zeros(shape, np.float32), 1.0, 1.0, np.random.default_rng(0))


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.nan, math.inf])
def test_noise_that_is_none_must_be_called_so(sigma):
    with pytest.raises(InputError, match="sigma"):
        noisy_mean(drawn(1, 2, 3), 1.0, sigma, np.random.default_rng(0))


@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, math.inf])
def test_a_radius_that_bounds_nothing_is_refused(radius):
    with pytest.raises(InputError, match="radius"):
        noisy_mean(drawn(1, 2, 3), radius, 1.0, np.random.default_rng(0))


@pytest.mark.parametrize(("queries", "teachers", "name"), [(0, 3, "queries"), (2, 0, "teachers")])
def test_a_stream_needs_queries_and_teachers(queries, teachers, name):
    with pytest.raises(InputError, match=name):
        next(noisy_means(drawn(2, 3, 4), queries, teachers, 1.0, 1.0, np.random.default_rng(0)))


def test_a_query_that_is_not_accounted_for_is_not_answered():
    answers = noisy_means(drawn(3, 3, 4), 2, 3, 1.0, 1.0, np.random.default_rng(0))
    assert len([next(answers), next(answers)]) == 2
    with pytest.raises(InputError, match="query 3"):
        next(answers)


def test_a_query_that_a_teacher_did_not_answer_is_refused():
    """A mean over fewer teachers moves more with each of them."""
    answers = noisy_means([drawn(1, 3, 4)[0], drawn(1, 2, 4)[0]], 2, 3, 1.0, 1.0, np.random.default_rng(0))
    next(answers)
    with pytest.raises(InputError, match="query 2"):
        next(answers)


def test_what_an_answer_can_carry_is_what_a_gaussian_code_of_that_power_does():
    """By the mutual information of a code and its noisy answer, both Gaussian, from log-determinants."""
    for sigma, numbers, radius in ((1.2826, 8, 1.0), (0.3, 2, 0.5), (2.0, 500, 3.0)):
        code, noise = np.eye(numbers) * radius**2 / numbers, np.eye(numbers) * sigma**2
        nats = (np.linalg.slogdet(code + noise)[1] - np.linalg.slogdet(noise)[1]) / 2
        assert capacity(sigma, numbers, radius) == pytest.approx(nats / np.log(2), rel=1e-9)
        limit = radius**2 / (2 * np.log(2) * sigma**2)
        assert capacity(sigma, numbers, radius) < limit and capacity(sigma, 10**6, radius) > 0.99 * limit
    assert 0.42 < capacity(1.2826, 8, 1.0) < capacity(1.2826, 10**6, 1.0) < 0.44  # the noise of the paper's budget

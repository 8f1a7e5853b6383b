"""Exact discrete noise: its law, its bits, and its interface."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from lib.core.errors import InputError
from lib.core.seeding import noise_bits, noise_generator
from lib.pate.aggregators import noise_of
from lib.pate.confident import NO_ANSWER, confident_gnmax
from lib.pate.discrete_gaussian import DiscreteGaussian, draw
from lib.pate.gnmax import gnmax


def pmf(sigma: float, most: int) -> np.ndarray:
    """Probabilities of -most .. most, from the definition."""
    weights = np.exp(-(np.arange(-most, most + 1.0) ** 2) / (2 * sigma**2))
    return weights / weights.sum()


def goodness(drawn: np.ndarray, sigma: float) -> float:
    """The p-value of draws under the law, tails pooled."""
    most = max(2, int(2.5 * sigma))
    expected = pmf(sigma, 20 * most)
    middle = expected[19 * most : 21 * most + 1]
    # one cell for both tails, never empty
    expected = np.append(middle, max(1 - middle.sum(), 1e-12))
    found = np.bincount(np.where(abs(drawn) > most, most + 1, drawn) + most, minlength=len(expected))
    enough = expected * len(drawn) >= 5
    if not enough.all():
        expected, found = (np.append(part[enough], part[~enough].sum()) for part in (expected, found))
    return float(chisquare(found, expected / expected.sum() * len(drawn)).pvalue)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.4, 1.0, 7.0])
def test_draws_have_the_law(sigma):
    drawn = DiscreteGaussian(noise_bits(1, "law", str(sigma))).normal(0.0, sigma, 3000)
    assert drawn.dtype == np.int64
    assert goodness(drawn, sigma) > 1e-3
    # half the noise, and a tenth less of it, are seen
    assert goodness(drawn, sigma / 2) < 1e-6
    assert goodness(drawn, 0.85 * sigma) < 1e-3


def test_draws_have_the_law_of_opendp():
    """The same number of draws by a library of its own, against the same law."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    noise = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=2.5)
    # unseeded: one run in a million fails
    assert goodness(np.array([noise(0) for _ in range(3000)]), 2.5) > 1e-6


class Enumerated:
    """A source that plays one given string of bits and then asks for more."""

    def __init__(self, string: str):
        self.string, self.used = string, 0

    def __call__(self, count: int) -> int:
        if self.used + count > len(self.string):
            raise EOFError
        taken = self.string[self.used : self.used + count]
        self.used += count
        return int(taken, 2) if taken else 0


def test_the_chances_are_exact_as_far_as_bits_reach():
    """Over every string of few bits, what is decided never exceeds the exact chance, and with the rest reaches it."""
    decided: dict[int, Fraction] = {}
    waiting, undecided = [""], Fraction(0)
    while waiting:
        string = waiting.pop()
        source = Enumerated(string)
        try:
            value = draw(Fraction(1, 2), source)
        except EOFError:
            if len(string) == 14:
                undecided += Fraction(1, 2**14)
            else:
                waiting += [string + "0", string + "1"]
            continue
        assert source.used == len(string)
        decided[value] = decided.get(value, Fraction(0)) + Fraction(1, 2 ** len(string))
    assert sum(decided.values()) + undecided == 1 and undecided < Fraction(2, 3)
    exact = pmf(0.5, 40)
    for value, chance in decided.items():
        assert float(chance) <= exact[40 + value] <= float(chance + undecided)
    assert set(decided) >= {-1, 0, 1} and decided[1] == decided[-1]


def test_bits_are_uniform_and_keyed():
    bits = noise_bits(7, "job")
    values = np.array([bits(3) for _ in range(4000)])
    assert chisquare(np.bincount(values, minlength=8)).pvalue > 1e-3
    again, other = noise_bits(7, "job"), noise_bits(7, "another job")
    first = [again(64) for _ in range(4)]
    assert first != [other(64) for _ in range(4)]
    repeated = noise_bits(7, "job")
    assert first == [repeated(64) for _ in range(4)]
    assert bits(0) == 0 and all(0 <= noise_bits(None)(5) < 32 for _ in range(100))


def test_without_a_seed_every_call_is_other_noise():
    assert noise_bits(None, "job")(128) != noise_bits(None, "job")(128)
    one, two = (noise_generator(None, "job").normal(size=4) for _ in range(2))
    assert not np.array_equal(one, two)


def test_a_noise_seed_is_the_stream_that_seed_was():
    """Shipped presets set both to one number, and their results are those of before."""
    from lib.core.seeding import generator

    np.testing.assert_array_equal(
        noise_generator(2018, "aggregate", "run", "1").normal(size=5),
        generator(2018, "aggregate", "run", "1").normal(size=5),
    )


def test_it_takes_the_place_of_a_generator():
    votes = np.array([[9, 1, 0], [4, 4, 2], [0, 10, 0]])
    noise = DiscreteGaussian(noise_bits(1, "place"))
    assert gnmax(votes, 2.0, noise).shape == (3,)
    labels = confident_gnmax(np.repeat(votes, 20, 0), 8.0, 1.0, 1.0, noise)
    assert set(labels[20:40]) >= {NO_ANSWER} and (labels[40:] == 1).any()
    assert noise.normal(0.0, 1.5, (2, 3)).shape == (2, 3)
    assert (noise.normal(3.0, 0.01, 5) == 3).all()


@pytest.mark.parametrize(
    ("mean", "sigma"), [(0.5, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, float("nan")), (0, float("inf"))]
)
def test_other_means_and_sigmas_are_refused(mean, sigma):
    with pytest.raises(ValueError, match="whole number"):
        DiscreteGaussian(noise_bits(1)).normal(mean, sigma, 3)


def test_a_tie_goes_to_the_smaller_class():
    class Silent:
        def normal(self, mean, sigma, size):
            return np.zeros(size, np.int64)

    assert gnmax(np.array([[1, 5, 5], [5, 5, 0]]), 1.0, Silent()).tolist() == [1, 0]


@pytest.mark.parametrize("aggregator", ["lnmax", "interactive_gnmax"])
def test_mechanisms_that_cannot_have_it_are_refused(aggregator):
    with pytest.raises(InputError, match=f"noise = 'discrete' for {aggregator}: allowed for gnmax and confident_gnmax"):
        noise_of({"aggregator": aggregator, "noise": "discrete"}, 1, "job")
    assert isinstance(noise_of({"aggregator": aggregator}, 1, "job"), np.random.Generator)
    assert isinstance(noise_of({"aggregator": "gnmax", "noise": "discrete"}, None, "job"), DiscreteGaussian)

"""The mechanisms as samplers: shapes, limits, and the frequencies that their noise must give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from lib.pate.confident import NO_ANSWER, confident_gnmax, passes, stop_after
from lib.pate.gnmax import gnmax
from lib.pate.interactive import NONE, REINFORCED, TEACHERS, interactive_gnmax
from lib.pate.lnmax import lnmax
from tests import oracles

FIXED = settings(derandomize=True, deadline=None, max_examples=60)
TINY = 1e-9
MANY = 100_000


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@st.composite
def histograms(draw):
    """Histograms with one plurality each, so that tiny noise has one answer."""
    classes, queries, seed = draw(st.integers(2, 6)), draw(st.integers(1, 12)), draw(st.integers(0, 999))
    votes = np.random.default_rng(seed).multinomial(20, np.full(classes, 1 / classes), queries)
    votes[np.arange(queries), votes.argmax(axis=1)] += 2
    return votes


def frequencies(labels: np.ndarray, classes: int) -> np.ndarray:
    return np.bincount(labels, minlength=classes) / len(labels)


def assert_frequencies(labels: np.ndarray, expected: np.ndarray) -> None:
    """Within five standard deviations."""
    found = frequencies(labels, len(expected))
    assert (np.abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) / len(labels)) + 1e-12).all()


# ---------------------------------------------------------------- shapes and limits


@given(histograms(), st.floats(0.1, 50), st.integers(0, 99))
@FIXED
def test_labels_are_classes_one_a_query(votes, scale, seed):
    for draw in (gnmax, lnmax):
        labels = draw(votes, scale, rng(seed))
        assert labels.shape == (len(votes),) and labels.dtype == np.int64
        assert ((0 <= labels) & (labels < votes.shape[1])).all()
        np.testing.assert_array_equal(labels, draw(votes, scale, rng(seed)))
    labels = confident_gnmax(votes, 8.0, scale, scale, rng(seed))
    assert labels.shape == (len(votes),) and labels.dtype == np.int64
    assert ((NO_ANSWER <= labels) & (labels < votes.shape[1])).all()
    np.testing.assert_array_equal(labels, confident_gnmax(votes, 8.0, scale, scale, rng(seed)))


def test_another_seed_is_other_noise():
    votes = np.full((200, 4), 5)
    for draw in (gnmax, lnmax):
        assert not np.array_equal(draw(votes, 3.0, rng(1)), draw(votes, 3.0, rng(2)))


@given(histograms())
@FIXED
def test_without_noise_the_plurality_wins(votes):
    plurality = votes.argmax(axis=1)
    np.testing.assert_array_equal(gnmax(votes, TINY, rng()), plurality)
    np.testing.assert_array_equal(lnmax(votes, TINY, rng()), plurality)
    top = votes.max(axis=1)
    labels = confident_gnmax(votes, 9.5, TINY, TINY, rng())
    np.testing.assert_array_equal(labels, np.where(top >= 9.5, plurality, NO_ANSWER))


@given(histograms())
@FIXED
def test_an_infinite_threshold_is_passed_by_all_or_none(votes):
    assert passes(votes, -np.inf, 5.0, rng()).all()
    assert not passes(votes, np.inf, 5.0, rng()).any()
    assert (confident_gnmax(votes, np.inf, 5.0, 2.0, rng()) == NO_ANSWER).all()
    np.testing.assert_array_equal(confident_gnmax(votes, -np.inf, 5.0, TINY, rng()), votes.argmax(axis=1))


def test_a_statistic_at_the_threshold_passes():
    votes = np.array([[10, 2], [9, 3]])
    assert passes(votes, 10, 0.0, rng()).tolist() == [True, False]


def test_no_queries_are_no_labels():
    votes = np.zeros((0, 3), int)
    assert gnmax(votes, 1.0, rng()).shape == lnmax(votes, 1.0, rng()).shape == (0,)
    assert confident_gnmax(votes, 1.0, 1.0, 1.0, rng()).shape == (0,)


def test_lists_of_votes_are_taken():
    assert gnmax([[9, 1], [1, 9]], TINY, rng()).tolist() == [0, 1]
    assert lnmax([[9, 1], [1, 9]], TINY, rng()).tolist() == [0, 1]
    assert confident_gnmax([[9, 1], [5, 5]], 8, TINY, TINY, rng()).tolist() == [0, NO_ANSWER]


# ---------------------------------------------------------------- scales


class Tape:
    """A generator that keeps what it drew."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.tape: list[np.ndarray] = []

    def __getattr__(self, name):
        def draw(*arguments):
            self.tape.append(getattr(self._rng, name)(*arguments))
            return self.tape[-1]

        return draw


@pytest.mark.parametrize("scale", [0.5, 3.0, 20.0])
def test_the_scale_of_laplace_noise_is_b(scale):
    """The density exp(-|x|/b)/(2b) has variance 2 b^2 and mean absolute value b; its fourth moment is 24 b^4."""
    tape = Tape(5)
    lnmax(np.zeros((MANY, 2)), scale, tape)
    (noise,) = tape.tape
    assert noise.var() == pytest.approx(2 * scale**2, rel=0.03)
    assert np.abs(noise).mean() == pytest.approx(scale, rel=0.02)
    assert (noise**4).mean() == pytest.approx(24 * scale**4, rel=0.15)
    assert abs(noise.mean()) < 5 * np.sqrt(2 / noise.size) * scale


@pytest.mark.parametrize("sigma", [0.5, 3.0, 20.0])
def test_sigma_is_a_standard_deviation(sigma):
    tape = Tape(6)
    gnmax(np.zeros((MANY, 2)), sigma, tape)
    (noise,) = tape.tape
    assert noise.std() == pytest.approx(sigma, rel=0.01)
    assert (noise**4).mean() == pytest.approx(3 * sigma**4, rel=0.06)
    tape = Tape(7)
    passes(np.zeros((MANY, 2)), 0.0, sigma, tape)
    assert tape.tape[0].std() == pytest.approx(sigma, rel=0.01) and tape.tape[0].size == MANY


@pytest.mark.parametrize(("gap", "scale"), [(0, 2.0), (2, 2.0), (6, 2.0), (10, 10.0)])
def test_lnmax_errs_as_often_as_two_laplace_draws_say(gap, scale):
    error = (2 + gap / scale) / (4 * np.exp(gap / scale))
    assert_frequencies(lnmax(np.tile([10 + gap, 10], (MANY, 1)), scale, rng(8)), np.array([1 - error, error]))


@pytest.mark.parametrize(("gap", "sigma"), [(0, 2.0), (2, 2.0), (6, 2.0), (10, 10.0)])
def test_gnmax_errs_as_often_as_two_gaussian_draws_say(gap, sigma):
    error = ndtr(-gap / (np.sqrt(2) * sigma))
    assert_frequencies(gnmax(np.tile([10 + gap, 10], (MANY, 1)), sigma, rng(9)), np.array([1 - error, error]))


@pytest.mark.parametrize("row", [[12, 9, 4], [25, 0, 0], [8, 8, 9]])
def test_three_classes_win_as_often_as_quadrature_says(row):
    votes = np.tile(row, (MANY, 1))
    assert_frequencies(gnmax(votes, 5.0, rng(10)), np.exp(oracles.gnmax_log_pmf(np.array(row), 5.0)))
    assert_frequencies(lnmax(votes, 5.0, rng(11)), np.exp(oracles.lnmax_log_pmf(np.array(row), 5.0)))


@pytest.mark.parametrize("row", [[12, 9, 4], [20, 5, 0]])
def test_confident_answers_are_distributed_as_quadrature_says(row):
    """Jointly: the check's noise is independent of the answer's."""
    labels = confident_gnmax(np.tile(row, (MANY, 1)), 15.0, 4.0, 5.0, rng(12))
    expected = np.exp(oracles.confident_log_pmf(np.array(row), 15.0, 4.0, 5.0))
    assert_frequencies(np.where(labels == NO_ANSWER, 3, labels), expected)


def test_noise_is_drawn_for_each_count_and_each_query():
    """Not one draw for a whole row, which would cancel, nor one for all queries."""
    labels = gnmax(np.full((2000, 3), 5), 4.0, rng(13))
    assert_frequencies(labels, np.full(3, 1 / 3))
    assert 0.2 < (labels[1:] == labels[:-1]).mean() < 0.45


# ---------------------------------------------------------------- stopping


def test_a_run_stops_at_its_last_allowed_answer():
    labels = np.array([-1, 2, -1, 0, 1, -1, 3])
    assert stop_after(labels, 1).tolist() == [-1, 2]
    assert stop_after(labels, 2).tolist() == [-1, 2, -1, 0]
    assert stop_after(labels, 3).tolist() == [-1, 2, -1, 0, 1]
    assert stop_after(labels, 4).tolist() == labels.tolist() == stop_after(labels, 9).tolist()
    assert stop_after(labels[:0], 3).tolist() == []


# ---------------------------------------------------------------- interactive


def run_interactive(votes, scores, confidence=0.9, threshold=5.0, sigma_threshold=TINY, sigma=TINY, seed=1):
    return interactive_gnmax(
        np.array(votes), np.array(scores), confidence, threshold, sigma_threshold, sigma, rng(seed)
    )


def test_rules_of_interactive_runs():
    votes = [[20, 0, 0], [20, 0, 0], [7, 7, 6], [0, 20, 0], [10, 5, 5]]
    scores = [
        [0.05, 0.9, 0.05],  # the teachers disagree strongly with the student: they answer
        [0.99, 0.01, 0.0],  # they agree and the student is sure: its own class is reinforced
        [0.34, 0.33, 0.33],  # nobody is sure: nothing
        [0.0, 0.2, 0.8],  # the teachers answer, although they have no more votes than before
        [0.9, 0.05, 0.05],  # sure, but not above the confidence; the excess is at most 4 votes: nothing
    ]
    labels, source = run_interactive(votes, scores)
    assert source.tolist() == [TEACHERS, REINFORCED, NONE, TEACHERS, NONE]
    assert labels.tolist() == [0, 0, NO_ANSWER, 1, NO_ANSWER]
    assert (NONE, TEACHERS, REINFORCED) == (0, 1, 2)


def test_the_students_class_is_reinforced_and_not_the_teachers():
    labels, source = run_interactive([[11, 9]], [[0.05, 0.95]], threshold=1e9)
    assert (labels.tolist(), source.tolist()) == ([1], [REINFORCED])


def test_the_check_counts_votes_above_the_students_share():
    # 20 teachers, a share of 0.5: 10 votes are expected, 14 are 4 above
    for threshold, expected in ((3.9, TEACHERS), (4.1, NONE)):
        assert run_interactive([[14, 6]], [[0.5, 0.5]], threshold=threshold)[1].tolist() == [expected]


@given(histograms(), st.floats(0.2, 1.0), st.floats(-10, 20), st.floats(0.1, 10), st.integers(0, 99))
@FIXED
def test_labels_and_their_sources_agree(votes, confidence, threshold, noise, seed):
    scores = np.random.default_rng(seed).dirichlet(np.full(votes.shape[1], 0.4), len(votes))
    arguments = (votes, scores, confidence, threshold, noise, noise)
    labels, source = interactive_gnmax(*arguments, rng(seed))
    assert labels.shape == source.shape == (len(votes),)
    assert labels.dtype == source.dtype == np.int64
    assert ((labels == NO_ANSWER) == (source == NONE)).all()
    own = source == REINFORCED
    np.testing.assert_array_equal(labels[own], scores[own].argmax(axis=1))
    assert (scores[own].max(axis=1) > confidence).all()
    assert (scores[source == NONE].max(axis=1) <= confidence).all()
    again = interactive_gnmax(*arguments, rng(seed))
    np.testing.assert_array_equal(labels, again[0])
    np.testing.assert_array_equal(source, again[1])


def test_a_confidence_of_one_reinforces_nothing():
    _, source = run_interactive([[9, 1], [1, 9]], [[1.0, 0.0], [0.0, 1.0]], confidence=1.0, threshold=np.inf)
    assert source.tolist() == [NONE, NONE]


def test_infinite_thresholds_of_interactive_runs():
    votes, scores = [[9, 1], [1, 9]], [[0.5, 0.5], [0.01, 0.99]]
    assert run_interactive(votes, scores, threshold=-np.inf)[1].tolist() == [TEACHERS, TEACHERS]
    assert run_interactive(votes, scores, threshold=np.inf)[1].tolist() == [NONE, REINFORCED]


def test_interactive_answers_are_distributed_as_quadrature_says():
    row, score = np.array([12, 9, 4]), np.array([0.5, 0.3, 0.2])
    votes, scores = np.tile(row, (MANY, 1)), np.tile(score, (MANY, 1))
    labels, source = interactive_gnmax(votes, scores, 0.9, 1.0, 4.0, 5.0, rng(14))
    assert set(source) == {NONE, TEACHERS}
    statistic = (row - 25 * score).max()
    expected = np.exp(oracles.confident_log_pmf(row, 1.0, 4.0, 5.0, statistic=statistic))
    assert_frequencies(np.where(labels == NO_ANSWER, 3, labels), expected)

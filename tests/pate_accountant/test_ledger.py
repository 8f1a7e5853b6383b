"""The ledger against a second accountant, against the noise that was really drawn, and against the announced caps."""

import dataclasses
import json

import dp_accounting
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.pate.aggregators import AGGREGATORS, spent
from lib.pate.confident import NO_ANSWER, confident_gnmax, stop_after
from lib.pate.gnmax import gnmax as draw_gnmax
from lib.pate.interactive import NONE, REINFORCED, TEACHERS, interactive_gnmax
from lib.pate.lnmax import lnmax as draw_lnmax
from pate_accountant import gnmax, lnmax, rdp, threshold
from pate_accountant import ledger as books
from pate_accountant.confident import selective_caps
from pate_accountant.ledger_statements import ledger_statements

ORDERS = rdp.order_grid((2.0, 40.0, 0.5), (40.0, 400.0, 12))
FIXED = settings(derandomize=True, deadline=None, max_examples=60)


def drawn_votes(seed: int, queries: int, classes: int = 4, teachers: int = 25) -> np.ndarray:
    """Histograms from near unanimity to near indifference."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(classes, 0.4), queries)
    return np.array([rng.multinomial(teachers, share) for share in shares]).reshape(queries, classes)


def second_route(ledger: books.Ledger) -> np.ndarray:
    """The data-independent total by dp_accounting's RDP accountant, (k,)."""
    accountant = dp_accounting.rdp.RdpAccountant(ledger.orders, dp_accounting.NeighboringRelation.REPLACE_ONE)
    for entry in ledger.entries:
        if entry.count:
            accountant.compose(entry.event, entry.count)
    return accountant.rdp


class CountingGenerator:
    """A generator that writes down kind, scale and number of all that is drawn from it; it can draw nothing else."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.draws: list[tuple[str, float, int]] = []

    def normal(self, loc, scale, size):
        values = self._rng.normal(loc, scale, size)
        self.draws.append(("normal", scale, values.size))
        return values

    def laplace(self, loc, scale, size):
        values = self._rng.laplace(loc, scale, size)
        self.draws.append(("laplace", scale, values.size))
        return values


def drawn_scores(seed: int, queries: int, classes: int = 4) -> np.ndarray:
    """A student's probabilities, sure of some queries and not of others."""
    return np.random.default_rng(seed + 1000).dirichlet(np.full(classes, 0.3), queries)


def run_by_name(run: dict, votes: np.ndarray, rng) -> tuple[np.ndarray, np.ndarray, books.Ledger]:
    """Labels, their source, and the ledger of a run as the workflow makes it."""
    scores = drawn_scores(len(votes), len(votes)) if run["aggregator"] == "interactive_gnmax" else None
    labels, source = AGGREGATORS[run["aggregator"]].answers(votes, run, rng, scores)
    asked = len(labels)
    ledger = spent(ORDERS, votes[:asked], source, run, None if scores is None else scores[:asked])
    return labels, source, ledger


def one_entry(entry: books.Entry) -> books.Ledger:
    ledger = books.Ledger(ORDERS)
    ledger.charge(entry)
    return ledger


# ---------------------------------------------------------------- two routes


@given(st.floats(0.5, 500), st.floats(0.5, 500), st.integers(1, 40), st.integers(0, 99))
@FIXED
def test_both_routes_agree_for_gaussian_noise(sigma, sigma_threshold, queries, seed):
    votes = drawn_votes(seed, queries)
    answered = np.random.default_rng(seed).random(queries) < 0.5
    ledger = books.selective_ledger(ORDERS, votes, answered, 20.0, sigma_threshold, sigma)
    assert ledger.check() <= 1e-9
    # the closed form, from the two sensitivities: one for the check, the root of two for the answer
    expected = ORDERS * (queries / (2 * sigma_threshold**2) + answered.sum() / sigma**2)
    np.testing.assert_allclose(ledger.independent, expected, rtol=1e-12)
    np.testing.assert_allclose(second_route(ledger), expected, rtol=1e-9)


@pytest.mark.parametrize("factor", [2.0, 0.5, 1.001, 1 + 1e-7])
@pytest.mark.parametrize("make", ["gnmax", "threshold"])
def test_an_event_that_lies_about_its_noise_is_found(make, factor):
    votes = drawn_votes(1, 30)
    entry = {
        "gnmax": books.gnmax_entry(ORDERS, votes, 4.0),
        "threshold": books.threshold_entry(ORDERS, votes.max(axis=1), 20.0, 15.0),
    }[make]
    one_entry(entry).check()
    lie = dp_accounting.GaussianDpEvent(entry.event.noise_multiplier * factor)
    with pytest.raises(ArithmeticError, match="differ"):
        one_entry(dataclasses.replace(entry, event=lie)).check()


def test_one_lie_among_true_entries_is_found():
    votes = drawn_votes(2, 30)
    ledger = books.selective_ledger(ORDERS, votes, np.ones(30, bool), 20.0, 15.0, 4.0)
    entry = ledger.entries[1]
    lie = dp_accounting.GaussianDpEvent(2 * entry.event.noise_multiplier)
    ledger.entries[1] = dataclasses.replace(entry, event=lie)
    with pytest.raises(ArithmeticError):
        ledger.check()


def test_a_cost_that_lies_is_found():
    entry = books.gnmax_entry(ORDERS, drawn_votes(1, 30), 4.0)
    doubled = dataclasses.replace(entry, independent=2 * entry.independent)
    with pytest.raises(ArithmeticError):
        one_entry(doubled).check()


@given(st.floats(0.2, 300), st.integers(1, 30), st.integers(0, 99))
@FIXED
def test_lnmax_never_undercuts_the_noisy_histogram(scale, queries, seed):
    ledger = one_entry(books.lnmax_entry(ORDERS, drawn_votes(seed, queries), scale))
    assert ledger.check() == 0.0
    assert (ledger.independent >= second_route(ledger) * (1 - 1e-9)).all()
    # and it is not far above: at the largest order both near the pure epsilon of the two draws
    assert ledger.independent[-1] <= 2.5 * second_route(ledger)[-1]


@pytest.mark.parametrize("scale", [0.5, 2.0, 20.0])
def test_an_lnmax_cost_below_the_noisy_histogram_is_found(scale):
    entry = books.lnmax_entry(ORDERS, drawn_votes(3, 10), scale)
    half = dataclasses.replace(entry, independent=entry.independent / 4, dependent=0 * entry.dependent)
    with pytest.raises(ArithmeticError):
        one_entry(half).check()
    lie = dp_accounting.SelfComposedDpEvent(dp_accounting.LaplaceDpEvent(scale / 4), 2)
    with pytest.raises(ArithmeticError):
        one_entry(dataclasses.replace(entry, event=lie)).check()


def at_one_order(values: np.ndarray, value: float) -> np.ndarray:
    changed = np.array(values, float)
    changed[3] = value
    return changed


# a mechanism priced exactly, and one priced from below
ENTRIES = {
    "gnmax": lambda: books.gnmax_entry(ORDERS, drawn_votes(1, 30), 4.0),
    "lnmax": lambda: books.lnmax_entry(ORDERS, drawn_votes(1, 30), 4.0),
}


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("cost", ["independent", "dependent"])
@pytest.mark.parametrize("name", ENTRIES)
def test_a_cost_that_is_no_number_is_not_charged(name, cost, everywhere):
    entry = ENTRIES[name]()
    values = getattr(entry, cost)
    wrong = np.full_like(values, np.nan) if everywhere else at_one_order(values, np.nan)
    ledger = books.Ledger(ORDERS)
    with pytest.raises(ValueError, match=rf"{name}.*not a number"):
        ledger.charge(dataclasses.replace(entry, **{cost: wrong}))
    assert not ledger.entries


@pytest.mark.parametrize("wrong", [-1.0, -np.inf])
def test_a_negative_independent_cost_is_not_charged(wrong):
    entry = ENTRIES["gnmax"]()
    costs = {"independent": at_one_order(entry.independent, wrong), "dependent": at_one_order(entry.dependent, wrong)}
    with pytest.raises(ValueError, match="negative"):
        books.Ledger(ORDERS).charge(dataclasses.replace(entry, **costs))


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("name", ENTRIES)
def test_the_routes_do_not_agree_on_what_is_no_number(name, everywhere):
    entry = ENTRIES[name]()
    wrong = np.full_like(ORDERS, np.nan) if everywhere else at_one_order(entry.independent, np.nan)
    with pytest.raises(ArithmeticError, match=name):
        books.Ledger(ORDERS, [dataclasses.replace(entry, independent=wrong)]).check()


@pytest.mark.parametrize("name", ENTRIES)
def test_the_routes_do_not_agree_where_the_second_gives_no_number(monkeypatch, name):
    entry = ENTRIES[name]()
    monkeypatch.setattr(books.Ledger, "_priced", lambda self, entry: at_one_order(30 * entry.independent, np.nan))
    with pytest.raises(ArithmeticError, match=name):
        one_entry(entry).check()


def test_an_infinite_cost_passes_only_where_nothing_is_undercut(monkeypatch):
    exact, above = (ENTRIES[name]() for name in ("gnmax", "lnmax"))
    unbounded = {name: at_one_order(ENTRIES[name]().independent, np.inf) for name in ENTRIES}
    with pytest.raises(ArithmeticError, match="gnmax"):
        one_entry(dataclasses.replace(exact, independent=unbounded["gnmax"])).check()
    assert one_entry(dataclasses.replace(above, independent=unbounded["lnmax"])).check() == 0.0
    for entry in (exact, above):
        infinite = at_one_order(30 * entry.independent, np.inf)
        monkeypatch.setattr(books.Ledger, "_priced", lambda self, entry, infinite=infinite: infinite)
        with pytest.raises(ArithmeticError, match=entry.mechanism):
            one_entry(entry).check()
        assert one_entry(dataclasses.replace(entry, independent=unbounded[entry.mechanism])).check() <= 1e-9


def test_a_run_without_answers_is_charged_its_checks_only():
    votes = drawn_votes(5, 12)
    ledger = books.selective_ledger(ORDERS, votes, np.zeros(12, bool), 1e9, 15.0, 4.0)
    assert ledger.check() <= 1e-9
    np.testing.assert_allclose(ledger.independent, 12 * ORDERS / (2 * 15.0**2), rtol=1e-12)


# ---------------------------------------------------------------- charges


def test_a_data_dependent_cost_above_the_independent_one_is_refused():
    entry = books.gnmax_entry(ORDERS, drawn_votes(1, 5), 4.0)
    ceiling = 5 * entry.independent
    one_entry(dataclasses.replace(entry, dependent=ceiling))  # equality is what Theorem 3 falls back to
    above = ceiling.copy()
    above[7] *= 1.001
    for wrong in (above, ceiling * 1.001):
        ledger = books.Ledger(ORDERS)
        with pytest.raises(ValueError, match=r"gnmax.*exceeds"):
            ledger.charge(dataclasses.replace(entry, dependent=wrong))
        assert not ledger.entries


def test_a_negative_count_is_refused():
    entry = books.gnmax_entry(ORDERS, drawn_votes(1, 5), 4.0)
    with pytest.raises(ValueError, match="negative"):
        books.Ledger(ORDERS).charge(dataclasses.replace(entry, count=-1, dependent=-5 * entry.independent))


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 99))
@FIXED
def test_every_check_and_every_answer_is_charged(answered, seed):
    votes = drawn_votes(seed, len(answered))
    ledger = books.selective_ledger(ORDERS, votes, np.array(answered), 20.0, 15.0, 4.0)
    assert ledger.count("threshold") == len(answered)
    assert ledger.count("gnmax") == sum(answered)
    assert ledger.count("lnmax") == 0
    checks = threshold.rdp(ORDERS, votes.max(axis=1), 20.0, 15.0).sum(axis=0)
    answers = gnmax.rdp(ORDERS, gnmax.log_error_bound(votes[np.array(answered)], 4.0), 4.0).sum(axis=0)
    np.testing.assert_allclose(ledger.dependent, checks + answers, rtol=1e-12)


@pytest.mark.parametrize("part", ["threshold_entry", "gnmax_entry"])
def test_a_skipped_charge_is_a_failure(monkeypatch, part):
    """As when the check is charged for answered queries only, a known mistake of re-implementations."""
    votes = drawn_votes(4, 20)
    answered = np.arange(20) % 2 == 0
    original = getattr(books, part)

    def skipping(orders, values, *rest):
        return original(orders, values[: int(answered.sum())] if part == "threshold_entry" else values[1:], *rest)

    monkeypatch.setattr(books, part, skipping)
    with pytest.raises(AssertionError, match="not charged"):
        books.selective_ledger(ORDERS, votes, answered, 20.0, 15.0, 4.0)


def test_the_check_of_interactive_runs_is_priced_with_the_students_scores():
    votes = drawn_votes(6, 20)
    scores = np.random.default_rng(6).dirichlet(np.ones(4), 20)
    bits = np.ones(20, bool)
    with_scores = books.selective_ledger(ORDERS, votes, bits, 10.0, 5.0, 4.0, scores)
    excess = (votes - 25 * scores).max(axis=1)
    checks = threshold.rdp(ORDERS, excess, 10.0, 5.0).sum(axis=0)
    np.testing.assert_allclose(with_scores.entries[0].dependent, checks, rtol=1e-12)
    without = books.selective_ledger(ORDERS, votes, bits, 10.0, 5.0, 4.0)
    assert not np.allclose(with_scores.dependent, without.dependent)
    np.testing.assert_allclose(with_scores.independent, without.independent)


# ---------------------------------------------------------------- the noise really drawn


@pytest.mark.parametrize("seed", range(5))
def test_noise_drawn_by_confident_gnmax_is_what_is_charged(seed):
    votes = drawn_votes(seed, 40)
    rng = CountingGenerator(seed)
    answered = confident_gnmax(votes, 18.0, 5.0, 3.0, rng) != NO_ANSWER
    assert 0 < answered.sum() < 40
    ledger = books.selective_ledger(ORDERS, votes, answered, 18.0, 5.0, 3.0)
    assert rng.draws == [("normal", 5.0, 40), ("normal", 3.0, 4 * int(answered.sum()))]
    assert rng.draws == [
        ("normal", ledger.entries[0].parameters["sigma"], ledger.count("threshold")),
        ("normal", ledger.entries[1].parameters["sigma"], 4 * ledger.count("gnmax")),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_noise_drawn_by_interactive_gnmax_is_what_is_charged(seed):
    votes = drawn_votes(seed, 40)
    scores = drawn_scores(seed, 40)
    rng = CountingGenerator(seed)
    _, source = interactive_gnmax(votes, scores, 0.7, 8.0, 5.0, 3.0, rng)
    assert {TEACHERS, REINFORCED} <= set(source)
    ledger = books.selective_ledger(ORDERS, votes, source == TEACHERS, 8.0, 5.0, 3.0, scores)
    assert rng.draws == [("normal", 5.0, ledger.count("threshold")), ("normal", 3.0, 4 * ledger.count("gnmax"))]
    assert ledger.count("threshold") == 40


def test_noise_drawn_by_gnmax_and_lnmax_is_what_is_charged():
    votes = drawn_votes(8, 30)
    rng = CountingGenerator(8)
    draw_gnmax(votes, 4.0, rng)
    assert rng.draws == [("normal", 4.0, 4 * books.gnmax_entry(ORDERS, votes, 4.0).count)]
    rng = CountingGenerator(8)
    draw_lnmax(votes, 2.0, rng)
    entry = books.lnmax_entry(ORDERS, votes, 2.0)
    assert rng.draws == [("laplace", 2.0, 4 * entry.count)]
    assert entry.parameters == {"laplace_scale": 2.0}


SELECTIVE = {"sigma": 3.0, "threshold": 8, "sigma_threshold": 5.0, "max_answered": 40}


@pytest.mark.parametrize(
    "run",
    [
        {"aggregator": "gnmax", "sigma": 3.0},
        {"aggregator": "lnmax", "laplace_scale": 2.0},
        {"aggregator": "confident_gnmax", **SELECTIVE, "threshold": 18},
        {"aggregator": "interactive_gnmax", "confidence": 0.7, **SELECTIVE},
    ],
    ids=lambda run: run["aggregator"],
)
def test_every_mechanism_by_name_is_charged_what_it_drew(run):
    votes = drawn_votes(9, 40)
    rng = CountingGenerator(9)
    labels, source, ledger = run_by_name(run, votes, rng)
    ledger.check()
    assert len(labels) == 40
    answers = ledger.count("lnmax") + ledger.count("gnmax")
    assert sum(size for _, _, size in rng.draws) == 4 * answers + ledger.count("threshold")
    assert answers == int((source == TEACHERS).sum())
    assert ((labels == NO_ANSWER) == (source == NONE)).all()
    if "threshold" in run:
        assert 0 < answers < ledger.count("threshold") == 40


def test_the_runs_above_are_all_there_are():
    assert set(AGGREGATORS) == {"gnmax", "lnmax", "confident_gnmax", "interactive_gnmax"}


def test_a_cut_run_is_charged_what_it_released():
    """What was drawn for queries after the cut is thrown away unseen, which is as good as never drawn."""
    for name in ("confident_gnmax", "interactive_gnmax"):
        run = {"aggregator": name, "confidence": 0.7, **SELECTIVE, "max_answered": 5}
        labels, source, ledger = run_by_name(run, drawn_votes(9, 40), CountingGenerator(9))
        assert len(labels) == len(source) < 40
        assert ledger.count("threshold") == len(labels)
        assert ledger.count("gnmax") == int((source == TEACHERS).sum()) == 5 and source[-1] == TEACHERS


# ---------------------------------------------------------------- caps and stopping

parameters = st.fixed_dictionaries(
    {
        "threshold": st.floats(-5, 40),
        "sigma_threshold": st.floats(0.5, 40),
        "sigma": st.floats(0.5, 20),
        "max_answered": st.integers(1, 30),
        "confidence": st.floats(0, 1),
    }
)


@pytest.mark.parametrize("name", ["confident_gnmax", "interactive_gnmax"])
@given(run=parameters, queries=st.integers(1, 30), seed=st.integers(0, 999))
@settings(FIXED, max_examples=80)
def test_no_run_exceeds_the_caps_announced_before_it(name, run, queries, seed):
    run = run | {"aggregator": name}
    caps = selective_caps(ORDERS, queries, run["max_answered"], run["sigma_threshold"], run["sigma"])
    labels, source, ledger = run_by_name(run, drawn_votes(seed, queries), np.random.default_rng(seed))
    assert (ledger.independent <= caps * (1 + 1e-12)).all()
    assert (ledger.dependent <= ledger.independent * (1 + 1e-9)).all()
    assert ledger.count("threshold") == len(labels) <= queries
    assert ledger.count("gnmax") == int((source == TEACHERS).sum()) <= run["max_answered"]


def test_a_run_that_uses_its_caps_up_costs_exactly_the_caps():
    run = {"aggregator": "confident_gnmax", **SELECTIVE, "threshold": -1e9, "max_answered": 10}
    _, _, ledger = run_by_name(run, drawn_votes(1, 10), np.random.default_rng(1))
    np.testing.assert_allclose(ledger.independent, selective_caps(ORDERS, 10, 10, 5.0, 3.0), rtol=1e-12)
    np.testing.assert_allclose(ledger.independent, ORDERS * (10 / 50 + 10 / 9), rtol=1e-12)


labels_of_runs = st.lists(st.integers(NO_ANSWER, 3), max_size=40).map(lambda values: np.array(values, int))


@given(labels_of_runs, st.integers(1, 12))
@settings(FIXED, max_examples=200)
def test_stopping_cuts_right_after_the_last_allowed_answer(labels, most):
    cut = stop_after(labels, most)
    np.testing.assert_array_equal(cut, labels[: len(cut)])
    answers = int((cut != NO_ANSWER).sum())
    assert answers == min(most, int((labels != NO_ANSWER).sum()))
    if len(cut) < len(labels):
        assert answers == most and cut[-1] != NO_ANSWER


@given(labels_of_runs, st.integers(1, 12), st.integers(0, 40), st.integers(1, 3))
@settings(FIXED, max_examples=200)
def test_stopping_looks_at_released_bits_only_and_never_ahead(labels, most, seen, shift):
    cut = stop_after(labels, most)
    relabelled = np.where(labels == NO_ANSWER, NO_ANSWER, (labels + shift) % 4)
    assert len(stop_after(relabelled, most)) == len(cut)
    # what had been released up to any moment decides whether the run had ended by then
    np.testing.assert_array_equal(stop_after(labels[:seen], most), cut[:seen])


# ---------------------------------------------------------------- what is said of it


def test_statements_say_what_they_are():
    votes = drawn_votes(3, 30)
    ledger = books.selective_ledger(ORDERS, votes, np.arange(30) % 3 > 0, 20.0, 15.0, 4.0)
    made = ledger_statements(ledger, 1e-5)
    assert set(made) == {"independent", "independent_tight", "dependent"}
    assert made["dependent"].one_sided and made["dependent"].data_dependent and not made["dependent"].guarantee
    for name in ("independent", "independent_tight"):
        # how many draws a check lets through depends on the votes; without one their number is fixed
        assert not made[name].guarantee and made[name].data_dependent and not made[name].one_sided
        fixed = ledger_statements(books.Ledger(ORDERS, [books.gnmax_entry(ORDERS, votes, 4.0)]), 1e-5)[name]
        assert fixed.guarantee and not fixed.data_dependent and not fixed.one_sided
    assert all(not one.sanitized and one.neighbouring == "replace_one" and one.delta == 1e-5 for one in made.values())
    assert {name: one.conversion for name, one in made.items()} == {
        "independent": "classic",
        "independent_tight": "tight",
        "dependent": "classic",
    }
    assert made["independent"].epsilon == rdp.epsilon_classic(ORDERS, ledger.independent, 1e-5)[0]
    assert made["dependent"].epsilon == rdp.epsilon_classic(ORDERS, ledger.dependent, 1e-5)[0]
    assert made["dependent"].epsilon <= made["independent"].epsilon
    assert made["independent_tight"].epsilon < made["independent"].epsilon


def test_the_written_ledger_holds_nothing_of_the_votes():
    bits = np.arange(20) % 2 == 0
    first, second = (
        books.selective_ledger(ORDERS, drawn_votes(seed, 20), bits, 20.0, 15.0, 4.0).as_dict() for seed in (1, 2)
    )
    assert first == second == json.loads(json.dumps(first))
    assert [entry["count"] for entry in first] == [20, 10]
    assert first[0]["parameters"] == {"sigma": 15.0, "threshold": 20.0}
    assert first[0]["dp_event"] == "GaussianDpEvent(noise_multiplier=15.0)"


def test_entries_carry_the_cost_of_their_mechanism():
    votes = drawn_votes(1, 7)
    entry = books.lnmax_entry(ORDERS, votes, 2.0)
    np.testing.assert_allclose(entry.independent, np.minimum(ORDERS / 2, 1.0))
    expected = lnmax.rdp(ORDERS, lnmax.log_error_bound(votes, 2.0), 2.0).sum(axis=0)
    np.testing.assert_array_equal(entry.dependent, expected)

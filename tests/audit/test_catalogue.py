"""The project's mechanisms under audit: intact they keep their promise, and with every bug they are caught."""

import pytest
from scipy.stats import binom

from lib.audit.catalogue import mechanisms
from lib.audit.trial import BUGS, INTACT, RUN_BUGS, Audited, Trial
from lib.pate.aggregators import AGGREGATORS

pytestmark = pytest.mark.usefixtures("one_thread")

LEVEL, REPETITIONS = 0.95, 20
FOUND = {f"{one.name}, {one.backend}": one for one in mechanisms(0.01)}
BROKEN = [(name, bug) for name, one in FOUND.items() for bug in one.trials if bug != INTACT]
QUICK = {"lnmax", "gnmax", "confident_gnmax", "interactive_gnmax", "encoded_mean", "dp_mac"}
RUNS = 100_000
# ten seconds each, and others of their relation are tried
SLOWEST = {"dp_sgd, per-sample clipping", "dp_sgd, one patient, jointly", "dp_sgd, layers with biases"}


def caught(name, bug, runs=RUNS):
    return FOUND[name].trials[bug].audited(runs, LEVEL, 1, ("test", name, bug)).caught


def test_every_mechanism_is_there_and_every_bug_spoken_of():
    names = {one.name for one in FOUND.values()}
    assert names == {*AGGREGATORS, "encoded_mean", "dp_sgd", "dp_mac", "functional_mechanism"}
    assert {bug for _, bug in BROKEN} == {*BUGS, *RUN_BUGS}
    for one in FOUND.values():
        assert all(one.no_room.values())
        assert all(trial.promised.guarantee for trial in one.trials.values())
    intact = FOUND["lnmax, continuous noise"].trials[INTACT]
    for trials in ({}, {INTACT: intact}, {"noise_shared": intact}, {INTACT: intact, "noise_shard": intact}):
        with pytest.raises(ValueError, match="each bug once"):
            Audited("lnmax", "", "", trials, {})


# whole runs, and of each mechanism the bug that the fewest runs catch; by the runs that do
QUICKLY = [
    ("lnmax, two queries", "noise_shared", 1000),
    ("gnmax, two queries", "noise_shared", 1000),
    ("confident_gnmax, two answers", "noise_shared", 1000),
    ("confident_gnmax, two checks", "check_noise_shared", 4000),
    ("interactive_gnmax, a label confirmed", "plurality_confirmed", 200),
    ("dp_sgd, layers with biases", "biases_forgotten", 150),
    ("lnmax, continuous noise", "noise_reused", 1000),
    ("gnmax, continuous noise", "noise_reused", 6000),
    ("confident_gnmax, continuous noise", "threshold_not_charged", 4000),
    ("encoded_mean, numpy", "no_clipping", 4000),
    ("dp_mac, torch", "sigma_halved", 2000),
]


def caught_by_all(name, kind, runs):
    """Whether so many runs, all of them and not the trial's share, find it out."""
    trial = FOUND[name].trials[kind]
    return Trial(trial.sampler, trial.neighbours, trial.promised).audited(runs, LEVEL, 1, ("test", name, kind)).caught


@pytest.mark.parametrize(("name", "bug", "runs"), QUICKLY)
def test_a_few_runs_tell_a_bug_from_code_that_is_intact(name, bug, runs):
    assert caught_by_all(name, bug, runs) and not caught_by_all(name, INTACT, runs)


@pytest.mark.slow
def test_an_answer_too_many_is_caught():
    assert caught_by_all("confident_gnmax, the last answer", "answer_too_many", 60_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name in SLOWEST)) for name in FOUND])
def test_an_intact_mechanism_keeps_its_promise(name):
    trial = FOUND[name].trials[INTACT]
    runs = round(min(1000 * trial.share, 400) / trial.share)
    above = sum(trial.audited(runs, LEVEL, 1, ("test", name, str(k))).caught for k in range(REPETITIONS))
    assert above <= binom.ppf(0.999, REPETITIONS, 1 - LEVEL)


# by name and bug, the runs by which the quick ones among the trials are caught
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bug", "runs"),
    [
        ("lnmax, continuous noise", "sigma_halved", 4000),
        ("lnmax, continuous noise", "noise_reused", 1000),
        ("lnmax, continuous noise", "add_or_remove_for_replace", 20_000),
        ("gnmax, continuous noise", "sigma_halved", 20_000),
        ("gnmax, continuous noise", "sqrt2_forgotten", 60_000),
        ("gnmax, continuous noise", "noise_reused", 6000),
        ("gnmax, discrete noise", "noise_reused", 40_000),
        ("confident_gnmax, continuous noise", "threshold_not_charged", 4000),
        ("interactive_gnmax, continuous noise", "threshold_not_charged", 4000),
        ("encoded_mean, numpy", "sigma_halved", 40_000),
        ("encoded_mean, numpy", "no_clipping", 40_000),
        ("encoded_mean, numpy", "add_or_remove_for_replace", 40_000),
        ("dp_sgd, ghost clipping", "no_clipping", 20_000),
        ("dp_sgd, one patient, jointly", "no_clipping", 20_000),
        ("dp_mac, torch", "sigma_halved", 20_000),
        ("dp_mac, torch", "sqrt2_forgotten", 100_000),
        ("dp_mac, torch", "not_poisson", 20_000),
        ("functional_mechanism, output layer", "sigma_halved", 100_000),
    ],
)
def test_a_bug_is_caught(name, bug, runs):
    assert caught(name, bug, runs)


@pytest.mark.long
@pytest.mark.parametrize(("name", "bug"), BROKEN)
def test_every_bug_is_caught_in_every_mechanism(name, bug):
    assert caught(name, bug)

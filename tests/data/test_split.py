"""Who sees what: parts that are disjoint, complete and even, and that no record can move.

Two known mistakes of PATE re-implementations have a test of their own here: one teacher's part given to all, and
bounds or scales that are read from the private data.
"""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.core.seeding import generator
from lib.data.pools import open_pool
from lib.data.split import split_official, split_samples, split_stream
from lib.models.classifiers import make_classifier
from lib.pate.aggregators import AGGREGATORS
from lib.pate.classification import teacher_labels
from lib.pate.confident import confident_gnmax
from lib.pate.gnmax import gnmax
from lib.pate.lnmax import lnmax
from pate_accountant import ledger, rdp
from scripts import split_data, train_teachers

FIXED = settings(derandomize=True, deadline=None, max_examples=80)
INDICES = ("private", "public", "test")

sizes = st.fixed_dictionaries({"private": st.integers(1, 60), "public": st.integers(0, 20), "test": st.integers(0, 20)})


# ---------------------------------------------------------------- the partition


def check_partition(split: dict, sizes: dict, teachers: int) -> None:
    for name in INDICES:
        assert len(split[name]) == sizes[name]
    together = np.concatenate([split[name] for name in INDICES])
    assert len(np.unique(together)) == len(together)
    assert len(split["teacher"]) == sizes["private"]
    counts = np.bincount(split["teacher"], minlength=teachers)
    assert len(counts) == teachers and counts.sum() == sizes["private"]
    assert counts.max() - counts.min() <= 1


@given(sizes, st.integers(1, 12), st.integers(0, 30), st.integers(0, 999))
@FIXED
def test_parts_are_disjoint_complete_and_even(sizes, teachers, spare, seed):
    samples = sum(sizes.values()) + spare
    split = split_samples(samples, **sizes, teachers=teachers, rng=np.random.default_rng(seed))
    check_partition(split, sizes, teachers)
    together = np.concatenate([split[name] for name in INDICES])
    assert together.min(initial=0) >= 0 and together.max(initial=0) < samples
    if spare == 0:
        np.testing.assert_array_equal(np.sort(together), np.arange(samples))


@given(sizes, st.integers(1, 12), st.integers(0, 30), st.integers(0, 30), st.integers(0, 999))
@FIXED
def test_an_official_split_is_kept(sizes, teachers, spare_train, spare_test, seed):
    train = sizes["private"] + spare_train
    samples = train + sizes["public"] + sizes["test"] + spare_test
    split = split_official(train, samples, **sizes, teachers=teachers, rng=np.random.default_rng(seed))
    check_partition(split, sizes, teachers)
    assert split["private"].max() < train
    # the pool is the beginning of the official test set and what is held out its end, both in order
    np.testing.assert_array_equal(split["public"], np.arange(train, train + sizes["public"]))
    np.testing.assert_array_equal(split["test"], np.arange(samples - sizes["test"], samples))


def test_parts_are_drawn_and_repeat_with_their_generator():
    first, again, other = (
        split_samples(100, 60, 20, 20, teachers=7, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    for name in (*INDICES, "teacher"):
        np.testing.assert_array_equal(first[name], again[name])
    for name in INDICES:
        assert not np.array_equal(np.sort(first[name]), np.sort(other[name]))


@pytest.mark.parametrize("over", INDICES)
def test_more_samples_than_there_are_is_refused_in_one_line(over):
    numbers = {"private": 60, "public": 20, "test": 20}
    split_samples(100, **numbers, teachers=7, rng=np.random.default_rng(0))
    numbers[over] += 1
    with pytest.raises(InputError, match="100 samples") as caught:
        split_samples(100, **numbers, teachers=7, rng=np.random.default_rng(0))
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="60 training and 40 test") as caught:
        split_official(60, 100, **numbers, teachers=7, rng=np.random.default_rng(0))
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- the two mistakes

TEACHERS = 6
ENSEMBLE = {"private": 60, "public": 15, "test": 10, "teachers": TEACHERS, "model": "stub"}
MODELS = {
    "random_forest": {"kind": "random_forest", "trees": 10},
    "logistic_regression": {"kind": "logistic_regression", "iterations": 100},
}


class Recorder:
    """A model that writes down what it is fitted on and what it is asked, and always answers class 1."""

    def __init__(self, log: list) -> None:
        self._log = log

    def fit(self, x, y):
        self._log.append({"x": x.copy(), "y": y.copy()})
        return self

    def predict(self, x):
        self._log[-1]["asked"] = x.copy()
        return np.ones(len(x), int)


def samples(count: int = 100) -> dict[str, np.ndarray]:
    """Samples that differ from each other: the first feature is the sample's own number."""
    rng = np.random.default_rng(4)
    x = np.column_stack([np.arange(count), rng.normal(size=(count, 3)) * [1, 10, 100]])
    return {"x": x, "y": (rng.random(count) < 0.5).astype(int)}


def prepare(folder, data: dict[str, np.ndarray]) -> None:
    """The files of a dataset and of its split, as the workflow makes them."""
    save_arrays(folder / "data.npz", **data, fingerprint=np.array("0" * 64))
    arguments = {"data": folder / "data.npz", "seed": 1, "split": folder / "split.npz"}
    command = [text for name, value in arguments.items() for text in (f"--{name}", str(value))]
    split_data.main(
        [
            *command,
            "--job",
            "split_data",
            "toy",
            "1",
            "--sizes",
            json.dumps({name: ENSEMBLE[name] for name in ("private", "public", "test", "teachers")}),
        ]
    )


def fitted(folder, data: dict[str, np.ndarray]) -> list[dict]:
    """What each teacher is fitted on and asked."""
    prepare(folder, data)
    pool = open_pool(folder / "data.npz", folder / "split.npz")
    log = []
    teacher_labels(pool.part, range(TEACHERS), pool.public()[0], lambda t: Recorder(log))
    return log


def test_every_teacher_sees_only_its_own_part(tmp_path):
    """Not the first part given to all, a known mistake of re-implementations."""
    data = samples()
    log = fitted(tmp_path, data)
    split = load_arrays(tmp_path / "split.npz")
    assert len(log) == TEACHERS
    parts = [set(fit["x"][:, 0].astype(int)) for fit in log]
    for t, fit in enumerate(log):
        own = split["private"][split["teacher"] == t]
        np.testing.assert_array_equal(fit["x"], data["x"][own])
        np.testing.assert_array_equal(fit["y"], data["y"][own])
        np.testing.assert_array_equal(fit["asked"], data["x"][split["public"]])
        assert len(own) == len(parts[t]) == 10
        for other in range(t):
            assert not parts[t] & parts[other]
    assert set.union(*parts) == set(split["private"])
    assert not set.union(*parts) & (set(split["public"]) | set(split["test"]))


def test_the_script_gives_every_teacher_its_own_part(tmp_path, monkeypatch):
    prepare(tmp_path, samples())
    log, seeds = [], []

    def make(settings, seed):
        seeds.append(seed)
        return Recorder(log)

    monkeypatch.setattr(train_teachers, "make_classifier", make)
    files = {"data": tmp_path / "data.npz", "split": tmp_path / "split.npz", "labels": tmp_path / "labels.npz"}
    command = [text for name, value in files.items() for text in (f"--{name}", str(value))]
    command += ["--model", "{}", "--seed", "1", "--teachers", "0", str(TEACHERS), "--job", "train_teachers", "toy", "1"]
    train_teachers.main(command)
    split = load_arrays(tmp_path / "split.npz")
    for t in range(TEACHERS):
        own = split["private"][split["teacher"] == t]
        np.testing.assert_array_equal(log[t]["x"][:, 0], own)
    assert len(set(seeds)) == TEACHERS
    written = load_arrays(tmp_path / "labels.npz")
    assert written["teacher_labels"].shape == (15, TEACHERS)
    np.testing.assert_array_equal(written["labels"], samples()["y"][split["public"]])


@pytest.mark.parametrize("value", [1e9, -1e9, 0.0])
def test_no_bound_is_read_from_private_data(tmp_path, value):
    """One record, whatever it holds, is seen by its own teacher only: no scale, clip or split is taken from it."""
    data = samples()
    (tmp_path / "before").mkdir()
    (tmp_path / "after").mkdir()
    before = fitted(tmp_path / "before", data)
    split = load_arrays(tmp_path / "before" / "split.npz")
    victim = int(split["private"][17])
    owner = int(split["teacher"][17])
    altered = {"x": data["x"].copy(), "y": data["y"].copy()}
    altered["x"][victim, 1:] = value
    altered["y"][victim] ^= 1
    after = fitted(tmp_path / "after", altered)
    moved = load_arrays(tmp_path / "after" / "split.npz")
    for name in split:
        np.testing.assert_array_equal(split[name], moved[name])
    for t in range(TEACHERS):
        np.testing.assert_array_equal(before[t]["asked"], after[t]["asked"])
        same = np.array_equal(before[t]["x"], after[t]["x"]) and np.array_equal(before[t]["y"], after[t]["y"])
        assert same == (t != owner)
    assert (before[owner]["x"] != after[owner]["x"]).any(axis=1).sum() == 1


@pytest.mark.parametrize("model", MODELS)
def test_features_are_scaled_by_each_teacher_for_itself(tmp_path, model):
    data = samples()
    labels = []
    for changed in (False, True):
        if changed:
            data["x"][load_arrays(tmp_path / "split.npz")["private"][17]] = 1e12
        prepare(tmp_path, data)
        pool = open_pool(tmp_path / "data.npz", tmp_path / "split.npz")
        labels.append(
            teacher_labels(
                pool.part, range(TEACHERS), pool.public()[0], lambda t: make_classifier(MODELS[model], 100 + t)
            )
        )
    owner = int(load_arrays(tmp_path / "split.npz")["teacher"][17])
    others = [t for t in range(TEACHERS) if t != owner]
    np.testing.assert_array_equal(labels[0][:, others], labels[1][:, others])
    assert 0 < labels[0].mean() < 1


class Tape:
    """A generator that keeps what it drew."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.tape: list[np.ndarray] = []

    def _keep(self, values):
        self.tape.append(values)
        return values

    def normal(self, *arguments):
        return self._keep(self._rng.normal(*arguments))

    def laplace(self, *arguments):
        return self._keep(self._rng.laplace(*arguments))


def test_no_noise_is_scaled_by_the_votes():
    votes = [np.array([[20, 5, 0]] * 8), np.array([[9, 8, 8]] * 8), np.array([[0, 0, 25]] * 8)]
    for draw in (
        lambda v, rng: gnmax(v, 4.0, rng),
        lambda v, rng: lnmax(v, 4.0, rng),
        lambda v, rng: confident_gnmax(v, -1e9, 5.0, 4.0, rng),  # all pass, so that all draw as often
    ):
        tapes = []
        for v in votes:
            rng = Tape(3)
            draw(v, rng)
            tapes.append(rng.tape)
        for tape in tapes[1:]:
            for first, second in zip(tapes[0], tape, strict=True):
                np.testing.assert_array_equal(first, second)


def test_no_guarantee_depends_on_the_votes():
    orders = rdp.order_grid((2.0, 30.0, 1.0), (30.0, 60.0, 3))
    run = {"sigma": 4.0, "sigma_threshold": 8.0, "threshold": 15, "max_answered": 5, "laplace_scale": 2.0}
    first, second = np.array([[20, 5, 0]] * 8), np.array([[9, 8, 8]] * 8)
    run["delta"] = 1e-5
    for aggregator in AGGREGATORS.values():
        one, other = (aggregator.continuous.account(orders, votes, run, 8) for votes in (first, second))
        pairs = [(reading, other.readings[name]) for name, reading in one.readings.items()]
        if one.caps:
            pairs.append((one.caps, other.caps))
        unconditional = [pair for pair in pairs if not pair[0].data_dependent]
        assert unconditional
        for here, there in unconditional:
            np.testing.assert_array_equal(here.costs, there.costs)
    for entry in (ledger.gnmax_entry, ledger.lnmax_entry):
        np.testing.assert_array_equal(entry(orders, first, 4.0).independent, entry(orders, second, 4.0).independent)


def test_the_split_is_keyed_by_its_job_and_not_by_the_data(tmp_path):
    prepare(tmp_path, samples())
    first = load_arrays(tmp_path / "split.npz")
    prepare(tmp_path, {"x": np.zeros((100, 2)), "y": np.zeros(100, int)})
    second = load_arrays(tmp_path / "split.npz")
    expected = split_samples(100, 60, 15, 10, TEACHERS, generator(1, "split_data", "toy", "1"))
    for name, indices in expected.items():
        np.testing.assert_array_equal(first[name], indices)
        np.testing.assert_array_equal(second[name], indices)


# ---------------------------------------------------------------- a stream


@given(sizes, st.integers(1, 12), st.integers(1, 5))
@FIXED
def test_a_stream_has_as_many_teachers_as_are_asked_for_and_new_samples_each_time(sizes, teachers, repetition):
    split = split_stream(**sizes, teachers=teachers, repetition=repetition)
    for name in INDICES:
        assert split[name].tolist() == [(repetition - 1) * sizes[name], repetition * sizes[name]]
    parts = np.diff(split["teacher"])
    assert len(parts) == teachers and parts.max() - parts.min() <= 1
    assert [split["teacher"][0], split["teacher"][-1]] == split["private"].tolist()

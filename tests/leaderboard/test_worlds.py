"""Worlds: pairs, fair coins, parts that share nothing, wrong labels of canaries, the same bytes again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from lib.attacks.worlds import members
from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.core.seeding import Draws
from lib.data.samples import Samples
from lib.leaderboard.worlds import PublicPart, draw_worlds, read_private, read_public

FIXED = settings(derandomize=True, deadline=None, max_examples=40)
COUNT, CLASSES = 400, 5
ROWS = np.arange(COUNT)
# a record says which it is, so that one that is used twice is seen
SAMPLES = Samples(np.stack([ROWS % 256, ROWS // 256], 1).astype(np.uint8), ROWS % CLASSES, "a dataset", None)
SIZES = {"slots": 100, "canaries": 30, "public": 80, "test": 60, "worlds": 200}


def drawn(samples=SAMPLES, seed=1, job=("worlds",), classes=CLASSES, **sizes):
    return draw_worlds(samples, **{**SIZES, **sizes}, classes=classes, draws=Draws(seed, job))


def identities(x):
    return x[:, 0].astype(int) + 256 * x[:, 1].astype(int)


@given(
    st.integers(1, 60), st.integers(1, 100), st.integers(1, 100), st.integers(2, 5), st.none() | st.integers(250, 290)
)
@FIXED
def test_all_parts_are_disjoint_and_of_the_sizes_asked_for(slots, public, test, worlds, official):
    samples = replace(SAMPLES, official_train=official)
    private, rest = drawn(samples, slots=slots, canaries=0, public=public, test=test, worlds=worlds)
    parts = [identities(x) for x in (private.x, rest.x, rest.test_x)]
    assert [len(part) for part in parts] == [2 * slots, public, test]
    assert len(np.unique(np.concatenate(parts))) == 2 * slots + public + test
    for part, labels in zip(parts, (private.y, rest.y, rest.test_y), strict=True):
        np.testing.assert_array_equal(labels, part % CLASSES)
    if official is not None:
        assert parts[0].max() < official and parts[1].max() < official and parts[2].min() >= official
    assert private.fingerprint == "a dataset"


@pytest.mark.parametrize("official", [None, 280])
def test_every_sample_may_be_used(official):
    private, rest = drawn(replace(SAMPLES, official_train=official), slots=100, public=80, test=120)
    assert sorted(identities(np.concatenate([private.x, rest.x, rest.test_x]))) == ROWS.tolist()


def test_a_world_has_one_record_of_each_pair_in_the_order_of_slots():
    private, _ = drawn()
    for w in (0, 7):
        x, y = private.world(w)
        assert x.shape == (100, 2) and y.shape == (100,)
        rows = 2 * np.arange(100) + private.chosen[w]
        np.testing.assert_array_equal(x, private.x[rows])
        np.testing.assert_array_equal(y, private.y[rows])
        inside = members(private.chosen)[w]
        assert (inside[::2] ^ inside[1::2]).all()
        np.testing.assert_array_equal(np.flatnonzero(inside), rows)


def test_flipping_a_coin_replaces_one_record():
    private, _ = drawn()
    flipped = private.chosen.copy()
    flipped[3, 41] ^= True
    (x, y), (other_x, other_y) = private.world(3), replace(private, chosen=flipped).world(3)
    differs = (x != other_x).any(1) | (y != other_y)
    np.testing.assert_array_equal(np.flatnonzero(differs), [41])


def test_coins_are_fair_and_independent():
    chosen = drawn(worlds=400)[0].chosen
    assert binomtest(int(chosen.sum()), chosen.size).pvalue > 1e-3
    for same in (chosen[1:] == chosen[:-1], chosen[:, 1:] == chosen[:, :-1]):  # of neighbouring worlds, and slots
        assert binomtest(int(same.sum()), same.size).pvalue > 1e-3
    share = members(chosen).mean(0)
    assert abs(share - 0.5).max() < 5 * 0.5 / np.sqrt(400)


def test_canaries_have_any_wrong_label_and_no_other_record_has():
    private, _ = drawn(slots=150, canaries=140, public=20, test=20)
    truth = identities(private.x) % CLASSES
    wrong = private.y != truth
    assert wrong[:280].all() and not wrong[280:].any()
    offsets = np.bincount((private.y - truth)[:280] % CLASSES, minlength=CLASSES)
    assert offsets[0] == 0
    for count in offsets[1:]:
        assert binomtest(int(count), 280, 1 / (CLASSES - 1)).pvalue > 1e-3


def test_the_same_seed_gives_the_same_bytes_and_more_worlds_change_none(tmp_path):
    files = []
    for run in ("one", "two"):
        private, public = drawn()
        private.write(tmp_path / run / "private.npz")
        public.write(tmp_path / run / "public.npz")
        files.append([(tmp_path / run / name).read_bytes() for name in ("private.npz", "public.npz")])
    assert files[0] == files[1]
    again = drawn(worlds=SIZES["worlds"] + 9)[0]
    np.testing.assert_array_equal(again.chosen[: SIZES["worlds"]], private.chosen)
    np.testing.assert_array_equal(again.x, private.x)
    for other in (drawn(seed=2)[0], drawn(job=("others",))[0]):
        assert (other.chosen != private.chosen).any() and (other.x != private.x).any()


def test_files_give_back_what_was_written(tmp_path):
    for part, read in zip(drawn(), (read_private, read_public), strict=True):
        part.write(tmp_path / "part.npz")
        found = read(tmp_path / "part.npz")
        for name, value in vars(part).items():
            np.testing.assert_array_equal(getattr(found, name), value)
            assert type(getattr(found, name)) is type(value)


def test_the_public_file_says_nothing_of_the_private_records(tmp_path):
    private, public = drawn()
    kept = {name: value for name, value in vars(public).items() if name != "fingerprint"}
    assert public.fingerprint == fingerprint(**kept)
    # another dataset, which differs from this one in a private record: the same public file, byte by byte
    x = SAMPLES.x.copy()
    x[identities(private.x)[0]] = 77
    other, same = drawn(replace(SAMPLES, x=x, fingerprint="another dataset"))
    assert (other.x != private.x).any() and other.fingerprint == "another dataset"
    for name, part in (("public", public), ("same", same)):
        part.write(tmp_path / f"{name}.npz")
    assert (tmp_path / "same.npz").read_bytes() == (tmp_path / "public.npz").read_bytes()
    # and one that differs in a public record: another fingerprint
    x[identities(public.x)[0]] = 78
    assert drawn(replace(SAMPLES, x=x))[1].fingerprint != public.fingerprint
    assert not set(identities(private.x)) & set(identities(np.concatenate([public.x, public.test_x])))
    assert set(vars(public)) == set(PublicPart.__annotations__) == {"x", "y", "test_x", "test_y", "fingerprint"}
    public.write(tmp_path / "public.npz")
    with pytest.raises(InputError, match="lacks the arrays"):
        read_private(tmp_path / "public.npz")


@pytest.mark.parametrize(
    ("sizes", "named"),
    [
        ({"slots": 0}, "slots 0"),
        ({"canaries": 101}, "canaries 101"),
        ({"worlds": 1}, "worlds 1"),
        ({"test": 0}, "test 0"),
        ({"slots": 200}, "exceeds the 400"),
        ({"classes": 4}, r"^leaderboard\.classes = 4: the dataset has labels from 0 to 4"),
        ({"samples": replace(SAMPLES, official_train=250)}, "250 training"),
        ({"samples": replace(SAMPLES, groups=np.repeat("a", COUNT))}, "groups"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(sizes, named):
    with pytest.raises(InputError, match=named) as caught:
        drawn(**sizes)
    assert "\n" not in str(caught.value)

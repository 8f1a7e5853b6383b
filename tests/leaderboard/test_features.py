"""Features of patches: what they are, that they know of nothing but the public images, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.seeding import Draws
from lib.data.samples import Samples
from lib.leaderboard import features
from lib.leaderboard.features import learn, told
from lib.leaderboard.worlds import draw_worlds

SIDE, KINDS, UNIT = 3, 6, 32
JOB = ("worlds", "features")


@pytest.fixture(autouse=True)
def few_patches(monkeypatch):
    monkeypatch.setattr(features, "SEEN", 2000)


def images(count, seed=0, shape=(9, 8, 3)):
    return np.random.default_rng(seed).integers(0, 256, (count, *shape), np.uint8)


@pytest.fixture
def learned(few_patches):
    return learn(images(40), SIDE, KINDS, Draws(1, JOB))


def by_hand(learned, image):
    """Square roots of what the quarters of one image have of each kind, patch by patch."""
    height, width = image.shape[0] - SIDE + 1, image.shape[1] - SIDE + 1
    mean, directions = learned.mean.astype(float), learned.directions.astype(float)
    found = np.zeros((2, 2, directions.shape[1]))
    for i in range(height):
        for j in range(width):
            patch = image[i : i + SIDE, j : j + SIDE].astype(float).transpose(2, 0, 1).ravel()
            patch = (patch - patch.mean()) / np.sqrt(patch.var() + features.CONTRAST)
            alike = (patch - mean) @ directions - features.THRESHOLD
            found[int(i >= (height + 1) // 2), int(j >= (width + 1) // 2)] += np.maximum(alike, 0)
    return np.sqrt(found.reshape(-1))


def test_they_are_what_a_loop_over_patches_finds(learned):
    seen = images(5, seed=3)
    expected = np.stack([(by_hand(learned, image) - learned.shift) / learned.scale for image in seen])
    found = learned.of(seen, UNIT)
    assert found.dtype == np.int8 and found.shape == (5, 4 * KINDS)
    assert np.abs(found - expected * UNIT).max() < 0.51  # half a step of rounding
    assert len(np.unique(found)) > 20


def test_images_without_channels_have_one():
    grey = images(40)[..., 0]
    learned, same = (learn(seen, SIDE, KINDS, Draws(1, JOB)) for seen in (grey, grey[..., None]))
    np.testing.assert_array_equal(learned.of(grey, UNIT), same.of(grey[..., None], UNIT))


def test_over_the_public_images_they_have_mean_0_and_deviation_1(learned):
    found = learned.of(images(40), UNIT) / UNIT
    assert np.abs(found.mean(0)).max() < 0.05 and np.abs(found.std(0) - 1).max() < 0.05


def test_directions_are_of_whitened_patches(learned):
    """Of the patches that were looked at, what is seen along the directions of two kinds is alike as the kinds are."""
    assert learned.directions.shape == (SIDE * SIDE * 3, KINDS)
    windows = features.normalised(features.patches(images(40), SIDE)) - learned.mean
    along = windows @ learned.directions
    assert 0.5 < float(along.std()) < 1.5  # a kind is of length 1, and whitened patches have variance 1 along it


def test_kinds_are_of_patches_less_their_mean(few_patches):
    """A steep ramp that all patches share distinguishes no kind from another."""
    steep = images(40) // 4 + np.arange(0, 180, 20, np.uint8)[:, None, None]
    learned = learn(steep, SIDE, KINDS, Draws(1, JOB))
    along = (features.normalised(features.patches(steep, SIDE)) - learned.mean) @ learned.directions
    alike = np.corrcoef(along.T) - np.eye(KINDS)
    assert np.abs(learned.mean).max() > 0.5 and np.abs(alike).max() < 0.7


def test_what_is_far_from_the_public_images_is_cut_off(learned):
    steep = replace(learned, scale=learned.scale * 1e-3)
    found = steep.of(images(20, seed=4), UNIT)
    assert found.min() == -127 and found.max() == 127


def test_an_image_has_the_same_features_alone_and_among_others(learned, monkeypatch):
    seen = images(7, seed=5)
    together = learned.of(seen, UNIT)
    monkeypatch.setattr(features, "AT_ONCE", 1)
    alone = learned.of(seen, UNIT)
    assert np.abs(together.astype(int) - alone).max() <= 1  # products of other sizes may round otherwise


def test_private_images_change_nothing_of_what_is_public():
    """Two datasets that differ in one private record: all public arrays and all other private records stay."""
    x, y = images(150), np.arange(150) % 4
    sizes = {"slots": 40, "canaries": 4, "public": 30, "test": 20, "worlds": 3, "classes": 4}

    def made(samples):
        worlds = draw_worlds(samples, **sizes, draws=Draws(1, ("worlds",)))
        return worlds[0].x, told(*worlds, patch=SIDE, kinds=KINDS, unit=UNIT, draws=Draws(1, JOB))

    raw, (private, public) = made(Samples(x, y, "made", None))
    (row,) = np.flatnonzero((x == raw[11]).all((1, 2, 3)))
    changed = x.copy()
    changed[row] = 255 - x[row]
    _, (other, other_public) = made(Samples(changed, y, "made", None))
    for name, array in vars(public).items():
        np.testing.assert_array_equal(array, getattr(other_public, name))
    assert set(np.flatnonzero((private.x != other.x).any(1))) == {11}
    np.testing.assert_array_equal(private.y, other.y)
    assert private.x.shape == (80, 4 * KINDS) and public.x.shape == (30, 4 * KINDS)


def test_they_are_keyed_by_seed_and_job(learned):
    again, other, elsewhere = (
        learn(images(40), SIDE, KINDS, Draws(seed, job)) for seed, job in ((1, JOB), (2, JOB), (1, ("b",)))
    )
    np.testing.assert_array_equal(again.directions, learned.directions)
    for one in (other, elsewhere):
        assert not np.array_equal(one.directions, learned.directions)


@pytest.mark.parametrize(
    ("given", "side", "said"),
    [
        (images(9)[..., 0, 0], 3, r"features of records \(9,\) uint8: allowed are images, uint8"),
        (images(9).astype(np.float32), 3, "float32: allowed are images, uint8"),
        (images(9), 8, "patches of 8 pixels a side: allowed are 2 to 7"),
        (images(9), 1, "patches of 1 pixels a side"),
    ],
)
def test_what_has_no_such_patches_is_refused(given, side, said):
    with pytest.raises(InputError, match=said):
        learn(given, side, KINDS, Draws(1, JOB))

"""Prepared volumes: normalised over the brain, of one shape, whole or absent, and checked when read."""

import os

import nibabel
import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import read_json, write_json
from lib.data.volumes import registry
from lib.data.volumes.folders import BRATS_2019, LGG, CaseFolders
from lib.data.volumes.phantom import BrainPhantom, PhantomSource
from lib.data.volumes.preparation import Geometry, normalised, prepare
from lib.data.volumes.prepared_folder import read_prepared
from lib.data.volumes.source import Volume

SHAPE = (24, 20, 16)


class Made:
    """Subjects given as arrays, of which it is noted what is read."""

    channels, classes = ("flair", "t1"), 3

    def __init__(self, volumes):
        self.volumes, self.images_read = {volume.name: volume for volume in volumes}, []

    def subjects(self):
        return tuple(sorted(self.volumes))

    def patient(self, name):
        return f"patient of {name}"

    def read(self, name):
        self.images_read.append(name)
        return self.volumes[name]

    def label(self, name):
        return self.volumes[name].label


def volume(name, seed, shape=SHAPE):
    rng = np.random.default_rng(seed)
    image = rng.normal(500, 100, (2, *shape)).astype(np.float32)
    image[:, :3] = 0
    return Volume(name, image, rng.integers(0, 4, shape, np.uint8))


@pytest.fixture
def source():
    return Made([volume("b", 1), volume("a", 2), volume("c", 3)])


@pytest.fixture
def prepared(source, tmp_path):
    prepare(source, tmp_path / "cache", Geometry(SHAPE))
    return read_prepared(tmp_path / "cache")


def test_what_is_read_is_what_was_prepared(source, prepared):
    assert prepared.names == ["a", "b", "c"]
    assert prepared.groups == ["patient of a", "patient of b", "patient of c"]
    assert (prepared.channels, prepared.classes) == (("flair", "t1"), 3)
    assert isinstance(prepared.image, np.memmap) and prepared.image.dtype == np.float16
    assert prepared.image.shape == (3, 2, *SHAPE) and prepared.label.shape == (3, *SHAPE) and len(prepared.label) == 3
    assert all(volume.image.max() > 500 for volume in source.volumes.values())  # left as they were
    for row, name in enumerate(prepared.names):
        np.testing.assert_array_equal(prepared.label[row], source.volumes[name].label)
        expected = normalised(source.volumes[name].image, name)
        np.testing.assert_allclose(prepared.image[row], expected, rtol=2**-11, atol=1e-6)
        brain = source.volumes[name].image != 0
        for channel, inside in zip(expected, brain, strict=True):
            assert abs(channel[inside].mean()) < 1e-5 and channel[inside].std() == pytest.approx(1, abs=1e-5)
        assert (expected[~brain] == 0).all()


def test_labels_are_taken_like_rows_of_an_array(prepared):
    whole = np.asarray(prepared.label)
    assert whole.shape == (3, *SHAPE) and whole.dtype == np.uint8
    for rows in (2, -1, slice(1, None), [2, 0], np.array([1, 1]), np.array([True, False, True]), slice(0, 0)):
        np.testing.assert_array_equal(prepared.label[rows], whole[rows])
    with pytest.raises(IndexError):
        prepared.label[3]


def test_soft_masks_are_of_the_true_classes(prepared):
    whole = np.asarray(prepared.label)[[2, 0]]
    binary, several = prepared.masks([2, 0], 1), prepared.masks(np.array([2, 0]), 3)
    assert binary.dtype == several.dtype == np.float32
    assert binary.shape == (2, 1, *SHAPE) and several.shape == (2, 4, *SHAPE)
    np.testing.assert_array_equal(binary[:, 0], whole > 0)
    np.testing.assert_array_equal(several.argmax(axis=1), whole)
    np.testing.assert_array_equal(several.sum(axis=1), 1)
    assert prepared.masks([], 1).shape == (0, 1, *SHAPE)
    with pytest.raises(InputError, match="masks of 2 classes: the labels tell 3 apart, allowed: 1 or 3"):
        prepared.masks([0], 2)


def test_whole_tumour_is_all_that_lgg_has(lgg_mri, tmp_path):
    prepare(CaseFolders(lgg_mri, LGG), tmp_path / "cache", Geometry((8, 8, 6)))
    found = read_prepared(tmp_path / "cache")
    assert found.masks([0], 1).sum() > 0
    with pytest.raises(InputError, match=r"allowed: 1$"):
        found.masks([0], 3)


def test_labels_alone_need_no_image_and_little_room(source, tmp_path):
    source.volumes = {"a": Volume("a", None, np.zeros((120, 120, 77), np.uint8))}
    source.volumes["a"].label[40:60, 45:70, 25:45] = 2
    prepare(source, tmp_path / "cache", Geometry((120, 120, 80), crop=(120, 120, 80)), images=False)
    assert source.images_read == []
    found = read_prepared(tmp_path / "cache")
    assert found.image is None and found.channels == ()
    assert sum(path.stat().st_size for path in (tmp_path / "cache").iterdir()) < 5_000  # of 1.1 million voxels
    np.testing.assert_array_equal(found.label[0][:, :, 1:78], source.volumes["a"].label)
    assert not found.label[0][:, :, :1].any() and not found.label[0][:, :, 78:].any()


# ---------------------------------------------------------------- geometry


@pytest.mark.parametrize("shape", [(30, 20, 10), (12, 26, 16), (24, 20, 16)])
def test_cutting_and_padding_is_about_the_middle_and_alike_for_image_and_label(shape):
    given = volume("a", 1)
    geometry = Geometry(shape, crop=shape)
    image, label = geometry.image(given.image), geometry.label(given.label)
    assert image.shape == (2, *shape) and label.shape == shape and label.dtype == np.uint8
    marked = Geometry(shape, crop=shape).image(given.label[None].astype(np.float32))
    np.testing.assert_array_equal(marked[0], label)
    cut = tuple(
        slice((a - min(a, b)) // 2, (a - min(a, b)) // 2 + min(a, b)) for a, b in zip(SHAPE, shape, strict=True)
    )
    np.testing.assert_array_equal(np.bincount(label.ravel())[1:], np.bincount(given.label[cut].ravel())[1:])
    assert image.sum() == pytest.approx(given.image[(slice(None), *cut)].sum(), rel=1e-5)


@pytest.mark.parametrize("mode", ["nearest", "majority"])
def test_a_block_twice_as_coarse_stays_where_it_is(mode):
    label = np.zeros((16, 16, 16), np.uint8)
    label[4:8, 2:6, 8:14], label[8:10, 2:6, 8:14] = 1, 3
    found = Geometry((8, 8, 8), label_mode=mode).label(label)
    np.testing.assert_array_equal(found, label[::2, ::2, ::2])
    image = Geometry((8, 8, 8)).image(label[None].astype(np.float32) * 100)
    assert np.corrcoef(image.ravel(), found.ravel())[0, 1] > 0.9


def test_majority_takes_what_most_voxels_have_and_nearest_does_not():
    label = np.zeros((4, 4, 4), np.uint8)
    label[0:2, 0:2, 0:2] = np.array([2, 2, 2, 2, 2, 1, 1, 3], np.uint8).reshape(2, 2, 2)
    label[2:4, 2:4, 2:4] = np.array([0, 1, 1, 1, 1, 0, 0, 0], np.uint8).reshape(2, 2, 2)
    found = Geometry((2, 2, 2), label_mode="majority").label(label)
    assert found[0, 0, 0] == 2 and found[1, 1, 1] == 0 and found.sum() == 2
    finer = Geometry((8, 8, 8)).label(label)
    np.testing.assert_array_equal(finer[::2, ::2, ::2], label)
    assert set(np.unique(finer)) == {0, 1, 2, 3}


@pytest.mark.parametrize("value", [0, 7])
def test_a_channel_that_shows_nothing_is_refused(source, tmp_path, value):
    source.volumes["b"].image[1] = value
    with pytest.raises(InputError, match="b: channel 1 shows nothing"):
        prepare(source, tmp_path / "cache", Geometry(SHAPE))
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- the fingerprint, and files that are whole


def test_the_fingerprint_knows_samples_and_names_and_nothing_else(tmp_path):
    def found(volumes, **kwargs):
        prepare(Made(volumes), tmp_path / "cache", Geometry(SHAPE), **kwargs)
        return read_prepared(tmp_path / "cache").fingerprint

    first = found([volume("a", 1), volume("b", 2)])
    assert found([volume("b", 2), volume("a", 1)]) == first
    assert found([volume("a", 2), volume("b", 1)]) != first
    assert found([volume("a", 1), volume("c", 2)]) != first
    assert found([volume("a", 1), volume("b", 2)], images=False) != first
    other = volume("b", 2)
    other.label[5, 5, 5] ^= 1
    assert found([volume("a", 1), other]) != first


def test_the_fingerprint_does_not_depend_on_compression(brats2019, tmp_path):
    def found():
        prepare(CaseFolders(brats2019, BRATS_2019), tmp_path / "cache", Geometry((6, 7, 5)))
        return read_prepared(tmp_path / "cache").fingerprint

    first = found()
    for path in list(brats2019.rglob("*.nii.gz")):
        loaded = nibabel.load(path)
        nibabel.save(nibabel.Nifti1Image(np.asarray(loaded.dataobj), loaded.affine), path.with_suffix(""))
        path.unlink()
    assert found() == first


def test_the_same_volumes_give_the_same_bytes(source, tmp_path):
    for name in ("one", "other"):
        prepare(source, tmp_path / name, Geometry((12, 10, 8)))
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


@pytest.mark.parametrize("name", ["index.json", "image.npy", "labels.npz"])
def test_an_altered_or_missing_file_is_refused_by_name(prepared, tmp_path, name):
    path = tmp_path / "cache" / name
    whole = path.read_bytes()
    middle = len(whole) // 2
    for damaged in (whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :], whole[:-9], b""):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=name):
            read_prepared(tmp_path / "cache")
    path.unlink()
    with pytest.raises(InputError, match=f"{name}: not a readable"):
        read_prepared(tmp_path / "cache")


def test_an_index_with_other_names_is_refused(prepared, tmp_path):
    path = tmp_path / "cache" / "index.json"
    write_json(path, read_json(path) | {"names": ["a", "b", "d"]})
    with pytest.raises(InputError, match="does not match the digest"):
        read_prepared(path)


def test_a_failure_leaves_what_was_there(source, prepared, tmp_path):
    del source.volumes["b"]
    source.volumes["z"] = volume("z", 9)
    source.volumes["z"].image[0] = 0
    with pytest.raises(InputError, match="z: channel 0"):
        prepare(source, tmp_path / "cache", Geometry(SHAPE))
    assert read_prepared(tmp_path / "cache").names == ["a", "b", "c"]
    assert os.listdir(tmp_path) == ["cache"]
    del source.volumes["z"]
    prepare(source, tmp_path / "cache", Geometry(SHAPE))
    assert read_prepared(tmp_path / "cache" / "index.json").names == ["a", "c"]
    assert os.listdir(tmp_path) == ["cache"]


def test_phantoms_are_prepared_like_any_other(tmp_path):
    source = PhantomSource(BrainPhantom((24, 24, 16), 1), 2)
    prepare(source, tmp_path / "cache", Geometry((16, 16, 16)))
    found = read_prepared(tmp_path / "cache")
    assert found.image.shape == (2, 4, 16, 16, 16) and found.names == found.groups == list(source.subjects())
    assert np.isfinite(found.image).all() and np.asarray(found.label).any(axis=(1, 2, 3)).all()


@pytest.mark.parametrize("images", [True, False])
def test_other_volumes_than_those_expected_are_refused(tmp_path, capsys, images):
    """By what was decoded, not by what became of it: one voxel that is cut away counts."""
    volumes = [volume("a", 1), volume("b", 2)]
    prepare(Made(volumes), tmp_path / "one", Geometry((8, 8, 8), SHAPE), images)
    found = read_json(tmp_path / "one" / "index.json")["decoded"]
    assert f"decoded volumes: {found}\n" in capsys.readouterr().err
    prepare(Made(volumes[::-1]), tmp_path / "same", Geometry((4, 4, 4)), images, found)
    changed = volumes[1].label.copy()
    changed[0, 0, 0] = (changed[0, 0, 0] + 1) % 4
    other = Made([volumes[0], Volume("b", volumes[1].image, changed)])
    with pytest.raises(InputError, match=rf"other: other volumes than expected: fingerprint \w+, expected {found}"):
        prepare(other, tmp_path / "other", Geometry((2, 2, 2), (4, 4, 4)), images, found)
    assert not (tmp_path / "other").exists()


def test_private_volumes_are_named_by_a_digest_that_confirms_no_guess(tmp_path, capsys):
    volumes = [volume("a", 1), volume("b", 2)]
    prepare(Made(volumes), tmp_path / "public", Geometry(SHAPE))
    plain = [read_json(tmp_path / "public" / "index.json")[name] for name in ("fingerprint", "decoded")]
    capsys.readouterr()
    folder = tmp_path / "private" / "volumes" / "mine"
    prepare(Made(volumes), folder, Geometry(SHAPE), private=True)
    found = read_prepared(folder).fingerprint
    assert len(found) == 64 and found not in plain and not any(each in capsys.readouterr().err for each in plain)
    prepare(Made(volumes), folder, Geometry(SHAPE), private=True)
    assert read_prepared(folder).fingerprint == found
    with pytest.raises(InputError, match="other volumes than expected: fingerprint no public one"):
        prepare(Made(volumes[:1]), folder, Geometry(SHAPE), expected=plain[1], private=True)
    assert registry.spec(
        "own", {"layout": "datalist", "folder": "mine", "list": "l", "channels": ["t1"], "labels": {"1": "whole"}}
    ).private
    assert not any(spec.private for spec in registry.VOLUMES.values())


# ---------------------------------------------------------------- volumes that are shifted


BOX = (26, 24, 17)


def shifted_box(source, folder, seed=1, images=True):
    prepare(source, folder, Geometry(BOX, BOX, shift=seed), images)
    return read_prepared(folder)


def test_each_volume_lies_somewhere_in_its_box_image_and_label_alike(source, tmp_path):
    found, places = shifted_box(source, tmp_path / "a"), []
    for row, name in enumerate(found.names):
        image, label = normalised(source.volumes[name].image, name), source.volumes[name].label
        starts = [
            start
            for start in np.ndindex(*np.add(np.subtract(BOX, SHAPE), 1))
            if (found.label[row][tuple(slice(s, s + n) for s, n in zip(start, SHAPE, strict=True))] == label).all()
        ]
        assert len(starts) == 1 and found.label[row].sum() == label.sum()  # all of it, and zeros about it
        spans = tuple(slice(s, s + n) for s, n in zip(starts[0], SHAPE, strict=True))
        np.testing.assert_allclose(found.image[row][(slice(None), *spans)], image, rtol=2**-11, atol=1e-6)
        assert np.count_nonzero(found.image[row]) == np.count_nonzero(image.astype(np.float16))
        places.append(starts[0])
    assert len(set(places)) > 1
    alone = Made([source.volumes["c"]])
    np.testing.assert_array_equal(shifted_box(alone, tmp_path / "b").label[0], found.label[2])  # whoever is beside it
    np.testing.assert_array_equal(shifted_box(source, tmp_path / "c", images=False).label, np.asarray(found.label))
    assert shifted_box(source, tmp_path / "d", seed=2).fingerprint != found.fingerprint


def test_a_volume_larger_than_its_box_is_refused_before_anything_is_written(source, tmp_path):
    with pytest.raises(InputError, match=r"a: \(24, 20, 16\) voxels; shift allows at most crop = \(24, 19, 16\)"):
        prepare(source, tmp_path / "cache", Geometry((24, 19, 16), (24, 19, 16), shift=1))
    assert not (tmp_path / "cache").exists()
    with pytest.raises(InputError, match="shift: needs crop"):
        Geometry(BOX, shift=1)

"""Brain phantoms: the same on every run, alike at every size, and with what a network should find but not at once."""

import numpy as np
import pytest
from scipy import ndimage
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from lib.core.errors import InputError
from lib.data.volumes.contrast import CHANNELS
from lib.data.volumes.fields import BOX, smooth_field, voxel
from lib.data.volumes.phantom import BrainPhantom, PhantomSource
from lib.data.volumes.preparation import normalised

SHAPE = (48, 48, 31)
SUBJECTS = 16
FLAIR, T1, T1CE, T2 = range(4)


@pytest.fixture(scope="module")
def volumes():
    phantom = BrainPhantom(SHAPE, 1)
    return [phantom.subject(number) for number in range(SUBJECTS)]


@pytest.mark.slow
def test_a_subject_depends_on_nothing_but_seed_and_number(volumes):
    again = BrainPhantom(SHAPE, 1).subject(3)
    np.testing.assert_array_equal(again.image, volumes[3].image)
    np.testing.assert_array_equal(again.label, volumes[3].label)
    assert (again.image.dtype, again.label.dtype) == (np.float32, np.uint8)
    assert again.image.shape == (len(CHANNELS), *SHAPE) and again.label.shape == SHAPE
    assert (BrainPhantom(SHAPE, 2).subject(3).label != again.label).any()
    assert (volumes[2].label != again.label).any()
    np.testing.assert_array_equal(BrainPhantom(SHAPE, 1).label(3), again.label)


def test_other_shapes_show_the_same_brain_and_tumour(volumes):
    fine = BrainPhantom((96, 96, 62), 1)
    for number in range(2):
        coarse, other = volumes[number], fine.subject(number)
        blocks = other.label.reshape(48, 2, 48, 2, 31, 2) > 0
        share = blocks.mean(axis=(1, 3, 5))
        assert share[coarse.label > 0].mean() > 0.85
        sizes = [np.sum(v.label > 0) / np.sum(v.image[0] > 0) for v in (coarse, other)]
        assert sizes[0] == pytest.approx(sizes[1], rel=0.1)
        brains = [np.mean(v.image[0] > 0) for v in (coarse, other)]
        assert brains[0] == pytest.approx(brains[1], rel=0.02)


def test_brains_and_tumours_are_of_human_size_and_vary(volumes):
    litres = np.array([np.sum(v.image[0] > 0) for v in volumes]) * voxel(SHAPE) ** 3 / 1e6
    assert 0.9 < litres.min() and litres.max() < 1.8 and litres.std() > 0.03
    tumours = np.array([np.sum(v.label > 0) for v in volumes]) * voxel(SHAPE) ** 3 / 1e3  # cm^3
    assert 8 < tumours.min() and tumours.max() < 300 and tumours.max() > 3 * tumours.min()
    centres = np.array([ndimage.center_of_mass(v.label > 0) for v in volumes]) / SHAPE * BOX  # mm
    assert (centres.std(axis=0) > 8).all()
    enhancing = np.array([(v.label == 3).any() for v in volumes])
    assert 0 < (~enhancing).sum() < SUBJECTS / 2
    assert all((v.label == 1).any() and (v.label > 1).any() for v in volumes)


def test_the_tumour_is_nested_and_within_the_brain(volumes):
    for volume in volumes:
        assert (volume.image[0][volume.label > 0] > 0).all()
        core = volume.label > 1
        if (volume.label == 3).any() and (volume.label == 2).any():
            inwards = ndimage.distance_transform_edt(core)
            assert inwards[volume.label == 3].mean() < inwards[volume.label == 2].mean()
        around = ndimage.binary_dilation(core) & ~core
        assert np.mean(volume.label[around] == 1) > 0.4


def test_tissues_look_as_in_mri(volumes):
    def bright(volume, channel, label):
        return np.median(volume.image[channel][volume.label == label])

    for volume in volumes:
        healthy = (volume.image[0] > 0) & (volume.label == 0)
        for channel in (FLAIR, T2):
            assert bright(volume, channel, 1) > np.median(volume.image[channel][healthy])
        if (volume.label == 2).sum() > 20:
            assert bright(volume, T1CE, 2) < np.median(volume.image[T1CE][healthy])
        if (volume.label == 3).sum() > 20:
            assert bright(volume, T1CE, 3) > bright(volume, T1CE, 1)
            assert bright(volume, T1CE, 3) / bright(volume, T1CE, 2) > bright(volume, T1, 3) / bright(volume, T1, 2)


def test_voxels_tell_much_about_the_tumour_and_not_all(volumes):
    """A classifier of single voxels, on other subjects than its own."""

    def voxels(part):
        images = [normalised(volume.image, volume.name) for volume in part]
        brains = [volume.image[0] > 0 for volume in part]
        x = np.concatenate([image[:, brain].T for image, brain in zip(images, brains, strict=True)])
        return x, np.concatenate([volume.label[brain] > 0 for volume, brain in zip(part, brains, strict=True)])

    (x, y), (test_x, test_y) = voxels(volumes[:8]), voxels(volumes[8:])
    model = LogisticRegression().fit(x, y)
    assert 0.85 < roc_auc_score(test_y, model.decision_function(test_x)) < 0.995
    found = model.predict(test_x)
    assert 0.3 < 2 * np.sum(found & test_y) / (np.sum(found) + np.sum(test_y)) < 0.9


def test_the_head_is_there_where_it_is_not_stripped():
    stripped, whole = (BrainPhantom(SHAPE, 1, skull_stripped=is_so).subject(0) for is_so in (True, False))
    brain = stripped.image[0] > 0
    np.testing.assert_array_equal(whole.image[:, brain], stripped.image[:, brain])
    np.testing.assert_array_equal(whole.label, stripped.label)
    near = ndimage.binary_dilation(brain, iterations=3) & ~brain
    air = ~ndimage.binary_dilation(brain, iterations=5)
    assert (whole.image[T1][air] > 0).all()
    assert np.percentile(whole.image[T1][near], 90) > 4 * np.median(whole.image[T1][air])


def test_a_field_has_variance_1_and_the_same_values_on_a_finer_grid():
    fields = [smooth_field(np.random.default_rng(seed), 30.0, (24, 24, 16)) for seed in range(40)]
    assert np.var(fields) == pytest.approx(1, abs=0.15) and abs(np.mean(fields)) < 0.1
    # The middle of every third voxel of the fine grid is that of a coarse one.
    fine = smooth_field(np.random.default_rng(0), 30.0, (72, 72, 48))
    np.testing.assert_allclose(fine[1::3, 1::3, 1::3], fields[0], atol=1e-4)


@pytest.mark.parametrize("shape", [(15, 48, 48), (48, 241, 48), (48, 48, 156), (48, 48)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(InputError, match=r"brain phantom: shape .*, allowed: \(16, 16, 16\) to \(240, 240, 155\)"):
        BrainPhantom(shape, 1)


def test_a_source_has_the_first_subjects(volumes):
    source = PhantomSource(BrainPhantom(SHAPE, 1), 3)
    assert source.subjects() == ("phantom_00000", "phantom_00001", "phantom_00002")
    np.testing.assert_array_equal(source.read("phantom_00001").image, volumes[1].image)
    np.testing.assert_array_equal(source.label("phantom_00001"), volumes[1].label)
    with pytest.raises(InputError, match="subject -1"):
        BrainPhantom(SHAPE, 1).subject(-1)

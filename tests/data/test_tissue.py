"""Tissue-like patches: nobody's, the same on every run, and with what a classifier should find."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lib.core.errors import InputError
from lib.data import registry
from lib.data.grouped import scaled, split_groups
from lib.data.tissue import TissuePatches


@pytest.fixture(scope="module")
def arrays():
    return registry.load("tissue_patches", "tissue_patches", "embedded", None)


def of_patients(arrays):
    groups = np.unique(arrays["group"])
    return [(arrays["x"][arrays["group"] == group], arrays["y"][arrays["group"] == group]) for group in groups]


def test_a_patient_depends_on_nothing_but_seed_and_number():
    first = TissuePatches(20, 1).samples(3)
    again = TissuePatches(20, 1)
    again.samples(2)
    for one, other in zip(first, again.samples(3), strict=True):
        np.testing.assert_array_equal(one, other)
    assert first[0].shape[1:] == (50, 50, 3) and (first[0].dtype, first[1].dtype) == (np.uint8, np.int64)
    assert (TissuePatches(20, 2).samples(3)[0][0] != first[0][0]).any()


@pytest.mark.slow
def test_the_embedded_set_is_what_it_says(arrays):
    assert arrays["x"].shape == (11682, 50, 50, 3)
    assert len(np.unique(arrays["group"])) == 80
    assert arrays["y"].mean() == pytest.approx(0.28, abs=0.01)
    shares = np.array([y.mean() for _, y in of_patients(arrays)])
    assert shares.min() == 0 and shares.max() > 0.7
    assert len({image.tobytes() for image in arrays["x"][:2000]}) == 2000


@pytest.mark.slow
def test_patients_differ_in_stain_more_than_chance_allows(arrays):
    """The colour of a patient's patches of class 0 scatters between patients, far beyond its standard error."""
    negatives = [x[y == 0].mean(axis=(1, 2)) for x, y in of_patients(arrays)]
    means = np.array([colours.mean(axis=0) for colours in negatives])
    errors = np.array([colours.std(axis=0) / np.sqrt(len(colours)) for colours in negatives])
    assert (means.std(axis=0) > 3 * errors.mean(axis=0)).all()


@pytest.mark.slow
def test_class_1_is_darker_with_more_red_taken_up(arrays):
    """Haematoxylin, which nuclei take up, is what absorbs red."""
    red = arrays["x"][..., 0].mean(axis=(1, 2))
    assert red[arrays["y"] == 1].mean() < red[arrays["y"] == 0].mean() - 10


@pytest.mark.slow
def test_simple_features_beat_the_all_negative_baseline_on_other_patients_and_not_by_all(arrays):
    def features(x):
        pixels = x.reshape(len(x), -1, 3).astype(np.float32)
        dark = np.quantile(pixels[..., 0], [0.05, 0.1, 0.25, 0.5], axis=1).T
        return np.concatenate([pixels.mean(axis=1), pixels.std(axis=1), dark], axis=1)

    patients = of_patients(arrays)
    parts = (patients[:12], patients[12:24])
    train, test = ([np.concatenate(column) for column in zip(*part, strict=True)] for part in parts)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(features(train[0]), train[1])
    assert model.score(features(test[0]), test[1]) > np.mean(test[1] == 0) + 0.05
    assert 0.8 < roc_auc_score(test[1], model.decision_function(features(test[0]))) < 0.97


@pytest.mark.slow
def test_it_divides_by_patient_close_to_published_shares(arrays):
    targets = scaled({"train": (29164, 10788), "test": (31825, 11595)}, (198738, 78786), arrays["y"])
    found = split_groups(arrays["group"], arrays["y"], targets, "validation", 1, "split")
    assert max(abs(number) for deviation in found.deviation.values() for number in deviation) <= 10


def test_too_few_patches_are_refused():
    with pytest.raises(InputError, match="9 patches a patient, allowed: at least 10"):
        TissuePatches(9, 1)

"""The true labels of queries: of samples by their split, or as they came with published votes."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import save_arrays
from lib.data.query_labels import labels_of_each, query_labels

MARK = {"fingerprint": np.array("ab" * 32)}
LABELS = np.array([2, 0, 1])
Y = np.array([5, 6, 7, 8, 9])


@pytest.fixture
def files(tmp_path):
    """Votes with labels, five samples, and a split whose public part are the fourth and the second of them."""
    paths = {name: tmp_path / f"{name}.npz" for name in ("votes", "samples", "split")}
    save_arrays(paths["votes"], votes=np.eye(3, dtype=int), labels=LABELS, **MARK)
    save_arrays(paths["samples"], x=np.zeros((5, 2)), y=Y, **MARK)
    parts = {"private": np.array([0]), "public": np.array([3, 1]), "test": np.array([4]), "teacher": np.array([0])}
    save_arrays(paths["split"], **parts, **MARK)
    return paths


def test_labels_are_the_votes_own_or_those_of_the_public_part(files):
    assert query_labels(files["votes"], None).tolist() == LABELS.tolist()
    assert query_labels(files["samples"], files["split"]).tolist() == [8, 6]


def test_splits_belong_to_the_ensembles_that_have_samples(files):
    ensembles = [{}, {"labelled": True}, {}]
    data = [files["samples"], files["votes"], files["samples"]]
    found = labels_of_each(ensembles, data, [files["split"], files["split"]])
    assert [labels.tolist() for labels in found] == [[8, 6], LABELS.tolist(), [8, 6]]


def test_samples_without_a_split_are_refused_by_name(files):
    with pytest.raises(InputError, match=r"samples.*labels"):
        query_labels(files["samples"], None)

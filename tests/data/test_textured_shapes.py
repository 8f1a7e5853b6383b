"""Textured shapes are the same in whatever pieces they are made, and hard in the way they are meant to be."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier

from lib.core.errors import InputError
from lib.data import registry
from lib.data.textured_shapes import BLOCK, TexturedShapes


@pytest.fixture(scope="module")
def ten():
    return TexturedShapes(10, 1)


@pytest.mark.slow
def test_a_range_is_the_same_however_it_is_cut(ten):
    x, y = ten.samples("train", 0, 2 * BLOCK + 10)
    for start, stop in ((0, 1), (BLOCK - 3, BLOCK + 3), (BLOCK, 2 * BLOCK), (7, 2 * BLOCK + 10), (5, 5)):
        part, labels = ten.samples("train", start, stop)
        np.testing.assert_array_equal(part, x[start:stop])
        np.testing.assert_array_equal(labels, y[start:stop])
    assert (x.dtype, y.dtype, x.shape[1:]) == (np.uint8, np.int64, (32, 32, 3))


def test_seed_split_and_number_of_classes_give_other_images(ten):
    first = ten.samples("train", 0, 5)[0]
    for other in (TexturedShapes(10, 2), TexturedShapes(100, 1)):
        assert (other.samples("train", 0, 5)[0] != first).any()
    assert (ten.samples("test", 0, 5)[0] != first).any()
    np.testing.assert_array_equal(TexturedShapes(10, 1).samples("train", 0, 5)[0], first)


@pytest.mark.parametrize("classes", [10, 100])
def test_classes_are_balanced_and_named(classes):
    shapes = TexturedShapes(classes, 1)
    assert np.bincount(shapes.samples("train", 0, BLOCK)[1]).tolist() == [BLOCK // classes] * classes
    assert len(set(shapes.names)) == classes
    assert shapes.names[classes // 5] == {10: "triangle, stripes", 100: "square, stripes"}[classes]


def test_no_two_images_are_equal(ten):
    x, _ = ten.samples("train", 0, BLOCK)
    assert len({image.tobytes() for image in x}) == BLOCK


def test_pixels_alone_are_memorised_and_say_little(ten):
    x, y = ten.samples("train", 0, 500)
    other, labels = ten.samples("test", 0, 500)
    model = RidgeClassifier(10.0).fit(x.reshape(500, -1) / 255, y)
    assert model.score(x.reshape(500, -1) / 255, y) > 0.9
    assert model.score(other.reshape(500, -1) / 255, labels) < 0.25


@pytest.mark.slow
@pytest.mark.parametrize("classes", [10, 100])
def test_the_embedded_set_has_its_fingerprint(classes):
    name = f"textured_shapes_{classes}"
    arrays = registry.load(name, "textured_shapes", "embedded", None)
    assert (len(arrays["x_train"]), len(arrays["x_test"])) == (8000, 2000)
    assert np.bincount(arrays["y_test"]).tolist() == [2000 // classes] * classes


def test_impossible_requests_are_refused(ten):
    with pytest.raises(InputError, match="20 classes, allowed: 10, 100"):
        TexturedShapes(20, 1)
    with pytest.raises(InputError, match="unknown split 'private', allowed: train, test"):
        ten.samples("private", 0, 1)
    with pytest.raises(InputError, match="samples 3 to 2"):
        ten.samples("train", 3, 2)

"""Principal components in one pass, against a plain singular value decomposition."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.encoders import principal_components
from lib.encoders.blocks import Blocks
from lib.encoders.principal_components import Covariance, PrincipalComponents, fit_blocks, fit_volumes

BLOCKS = Blocks((1, 6, 4, 5), (3, 2, 3))


def masks(n=40, shape=BLOCKS.shape, seed=0, soft=False):
    """Made masks: half of each volume empty, so that there are empty blocks."""
    rng = np.random.default_rng(seed)
    smooth = rng.random((n, *shape)) + rng.random((n, shape[0], shape[1], 1, 1))
    y = (smooth > 1.1) * (rng.random((n, *shape)) if soft else 1.0)
    y[:, :, shape[1] // 2 :] = 0
    return y.astype(np.float32)


def reference(rows):
    """Mean, right singular vectors and variances (divisor n) of rows (m, D), in float64."""
    rows = rows.astype(float)
    mean = rows.mean(axis=0)
    _, values, vectors = np.linalg.svd(rows - mean, full_matrices=False)
    return mean, vectors, values**2 / len(rows)


def agree(pca, rows):
    mean, vectors, values = reference(rows)
    k = len(pca.eigenvalues)
    np.testing.assert_allclose(pca.mean, mean, atol=1e-7)
    np.testing.assert_allclose(pca.eigenvalues, np.pad(values, (0, k))[:k], atol=1e-6 * values[0])
    np.testing.assert_allclose(pca.components @ pca.components.T, np.eye(k), atol=1e-5)
    clear = [
        j
        for j in range(min(k, len(values) - 1))
        if values[j] - values[j + 1] > 1e-3 * values[0] and (j == 0 or values[j - 1] - values[j] > 1e-3 * values[0])
    ]
    assert len(clear) > 3  # directions of (nearly) equal variance may turn among themselves
    for j in clear:
        assert abs(pca.components[j] @ vectors[j]) == pytest.approx(1, abs=1e-5)
    assert pca.total == pytest.approx(values.sum())
    largest = np.abs(pca.components).argmax(axis=1)
    assert (pca.components[np.arange(k), largest] > 0).all()


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("components", [None, 5])
def test_blocks_against_the_decomposition_of_all_rows(monkeypatch, soft, components):
    monkeypatch.setattr(principal_components, "_ROWS", 7)
    y = masks(soft=soft)
    pca = fit_blocks(iter([y[:10], y[10:11], y[11:]]), BLOCKS, components)
    assert pca.components.shape == (components or BLOCKS.dimension, BLOCKS.dimension)
    agree(pca, BLOCKS.split(y).reshape(-1, BLOCKS.dimension))


@pytest.mark.parametrize("components", [None, 6])
def test_volumes_against_the_decomposition_of_all_rows(monkeypatch, components):
    monkeypatch.setattr(principal_components, "_COLUMNS", 17)
    y = masks(12)
    pca = fit_volumes(y.astype(np.uint8), components)
    assert len(pca.components) == (components or 11)
    agree(pca, y.reshape(12, -1))


def test_directions_without_variance_are_left_out():
    y = masks(6)
    pca = fit_volumes(np.concatenate([y, y]))
    assert len(pca.components) == 5
    agree(pca, np.concatenate([y, y]).reshape(12, -1))


def test_both_ways_agree_on_whole_volumes():
    y, whole = masks(10), Blocks(BLOCKS.shape, BLOCKS.shape[1:])
    few, all_of_them = fit_volumes(y), fit_blocks([y], whole)
    np.testing.assert_allclose(few.eigenvalues, all_of_them.eigenvalues[:9], rtol=1e-5)
    np.testing.assert_allclose(all_of_them.eigenvalues[9:], 0, atol=1e-6)


def test_counts_of_binary_masks_are_exact(monkeypatch):
    """The same covariance, to the last bit, in whatever portions the blocks come."""
    rows = (np.random.default_rng(0).random((500, 20)) > 0.7).astype(np.uint8)
    found = []
    for portion, step in ((3, 500), (2048, 41)):
        monkeypatch.setattr(principal_components, "_ROWS", portion)
        covariance = Covariance(20)
        for start in range(0, 500, step):
            covariance.add(rows[start : start + step])
        found.append(covariance.finish())
    for one, other in zip(*found, strict=True):
        assert one.tobytes() == other.tobytes()
    np.testing.assert_allclose(found[0][1], np.cov(rows.T, bias=True), atol=1e-12)


def test_only_empty_blocks():
    pca = fit_blocks([np.zeros((2, *BLOCKS.shape), np.float32)], BLOCKS)
    assert pca.total == 0 and (pca.mean == 0).all() and (pca.eigenvalues == 0).all()


def test_saved_and_read(tmp_path):
    pca = fit_volumes(masks(5))
    save_arrays(tmp_path / "pca.npz", **pca.arrays())
    found = PrincipalComponents.from_arrays(load_arrays(tmp_path / "pca.npz"))
    assert found.total == pca.total
    for name, array in pca.arrays().items():
        assert (found.arrays()[name] == array).all()


def test_bad_input():
    with pytest.raises(InputError, match="of no masks"):
        fit_blocks([], BLOCKS)
    with pytest.raises(InputError, match="allowed are 1 to 18"):
        fit_blocks([masks()], BLOCKS, 19)
    with pytest.raises(InputError, match="of 1 volumes"):
        fit_volumes(masks(1))
    with pytest.raises(InputError, match="allowed are 1 to 4"):
        fit_volumes(masks(5), 5)

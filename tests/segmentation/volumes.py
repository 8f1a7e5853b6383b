"""Made volumes for tests of segmentation: bright blobs in noise."""

import numpy as np

SIDES = (32, 32, 16)


def blobs(count, channels=1, classes=1, sides=SIDES, seed=0):
    """Images (n, channels, X, Y, Z) float32 and labels (n, X, Y, Z) uint8; a blob has 1 outside, `classes` inside."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*map(np.arange, sides), indexing="ij"))
    images = rng.normal(0, 0.3, (count, channels, *sides)).astype(np.float32)
    labels = np.zeros((count, *sides), np.uint8)
    for row in range(count):
        centre = rng.uniform(0.3, 0.7, 3) * sides
        distance = np.linalg.norm(grid - centre[:, None, None, None], axis=0)
        for label in range(1, classes + 1):
            labels[row][distance < 8 * (1 - (label - 1) / classes)] = label
        images[row] += 2 * labels[row] / classes
    return images, labels


def dice(mask, truth):
    """Of two masks of bool, not both empty."""
    return 2 * (mask & truth).sum() / (mask.sum() + truth.sum())

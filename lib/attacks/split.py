"""Who sees what in a membership attack: a target's data and a shadow's, each with a half that is trained on."""

import numpy as np

from lib.core.errors import InputError

QUARTERS = ("target_train", "target_out", "shadow_train", "shadow_out")


def split_attack(labels: np.ndarray, rng: np.random.Generator, stratified: bool = False) -> dict[str, np.ndarray]:
    """Rows of a training set dealt into QUARTERS, disjoint and of one size; each (N // 4,) int64, sorted.

    Tao et al., Section IV-A: D_shadow and D_target have the same size, and so have their halves "train" and "out"; the
    paper does not say how they are drawn. Uniform by default; `stratified`: a class has as many samples in one
    quarter as in another, or one more. Up to 3 samples are left over. labels: (N,). Raises InputError for fewer than 4.
    """
    if len(labels) < len(QUARTERS):
        raise InputError(f"{len(labels)} samples: at least {len(QUARTERS)} are needed, one a quarter")
    order = rng.permutation(len(labels))
    if stratified:
        order = order[np.argsort(labels[order], kind="stable")]
    size = len(labels) // len(QUARTERS)
    # dealt like cards, so that classes that lie together are spread over the quarters; who is served first is drawn
    dealt = order[: size * len(QUARTERS)].reshape(size, len(QUARTERS))[:, rng.permutation(len(QUARTERS))]
    return {name: np.sort(dealt[:, k]) for k, name in enumerate(QUARTERS)}

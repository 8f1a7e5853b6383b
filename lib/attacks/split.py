"""Who sees what in a membership attack: a target's data and a shadow's, each with a half that is trained on."""

import numpy as np

from lib.core.errors import InputError

QUARTERS = ("target_train", "target_out", "shadow_train", "shadow_out")


def split_attack(samples: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Rows of a training set dealt into QUARTERS, disjoint and of one size; each (N // 4,) int64, sorted.

    Tao et al., Section IV-A: D_shadow and D_target have the same size, and so have their halves "train" and "out"; the
    paper does not say how they are drawn: uniformly here. Up to 3 of the N samples are left over. Raises InputError for
    fewer than 4.
    """
    if samples < len(QUARTERS):
        raise InputError(f"{samples} samples: at least {len(QUARTERS)} are needed, one a quarter")
    order, size = rng.permutation(samples), samples // len(QUARTERS)
    dealt = order[: size * len(QUARTERS)].reshape(size, len(QUARTERS))[:, rng.permutation(len(QUARTERS))]
    return {name: np.sort(dealt[:, k]) for k, name in enumerate(QUARTERS)}

"""Worlds: many private data sets of one size from pairs of records, each of a pair in by a fair coin.

A slot i has two candidate records, 2i and 2i + 1, of which a world holds one. So flipping a coin replaces one record, a
candidate is a member of about half of all worlds, and membership in one slot tells nothing of another (what a one-run
audit needs, and the shadow models of a membership attack).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lib.core.errors import InputError
from lib.core.files import fingerprint, load_arrays, save_arrays
from lib.core.seeding import Draws
from lib.data.samples import Samples


@dataclass(frozen=True)
class PrivateWorlds:
    """Candidates x (2n, ...), the labels y (2n,) int64 that each would be trained with, and the dataset's fingerprint.

    chosen (W, n) bool: of each world and slot, whether it holds the second candidate. canaries: the first so many
    slots hold records with a wrong label, both of them.
    """

    x: np.ndarray
    y: np.ndarray
    chosen: np.ndarray
    canaries: int
    fingerprint: str

    @property
    def slots(self) -> int:
        """Records in each world."""
        return self.chosen.shape[1]

    def world(self, w: int) -> tuple[np.ndarray, np.ndarray]:
        """Return records (n, ...) and labels (n,) of one world in the order of slots, which hides the coins."""
        rows = 2 * np.arange(self.slots) + self.chosen[w]
        return self.x[rows], self.y[rows]

    def write(self, path: str | Path) -> None:
        """Write it as .npz; private."""
        save_arrays(path, **vars(self))


@dataclass(frozen=True)
class PublicPart:
    """Public data: a pool x (p, ...) for the students, and a test set.

    y (p,) int64: the pool's labels, for controls and warm starts. fingerprint: of these arrays alone; the dataset's
    would depend on the private records.
    """

    x: np.ndarray
    y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray
    fingerprint: str

    def write(self, path: str | Path) -> None:
        """Write it as .npz."""
        save_arrays(path, **vars(self))


def read_private(path: str | Path) -> PrivateWorlds:
    """Read what `PrivateWorlds.write` wrote; InputError names a file that is none."""
    arrays: dict[str, Any] = load_arrays(path, *PrivateWorlds.__dataclass_fields__)
    return PrivateWorlds(**arrays | {"canaries": int(arrays["canaries"]), "fingerprint": str(arrays["fingerprint"])})


def read_public(path: str | Path) -> PublicPart:
    """Read what `PublicPart.write` wrote; InputError names a file that is none."""
    arrays: dict[str, Any] = load_arrays(path, *PublicPart.__dataclass_fields__)
    return PublicPart(**arrays | {"fingerprint": str(arrays["fingerprint"])})


def draw_worlds(
    samples: Samples,
    slots: int,
    canaries: int,
    public: int,
    test: int,
    worlds: int,
    classes: int,
    draws: Draws,
) -> tuple[PrivateWorlds, PublicPart]:
    """Draw 2 `slots` candidates, a pool of `public` and `test` samples, all different, and the coins of the worlds.

    Of a dataset with an official test set the test samples come from that and all others from its training set. Every
    coin is fair and independent of all others; those of a world do not depend on how many there are. A canary's label
    is uniform over the other classes. Raises InputError for too few samples, samples of groups (a patient's may not be
    on two sides), labels beyond `classes`, and what does not fit.
    """
    if samples.groups is not None:
        raise InputError("worlds: the samples belong to groups; allowed are datasets whose samples are nobody's")
    for what, count, least in (("slots", slots, 1), ("public", public, 1), ("test", test, 1), ("worlds", worlds, 2)):
        if count < least:
            raise InputError(f"worlds: {what} {count}: it must be at least {least}")
    if not 0 <= canaries <= slots:
        raise InputError(f"worlds: canaries {canaries}: allowed are 0 to {slots}, the slots")
    y = np.asarray(samples.y)
    if classes < 2 or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= classes:
        raise InputError(
            f"leaderboard.classes = {classes}: the dataset has labels from {y.min()} to {y.max()}; allowed are whole "
            "numbers from 0 to classes - 1, of at least 2 classes"
        )
    order, tested = parted(samples, 2 * slots + public, test, draws)
    candidates, pool = order[: 2 * slots], order[2 * slots :]
    labels = y[candidates].astype(np.int64)
    # an offset of 1 to classes - 1 makes every other class as likely as another
    offsets = draws.generator("canaries").integers(1, classes, 2 * canaries)
    labels[: 2 * canaries] = (labels[: 2 * canaries] + offsets) % classes
    coins = [draws.generator(f"coins {w}").integers(0, 2, slots, dtype=np.uint8) for w in range(worlds)]
    private = PrivateWorlds(samples.x[candidates], labels, np.stack(coins).astype(bool), canaries, samples.fingerprint)
    truth = y.astype(np.int64)
    shared = {"x": samples.x[pool], "y": truth[pool], "test_x": samples.x[tested], "test_y": truth[tested]}
    return private, PublicPart(**shared, fingerprint=fingerprint(**shared))


def parted(samples: Samples, needed: int, test: int, draws: Draws) -> tuple[np.ndarray, np.ndarray]:
    """Rows of candidates and pool (needed,), and of the test set (test,), in random order."""
    count, official = len(samples.y), samples.official_train
    if official is None:
        if needed + test > count:
            raise InputError(f"worlds: 2 slots + public + test = {needed + test} exceeds the {count} samples")
        order = draws.generator("samples").permutation(count)
        return order[:needed], order[needed : needed + test]
    if needed > official or test > count - official:
        raise InputError(
            f"worlds: 2 slots + public = {needed} and test = {test}: the dataset has {official} training and "
            f"{count - official} test samples"
        )
    train = draws.generator("samples").permutation(official)[:needed]
    return train, official + draws.generator("test").permutation(count - official)[:test]

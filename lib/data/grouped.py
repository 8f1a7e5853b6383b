"""Samples of groups, as patches of patients: parts between which no group is divided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.core.errors import InputError
from lib.core.seeding import generator


@dataclass(frozen=True)
class GroupedSplit:
    """Which part each group is in.

    parts: part by group, sorted by group; counts: samples of class 0 and of class 1 in each part; targets: how many
    were asked for, of all parts but the last, which takes the rest.
    """

    parts: dict[str, str]
    counts: dict[str, tuple[int, int]]
    targets: dict[str, tuple[int, int]]

    @property
    def deviation(self) -> dict[str, tuple[int, int]]:
        """Samples of each class that a part has more than was asked for."""
        return {
            part: (self.counts[part][0] - target[0], self.counts[part][1] - target[1])
            for part, target in self.targets.items()
        }

    def rows(self, part: str, groups: np.ndarray) -> np.ndarray:
        """Find the samples of a part, in their order, by the group (n,) of each; InputError for one without part."""
        unknown = sorted(set(groups.tolist()) - set(self.parts))
        if unknown:
            raise InputError(f"groups without a part: {', '.join(unknown[:5])}")
        return np.flatnonzero([self.parts[group] == part for group in groups.tolist()])


def _pair(counts: Sequence[int] | np.ndarray) -> tuple[int, int]:
    first, second = counts
    return int(first), int(second)


def split_groups(
    groups: np.ndarray,
    labels: np.ndarray,
    targets: Mapping[str, tuple[int, int]],
    rest: str,
    seed: int,
    *job: str,
) -> GroupedSplit:
    """Deal whole groups to parts, so that each part's samples of class 0 and of class 1 come close to its target.

    groups (n,) text and labels (n,) 0 or 1 are of the samples; targets: part to (class 0, class 1); rest: the part of
    what is left. Starts from a draw keyed by (seed, job), then moves and exchanges groups as long as the sum of all
    deviations falls, so that other seeds give other groups in about the same numbers.
    Raises InputError if a target is negative, if they are more than there is, or if a label is neither 0 nor 1.
    """
    names, inverse = np.unique(groups, return_inverse=True)
    if len(labels) != len(groups) or not np.isin(labels, (0, 1)).all():
        raise InputError(f"split by group: {len(groups)} groups and {len(labels)} labels; allowed are labels 0 and 1")
    counts = np.stack([np.bincount(inverse[labels == label], minlength=len(names)) for label in (0, 1)], axis=1)
    wanted = np.array([*targets.values(), (0, 0)], np.int64)
    if (wanted < 0).any() or (wanted.sum(axis=0) > counts.sum(axis=0)).any() or rest in targets:
        raise InputError(
            f"split by group: {dict(targets)} and the rest to {rest!r}, of {counts[:, 0].sum()} samples of class 0 and "
            f"{counts[:, 1].sum()} of class 1"
        )
    wanted[-1] = counts.sum(axis=0) - wanted.sum(axis=0)
    parts = _exchange(counts, wanted, _deal(counts, wanted, generator(seed, *job, "groups")))
    title = [*targets, rest]
    return GroupedSplit(
        {str(name): title[part] for name, part in zip(names, parts, strict=True)},
        {name: _pair(counts[parts == number].sum(axis=0)) for number, name in enumerate(title)},
        {name: _pair(target) for name, target in targets.items()},
    )


def scaled(targets: Mapping[str, tuple[int, int]], whole: tuple[int, int], labels: np.ndarray) -> dict:
    """Scale the targets of a split of `whole` (samples of class 0 and 1) to another size, by class, rounded down.

    labels (n,) are the set's; the result is what `split_groups` takes.
    """
    have = [int(np.sum(labels == label)) for label in (0, 1)]
    return {part: tuple(target[k] * have[k] // whole[k] for k in (0, 1)) for part, target in targets.items()}


def _deal(counts: np.ndarray, wanted: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a part for each group: in random order, to the part that lacks the largest share of what it wants."""
    parts = np.empty(len(counts), np.int64)
    left = wanted.sum(axis=1).astype(float)
    whole = np.maximum(left, 1)
    for group in rng.permutation(len(counts)):
        parts[group] = np.argmax(left / whole)
        left[parts[group]] -= counts[group].sum()
    return parts


def _exchange(counts: np.ndarray, wanted: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Move one group or exchange two, whichever helps most, until nothing does."""
    parts = parts.copy()
    number = np.arange(len(wanted))
    while True:
        excess = np.stack([counts[parts == part].sum(axis=0) for part in number]) - wanted
        now = np.abs(excess).sum()
        # An empty group that may be exchanged makes a move of every exchange with it.
        of = np.concatenate([parts, number])
        size = np.concatenate([counts, np.zeros((len(number), 2), np.int64)])
        gain = size[:, None] - size[None]  # what the part of the first loses, and that of the second gains
        after = now + sum(
            np.abs(excess[of][:, None] - gain)[..., k]
            - np.abs(excess[of])[:, None, k]
            + np.abs(excess[of][None] + gain)[..., k]
            - np.abs(excess[of])[None, :, k]
            for k in (0, 1)
        )
        after[of[:, None] == of[None]] = now
        best = np.unravel_index(np.argmin(after), after.shape)
        if after[best] >= now:
            return parts
        one, other = best
        to, back = of[other], of[one]
        if one < len(parts):
            parts[one] = to
        if other < len(parts):
            parts[other] = back


def group_table(split: GroupedSplit, groups: np.ndarray, labels: np.ndarray) -> pd.DataFrame:
    """Return a row a group: group, part, and its samples of class 0 and of class 1, class_0 and class_1."""
    counts = {name: labels[groups == name] for name in split.parts}
    classes = {f"class_{label}": [int(np.sum(own == label)) for own in counts.values()] for label in (0, 1)}
    return pd.DataFrame({"group": list(split.parts), "part": list(split.parts.values())} | classes)


def all_negative(labels: np.ndarray) -> float:
    """Return the accuracy, 0 to 1, of calling every sample class 0, given labels (n,); InputError if there are none."""
    if not len(labels):
        raise InputError("the all-negative baseline: no labels")
    return float(np.mean(labels == 0))

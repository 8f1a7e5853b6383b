"""Count the votes: from the labels of teachers trained here, or from votes that were published."""

from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.pate.classification import count_votes
from pate_accountant.votes import check_votes


@command
def main(labels: list[Path], ensemble: str, teachers: int, votes: Path, classes: int | None = None) -> None:
    """Write `votes` (query, class) and whatever came with them.

    labels: shards of teacher labels of train_teachers, or a dataset of votes. ensemble: its name. teachers: number of
    teachers. classes: number of classes, for teacher labels. votes: the .npz of vote histograms to write.
    """
    first, *others = labels
    arrays = load_arrays(first)
    if "teacher_labels" in arrays:
        assert classes is not None
        shards = [
            arrays.pop("teacher_labels"),
            *(load_arrays(path, "teacher_labels")["teacher_labels"] for path in others),
        ]
        try:
            arrays["votes"] = np.sum([count_votes(shard, classes) for shard in shards], axis=0)
        except InputError as error:
            raise InputError(f"{first.parent}: {error}, as ensembles.{ensemble}.classes = {classes} says") from error
    elif "votes" not in arrays:
        raise InputError(f"{first}: has neither teacher_labels nor votes; it has {sorted(arrays)}")
    # counts of a few hundred teachers fit a byte or two; whoever reads them counts in int64 (check_votes)
    arrays["votes"] = check_votes(arrays["votes"], teachers, str(first)).astype(np.min_scalar_type(teachers))
    save_arrays(votes, **arrays)


if __name__ == "__main__":
    run(main)

"""Count the votes: from the labels of teachers trained here, or from votes that were published."""

import argparse

from lib.accounting.votes import check_votes
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.teachers.classification import count_votes
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--input", nargs="+", required=True, help="shards of teacher labels of train_teachers, or a dataset of votes"
    )
    parser.add_argument("--teachers", type=int, required=True, help="number of teachers")
    parser.add_argument("--classes", type=int, help="number of classes, for teacher labels")
    parser.add_argument("--output", required=True, help="the .npz of vote histograms to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write `votes` (query, class) and whatever came with them."""
    arguments = parse_arguments(argv)
    first, *others = arguments.input
    arrays = load_arrays(first)
    if "teacher_labels" in arrays:
        shards = [
            arrays.pop("teacher_labels"),
            *(load_arrays(path, "teacher_labels")["teacher_labels"] for path in others),
        ]
        arrays["votes"] = sum(count_votes(labels, arguments.classes) for labels in shards)
    elif "votes" not in arrays:
        raise InputError(f"{first}: has neither teacher_labels nor votes; it has {sorted(arrays)}")
    arrays["votes"] = check_votes(arrays["votes"], arguments.teachers, first)
    save_arrays(arguments.output, **arrays)


if __name__ == "__main__":
    cli.run(main)

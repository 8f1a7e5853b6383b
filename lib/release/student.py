"""The student of a release: what it learns from, and what is kept of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.core.files import atomic_path, load_arrays
from lib.core.provenance import POST_PROCESSING, provenance
from lib.core.records import write_record
from lib.pate.confident import NO_ANSWER
from lib.release.loader import Student
from lib.release.weights import weight_bytes


@dataclass(frozen=True)
class Lessons:
    """All that a student may see: labelled samples x (n, ...), y (n,), the public pool, the test samples."""

    x: np.ndarray
    y: np.ndarray
    public: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray
    fingerprint: str


def read_lessons(samples: str | Path, labels: str | Path) -> Lessons:
    """From the public part and the released labels; InputError names a file that is neither."""
    part = load_arrays(samples, "x_public", "x_test", "y_test", "fingerprint")
    released = load_arrays(labels, "labels", "rows")
    answered = released["labels"] != NO_ANSWER
    public = part["x_public"]
    return Lessons(
        public[released["rows"][answered]],
        released["labels"][answered],
        public,
        part["x_test"],
        part["y_test"],
        str(part["fingerprint"]),
    )


def keep(
    student: Student,
    lessons: Lessons,
    model: dict,
    weights: str | Path,
    record: str | Path,
    read: Sequence[str | Path],
    device: str = "cpu",
    **job: object,
) -> None:
    """Write the weights, and the record with the accuracy that the loader of a release gets.

    model: its block of the configuration. job: what `write_record` needs of the job's name.
    """
    with atomic_path(weights) as temporary:
        temporary.write_bytes(weight_bytes(student.weights))
    about = {
        "kind": student.kind,
        "model": model,
        "classes": student.classes,
        "shape": list(lessons.public.shape[1:]),
        "white": student.white,
    }
    write_record(
        record,
        fingerprint=lessons.fingerprint,
        parameters=about,
        metrics={
            "student_accuracy": student.accuracy(lessons.test_x, lessons.test_y),
            "labels": len(lessons.y),
            "public_samples": len(lessons.public),
            "test_samples": len(lessons.test_x),
        },
        provenance=provenance(POST_PROCESSING, read, [weights]),
        device=device,
        **job,
    )

"""Checking a release against what it was made from, where that is at hand."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.core.files import fingerprint, load_arrays
from lib.core.provenance import file_digest
from lib.release.build import assemble
from lib.release.files import CONTENT, WEIGHTS
from lib.release.loader import Student
from lib.release.origins import AGGREGATE, PUBLIC_PART, SANITIZE, STUDENT, files_of, samples_digest
from lib.release.verify import Check, read_blocks
from lib.release.weights import read_weights
from lib.reporting.records import read_record


def check_samples(content: Mapping[str, bytes], samples: str | Path) -> Check:
    """Check that the public samples are those that the student names, and it is as accurate on them as it says.

    content: of a release without a fault. samples: the .npz of `public_part`. InputError if that is none.
    """
    check = Check("samples", "the accuracy and the fingerprint are those of the public samples")
    blocks, _ = read_blocks(content)
    student = blocks["student"]
    arrays = load_arrays(samples, "x_public", "x_test", "y_test")
    public, inputs, classes = (arrays[name] for name in ("x_public", "x_test", "y_test"))
    numbers = all(array.dtype.kind in "biuf" for array in arrays.values())
    if not numbers or not public.ndim or not inputs.ndim or classes.shape != inputs.shape[:1]:
        check.faults.append(f"{samples}: x_public, x_test and y_test are no samples and their classes")
        return check
    if file_digest(samples) != samples_digest(blocks["provenance"]):
        check.faults.append(f"{samples}: is not the file that provenance.json tells of")
    if fingerprint(**arrays) != student["public_fingerprint"]:
        check.faults.append(f"student.json: public_fingerprint is not that of {samples}")
    found = {"shape": list(public.shape[1:]), "public_samples": len(public), "test_samples": len(inputs)}
    if found["shape"] == student["shape"] == list(inputs.shape[1:]):
        weights = read_weights(content[WEIGHTS])
        trained = Student(student["kind"], student["classes"], student["white"], weights)
        found["accuracy"] = trained.accuracy(inputs, classes)
    check.faults += [
        f"student.json: {name} {student[name]}; by the samples it is {value}"
        for name, value in found.items()
        if student[name] != value
    ]
    return check


def check_run(content: Mapping[str, bytes], root: str | Path) -> Check:
    """Check that the records of the run, put together again, give the same bytes.

    content: of a release without a fault. root: the folder that the run was started in. What its records do not tell is
    taken from the release: label, licence, orders, the commit; teachers and private samples are counted in the split.
    InputError for a file of the run that is missing or damaged, or that must not be in a release.
    """
    check = Check("run", "the records of the run give the same files")
    blocks, _ = read_blocks(content)
    privacy, student, environment = (blocks[name] for name in ("privacy", "student", "environment"))
    files = files_of(blocks["provenance"]["names"])
    rules = [STUDENT, PUBLIC_PART, AGGREGATE, *([SANITIZE] if privacy["sanitized"] else [])]
    records = {files[rule]: read_record(Path(root) / files[rule]) for rule in rules}
    teachers, private = _counted(load_arrays(Path(root) / files["split"], "private", "teacher"))
    again = assemble(
        records,
        {"label": student["label"], "teachers": teachers, "private": private},
        privacy["orders"],
        {name: environment[name] for name in ("commit", "safetensors")},
        student["licence"],
        root,
    )
    check.faults += [
        f"{name}: the records below {root} give another" for name in CONTENT if content[name] != again[name]
    ]
    return check


def _counted(split: Mapping[str, np.ndarray]) -> tuple[int, int]:
    """Numbers of teachers and of private samples, of a split by indices or (`split_stream`) by bounds."""
    owner, private = split["teacher"], split["private"]
    if len(owner) == len(private):
        return int(owner.max()) + 1, len(private)
    if len(private) != 2:
        raise InputError("the split of the run is none: its teachers own another number of samples")
    return len(owner) - 1, int(private[1] - private[0])

"""The Adult census records of the UCI repository, one-hot encoded by the categories that its documentation lists."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.core.files import reading
from lib.data.spec import DatasetSpec

# The columns of the file in order: None is a number, a tuple the categories of adult.names. Public documentation, so
# that the encoding reads nothing from the records. "?" is no category: an unknown value has no one set.
_COLUMNS: dict[str, tuple[str, ...] | None] = {
    "age": None,
    "workclass": tuple(
        "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked".split()
    ),
    "fnlwgt": None,
    "education": tuple(
        "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters 1st-4th 10th "
        "Doctorate 5th-6th Preschool".split()
    ),
    "education-num": None,
    "marital-status": tuple(
        "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse".split()
    ),
    "occupation": tuple(
        "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
        "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv "
        "Armed-Forces".split()
    ),
    "relationship": tuple("Wife Own-child Husband Not-in-family Other-relative Unmarried".split()),
    "race": tuple("White Asian-Pac-Islander Amer-Indian-Eskimo Other Black".split()),
    "sex": ("Female", "Male"),
    "capital-gain": None,
    "capital-loss": None,
    "hours-per-week": None,
    "native-country": tuple(
        "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan Greece South "
        "China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal Ireland France "
        "Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand "
        "Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands".split()
    ),
}
_LABELS = ("<=50K", ">50K")


def read_records(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """x (n, 105) int32, one-hot where the column is a category, and y (n,) int64, 1 for an income above 50K.

    Raises InputError, naming file and line, for anything but 14 known values and a label.
    """
    with reading(path, "text"):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    rows, labels = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("|"):  # the test file begins with a remark and both end with a blank
            continue
        *values, label = [value.strip() for value in line.split(",")]
        label = label.removesuffix(".")  # as the test file writes it
        if len(values) != len(_COLUMNS) or label not in _LABELS:
            raise InputError(
                f"{path}: line {number}: expected {len(_COLUMNS)} values and a label of {_LABELS}, found {line[:60]!r}"
            )
        rows.append(_encode(values, path, number))
        labels.append(_LABELS.index(label))
    if not rows:
        raise InputError(f"{path}: holds no record")
    return np.array(rows, np.int32), np.array(labels, np.int64)


def _encode(values: list[str], path: Path, number: int) -> list[int]:
    """One record as numbers."""
    encoded: list[int] = []
    for (name, categories), value in zip(_COLUMNS.items(), values, strict=True):
        if categories is None:
            if not re.fullmatch("[0-9]{1,9}", value):
                raise InputError(
                    f"{path}: line {number}: {name} = {value[:60]!r}, expected a whole number of at most 9 digits"
                )
            encoded.append(int(value))
        elif value in categories or value == "?":
            encoded.extend(int(value == category) for category in categories)
        else:
            raise InputError(f"{path}: line {number}: {name} = {value[:60]!r}, expected one of {', '.join(categories)}")
    return encoded


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """x_train (32561, 105), x_test (16281, 105) int32; y_train, y_test int64, 1 for an income above 50K."""
    arrays = {}
    for split, path in zip(("train", "test"), files, strict=True):
        arrays[f"x_{split}"], arrays[f"y_{split}"] = read_records(path)
    return arrays


DATASETS = {
    "adult": DatasetSpec(
        title="Adult, census income",
        samples="32,561 + 16,281 records of 14 attributes, 2 classes",
        fingerprint="646c721398e368f2c258c4d51943a91fb66677b0f3718952d866982e7ae36881",
        licence="CC BY 4.0 (B. Becker, R. Kohavi, 1996)",
        homepage="https://archive.ics.uci.edu/dataset/2/adult",
        obtain="take adult.data and adult.test from the UCI Machine Learning Repository",
        sources=("data_root",),
        read=read,
        layouts=(("adult/adult.data", "adult/adult.test"), ("adult.data", "adult.test")),
    )
}

"""A person's own votes: read from .npy, .npz or .csv and counted; what is ambiguous is asked for, never guessed."""

import csv
import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pate_accountant.errors import InputError
from pate_accountant.votes import check_votes

LAYOUTS = ("teachers,queries", "queries,teachers", "histograms")
BLOCK = 20_000  # queries that are counted together, so that memory does not grow with a file of labels
MOST_BYTES = 2**31  # of an array in an .npz, which is read at once: 1,000 teachers' labels of 268,000 queries
MOST_CLASSES = 1_000_000  # no vote has more; a file of other numbers has


@dataclass(frozen=True)
class OwnVotes:
    """Histograms (queries, classes) int64 whose rows sum to the teachers; warnings: of what to look at, a line each."""

    histograms: np.ndarray
    warnings: tuple[str, ...]

    @property
    def teachers(self) -> int:
        """The number of teachers."""
        return int(self.histograms[0].sum())


def read_votes(
    path: str | Path,
    layout: str | None = None,
    classes: int | None = None,
    teachers: int | None = None,
    key: str | None = None,
    queries: int | None = None,
) -> OwnVotes:
    """Return the votes in a file, counted.

    layout: one of LAYOUTS: labels by teacher and query, labels by query and teacher, or counts by query and class.
    classes, teachers: how many, checked where given. key: of the array, in an .npz that holds several. queries: so many
    from the beginning; left out, all. Raises InputError, one line, for what is missing, damaged, ambiguous or no votes.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "votes.npy"
    >>> np.save(file, [[0, 1, 1], [0, 1, 2]])  # two teachers, three queries
    >>> read_votes(file, "teachers,queries", classes=3).histograms.tolist()
    [[2, 0, 0], [0, 2, 0], [0, 1, 1]]
    >>> read_votes(file, "histograms", classes=3).histograms.tolist()  # a wrong layout has other teachers in each row
    Traceback (most recent call last):
    ...
    pate_accountant.errors.InputError: ...: row 1 sums to 3, expected 2 (one vote a teacher); ...
    """
    path = Path(path)
    array = _read(path, key)
    _check_kind(array, layout, path)
    found: list[str] = []
    if path.suffix == ".csv":
        header, index = _edges(path)
        known = ("line",) * header + ("column",) * index
        array, found = _without_numbering(array, layout, classes, teachers, path, known)
        if index:
            found.insert(0, f"{path}: its first column names or numbers the rows and is not read as votes")
    votes = count_votes(array, layout, classes, teachers, queries, str(path))
    return replace(votes, warnings=(*found, *votes.warnings))


def count_votes(
    array: np.ndarray,
    layout: str | None,
    classes: int | None = None,
    teachers: int | None = None,
    queries: int | None = None,
    name: str = "votes",
) -> OwnVotes:
    """Read votes from an array (2-D, whole numbers of any dtype); `name` is its name in messages.

    In place of a label there may be a one-hot vector, along a third axis.

    >>> made = count_votes(np.array([[0, 1, 1], [0, 1, 2]]), "teachers,queries")
    >>> made.histograms.tolist(), made.teachers
    ([[2, 0, 0], [0, 2, 0], [0, 1, 1]], 2)
    >>> made.warnings[0]
    'votes: 3 classes, since the largest label is 2; if there are more, every epsilon here is too small: give --classes'
    """
    array = np.asanyarray(array)
    _check_kind(array, layout, name)
    if array.ndim == 3:
        array, classes = _labels_of_vectors(array, classes, name)
    if layout == "histograms":
        return _histograms(array, classes, teachers, queries, name)
    labels = array.T if layout == "teachers,queries" else array
    found = []
    if labels.shape[1] > labels.shape[0]:
        found.append(
            f"{name}: --layout {layout} makes {labels.shape[1]} teachers and only {labels.shape[0]} queries of shape "
            f"{array.shape}; if it is the other way round, every number here is wrong"
        )
    if teachers is not None and labels.shape[1] != teachers:
        raise InputError(
            f"{name}: --layout {layout} makes {labels.shape[1]} teachers of shape {array.shape}, and --teachers says "
            f"{teachers}"
        )
    labels = labels[: _first(queries, len(labels), name)]
    largest = _largest_label(labels, classes, name)
    if classes is None:
        classes = max(2, largest + 1)
        found.append(
            f"{name}: {classes} classes, since the largest label is {largest}; if there are more, every epsilon here "
            "is too small: give --classes"
        )
    if len(labels) * classes * 8 > MOST_BYTES:
        raise InputError(
            f"{name}: counts of {len(labels)} queries and {classes} classes have more than the {MOST_BYTES} bytes that "
            "are allowed; is --classes right?"
        )
    histograms = np.concatenate([_counted(block, classes) for _, block in _blocks(labels)])
    if largest > 0 and _same_sums(labels):
        found.append(
            f"{name}: the numbers of every query have the same sum, {int(labels[0].sum())}, which counts have and "
            "labels hardly ever: if they are counts, say --layout histograms"
        )
    return OwnVotes(check_votes(histograms, labels.shape[1], name), (*found, *_without_votes(histograms, name)))


def _histograms(
    array: np.ndarray, classes: int | None, teachers: int | None, queries: int | None, name: str
) -> OwnVotes:
    """Return the counts, as they are."""
    counts = array[: _first(queries, len(array), name)]
    if classes is not None and counts.shape[1] != classes:
        raise InputError(
            f"{name}: {counts.shape[1]} columns, and --classes says {classes}; a class without votes needs its column "
            "of zeros, in its place"
        )
    try:
        histograms = check_votes(counts, teachers, name)
    except InputError as error:
        raise InputError(f"{error}; {_other_layouts(array)}") from None
    found = []
    if histograms.shape[1] > max(len(histograms), 2):
        found.append(
            f"{name}: --layout histograms makes {histograms.shape[1]} classes and only {len(histograms)} queries of "
            f"shape {array.shape}; if it is the other way round, every number here is wrong"
        )
    if _same_sums(histograms.T):
        found.append(
            f"{name}: its columns have equal sums, too, so that it may as well be (classes, queries); if it is, every "
            "number here is wrong"
        )
    return OwnVotes(histograms, (*found, *_without_votes(histograms, name)))


def _read(path: Path, key: str | None) -> np.ndarray:
    """Return the array in a file; that of an .npy is left on the disk and read as it is used."""
    if path.suffix == ".parquet":
        raise InputError(
            f"{path}: a .parquet file needs a reader that is not installed here; where it was written: "
            "numpy.save('votes.npy', pandas.read_parquet('votes.parquet'))"
        )
    if path.suffix not in READERS:
        raise InputError(f"{path}: a file {path.suffix or 'without a suffix'}; allowed: {', '.join(READERS)}")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file" + ("; it is a folder" if path.is_dir() else ""))
    if key is not None and path.suffix != ".npz":
        raise InputError(f"{path}: --key {key}: only an .npz has several arrays; leave it out")
    try:
        return READERS[path.suffix](path, key)
    except InputError:
        raise
    except Exception as error:  # damaged files make numpy and zipfile raise nearly anything
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{path}: not a readable {path.suffix} file ({reason}); it is left as it is") from error


def _read_npy(path: Path, key: str | None) -> np.ndarray:
    return np.load(path, mmap_mode="r", allow_pickle=False)


def _read_npz(path: Path, key: str | None) -> np.ndarray:
    with np.load(path, allow_pickle=False) as archive:
        if key is None and len(archive.files) == 1:
            key = archive.files[0]
        if key not in archive.files:
            asked = "holds several arrays; say which with --key" if key is None else f"has no array {key!r}"
            raise InputError(f"{path}: {asked}: {', '.join(archive.files) or 'it is empty'}")
        if (size := archive.zip.getinfo(f"{key}.npy").file_size) > MOST_BYTES:  # no more than it says is unpacked
            raise InputError(f"{path}: {key} has {size} bytes, unpacked; allowed are {MOST_BYTES}, and more in an .npy")
        return archive[key]


def _read_csv(path: Path, key: str | None) -> np.ndarray:
    header, index = _edges(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a file without rows, which is refused below
        try:
            table = np.loadtxt(
                path,
                delimiter=",",
                skiprows=int(header),
                ndmin=2,
                encoding="utf-8-sig",
                quotechar='"',
                converters={0: lambda cell: 0.0} if index else None,
            )
        except ValueError as error:
            if not (found := re.search(r"could not convert string ('.*') to float", str(error))):
                raise
            raise InputError(
                f"{path}: a cell holds {found[1]}; allowed are whole numbers: pandas.factorize numbers words, and "
                "queries that a teacher did not answer are left out"
            ) from None
    return table[:, int(index) :]


def _edges(path: Path) -> tuple[bool, bool]:
    """Whether a table has a first line of words, and a first column that this line calls an index or that has words.

    Raises InputError where a first line of both words and numbers does not tell.
    """
    with path.open(encoding="utf-8-sig", newline="") as stream:
        lines = csv.reader(stream)
        names = next(lines, [])
        first, second = ([not _is_number(cell) for cell in line] for line in (names, next(lines, [])))
    if not any(first):
        return False, False
    called = names[0].strip().lower() in INDICES
    index = called or (second[:1] == [True] and not any(second[1:]))
    if (any(first[1:]) and not all(first[1:])) or not (called or all(first)):
        raise InputError(f"{path}: its first line mixes numbers and words ({', '.join(names)[:80]}); it needs one kind")
    return True, index


INDICES = ("", "index", "id")  # what a header calls a column that numbers or names the rows; pandas: nothing
READERS = {".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv}


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _without_numbering(
    array: np.ndarray,
    layout: str | None,
    classes: int | None,
    teachers: int | None,
    path: Path,
    known: Collection[str],
) -> tuple[np.ndarray, list[str]]:
    """Return a table without a first line and a first column that only number the others, and a warning of each.

    known: those of "line" and "column" that are left out already. Such a line or column counts up from 0 or 1. It is
    left out where only what remains can be votes, and kept where only the whole can be; InputError where both can.
    """

    def votes(table: np.ndarray) -> bool:
        if 0 in table.shape:
            return False
        if layout == "histograms":
            sums = table.sum(axis=1)
            return bool((sums == (sums[0] if teachers is None else teachers)).all())
        made = len(table) if layout == "teachers,queries" else table.shape[1]
        return teachers in (None, made) and (classes is None or bool((table < classes).all()))

    found = []
    for place, what, numbers, rest in (
        ("line", "a header", array[0], (slice(1, None), slice(None))),
        ("column", "numbers of rows", array[:, 0], (slice(None), slice(1, None))),
    ):
        if place in known:
            continue
        counting = f"its first {place}, {numbers[0]:g}, ..., {numbers[-1]:g},"
        if len(numbers) == 1 and (place == "column" or numbers[0] != 0):  # a pandas Series has the header 0
            continue
        if numbers[0] not in (0, 1) or (np.diff(numbers) != 1).any() or not votes(array[rest]):
            continue
        if votes(array):
            raise InputError(
                f"{path}: {counting} may be {what} or votes: write the file without {what}; if it is votes, as .npy"
            )
        array = array[rest]
        found.append(f"{path}: {counting} is {what} and not read as votes")
    return array, found


def _check_kind(array: np.ndarray, layout: str | None, name: str | Path) -> None:
    """Two axes of numbers, and a layout that says what they are."""
    if array.ndim not in ((2, 3) if layout in LAYOUTS[:2] else (2,)) or 0 in array.shape:
        raise InputError(
            f"{name}: an array of shape {array.shape}; needed are two axes, none of them empty, or with --layout "
            f"{LAYOUTS[0]} or {LAYOUTS[1]} a third one, of one-hot vectors"
        )
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name}: an array of {array.dtype}; needed are whole numbers")
    if layout not in LAYOUTS:
        first, second = array.shape
        asked = "say what its axes are" if layout is None else f"--layout {layout} is none of those that there are"
        raise InputError(
            f"{name}: an array of shape {array.shape}, {array.dtype}, its first numbers "
            f"{', '.join(f'{value:g}' for value in array[0, :4].astype(float))}; {asked}: "
            f"--layout teachers,queries (labels of {first} teachers on {second} queries), "
            f"--layout queries,teachers (labels on {first} queries of {second} teachers), or "
            f"--layout histograms (counts of {first} queries and {second} classes)"
        )


def _labels_of_vectors(array: np.ndarray, classes: int | None, name: str) -> tuple[np.ndarray, int]:
    """Return the labels of one-hot vectors along the last axis, and how many classes there are."""
    there = array.shape[2]
    if classes not in (None, there):
        raise InputError(f"{name}: vectors of {there} classes, and --classes says {classes}")
    labels = np.empty(array.shape[:2], np.int64)
    for row, vectors in enumerate(array):  # of a file no more than this is in memory
        if not ((vectors == 0) | (vectors == 1)).all() or not (vectors.sum(axis=1) == 1).all():
            raise InputError(
                f"{name}: row {row} has other vectors than one-hot ones, which are 1 for one class and else 0; "
                "of probabilities take the class of the largest"
            )
        labels[row] = vectors.argmax(axis=1)
    return labels, there


def _other_layouts(array: np.ndarray) -> str:
    """Return what an array of other numbers than counts may be."""
    if _same_sums(array.T):
        return "its columns have equal sums, so that it may be (classes, queries): then give it transposed"
    return (
        "counts of a query add up to the number of teachers: is a class left out? If the numbers are labels, say "
        "--layout teachers,queries or --layout queries,teachers"
    )


def _first(queries: int | None, there: int, name: str) -> int:
    if queries is not None and not 1 <= queries <= there:
        raise InputError(f"{name}: --queries {queries}: allowed is 1 to the {there} that there are")
    return there if queries is None else queries


def _blocks(labels: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """(first query, labels of some queries), one block after the other."""
    for start in range(0, len(labels), BLOCK):
        yield start, labels[start : start + BLOCK]


def _largest_label(labels: np.ndarray, classes: int | None, name: str) -> int:
    """Return the largest label (queries, teachers); InputError names the first that is none."""
    largest = 0
    for start, block in _blocks(labels):
        limit = MOST_CLASSES if classes is None else classes
        with np.errstate(invalid="ignore"):
            wrong = ~((block >= 0) & (block < limit) & (block == np.floor(block)))
        if wrong.any():
            row, teacher = np.argwhere(wrong)[0]
            value = block[row, teacher]
            allowed = f"0 to {classes - 1}" if classes else "whole numbers from 0"
            raise InputError(
                f"{name}: the label {value:g} of teacher {teacher} on query {start + row}; allowed is {allowed}"
                + _hint(float(value), classes)
            )
        largest = max(largest, int(block.max()))
    return largest


def _hint(value: float, classes: int | None) -> str:
    """Return what may have led to a label that is none."""
    if not np.isfinite(value) or value < 0:
        return ": a teacher votes on every query; leave out the queries that some did not answer"
    if value != np.floor(value):
        return ": labels, not probabilities: take the class of the largest"
    if value == classes:
        return ": if labels begin at 1, subtract 1"
    return ""


def _counted(labels: np.ndarray, classes: int) -> np.ndarray:
    """Histograms (queries, classes) of some queries' labels (queries, teachers)."""
    cells = np.arange(len(labels))[:, None] * classes + np.asarray(labels).astype(np.int64)
    return np.bincount(cells.ravel(), minlength=len(labels) * classes).reshape(len(labels), classes)


def _same_sums(array: np.ndarray) -> bool:
    """Whether all rows, at least two, have one sum."""
    sums = np.concatenate([block.sum(axis=1, dtype=float) for _, block in _blocks(array)])
    return len(sums) > 1 and bool((sums == sums[0]).all())


def _without_votes(histograms: np.ndarray, name: str) -> list[str]:
    """Return a line for the classes that nobody votes for."""
    empty = np.flatnonzero(~histograms.any(axis=0))
    if not len(empty):
        return []
    which = ", ".join(map(str, empty[:10])) + (", ..." if len(empty) > 10 else "")
    what = "class" if len(empty) == 1 else "classes"
    return [f"{name}: no teacher ever votes for {what} {which}, counted among the {histograms.shape[1]}"]

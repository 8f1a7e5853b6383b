"""Every registered reader of people's files reads them, or refuses them in one line that names the file."""

import gzip
import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from tests.data.readers import Reader, readers
from tests.sealed import text_of
from tests.test_fuzz import FIXED, mutated

READERS = {reader.name: reader for reader in readers()}

# ---------------------------------------------------------------- changed files

# what some parser takes for a number, and what some parser takes for more than a word
NUMBERS = ["²", "٣", "9" * 5000, "9" * 30, "-1", "1e400", "nan", "inf", "0x10", "1_0", "1.5", "true", "1 1", "+1", ""]
WORDS = [
    "", " ", "null", "\0", '"', "a\rb", "a\x0bb", "a\x1cb", "a\x85b", "a\u2028b", "\ufeff", "\ud800", "../x", "/", "*",
    "**/x", "~", ",", "[" * 3000, "{}", "&a [*a]", "<<: 1", "!!python/name:os.system ''", "? x", "é" * 300, "a" * 5000,
]  # fmt: skip
DTYPES = ["int8", "uint8", "int64", "uint64", "float16", "float64", "bool", "complex64", "U3", "S2", "M8[s]", "O"]


def _array(data, array: np.ndarray) -> np.ndarray:
    """The array in another dtype, of another shape or with another value."""
    kind = data.draw(st.sampled_from(["dtype", "value", "shape", "other"]))
    with np.errstate(all="ignore"):
        if kind == "dtype":
            try:
                return array.astype(data.draw(st.sampled_from(DTYPES)))
            except ValueError:
                return array[:0]
        if kind == "value" and array.size:
            array = array.astype(data.draw(st.sampled_from(["float64", "int64", "uint64"])))
            value = data.draw(st.sampled_from([-1, 0.5, 1e300, np.nan, np.inf, 2**62, 255, 256, 10**6]))
            array.flat[data.draw(st.integers(0, array.size - 1))] = np.float64(value).astype(array.dtype)
            return array
    if kind == "shape":
        parts = [array[:0], array[:1], array[1:], array[..., :0], array[None], array.ravel(), array.T]
        return [*parts, array[:, :0] if array.ndim > 1 else array][data.draw(st.integers(0, 7))]
    shape = data.draw(st.lists(st.integers(0, 4), max_size=4))
    return np.ones(shape, data.draw(st.sampled_from(DTYPES)))


def _npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def _arrays(data, path: Path) -> bytes:
    """An .npy or .npz of other arrays."""
    if path.suffix == ".npy":
        return _npy(_array(data, np.load(path)))
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = data.draw(st.sampled_from(sorted(arrays)))
    if data.draw(st.booleans()) and len(arrays) > 1:
        del arrays[name]
    else:
        arrays[name] = _array(data, arrays[name])
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _bytes(data, content: bytes) -> bytes:
    """Bytes replaced, removed, repeated or put in, half of them where a header is."""
    text = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        near = data.draw(st.booleans())
        place = data.draw(st.integers(0, max(0, min(len(text), 360 if near else len(text)) - 1)))
        kind = data.draw(st.sampled_from(["replace", "remove", "repeat", "put", "cut"]))
        length = data.draw(st.integers(1, 40))
        if kind == "replace" and text:
            text[place] = data.draw(st.integers(0, 255))
        elif kind == "remove":
            del text[place : place + length]
        elif kind == "repeat":
            text[place:place] = text[place : place + length]
        elif kind == "put":
            text[place:place] = data.draw(st.binary(max_size=12))
        else:
            del text[place:]
    return bytes(text)


def _text(data, content: bytes) -> bytes:
    """One or two numbers or words of a text replaced."""
    parts = re.split(r"([^,:\n]+)", content.decode())
    for _ in range(data.draw(st.integers(1, 2))):
        numbers = data.draw(st.booleans())
        places = [place for place, part in enumerate(parts) if place % 2 and part.strip().isdecimal() == numbers]
        if places:
            parts[data.draw(st.sampled_from(places))] = data.draw(st.sampled_from(NUMBERS if numbers else WORDS))
    encoding = data.draw(st.sampled_from([*["utf-8"] * 6, "utf-8-sig", "utf-16", "latin-1"]))
    return "".join(parts).encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")


def _json(data, content: bytes) -> bytes:
    return text_of(mutated(json.loads(content), data)).encode("utf-8", "surrogatepass")


def _content(data, path: Path) -> bytes:
    """Content of a changed file."""
    content = path.read_bytes()
    kinds: dict[str, Callable[[], bytes]] = {
        "bytes": lambda: _bytes(data, content),
        "any": lambda: data.draw(st.binary(max_size=60)),
        "empty": lambda: b"",
    }
    if path.suffix == ".gz" and content[:2] == b"\x1f\x8b":
        kinds["packed"] = lambda: gzip.compress(_bytes(data, gzip.decompress(content)), 1)
    if path.suffix in (".npy", ".npz"):
        kinds["arrays"] = kinds["other arrays"] = lambda: _arrays(data, path)
    if path.suffix in (".csv", ".data", ".test", ".yaml", ".json"):
        kinds["text"] = kinds["other text"] = lambda: _text(data, content)
    if path.suffix == ".json":
        kinds["json"] = kinds["other json"] = lambda: _json(data, content)
    return kinds[data.draw(st.sampled_from(sorted(kinds)))]()


def change(data, root: Path) -> None:
    """Change one file below a folder: mostly what is in it, sometimes what lies there."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    path = data.draw(st.sampled_from(files))
    kind = data.draw(st.sampled_from([*["content"] * 8, "missing", "folder", "loop", "beside", "renamed"]))
    if kind == "content":
        path.write_bytes(_content(data, path))
    elif kind == "beside":
        name = data.draw(st.sampled_from(["a\nb", "\u2028", "\udcff", "x" * 200, " ", "-x", "{case}", "[a]"]))
        (path.parent / name).mkdir()
        shutil.copy(path, path.parent / f"{name}{path.suffix}")
    else:
        content = path.read_bytes()
        path.unlink()
        if kind == "folder":
            path.mkdir()
        elif kind == "loop":
            path.symlink_to(path.name)
        elif kind == "renamed":
            name = data.draw(st.sampled_from(["a\nb", "A" + path.name, "\udcff" + path.name]))
            (path.parent / name).write_bytes(content)


# ---------------------------------------------------------------- what becomes of them


def tried(reader: Reader, root: Path) -> str:
    """Read what lies below a folder: `read`, `refused`, or what is wrong with how it ends."""
    try:
        reader.read(root)
    except InputError as error:
        said = str(error)
        if len(said.splitlines()) != 1:
            return f"not one line: {said!r}"
        return "refused" if str(root) in said else f"names no file: {said}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "read"


def template(reader: Reader) -> Path:
    """A folder with the reader's example, written once."""
    if reader.name not in _WRITTEN:
        _WRITTEN[reader.name] = TemporaryDirectory()
        reader.write(Path(_WRITTEN[reader.name].name))
    return Path(_WRITTEN[reader.name].name)


_WRITTEN: dict[str, TemporaryDirectory] = {}


def check_changed(reader: Reader, data) -> str:
    with TemporaryDirectory() as folder:
        root = Path(folder, "a folder")
        shutil.copytree(template(reader), root)
        change(data, root)
        found = tried(reader, root)
    assert found in ("read", "refused"), found
    return found


def test_every_reader_has_an_example_that_it_reads():
    found = {name: tried(reader, template(reader)) for name, reader in READERS.items()}
    assert found == {name: "read" if reader.whole else "refused" for name, reader in READERS.items()}


@given(st.data(), st.sampled_from(sorted(READERS)))
@settings(FIXED, max_examples=25)
def test_a_changed_file_is_read_or_refused_in_one_line(data, name):
    check_changed(READERS[name], data)


@pytest.mark.slow
@given(st.data(), st.sampled_from(sorted(READERS)))
@settings(FIXED, max_examples=500)
def test_of_five_hundred_changed_files_each_is_read_or_refused_in_one_line(data, name):
    check_changed(READERS[name], data)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(READERS))
def test_a_thousand_changed_files_of_each_reader_are_read_or_refused_in_one_line(name):
    @given(st.data())
    @settings(FIXED, max_examples=1000)
    def check(data):
        check_changed(READERS[name], data)

    check()

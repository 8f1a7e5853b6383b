"""Files are whole or absent, and an altered file is refused by name."""

import contextlib
import errno
import hashlib
import json
import math
import os
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from lib.core import files
from lib.core.errors import InputError

FIXED = settings(derandomize=True, deadline=None, max_examples=60)
ARRAYS = {
    "x": np.arange(60, dtype=np.float64).reshape(5, 4, 3),
    "labels": np.array([3, 1, 2], dtype=np.uint8),
    "fingerprint": np.array("ab" * 32),
    "empty": np.zeros((0, 3), dtype=np.int64),
}


def equal(first: dict, second: dict) -> bool:
    return set(first) == set(second) and all(
        first[name].dtype == second[name].dtype
        and first[name].shape == second[name].shape
        and first[name].tobytes() == second[name].tobytes()
        for name in first
    )


def refusal(read, *arguments) -> str:
    with pytest.raises(InputError) as caught:
        read(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


# ---------------------------------------------------------------- whole or absent


def test_a_file_appears_when_it_is_whole(tmp_path):
    target = tmp_path / "new" / "folder" / "file.txt"
    with files.atomic_path(target) as temporary:
        assert temporary.parent == target.parent and temporary != target
        temporary.write_text("half")
        assert not target.exists()
        temporary.write_text("whole")
    assert target.read_text() == "whole"
    assert os.listdir(target.parent) == ["file.txt"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, InputError])
@pytest.mark.parametrize("before", [None, "old"])
def test_nothing_is_left_behind_by_a_failure(tmp_path, error, before):
    target = tmp_path / "file.txt"
    if before:
        target.write_text(before)
    with pytest.raises(error), files.atomic_path(target) as temporary:
        temporary.write_text("half")
        raise error
    assert os.listdir(tmp_path) == (["file.txt"] if before else [])
    assert not before or target.read_text() == before


def test_a_failure_before_anything_was_written_is_not_hidden(tmp_path):
    with pytest.raises(RuntimeError, match="mine"), files.atomic_path(tmp_path / "file.txt"):
        raise RuntimeError("mine")
    assert os.listdir(tmp_path) == []


def test_a_file_is_replaced_and_never_rewritten_in_place(tmp_path):
    target = tmp_path / "file.txt"
    target.write_text("old")
    with open(target) as reader:
        with files.atomic_path(target) as temporary:
            temporary.write_text("new")
            assert target.read_text() == "old"
        assert reader.read() == "old"  # whoever has it open keeps the old file, whole
    assert target.read_text() == "new"


@pytest.mark.parametrize("write", ["arrays", "json", "text"])
def test_every_writer_leaves_the_old_file_when_it_fails(tmp_path, write, monkeypatch):
    target = tmp_path / "file"
    target.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        {
            "arrays": lambda: files.save_arrays(target, x=np.arange(3)),
            "json": lambda: files.write_json(target, {}),
            "text": lambda: files.write_text(target, "new"),
        }[write]()
    assert os.listdir(tmp_path) == ["file"] and target.read_text() == "old"


# ---------------------------------------------------------------- arrays

any_array = arrays_of.arrays(
    dtype=st.sampled_from(["bool", "uint8", "int16", "int64", "float32", "float64", "<U5", "complex64", ">i4"]),
    shape=arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
)
names = st.sampled_from(["x", "y", "votes", "teacher_labels", "fingerprint", "x_train"])


@given(st.dictionaries(names, any_array, min_size=1, max_size=4))
@FIXED
def test_arrays_come_back_as_they_were(tmp_path_factory, arrays):
    path = tmp_path_factory.mktemp("arrays") / "a.npz"
    files.save_arrays(path, **arrays)
    assert equal(files.load_arrays(path), arrays)
    some = sorted(arrays)[:1]
    assert list(files.load_arrays(path, *some)) == some


def test_equal_arrays_are_equal_bytes(tmp_path, monkeypatch):
    files.save_arrays(tmp_path / "a.npz", **ARRAYS)
    monkeypatch.setattr("time.time", lambda: 2e9)
    monkeypatch.setattr("time.localtime", lambda *_: (2033, 5, 18, 3, 33, 20, 2, 138, 0))
    files.save_arrays(tmp_path / "b.npz", **{name: array.copy(order="F") for name, array in ARRAYS.items()} | ARRAYS)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.slow
def test_no_altered_byte_gives_other_arrays_or_another_error(tmp_path):
    path, altered = tmp_path / "a.npz", tmp_path / "altered.npz"
    files.save_arrays(path, **ARRAYS)
    content = path.read_bytes()
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for position in range(len(content)):
            damaged = bytearray(content)
            damaged[position] ^= (0x01, 0x80, 0xFF)[position % 3]
            altered.write_bytes(damaged)
            try:
                found = files.load_arrays(altered)
            except InputError as error:
                refused += 1
                assert str(error).startswith(f"{altered}: ") and "\n" not in str(error)
            else:  # bytes that say nothing about the arrays, as the date in a header
                assert equal(found, ARRAYS), position
    assert refused > 0.5 * len(content)


def test_no_altered_array_passes(tmp_path):
    """Damage that the archive's own checksums do not see: other arrays, repacked with the old digest."""
    path = tmp_path / "a.npz"
    files.save_arrays(path, **ARRAYS)
    with np.load(path) as archive:
        packed = {name: archive[name] for name in archive.files}
    changed = ARRAYS["x"].copy()
    changed[2, 1, 0] += 1e-9
    for change in (
        {"x": changed},
        {"x": ARRAYS["x"].reshape(5, 12)},
        {"x": ARRAYS["x"].astype("float32")},
        {"labels": ARRAYS["labels"][::-1]},
        {"labels": ARRAYS["labels"].astype("int8")},
        {"extra": np.arange(3)},
    ):
        np.savez_compressed(path, **packed | change)
        assert refusal(files.load_arrays, path).startswith(f"{path}: the arrays do not match")
    np.savez_compressed(path, **{name: array for name, array in packed.items() if name != "labels"})
    assert refusal(files.load_arrays, path).startswith(f"{path}: the arrays do not match")


def test_arrays_of_a_persons_own_are_left_alone_and_told_how_they_are_priced(tmp_path):
    path = tmp_path / "votes.npz"
    np.savez(path, **ARRAYS)
    before = path.read_bytes()
    line = refusal(files.load_arrays, path)
    assert line.startswith(f"{path}: the arrays have no digest") and "scripts.price_votes" in line
    assert "delete" not in line and path.read_bytes() == before


def test_truncated_archives_are_refused_by_name(tmp_path):
    path = tmp_path / "a.npz"
    files.save_arrays(path, **ARRAYS)
    content = path.read_bytes()
    for length in [*range(0, len(content), 13), *range(len(content) - 30, len(content))]:
        path.write_bytes(content[:length])
        assert refusal(files.load_arrays, path).startswith(f"{path}: ")


def test_arrays_that_unpack_to_more_than_memory_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    files.save_arrays(path, x=np.zeros(10**6))  # a few thousand bytes, packed
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    monkeypatch.setattr(files, "_memory", lambda: size)
    assert files.load_arrays(path)["x"].shape == (10**6,)
    monkeypatch.setattr(files, "_memory", lambda: size - 1)
    monkeypatch.setattr(np.lib.npyio.NpzFile, "__getitem__", None)  # nothing is unpacked
    assert refusal(files.load_arrays, path) == (
        f"{path}: its arrays take {size} bytes, unpacked; this machine's memory has {size - 1}"
    )


@pytest.mark.parametrize("content", [b"", b"not an archive", b"\x93NUMPY\x01\x00", b"PK\x03\x04" + bytes(40)])
def test_what_is_no_archive_is_refused_by_name(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    assert refusal(files.load_arrays, path).startswith(f"{path}: ")


def test_a_plain_array_and_a_missing_file_and_a_folder_are_refused_by_name(tmp_path):
    assert refusal(files.load_arrays, tmp_path / "none.npz").startswith(f"{tmp_path / 'none.npz'}: ")
    assert refusal(files.load_arrays, tmp_path).startswith(f"{tmp_path}: ")
    np.save(tmp_path / "a.npy", np.arange(3))
    assert refusal(files.load_arrays, tmp_path / "a.npy").startswith(f"{tmp_path / 'a.npy'}: ")


def test_a_missing_array_is_named(tmp_path):
    path = tmp_path / "a.npz"
    files.save_arrays(path, x=np.arange(3), y=np.arange(3))
    message = refusal(files.load_arrays, path, "x", "votes", "teacher")
    assert message.startswith(f"{path}: ") and "['teacher', 'votes']" in message and "['x', 'y']" in message


def test_pickled_objects_are_never_read(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, x=np.array([{"a": 1}], dtype=object), sha256=np.array("0"))
    assert refusal(files.load_arrays, path).startswith(f"{path}: ")


# ---------------------------------------------------------------- fingerprints


def test_a_fingerprint_is_known():
    """Names, dtypes, shapes and bytes, sorted by name; computed once by hand with sha256sum."""
    import hashlib

    content = b"x |u1 (2, 2)\n" + bytes([0, 1, 2, 3]) + b"y <i8 (1,)\n" + (7).to_bytes(8, "little")
    expected = hashlib.sha256(content).hexdigest()
    assert files.fingerprint(y=np.array([7]), x=np.arange(4, dtype=np.uint8).reshape(2, 2)) == expected


def test_a_fingerprint_sees_every_difference_and_no_layout():
    x = np.arange(12).reshape(3, 4)
    same = files.fingerprint(x=x)
    assert files.fingerprint(x=np.asfortranarray(x)) == same == files.fingerprint(x=x[::-1][::-1])
    others = [
        files.fingerprint(y=x),
        files.fingerprint(x=x.reshape(4, 3)),
        files.fingerprint(x=x.astype(np.int32)),
        files.fingerprint(x=x.astype(">i8")),
        files.fingerprint(x=x.T.copy()),
        files.fingerprint(x=x, y=x),
        files.fingerprint(),
    ]
    assert len({same, *others}) == len(others) + 1


def test_a_fingerprint_tells_a_number_from_an_array_of_one_number():
    assert files.fingerprint(x=np.array(5)) != files.fingerprint(x=np.array([5]))


# ---------------------------------------------------------------- JSON and text


def test_json_is_the_same_bytes_for_the_same_content(tmp_path):
    files.write_json(tmp_path / "a.json", {"b": [1, 2.5, None], "a": {"d": "é", "c": True}})
    files.write_json(tmp_path / "b.json", {"a": {"c": True, "d": "é"}, "b": [1, 2.5, None]})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert (tmp_path / "a.json").read_bytes().endswith(b"}\n")
    assert files.read_json(tmp_path / "a.json") == {"a": {"c": True, "d": "é"}, "b": [1, 2.5, None]}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, {1, 2}, np.int64(3)])
def test_what_json_cannot_hold_is_refused_and_nothing_written(tmp_path, value):
    with pytest.raises((ValueError, TypeError)):
        files.write_json(tmp_path / "a.json", {"a": [value]})
    assert os.listdir(tmp_path) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.slow
@given(st.dictionaries(st.text(), json_values, max_size=4))
@settings(FIXED, max_examples=30)
def test_json_comes_back_as_it_was(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("json") / "a.json"
    files.write_json(path, content)
    assert files.read_json(path) == content
    assert json.loads(path.read_text(encoding="utf-8")) == content


def test_json_with_a_byte_order_mark_is_read_as_without(tmp_path):
    (tmp_path / "a.json").write_text('{"a": 1}', encoding="utf-8-sig")
    assert files.read_json(tmp_path / "a.json") == {"a": 1}


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": 1}}', b"\xff\xfe", b"a: 1"])
def test_what_is_no_json_is_refused_by_name(tmp_path, content):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert refusal(files.read_json, path).startswith(f"{path}: ")
    assert refusal(files.read_json, tmp_path / "none.json").startswith(f"{tmp_path / 'none.json'}: ")


def test_text_is_written_as_given(tmp_path):
    files.write_text(tmp_path / "a.txt", "two\nlines é")
    assert (tmp_path / "a.txt").read_bytes() == "two\nlines é".encode()


def test_reading_turns_damage_into_one_line_and_leaves_other_errors_alone(tmp_path):
    def fail(error):
        with files.reading(tmp_path / "f", "odd"):
            raise error

    message = refusal(fail, ValueError("first\n  second"))
    assert message == f"{tmp_path / 'f'}: not a readable odd file (first second)"
    assert refusal(fail, EOFError()).endswith("(EOFError)")
    with pytest.raises(AttributeError):
        fail(AttributeError("a mistake of ours"))


def test_a_folder_is_whole_or_as_it_was(tmp_path):
    target = tmp_path / "below" / "made"
    with files.atomic_folder(target) as folder:
        (folder / "a").write_text("first")
        assert not target.exists()
    with pytest.raises(KeyError), files.atomic_folder(target) as folder:
        (folder / "b").write_text("half")
        raise KeyError
    assert [path.name for path in target.iterdir()] == ["a"] and os.listdir(target.parent) == ["made"]
    with files.atomic_folder(target) as folder:
        (folder / "c").write_text("second")
        assert (target / "a").read_text() == "first"
    assert [path.name for path in target.iterdir()] == ["c"] and os.listdir(target.parent) == ["made"]


@pytest.mark.parametrize("atomic", [files.atomic_path, files.atomic_folder])
def test_what_cannot_be_renamed_leaves_what_was_there(tmp_path, monkeypatch, atomic):
    target, replace = tmp_path / "made", os.replace
    for text in ("old", "new"):
        with contextlib.suppress(KeyboardInterrupt), atomic(target) as temporary:
            content = temporary / "part" if atomic is files.atomic_folder else temporary
            content.write_text(text)

            def stopped(old, new, temporary=temporary):
                if old == temporary:
                    raise KeyboardInterrupt
                replace(old, new)

            if text == "new":
                monkeypatch.setattr(os, "replace", stopped)
    assert os.listdir(tmp_path) == ["made"]
    assert (target / "part" if atomic is files.atomic_folder else target).read_text() == "old"


# ---------------------------------------------------------------- what has a digest


def table(folder, text="a,b\n1,2\n"):
    """A table as scripts write it."""
    with files.atomic_path(folder / "table.csv") as temporary:
        temporary.write_text(text)
    return folder / "table.csv"


def test_a_table_has_its_digest_beside_it(tmp_path):
    path = table(tmp_path)
    digest = tmp_path / ".table.csv.sha256"
    assert digest.read_text() == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  table.csv\n"
    with files.reading(path, "CSV"):
        pass
    table(tmp_path, "a,b\n3,4\n")
    with files.reading(path, "CSV"):
        pass


def test_a_table_that_is_written_again_can_be_read_wherever_that_was_stopped(tmp_path, monkeypatch):
    """Stopped before each change of a name, and each wait for the disk, as by a kill."""

    class Stopped(BaseException):
        pass

    found = []
    for last in range(20):
        folder = tmp_path / str(last)
        folder.mkdir()
        path, calls = table(folder, "old\n"), []
        with monkeypatch.context() as patched:
            for name in ("replace", "fsync", "unlink"):
                original = getattr(os, name)

                def stopping(*given, original=original, calls=calls, last=last):
                    calls.append(given)
                    if len(calls) > last:
                        raise Stopped
                    return original(*given)

                patched.setattr(os, name, stopping)
            with contextlib.suppress(Stopped):
                table(folder, "new\n")
        with files.reading(path, "CSV"):
            found.append(path.read_text())
        if len(calls) <= last:
            break
        table(folder, "newer\n")
        assert (folder / ".table.csv.sha256").exists()
    assert found[0] == "old\n" and found[-1] == "new\n" and found == sorted(found, reverse=True) and len(found) > 5


@pytest.mark.parametrize("content", [b"", b"a,b\n", b"a,b\n1,3\n"])
def test_an_altered_table_is_refused_by_name(tmp_path, content):
    path = table(tmp_path)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"table\.csv: does not match the digest written with it; delete"):
        with files.reading(path, "CSV"):
            pytest.fail("it was read")


def test_a_text_has_no_digest_and_may_be_edited(tmp_path):
    files.write_text(tmp_path / "page.csv", "a\n")
    assert os.listdir(tmp_path) == ["page.csv"]


def test_every_change_of_sealed_json_is_refused(tmp_path):
    path, content = tmp_path / "sealed.json", {"number": 1.5, "list": [1, None], "text": "é"}
    files.write_sealed_json(path, content)
    assert files.read_sealed_json(path) == content
    written = path.read_bytes()
    for place, byte in enumerate(written):
        path.write_bytes(written[:place] + bytes([byte ^ 1]) + written[place + 1 :])
        try:
            assert files.read_sealed_json(path) == content  # white space, say
        except InputError as error:
            assert str(path) in str(error)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), OSError(errno.EDQUOT, "full"), Exception])
@pytest.mark.parametrize("atomic", [files.atomic_path, files.atomic_folder])
def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path, error, atomic):
    error = error("IoError: No space left on device") if error is Exception else error
    with pytest.raises(InputError, match=rf"{tmp_path}/made: no space left on the device"), atomic(tmp_path / "made"):
        raise error
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("atomic", [files.atomic_path, files.atomic_folder])
def test_a_read_only_disk_is_told_with_the_name_of_the_file(tmp_path, atomic):
    with (
        pytest.raises(InputError, match=rf"{tmp_path}/made: cannot be written, .* read-only"),
        atomic(tmp_path / "made"),
    ):
        raise OSError(errno.EROFS, "read-only")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("atomic", [files.atomic_path, files.atomic_folder])
def test_what_is_named_was_synced_before_and_its_name_is_after(tmp_path, monkeypatch, atomic):
    done, sync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda number: (done.append(os.fstat(number).st_ino), sync(number)))
    monkeypatch.setattr(os, "replace", lambda old, new: (done.append("named"), replace(old, new)))
    with atomic(tmp_path / "made") as temporary:
        written = temporary / "part" if atomic is files.atomic_folder else temporary
        written.write_text("content")
    inside = tmp_path / "made" / "part" if atomic is files.atomic_folder else tmp_path / "made"
    assert inside.stat().st_ino in done[: done.index("named")] and done[-1] == tmp_path.stat().st_ino


def failing(call, folders, number):
    """A function of `os` that fails with this error number, on folders or on files; descriptors and paths alike."""

    def fails(place, *given, **named):
        if os.path.isdir(f"/proc/self/fd/{place}" if isinstance(place, int) else place) == folders:
            raise OSError(number, os.strerror(number))
        return call(place, *given, **named)

    return fails


@pytest.fixture
def warned(monkeypatch):
    monkeypatch.setattr(files, "_WARNED", set())


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.ENOSYS, errno.EACCES])
@pytest.mark.parametrize("atomic", [files.atomic_path, files.atomic_folder])
def test_a_folder_that_cannot_be_synced_is_told_once_and_written(tmp_path, monkeypatch, capsys, warned, number, atomic):
    """As on CIFS and some FUSE."""
    monkeypatch.setattr(os, "fsync", failing(os.fsync, True, number))
    for name in ("one", "two"):
        with atomic(tmp_path / name) as temporary:
            (temporary / "part" if temporary.is_dir() else temporary).write_text("whole")
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"warning: {tmp_path}: ") and "a power failure may undo" in line


@pytest.mark.parametrize("folders", [True, False])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_disk_that_fails_is_an_error(tmp_path, monkeypatch, folders, number):
    monkeypatch.setattr(os, "fsync", failing(os.fsync, folders, number))
    with pytest.raises((OSError, InputError)):
        files.write_text(tmp_path / "made.txt", "whole")
    assert os.listdir(tmp_path) == (["made.txt"] if folders else [])


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_file_system_without_permissions_is_told_once_and_written(tmp_path, monkeypatch, capsys, warned, mode):
    """As on FAT; nothing is told where others cannot read there anyway."""
    before = os.umask(0o666 & ~mode)
    monkeypatch.setattr(os, "chmod", failing(os.chmod, False, errno.EPERM))
    place = tmp_path / "results" / "mine" / "private"
    try:
        for name in ("one", "two"):
            files.save_arrays(place / f"{name}.npz", a=np.ones(3))
    finally:
        os.umask(before)
    assert sorted(os.listdir(place)) == ["one.npz", "two.npz"]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == (mode == 0o644)
    assert all(line.startswith(f"warning: {place}: ") and "others may read" in line for line in lines)


def test_what_a_killed_process_left_is_cleared_away_and_nothing_else(tmp_path):
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    dead = int(ended.stdout)
    others = [f".{dead}.0.8.csv", f".{dead}.new.made", ".8.csv.sha256", "8.csv"]
    for name in (f".{dead}.8.csv", f".{os.getpid()}.8.csv", f".{10**30}.8.csv", *others):
        (tmp_path / name).mkdir() if name.endswith("made") else (tmp_path / name).write_text("")
    (tmp_path / f".{dead}.new.made" / "part").write_text("")
    files.clear_temporaries(tmp_path / "8.csv")
    assert sorted(os.listdir(tmp_path)) == sorted(others)
    with files.atomic_folder(tmp_path / "made") as folder:
        assert [path.name for path in tmp_path.glob(".*made")] == [folder.name]


def test_what_a_process_that_runs_has_under_way_is_left_alone(tmp_path):
    running = (1, os.getppid())  # one of another user, perhaps, and one of one's own
    left = {f".{process}{role}.8.csv" for process in running for role in ("", ".new")}
    for name in left:
        (tmp_path / name).mkdir() if "new" in name else (tmp_path / name).write_text("half")
    with files.atomic_path(tmp_path / "8.csv") as temporary:
        temporary.write_text("whole")
    assert left | {"8.csv"} < set(os.listdir(tmp_path))


@pytest.mark.parametrize("folder", ["private/votes", "checkpoints/train"])
def test_what_is_made_of_private_data_is_for_its_owner_alone(tmp_path, folder):
    top = tmp_path / "results" / "mine" / folder.partition("/")[0]
    place = tmp_path / "results" / "mine" / folder
    place.mkdir(parents=True)  # as the workflow makes it, before a job starts
    top.chmod(0o755)
    files.save_arrays(place / "a.npz", a=np.ones(3))
    with files.atomic_path(place / "a.csv") as temporary:
        temporary.write_text("a\n1\n")
    with files.atomic_folder(place / "volumes") as made:
        (made / "inside").mkdir()
        (made / "inside" / "image.npy").write_bytes(b"1")
    assert top.stat().st_mode & 0o777 == 0o700
    found = {path.name: path.stat().st_mode & 0o777 for path in place.rglob("*")}
    closed = dict.fromkeys(("a.npz", "a.csv", ".a.csv.sha256", "image.npy"), 0o600)
    assert found == closed | {"volumes": 0o700, "inside": 0o700}


@pytest.mark.parametrize("folder", ["results/mine/scalable_pate", "private/mine/votes", "results/private"])
def test_other_folders_are_as_the_user_has_them(tmp_path, folder):
    place = tmp_path / folder
    place.mkdir(parents=True)
    place.chmod(0o755)
    files.write_text(place / "a.txt", "a\n")
    assert place.stat().st_mode & 0o777 == 0o755
    assert (place / "a.txt").stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now

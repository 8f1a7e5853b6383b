"""Votes and intermediate files that are not what they should be: one line, the file's name, no output."""

import json
import signal
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

from lib.core.command import run
from lib.core.errors import InputError
from lib.core.files import fingerprint, load_arrays, save_arrays
from tests.workflow.running import ROOT, assert_one_line, environment

TEACHERS = 10
RUN = {"aggregator": "gnmax", "queries": 4, "sigma": 2.0, "delta": 1e-3, "student": None, "claims": {}}
ORDERS = {"orders": {"linear": [2.0, 10.0, 0.5], "logarithmic": [10.0, 50.0, 5]}, "moments": 8, "curve_points": 5}


def good() -> np.ndarray:
    """Four histograms of ten teachers over three classes."""
    return np.array([[10, 0, 0], [5, 3, 2], [4, 4, 2], [0, 1, 9]])


def with_row(row) -> np.ndarray:
    """The same with another row 2."""
    votes = good().astype(float)
    votes[2] = row
    return votes


BAD = {
    "row that sums to one more": (with_row([4, 4, 3]), "row 2 sums to 11, expected 10"),
    "rows of more teachers": (good() * 2, "row 0 sums to 20, expected 10"),
    "nan": (with_row([np.nan, 4, 2]), "row 2, class 0 is not finite"),
    "infinite": (with_row([4, np.inf, 2]), "row 2, class 1 is not finite"),
    "negative": (with_row([-1, 9, 2]), "row 2, class 0 is negative"),
    "fraction": (with_row([4.5, 3.5, 2]), "row 2, class 0 is not a whole number"),
    "one dimension": (good().ravel(), "shape (12,)"),
    "one class": (good()[:, :1], "shape (4, 1)"),
    "no query": (good()[:0], "shape (0, 3)"),
    "words": (good().astype(str), "dtype"),
}


def write(path, votes) -> None:
    """A file of votes with its digest, as count_votes writes it."""
    save_arrays(path, votes=votes, fingerprint=np.array("0" * 64))


def damage(path, kind: str) -> None:
    """Damage a whole file."""
    content = path.read_bytes()
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif kind == "npy":
        np.save(path.with_suffix(".npy"), good())
        path.write_bytes(path.with_suffix(".npy").read_bytes()[:70])
    elif kind == "text":
        path.write_text("10,0,0\n")
    elif kind == "no digest":
        np.savez(path, votes=good(), fingerprint=np.array("0" * 64))
    elif kind == "old digest":
        with np.load(path) as archive:
            arrays = dict(archive)
        np.savez(path, **arrays | {"votes": good()[::-1]})
    elif kind == "other arrays":
        save_arrays(path, counts=good(), fingerprint=np.array("0" * 64))
    elif kind == "missing":
        path.unlink()


DAMAGES = ["empty", "cut", "npy", "text", "no digest", "old digest", "other arrays", "missing"]


def arguments(script: str, path, folder) -> list[str]:
    """A call of the script on a file of votes, with all outputs in `folder`."""
    if script == "count_votes":
        return [f"--labels={path}", "--ensemble=own", f"--teachers={TEACHERS}", f"--votes={folder / 'votes.npz'}"]
    return [
        *[f"--votes={path}", f"--teachers={TEACHERS}", f"--run={json.dumps(RUN)}"],
        *[f"--accounting={json.dumps(ORDERS)}", "--preset=tiny", "--seed=1", "--dataset=made_up"],
        *["--job", script, "made_up", "1", f"--record={folder / 'record.json'}", f"--curve={folder / 'curve.csv'}"],
    ]


@pytest.fixture
def called(capsys, monkeypatch):
    """A function that runs a script as its rule does, in this process, to its end."""
    monkeypatch.setattr(signal, "signal", lambda *ignored: None)

    def script(name: str, *options: str) -> SimpleNamespace:
        status = 0
        try:
            run(lambda: import_module(f"scripts.{name}").main([*options]))
        except SystemExit as ended:
            status = ended.code
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=status, stdout=printed.out, stderr=printed.err)

    return script


@pytest.mark.slow
@pytest.mark.parametrize("script", ["count_votes", "account"])
def test_good_votes_are_accepted_and_bad_ones_refused_by_the_program_too(tmp_path, script):
    for name, votes, status in (("good", good(), 0), ("bad", BAD["nan"][0], 1)):
        write(tmp_path / name, votes)
        command = [
            sys.executable,
            "-m",
            f"scripts.{script}",
            *arguments(script, tmp_path / name, tmp_path / f"of {name}"),
        ]
        done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        assert (tmp_path / f"of {name}").exists() == (status == 0)
    assert_one_line(done.stderr, str(tmp_path / "bad"), "row 2, class 0 is not finite")
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("script", "kind"),
    [("count_votes", kind) for kind in [*BAD, *DAMAGES]] + [("account", kind) for kind in ("nan", "one class", "cut")],
)
def test_bad_votes_are_refused_by_name(called, tmp_path, script, kind):
    path = tmp_path / "the votes.npz"
    votes, why = BAD.get(kind, (good(), ""))
    write(path, votes)
    damage(path, kind)
    done = called(script, *arguments(script, path, tmp_path / "out"))
    assert done.returncode == 1
    assert_one_line(done.stderr, str(path), why)
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()


def test_fewer_votes_than_queries_are_refused_by_name(called, tmp_path):
    path = tmp_path / "in.npz"
    write(path, good()[:3])
    done = called("account", *arguments("account", path, tmp_path / "out"))
    assert done.returncode == 1
    assert_one_line(done.stderr, str(path), "3", "4")
    assert not (tmp_path / "out").exists()


def test_any_flipped_byte_of_an_array_file_is_refused_or_harmless(tmp_path):
    path = tmp_path / "votes.npz"
    write(path, good())
    content, expected = path.read_bytes(), fingerprint(**load_arrays(path))
    refused = 0
    for place in range(len(content)):
        altered = bytearray(content)
        altered[place] ^= 0xFF
        path.write_bytes(altered)
        try:
            assert fingerprint(**load_arrays(path)) == expected
        except InputError as error:
            assert str(path) in str(error)
            assert "\n" not in str(error)
            refused += 1
    assert refused > len(content) / 2


def test_teachers_may_vote_for_classes_that_the_pool_lacks(called, tmp_path):
    path, output = tmp_path / "labels.npz", tmp_path / "out" / "votes.npz"
    labels = np.array([[0] * 9 + [7], [1] * 10], "uint8")
    save_arrays(path, teacher_labels=labels, labels=np.array([0, 1]), fingerprint=np.array("0" * 64))
    options = (f"--labels={path}", "--ensemble=own", f"--teachers={TEACHERS}", f"--votes={output}")
    done = called("count_votes", *options, "--classes=10")
    assert done.returncode == 0, done.stderr
    votes = load_arrays(output, "votes")["votes"]
    assert (votes[0, 0], votes[0, 7], votes[1, 1], votes.sum()) == (9, 1, 10, 20)


def test_labels_beyond_the_classes_of_the_ensemble_name_its_key(called, tmp_path):
    path = tmp_path / "0.npz"
    save_arrays(path, teacher_labels=np.array([[0] * 9 + [7]], "uint8"), fingerprint=np.array("0" * 64))
    done = called("count_votes", *arguments("count_votes", path, tmp_path / "out"), "--classes=5")
    assert done.returncode == 1 and not (tmp_path / "out").exists()
    assert_one_line(done.stderr, str(tmp_path), "labels from 0 to 7", "0 to 4", "ensembles.own.classes = 5")

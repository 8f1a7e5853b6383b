"""Downloads are whole and the right ones, or not there: against a server on this machine, which torchvision asks."""

import hashlib
import io
import socket
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torchvision.datasets

from lib.core.errors import InputError
from lib.core.files import fingerprint, load_arrays
from lib.data import download as module
from lib.data import registry
from lib.data.download import fetch
from lib.data.sources import pate_votes
from scripts import download_data, prepare_data
from tests.data.made_sets import KINDS, MODULES, arrays_of, publish, register
from tests.data.serving import Handler, breaks, serving


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A running server of the folder `public`; `server.url` is its address."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving(tmp_path / "public") as server:
        yield server


@pytest.fixture
def served(server, tmp_path, monkeypatch):
    """A function that serves a small set of that name and returns its arrays."""

    def serve(name):
        arrays = arrays_of(name)
        publish(name, tmp_path / "public", arrays, monkeypatch, server.url)
        register(name, arrays, monkeypatch)
        return arrays

    return serve


def get(name, root, **changes):
    return fetch(name, MODULES[name], root, **({"attempts": 3, "wait": 0.01, "timeout": 5.0} | changes))


def remains(root):
    """The files and folders below `root`."""
    return sorted(root.rglob("*")) if root.exists() else []


def check(name, root, arrays):
    """All that lies below `root` is the dataset's, and decodes to it."""
    files = registry.required_files(name, MODULES[name], "download", root)
    assert sorted(path for path in remains(root) if path.is_file()) == sorted(files)
    assert not any(path.is_symlink() for path in files)
    for source in ("download", "data_root"):
        found = registry.load(name, MODULES[name], source, root)
        for key, value in arrays.items():
            if name.startswith("cifar"):  # in no order
                assert sorted(map(bytes, found[key])) == sorted(map(bytes, value.astype(found[key].dtype)))
            else:
                np.testing.assert_array_equal(found[key], value)
            assert found[key].dtype == (np.uint8 if key[0] == "x" else np.int64)


@pytest.mark.parametrize("name", KINDS)
def test_torchvision_fetches_and_decodes(served, tmp_path, name):
    arrays = served(name)
    files = get(name, tmp_path / "root")
    assert files == registry.required_files(name, MODULES[name], "download", tmp_path / "root")
    check(name, tmp_path / "root", arrays)


def test_the_scripts_fetch_and_prepare(served, tmp_path):
    arrays, root, output = served("svhn"), tmp_path / "root", tmp_path / "svhn.npz"
    download_data.main(["--module=svhn", "--dataset=svhn", f"--data-root={root}"])
    check("svhn", root, arrays)
    prepare_data.main(
        ["--dataset=svhn", "--module=svhn", "--source=download", f"--data-root={root}", f"--data={output}"]
    )
    found = load_arrays(output)
    assert str(found["fingerprint"]) == registry.get("svhn", "svhn").fingerprint
    np.testing.assert_array_equal(found["y_train"], arrays["y_train"])


@pytest.mark.parametrize("fault", ["cut", "reset"])
@pytest.mark.parametrize("name", KINDS)
def test_a_connection_cut_in_the_middle_leaves_nothing_and_the_next_run_succeeds(
    served, server, tmp_path, name, fault, capsys
):
    arrays = served(name)
    root = tmp_path / "root"
    breaks(server, fault)
    with pytest.raises(InputError) as caught:
        get(name, root)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"dataset '{name}': could not be downloaded to {root}, where nothing of it was left")
    assert "attempts: 3" in message and registry.get(MODULES[name], name).obtain in message
    assert ("corrupted" if fault == "cut" else "reset by peer") in message
    assert f"{name}: " in capsys.readouterr().err
    assert remains(root) == []
    breaks(server, None)
    get(name, root)
    check(name, root, arrays)


@pytest.mark.parametrize("name", KINDS)
def test_a_cut_in_the_last_file_leaves_none_of_the_others(served, server, tmp_path, name):
    arrays = served(name)
    root, before = tmp_path / "root", len(server.asked)
    get(name, tmp_path / "other")
    asked = len(server.asked) - before
    last = server.asked[-1]

    class LastBreaks(Handler):
        def do_GET(self):  # noqa: N802
            server.fault, server.faults = ("cut", 1) if self.path == last else (None, 0)
            super().do_GET()

    server.RequestHandlerClass = LastBreaks
    with pytest.raises(InputError, match="could not be downloaded"):
        get(name, root, attempts=1)
    assert len(server.asked) == before + 2 * asked  # all the others came
    assert remains(root) == []
    server.RequestHandlerClass = Handler
    server.faults = 0
    get(name, root)
    check(name, root, arrays)


@pytest.mark.parametrize(("fault", "requests"), [("cut", 2), ("reset", 2), ("down", 1), ("wrong", 2)])
def test_another_attempt_helps(served, server, tmp_path, fault, requests, capsys):
    arrays = served("svhn")
    breaks(server, fault, requests)
    get("svhn", tmp_path / "root")
    check("svhn", tmp_path / "root", arrays)
    log = capsys.readouterr().err
    assert "attempt 2 of 3 in 0.01 s" in log and "attempt 3" not in log


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("missing", "HTTP Error 404"), ("down", "HTTP Error 503"), ("wrong", "corrupted"), ("silent", "timed out")],
)
def test_other_faults_of_the_server_are_named(served, server, tmp_path, fault, reason):
    served("usps_libsvm")
    breaks(server, fault)
    before = socket.getdefaulttimeout()
    with pytest.raises(InputError, match=rf"{reason}.*torchvision\.datasets\.USPS"):
        get("usps_libsvm", tmp_path / "root", attempts=2, timeout=0.1 if fault == "silent" else 5.0)
    assert socket.getdefaulttimeout() == before
    assert remains(tmp_path / "root") == []


def test_nobody_there(served, server, tmp_path):
    served("usps_libsvm")
    server.shutdown()
    server.server_close()
    with pytest.raises(InputError, match="Connection refused"):
        get("usps_libsvm", tmp_path / "root")
    assert remains(tmp_path / "root") == []


def test_the_next_mirror_helps_out(served, server, tmp_path, monkeypatch):
    arrays = served("mnist")
    monkeypatch.setattr(torchvision.datasets.MNIST, "mirrors", [f"{server.url}/nowhere/", f"{server.url}/"])
    get("mnist", tmp_path / "root", attempts=1)
    check("mnist", tmp_path / "root", arrays)


def test_right_files_are_kept_and_a_wrong_one_replaced(served, server, tmp_path):
    arrays = served("usps_libsvm")
    root = tmp_path / "root"
    path = get("usps_libsvm", root)[1]
    asked = len(server.asked)
    get("usps_libsvm", root)
    assert len(server.asked) == asked
    path.write_bytes(b"damaged")
    breaks(server, "missing")
    with pytest.raises(InputError):
        get("usps_libsvm", root)
    assert path.read_bytes() == b"damaged"
    breaks(server, None)
    get("usps_libsvm", root)
    check("usps_libsvm", root, arrays)


def test_what_arrives_must_have_the_fingerprint(served, tmp_path, monkeypatch):
    served("svhn")
    register("svhn", arrays_of("svhn", train=3), monkeypatch)
    with pytest.raises(InputError, match=r"dataset 'svhn': .*other samples than the dataset's"):
        get("svhn", tmp_path / "root")
    assert remains(tmp_path / "root") == []


def test_what_a_killed_download_left_is_removed_and_other_files_are_not(served, tmp_path):
    served("usps_libsvm")
    root = tmp_path / "root"
    left = root / f".{2**22 + 1}.new.usps_libsvm"  # no process has so large a number
    left.mkdir(parents=True)
    (left / "usps.bz2").write_bytes(b"half")
    (root / "mine.txt").write_text("kept")
    get("usps_libsvm", root)
    assert {path.name for path in remains(root)} == {"mine.txt", "usps.bz2", "usps.t.bz2"}


def test_a_place_that_cannot_be_written_is_named(served, tmp_path):
    served("usps_libsvm")
    (tmp_path / "root").write_text("a file, not a directory")
    with pytest.raises(InputError, match=r"usps_libsvm': .*root: cannot be written"):
        get("usps_libsvm", tmp_path / "root")
    served("mnist")
    other = tmp_path / "other"
    other.mkdir()
    (other / "MNIST").write_text("a file, not a directory")
    with pytest.raises(InputError, match=r"other/MNIST/raw/train-images-idx3-ubyte: cannot be written"):
        get("mnist", other)
    assert remains(other) == [other / "MNIST"]


VOTES = {"votes": np.full((6, 2), 2.0)}


@pytest.fixture
def votes(server, monkeypatch):
    """Adult's votes in miniature, served."""
    content = io.BytesIO()
    np.save(content, VOTES["votes"])
    server.folder.mkdir()
    (server.folder / "votes.npy").write_bytes(content.getvalue())
    files = ((f"{server.url}/", "votes.npy", hashlib.sha256(content.getvalue()).hexdigest()),)
    known = replace(
        pate_votes.DATASETS["pate_votes_adult"],
        fingerprint=fingerprint(votes=VOTES["votes"].astype(np.int16)),
        read=partial(pate_votes.read_adult, queries=6, classes=2, teachers=4),
        layouts=(("pate_votes/votes.npy",),),
        downloaded=("pate_votes/votes.npy",),
        download=partial(pate_votes.download, files=files),
    )
    monkeypatch.setitem(pate_votes.DATASETS, "pate_votes_adult", known)


@pytest.mark.parametrize("fault", ["cut", "reset", "wrong", "missing"])
def test_votes_come_whole_or_not_at_all(votes, server, tmp_path, fault):
    root = tmp_path / "root"
    breaks(server, fault)
    with pytest.raises(InputError, match="dataset 'pate_votes_adult': could not be downloaded"):
        fetch("pate_votes_adult", "pate_votes", root, attempts=2, wait=0.01)
    assert remains(root) == []
    breaks(server, fault, 1)
    (path,) = fetch("pate_votes_adult", "pate_votes", root, attempts=2, wait=0.01)
    np.testing.assert_array_equal(np.load(path), VOTES["votes"])
    assert remains(root) == [root / "pate_votes", path]


@pytest.mark.parametrize("fault", ["cut", "reset"])
def test_a_transfer_that_is_cut_off_goes_on_where_it_stopped(votes, server, tmp_path, fault):
    server.ranges = []
    breaks(server, fault, 1)
    (path,) = fetch("pate_votes_adult", "pate_votes", tmp_path / "root", attempts=1)
    assert server.ranges == [None, f"bytes={path.stat().st_size // 2}-"]
    np.testing.assert_array_equal(np.load(path), VOTES["votes"])


def test_a_server_that_sends_nothing_more_ends_the_transfer(votes, server, tmp_path):
    class Stopped(Handler):
        def do_GET(self):  # noqa: N802
            server.asked.append(self.path)
            self.send_response(200 if len(server.asked) == 1 else 206)
            self.send_header("Content-Length", "100" if len(server.asked) == 1 else "50")
            self.end_headers()
            self.wfile.write(bytes(50) if len(server.asked) == 1 else b"")

    server.RequestHandlerClass = Stopped
    with pytest.raises(InputError, match=r"the connection ended after 50 of 100 bytes"):
        fetch("pate_votes_adult", "pate_votes", tmp_path / "root", attempts=1)
    assert len(server.asked) == 2 and remains(tmp_path / "root") == []


def test_a_file_shows_how_much_of_it_is_there(votes, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    fetch("pate_votes_adult", "pate_votes", tmp_path / "root")
    assert "\rvotes.npy: 0.2 of 0.2 kB \n" in capsys.readouterr().err


def test_without_a_network_there_is_one_line(votes, server, tmp_path, capsys):
    server.shutdown()
    server.server_close()
    line = ["--module=pate_votes", "--dataset=pate_votes_adult", f"--data-root={tmp_path / 'root'}", "--wait=0.01"]
    with pytest.raises(InputError) as caught:
        download_data.main([*line, "--attempts=2"])
    assert "\n" not in str(caught.value) and "Connection refused" in str(caught.value)
    assert capsys.readouterr().err.count("\n") == 1  # that there is another attempt


def test_a_terminal_sees_the_bar_and_a_log_file_a_line_now_and_then(served, tmp_path, monkeypatch, capsys):
    served("svhn")
    get("svhn", tmp_path / "quiet")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(module, "_LOG_INTERVAL", 0.0)
    get("svhn", tmp_path / "log")
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(line.startswith("svhn: ") and "\r" not in line for line in lines)
    assert any("100" in line for line in lines)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    get("svhn", tmp_path / "terminal")
    assert "\r" in capsys.readouterr().err

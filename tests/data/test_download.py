"""Downloads are whole and checked, or not there: against a server on this machine."""

import hashlib
import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lib.core.errors import InputError
from lib.data.download import fetch
from lib.data.spec import Download

CONTENT = bytes(range(256)) * 3000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Does what the path says; `server.asked` counts the requests of each path."""

    def do_GET(self):
        asked = self.server.asked
        asked[self.path] = asked.get(self.path, 0) + 1
        behaviour = self.path.split("/")[1]
        first = asked[self.path] == 1
        if behaviour == "missing":
            return self.send_error(404)
        if behaviour == "down" or (behaviour == "fails-first" and first):
            return self.send_error(503)
        if behaviour == "slow":
            return self.server.release.wait(10)
        self.send_response(200)
        if behaviour != "unannounced":
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        truncated = behaviour == "truncates" or (behaviour == "truncates-first" and first)
        wrong = bytes(len(CONTENT)) if behaviour == "wrong" else CONTENT
        self.wfile.write(wrong[: len(CONTENT) // 2] if truncated else wrong)

    def log_message(self, *arguments):
        """Silence."""


@pytest.fixture
def server(monkeypatch):
    """A running server; `server.url` is its address."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.release = {}, threading.Event()
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


def get(server, root, *behaviours, log=None, timeout=5.0, **checks):
    """Fetch `data/file.bin` from a mirror that behaves so."""
    urls = tuple(f"{server.url}/{behaviour}/file.bin" for behaviour in behaviours)
    download = Download(urls=urls, target="data/file.bin", **(checks or {"sha256": SHA256}))
    return fetch(download, root, attempts=3, wait=0.01, timeout=timeout, log=log or io.StringIO())


def remains(root):
    """The files below `root`."""
    return [path for path in root.rglob("*") if path.is_file()]


@pytest.mark.parametrize("behaviour", ["good", "fails-first", "truncates-first", "unannounced"])
def test_files_arrive_whole(server, tmp_path, behaviour):
    log = io.StringIO()
    path = get(server, tmp_path, behaviour, log=log, sha256=SHA256, md5=MD5, size=len(CONTENT))
    assert path == tmp_path / "data" / "file.bin"
    assert path.read_bytes() == CONTENT
    assert remains(tmp_path) == [path]
    assert "file.bin: 0.8" in log.getvalue()
    assert ("attempt 2 of 3 in 0.01 s" in log.getvalue()) == behaviour.endswith("-first")


@pytest.mark.parametrize(
    ("behaviour", "fault", "requests"),
    [
        ("missing", "HTTP 404", 1),
        ("down", "HTTP 503", 3),
        ("truncates", f"broke off after {len(CONTENT) // 2} of {len(CONTENT)} bytes", 3),
        ("wrong", f"instead of {SHA256}", 1),
    ],
)
def test_failures_name_url_and_target_and_leave_nothing(server, tmp_path, behaviour, fault, requests):
    with pytest.raises(InputError) as caught:
        get(server, tmp_path, behaviour)
    message = str(caught.value)
    assert "\n" not in message
    assert f"{server.url}/{behaviour}/file.bin" in message
    assert str(tmp_path / "data" / "file.bin") in message
    assert fault in message
    assert server.asked == {f"/{behaviour}/file.bin": requests}
    assert remains(tmp_path) == []


@pytest.mark.parametrize(
    "checks", [{"md5": "0" * 32}, {"sha256": SHA256, "size": 5}, {"sha256": SHA256, "md5": "0" * 32}]
)
def test_every_check_counts(server, tmp_path, checks):
    with pytest.raises(InputError, match="not the expected file"):
        get(server, tmp_path, "good", **checks)
    assert remains(tmp_path) == []


def test_the_next_mirror_helps_out(server, tmp_path):
    path = get(server, tmp_path, "missing", "good")
    assert path.read_bytes() == CONTENT
    with pytest.raises(InputError, match=r"missing/file\.bin: HTTP 404.*wrong/file\.bin: not the expected"):
        get(server, tmp_path / "other", "missing", "wrong")


def test_a_right_file_is_kept_and_a_wrong_one_replaced(server, tmp_path):
    path = get(server, tmp_path, "good")
    get(server, tmp_path, "good")
    assert server.asked == {"/good/file.bin": 1}
    path.write_bytes(b"damaged")
    with pytest.raises(InputError):
        get(server, tmp_path, "missing")
    assert path.read_bytes() == b"damaged"
    get(server, tmp_path, "good")
    assert path.read_bytes() == CONTENT


def test_silence_ends_an_attempt(server, tmp_path):
    with pytest.raises(InputError, match="timed out"):
        get(server, tmp_path, "slow", timeout=0.05)
    assert remains(tmp_path) == []


def test_nobody_there(server, tmp_path):
    unused = f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    download = Download(urls=(f"{unused}/x",), target="x", sha256=SHA256)
    with pytest.raises(InputError, match=r"/x: no answer"):
        fetch(download, tmp_path, attempts=2, wait=0.01, log=io.StringIO())


def test_a_place_that_cannot_be_written_is_named(server, tmp_path):
    (tmp_path / "data").write_text("a file, not a directory")
    with pytest.raises(InputError, match=r"data/file\.bin: cannot be written"):
        get(server, tmp_path, "good")
    assert remains(tmp_path) == [tmp_path / "data"]


def test_a_terminal_gets_one_line_that_is_rewritten(server, tmp_path, monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr(log, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("lib.data.download._TERMINAL_INTERVAL", 0.0)
    get(server, tmp_path, "good", log=log)
    assert log.getvalue().count("\n") == 1
    assert "\rfile.bin: 0.8 of 0.8 MB\n" in log.getvalue()

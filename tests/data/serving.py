"""A server on this machine, as of a dataset's public files, that breaks when it is asked to."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Handler(BaseHTTPRequestHandler):
    """Serves the files of `server.folder`; the next `server.faults` requests go wrong as `server.fault` says."""

    def do_GET(self):
        path = self.server.folder / self.path.lstrip("/")
        self.server.asked.append(self.path)
        fault = self.server.fault if self.server.faults > 0 else None
        self.server.faults -= 1
        if fault == "silent":
            return self.server.release.wait(10)
        if fault in ("missing", "down") or not path.is_file():
            return self.send_error(503 if fault == "down" else 404)
        content = path.read_bytes()
        asked = self.headers["Range"]
        getattr(self.server, "ranges", []).append(asked)
        content = content[int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0 :]
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        content = bytes(len(content)) if fault == "wrong" else content
        with contextlib.suppress(ConnectionError):  # torchvision asks where a file is, and does not wait for it
            self.wfile.write(content[: len(content) // 2] if fault in ("cut", "reset") else content)
            self.wfile.flush()
            if fault == "reset":
                time.sleep(0.05)  # the client has the first half by then
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()

    def finish(self):
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *arguments):
        """Silence."""


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[ThreadingHTTPServer]:
    """A running server of a folder; `url` is its address, and `asked` lists what it was asked for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *arguments: None
    server.folder, server.asked, server.release = folder, [], threading.Event()
    server.fault, server.faults = None, 0
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def breaks(server: ThreadingHTTPServer, fault: str | None, requests: int = 1000) -> None:
    """Let the next requests go wrong, or none."""
    server.fault, server.faults = fault, requests

"""One file from a server, known by its digest."""

import hashlib
import http.client
import os
import sys
import urllib.request
from pathlib import Path

_BLOCK = 2**16


def fetch_file(url: str, target: Path, sha256: str) -> None:
    """Put the file at `url` to `target`. A transfer that is cut off goes on where it stopped, as long as bytes come.

    Progress goes to stderr. Raises OSError for whatever the server or the way to it does, and for another file than
    that of this SHA-256 (hex).
    """
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(b"")
    here = total = 0
    while not total or here < total:
        before = here
        here, total = _append(url, part, here)
        if here < total and here <= before:
            raise OSError(f"{url}: the connection ended after {here:,} of {total:,} bytes")
    print(file=sys.stderr)
    found = hashlib.sha256(part.read_bytes()).hexdigest()
    if found != sha256:
        raise OSError(f"{url}: corrupted: expected SHA-256 {sha256}, found {found}")
    os.replace(part, target)


def _append(url: str, part: Path, here: int) -> tuple[int, int]:
    """Ask for what is missing behind the first `here` bytes; returns how many are there now, and how many there are."""
    request = urllib.request.Request(url, headers={"Range": f"bytes={here}-"} if here else {})
    with urllib.request.urlopen(request) as answer:
        here *= answer.status == http.client.PARTIAL_CONTENT  # else the server sends all of it
        total = here + int(answer.headers["Content-Length"])
        with part.open("ab" if here else "wb") as stream:
            while block := _received(answer):
                here += stream.write(block)
                said = f"\r{part.stem}: {here / 1e3:,.1f} of {total / 1e3:,.1f} kB"
                print(said, end=" ", file=sys.stderr, flush=True)
    return here, total


def _received(answer: http.client.HTTPResponse) -> bytes:
    """Return some bytes; none where the transfer is over or cut off."""
    try:
        return answer.read1(_BLOCK)
    except (ConnectionResetError, http.client.IncompleteRead):
        return b""

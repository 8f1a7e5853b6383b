"""Digests of private data that only whoever has the run's private folder can compare with a guess."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from lib.core.errors import InputError

_NAME = ".secret"
_BYTES = 32


def keyed(digest: str, path: str | Path) -> str:
    """HMAC-SHA256 (hex) of a digest with the secret of the private folder that a path lies in.

    The secret is drawn when it is first needed, and stays with the folder: there, equal data have equal digests, so
    that trainings are resumed and other data are noticed. A path in no folder `private` takes the folder that it is in.
    """
    return hmac.new(_secret(Path(path)), digest.encode(), hashlib.sha256).hexdigest()


def _secret(path: Path) -> bytes:
    folder = next((each for each in path.absolute().parents if each.name == "private"), path.absolute().parent)
    place = folder / _NAME
    if not place.exists():
        temporary = folder / f"{_NAME}.{os.getpid()}"
        folder.mkdir(parents=True, exist_ok=True)
        temporary.touch(mode=0o600)
        temporary.write_bytes(secrets.token_bytes(_BYTES))
        try:
            os.link(temporary, place)  # fails where another job was first: then its secret is the run's
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    found = place.read_bytes()
    if len(found) != _BYTES:
        raise InputError(f"{place}: {len(found)} bytes, expected {_BYTES}; delete the folder to make its results anew")
    return found

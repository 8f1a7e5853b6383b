"""Signing the checksums of a release, and asking who signed them, with OpenSSH's `ssh-keygen -Y`."""

import re
import subprocess
import tempfile
from pathlib import Path

from lib.core.errors import InputError
from lib.core.files import write_text
from lib.release.files import SIGNATURE, SUMS

# what a signature is for, so that one of something else is none of a release
NAMESPACE = "released-student"
_FORM = rb"-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=]{1,76}\n){1,100}-----END SSH SIGNATURE-----\n"


def form_fault(signature: bytes) -> str | None:
    """Say what is wrong with the form of a signature; None if nothing is."""
    return None if re.fullmatch(_FORM, signature) else "is no signature as ssh-keygen -Y sign writes it"


def sign(folder: str | Path, key: str | Path) -> None:
    """Write the signature of a release's checksums beside them; key: a private key, or a public one whose agent has it.

    InputError says why there is none.
    """
    done = _ssh_keygen("sign", "-n", NAMESPACE, "-f", str(key), given=(Path(folder) / SUMS).read_bytes())
    if done.returncode or form_fault(done.stdout):
        raise InputError(f"{key}: cannot sign ({_said(done)})")
    write_text(Path(folder) / SIGNATURE, done.stdout.decode("ascii"))


def signer(checksums: bytes, signature: bytes, allowed: str | Path) -> str:
    """Who signed the checksums: a name of the file `allowed`, and the key's fingerprint.

    allowed: lines `NAME KEYTYPE KEY`, as ssh-keygen(1) tells under ALLOWED SIGNERS. Raises InputError where none of
    them signed.
    """
    if not Path(allowed).is_file():
        raise InputError(f"{allowed}: no file of allowed signers; its lines are NAME KEYTYPE KEY")
    with tempfile.NamedTemporaryFile() as file:
        file.write(signature)
        file.flush()
        known = "-s", file.name, "-f", str(allowed)
        found = _ssh_keygen("find-principals", *known)
        for name in found.stdout.decode("utf-8", "replace").splitlines():
            done = _ssh_keygen("verify", "-n", NAMESPACE, "-I", name, *known, given=checksums)
            key = re.search(r"SHA256:[A-Za-z0-9+/=]+", done.stdout.decode("ascii", "replace"))
            if not done.returncode and key:
                return f"{name} ({key[0]})"
            found = done
    raise InputError(f"{SIGNATURE}: none of {allowed} signed this release ({_said(found)})")


def _ssh_keygen(*words: str, given: bytes = b"") -> subprocess.CompletedProcess:
    try:
        return subprocess.run(["ssh-keygen", "-Y", *words], input=given, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise InputError("ssh-keygen: not found; signatures need OpenSSH 8.2 or newer") from error


def _said(done: subprocess.CompletedProcess) -> str:
    return " ".join(done.stderr.decode("utf-8", "replace").split()) or f"ssh-keygen ended with {done.returncode}"

"""State of a long job on disk, from which the job goes on after it was stopped at any moment."""

import fcntl
import hashlib
import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import torch

from lib.core.errors import InputError
from lib.core.files import clear_temporaries, load_arrays, save_arrays

State = dict[str, "np.ndarray | torch.Tensor | int"]
_KEY = "checkpoint_key"


def state_key(parameters: Mapping, code: str, data: str) -> str:
    """SHA-256 (hex) of all that the state depends on.

    parameters: what JSON can hold, with whatever changes the bytes of a result: seed, job, device, threads. code:
    version or digest of the code. data: fingerprint of the data. torch's version is added.
    """
    text = json.dumps([dict(parameters), code, data, torch.__version__], sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Checkpoint:
    """The state of one job in one file, used inside `with`.

    The file is replaced whole by a rename, so that a job killed at any moment leaves the state saved last. A state of
    another key, or one that cannot be read, counts as none and is removed.

    Only one process at a time may hold the checkpoint: entering `with` locks `{path}.lock` by flock and raises
    InputError if a process that still runs has it (say, one left over from a run that was killed). The kernel gives
    the lock back however its holder ends, SIGKILL included; that is why it is not a file made with O_EXCL or a process
    number to look up, which are left behind by a kill, and a number may meanwhile belong to another process, or to
    another machine. The process number and machine inside the file are for the message only.
    """

    def __init__(self, path: str | Path, key: str, seconds: float = 60.0) -> None:
        """`seconds`: the time between two states that `due` asks for."""
        self._path = Path(path)
        self._key = key
        self._seconds = seconds
        self._saved = time.monotonic()
        self._lock = self._path.with_name(f"{self._path.name}.lock")
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Lock the checkpoint and clear away what a killed process left half written; InputError if it is in use."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = self._locked()
        os.truncate(self._descriptor, 0)
        os.write(self._descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
        clear_temporaries(self._path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Unlock; the state stays."""
        self._lock.unlink(missing_ok=True)  # before the lock is given back: nobody else may have it by then
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _locked(self) -> int:
        """Descriptor of the lock file, locked."""
        while True:
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # its last holder may have removed the file that was opened: then that lock binds nobody
                if os.path.exists(self._lock) and os.path.samestat(os.fstat(descriptor), os.stat(self._lock)):
                    return descriptor
            except FileNotFoundError:
                pass
            except BlockingIOError:
                holder = os.read(descriptor, 200).decode(errors="replace") or "another process"
                os.close(descriptor)
                raise InputError(f"{self._path}: {holder} still works on it; wait for it or stop it") from None
            except OSError as error:
                os.close(descriptor)
                raise InputError(f"{self._lock}: cannot be locked ({error.strerror}); use another folder") from error
            os.close(descriptor)

    def load(self) -> dict[str, np.ndarray | int] | None:
        """Return the state last saved under this key, or None. Tensors come back as arrays, on the CPU."""
        if not self._path.exists():
            return None
        try:
            arrays = load_arrays(self._path)
        except InputError:
            arrays = {}
        if str(arrays.pop(_KEY, "")) != self._key:
            self.remove()
            return None
        print(f"going on from {self._path}", file=sys.stderr, flush=True)
        return {name: _plain(array) for name, array in arrays.items()}

    def due(self) -> bool:
        """Whether it is time for another state."""
        return time.monotonic() - self._saved >= self._seconds

    def save(self, state: Mapping[str, "np.ndarray | torch.Tensor | int"]) -> None:
        """Replace the state; tensors must be detached. Raises ValueError outside `with`."""
        if self._descriptor is None:
            raise ValueError(f"{self._path}: a checkpoint is saved inside `with` only, where no other process has it")
        arrays = {
            name: value.cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
            for name, value in state.items()
        }
        save_arrays(self._path, **arrays, **{_KEY: np.array(self._key)})
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Remove the state, for instance once the job's result is written."""
        self._path.unlink(missing_ok=True)


def _plain(array: np.ndarray) -> np.ndarray | int:
    """Return an integer where one was saved, else the array."""
    return int(array) if array.ndim == 0 and array.dtype.kind in "iu" else array

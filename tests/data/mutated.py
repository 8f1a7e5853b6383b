"""Files of every kind that is read, changed at random or made to unpack to far more; run in a process of its own.

`python -m tests.data.mutated KIND COUNT SEED FOLDER` prints, as JSON, how many were read and how many refused, what was
neither, and the memory (bytes) that reading the true file took and that all the others took at most.
"""

import gzip
import io
import json
import sys
import tarfile
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path

import nibabel
import numpy as np

from lib.core.errors import InputError
from lib.data.formats import read_idx, read_npy, read_npz
from lib.data.sources import cifar
from lib.data.volumes.nifti import load_image
from pate_accountant.votes_file import read_votes

SIDE = 100  # of a volume, and of what else is as large
VALUES = SIDE**3
BOMB = 100  # so many times the true content


def _npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _nifti(array: np.ndarray) -> bytes:
    return gzip.compress(nibabel.Nifti1Image(array, np.eye(4)).to_bytes(), 1)


def _npz(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("a.npy", content)
    return stream.getvalue()


def _idx(array: np.ndarray) -> bytes:
    return b"\0\0\x08" + bytes([array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


def _tar(content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as tar:
        member = tarfile.TarInfo("cifar-10-batches-py/data_batch_1")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def _csv(array: np.ndarray) -> bytes:
    return "".join(f"{','.join(map(str, row))}\n" for row in array).encode()


_SMALL = np.random.default_rng(0).integers(0, 9, (SIDE, SIDE, SIDE)).astype(np.uint8)
_LARGE = np.zeros((BOMB * SIDE, SIDE, SIDE), np.uint8)
_VOTES = np.random.default_rng(0).multinomial(250, np.full(10, 0.1), 5000)

# name of the file, what it holds, the same packed, a small file that unpacks to BOMB times as much, and its reader
KINDS: dict[str, tuple[str, bytes, Callable[[bytes], bytes], Callable[[], bytes], Callable[[Path], object]]] = {
    "nifti": (
        "volume.nii.gz",
        nibabel.Nifti1Image(_SMALL, np.eye(4)).to_bytes(),
        lambda content: gzip.compress(content, 1),
        lambda: _nifti(_LARGE),
        lambda path: load_image(path, 2 * VALUES),
    ),
    "npy": ("a.npy", _npy(_SMALL), bytes, lambda: _npy(_LARGE[:SIDE])[:128], lambda path: read_npy(path, VALUES)),
    "npz": ("a.npz", _npy(_SMALL), _npz, lambda: _npz(_npy(_LARGE)), lambda path: read_npz(path, ("a",), VALUES)),
    "idx": (
        "a-idx3-ubyte.gz",
        _idx(_SMALL),
        lambda content: gzip.compress(content, 1),
        lambda: gzip.compress(_idx(_LARGE), 1),
        lambda path: read_idx(path, VALUES),
    ),
    "tar": (
        "cifar-10-python.tar.gz",
        bytes(VALUES),
        _tar,
        lambda: _tar(_LARGE.tobytes()),
        lambda path: cifar.read([path], 10),
    ),
    "csv": ("votes.csv", _csv(_VOTES), bytes, lambda: b"0," * 20_000, lambda path: read_votes(path, "histograms")),
}


def changed(content: bytes, pack: Callable[[bytes], bytes], rng: np.random.Generator) -> bytes:
    """The file with bytes replaced, removed or said twice, before it was packed or after; half of it in the header."""
    packed = rng.random() < 0.3
    text = bytearray(pack(content) if packed else content)
    for _ in range(int(rng.integers(1, 9))):
        place = int(rng.integers(min(len(text), 360) if rng.random() < 0.5 else len(text)))
        kind = rng.random()
        if kind < 0.7:
            text[place] = int(rng.choice([0, 10, 255, rng.integers(256)]))
        elif kind < 0.8:
            del text[place : place + int(rng.integers(1, 100))]
        elif kind < 0.9:
            text[place:place] = text[place : place + int(rng.integers(1, 100))]
        else:
            del text[place:]
        text = text or bytearray(b"\0")
    return bytes(text) if packed else pack(bytes(text))


def _memory(what: str) -> int:
    """Bytes of memory now (VmRSS), or the most since they were last forgotten (VmHWM)."""
    (line,) = (line for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines() if what in line)
    return 1024 * int(line.split()[1])


def main(kind: str, count: int, seed: int, folder: Path) -> dict:
    """Read the true file, the one that unpacks to more, and `count` changed ones."""
    name, content, pack, bomb, read = KINDS[kind]
    rng, path = np.random.default_rng(seed), folder / name
    made: dict = {"read": 0, "refused": 0, "wrong": []}

    def tried(text: bytes) -> int:
        """What reading took beside what was there."""
        path.write_bytes(text)
        before = _memory("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the most is counted anew
        try:
            read(path)
            made["read"] += 1
        except InputError as error:
            made["refused"] += 1
            if "\n" in str(error) or name not in str(error):
                made["wrong"].append(str(error))
        except BaseException:
            made["wrong"].append(traceback.format_exc())
        return _memory("VmHWM") - before

    tried(pack(content))  # imports what it needs
    made |= {"read": 0, "refused": 0}
    made["true"] = tried(pack(content))
    refused = made["refused"]
    made["true_is"] = "refused" if refused else "read"
    made["most"] = tried(bomb())
    made["bomb"] = "refused" if made["refused"] > refused else "read"
    for _ in range(count):
        made["most"] = max(made["most"], tried(changed(content, pack, rng)))
    return made


if __name__ == "__main__":
    _, kind, count, seed, folder = sys.argv
    print(json.dumps(main(kind, int(count), int(seed), Path(folder))))

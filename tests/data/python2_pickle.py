"""CIFAR's batches as Python 2 wrote them (protocol 2), which Python 3's pickle cannot write."""

import struct

import numpy as np


def text(value: bytes) -> bytes:
    return b"U" + bytes([len(value)]) + value


def whole(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def array(value: np.ndarray) -> bytes:
    """A pickled array of unsigned bytes."""
    made = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n" + whole(0) + b"\x85" + text(b"b") + b"\x87R"
    kind = b"cnumpy\ndtype\n" + text(b"u1") + whole(0) + whole(1) + b"\x87R"
    kind += b"(" + whole(3) + text(b"|") + b"NNN" + whole(-1) + whole(-1) + whole(0) + b"tb"
    shape = whole(value.shape[0]) + whole(value.shape[1]) + b"\x86"
    content = value.astype(np.uint8).tobytes()
    return made + b"(" + whole(1) + shape + kind + b"\x89T" + struct.pack("<i", len(content)) + content + b"tb"


def batch(x: np.ndarray, y: np.ndarray, label: bytes) -> bytes:
    """A batch of images (n, 32, 32, 3) uint8 and labels (n,)."""
    planes = array(x.transpose(0, 3, 1, 2).reshape(len(x), -1))
    labels = b"](" + b"".join(whole(int(value)) for value in y) + b"e"
    entries = text(b"batch_label") + text(b"of a test") + text(label) + labels + text(b"data") + planes
    return b"\x80\x02}(" + entries + b"u."

"""USPS digits: the 11,000 images that the authors of DP-MAC used, from the `.mat` file they publish or as an `.npz`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.io

from lib.core.errors import InputError
from lib.core.files import reading
from lib.data.formats import check_array, check_range, read_npz
from lib.data.spec import DatasetSpec


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """X (11000, 16, 16) uint8, 0 to 255; y (11000,) int64, 0 to 9.

    `files` is one `.npz` with x and y, or one `.mat` with `data` (256, 1100, 10), an image a column, by class.
    Raises InputError, naming the file, if it holds something else.
    """
    (path,) = files
    arrays = _read_mat(path) if path.suffix == ".mat" else read_npz(path, ("x", "y"))
    check_array(path, arrays["x"], kinds="u", shape=(None, 16, 16))
    check_array(path, arrays["y"], kinds="ui", shape=(None,))
    check_range(path, arrays["x"], 0, 255)
    check_range(path, arrays["y"], 0, 9)
    if len(arrays["x"]) != len(arrays["y"]):
        raise InputError(f"{path}: {len(arrays['y'])} labels for {len(arrays['x'])} images")
    return {"x": arrays["x"].astype(np.uint8), "y": arrays["y"].astype(np.int64)}


def _read_mat(path: Path) -> dict[str, np.ndarray]:
    with reading(path, ".mat"), open(path, "rb") as stream:
        try:
            data = scipy.io.loadmat(stream).get("data")
        except scipy.io.matlab.MatReadError as error:
            raise ValueError(error) from error
    if data is None:
        raise InputError(f"{path}: lacks the array data")
    check_array(path, data, kinds="u", shape=(256, None, 10))
    # columns of pixels, as MATLAB stores images; the classes are 1 to 9, then 0
    x = data.transpose(2, 1, 0).reshape(-1, 16, 16).transpose(0, 2, 1)
    return {"x": np.ascontiguousarray(x), "y": np.repeat(np.arange(1, 11) % 10, data.shape[1])}


DATASETS = {
    "usps": DatasetSpec(
        title="USPS handwritten digits, the set of 11,000",
        samples="11,000 images of 16 x 16, 10 classes of 1,100",
        fingerprint="08e9645b259a3ef7ca14d7b260dcfed499cd8919ac73854a504005142c46a33f",
        licence="none stated (distributed for research by S. Roweis)",
        homepage="https://cs.nyu.edu/~roweis/data.html",
        obtain="take data/usps/usps_all.mat of mijungi/dp_mac on GitHub",
        sources=("data_root",),
        read=read,
        layouts=(("usps_all.npz",), ("usps_all.mat",)),
        unordered=(("x", "y"),),
    )
}

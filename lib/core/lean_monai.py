"""Import what the project uses of MONAI, without the packages that MONAI only looks for.

`import monai` loads all of it, and with it torchvision, matplotlib and others where they are there; the first starts
PyTorch's compiler. None is used by anything below. Of 2.6 s of processor time after PyTorch's own, 0.7 are left.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "DiceCELoss",
    "DynUNet",
    "NormalizeIntensity",
    "OneOf",
    "RandAffine",
    "RandAxisFlip",
    "RandFlip",
    "RandRotate90",
    "Resize",
    "ResizeWithPadOrCrop",
    "Rotate90",
    "compute_hausdorff_distance",
    "sliding_window_inference",
]


@contextmanager
def _absent(*names: str) -> Iterator[None]:
    """Nothing finds these packages meanwhile; those that are loaded already stay as they are."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: Python's sign that there is no such module
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


with _absent("torchvision", "matplotlib", "sklearn", "scipy.signal"):
    from monai.inferers import sliding_window_inference
    from monai.losses import DiceCELoss
    from monai.metrics import compute_hausdorff_distance
    from monai.networks.nets import DynUNet
    from monai.transforms import (
        NormalizeIntensity,
        OneOf,
        RandAffine,
        RandAxisFlip,
        RandFlip,
        RandRotate90,
        Resize,
        ResizeWithPadOrCrop,
        Rotate90,
    )

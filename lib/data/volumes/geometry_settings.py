"""Shape of prepared volumes: settings without PyTorch, which takes long to import."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge

from lib.core.errors import InputError
from lib.core.keywords import ABSENT, Sides


@dataclass(frozen=True)
class GeometrySettings:
    """How volumes become of one shape."""

    shape: Annotated[Sides, "Voxels along each axis."]
    crop: Annotated[Sides | None, "Voxels to cut or pad to about the middle before anything else; null: none."] = None
    label_mode: Annotated[Literal["nearest", "majority"], "What a label becomes where voxels are merged."] = "nearest"
    shift: Annotated[int, Ge(0), "Seed of each volume's place in its box of `crop` voxels; else the middle."] = ABSENT

    def __post_init__(self) -> None:
        """Check that there is room to shift volumes in."""
        if self.shift is not None and self.crop is None:
            raise InputError("shift: needs crop, the box in which volumes are shifted")

"""An autoencoder of masks whatever their shape: settings without PyTorch, which takes long to import."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Len

from lib.core.keywords import WHOLE, Count, Counts


@dataclass(frozen=True, kw_only=True)
class AutoencoderForm:
    """An autoencoder with a bounded code, of whole volumes or (Fay et al. 2022, Section 3) slices."""

    latent_dim: Annotated[Count, "Numbers in the code of a volume or slice."]
    bound: Annotated[Literal["ball", "clip"], "ball: Fay et al. 2020; clip, to norm 1: 2022, eq. 15."] = "clip"
    dimensions: Annotated[Literal[2, 3], WHOLE, "2: slices along the third axis; 3: volumes."] = 3
    widths: Annotated[Counts, Len(1), "Channels at each resolution."] = (8, 16, 32)

"""Errors of reconstructed masks over noise, as rows of a table: of any encoder, without what builds one."""

from collections.abc import Callable, Mapping

import numpy as np

from lib.encoders.encoder import Encoder
from lib.encoders.reconstruction import Reconstruction, errors_over_noise
from lib.segmentation.job import SegmentationJob

# what a sigma means: noise on each number of a code whatever its unit, as the paper's figure seems to have it; or in
# units of the bound on the code, which is what privacy costs
READINGS: dict[str, Callable[[Encoder], float]] = {"each number": lambda encoder: 1.0, "bound": lambda it: it.radius}


def error_rows(
    job: SegmentationJob,
    name: str,
    reconstruction: Reconstruction,
    masks: np.ndarray,
    readings: Mapping[str, Mapping[float, float]],
) -> list[dict]:
    """Mean errors over masks; readings: for each, what is applied for each sigma."""
    rows = []
    for reading, sigmas in readings.items():
        found = errors_over_noise(reconstruction, masks, list(sigmas.values()), job.seed, job.job)
        for place, (sigma, applied) in enumerate(sigmas.items()):
            row = {"encoder": name, "reading": reading, "sigma": sigma, "applied": applied}
            rows.append(row | {measure: float(values[place].mean()) for measure, values in found.items()})
    return rows

"""The private W-step: a layer's coefficients, clipped sample by sample, summed, and released with Gaussian noise.

Neighbouring relation: add or remove one record, with the constant normaliser 1/(2B), B the expected batch size; with
the size of the batch that was drawn, the normaliser would change with the neighbour. One sample then moves a
coefficient by no more than T/(2B). The coefficients of all layers are one vector: divided by sqrt(M) T/(2B) each, M
blocks in all, its sensitivity is 1 (Section 2.3), so noise of sigma sqrt(M) T/(2B) on every number is one Gaussian
mechanism with multiplier sigma.

Sums over a batch are of single precision. By their rounding one sample may move a coefficient by more: by about 1e-8 of
T/(2B) for each sample of the batch, 2e-5 with 2,000, and so the sensitivity may be more by that part.
"""

import math

import numpy as np
import torch

from lib.dp_mac.accounting import SCALINGS
from lib.dp_mac.expansion import PerSample, Polynomial
from lib.training.clipping_slack import SLACK


def blocks(layers: int, coefficients: int, scaling: str = "blocks") -> int:
    """M under the root: all blocks, or (`layers`, as the paper prints it) layers only; see `accounting.MacRun`."""
    if scaling not in SCALINGS:
        raise ValueError(f"scaling {scaling!r}: allowed are {', '.join(SCALINGS)}")
    return layers * coefficients if scaling == "blocks" else layers


def noise_deviation(threshold: torch.Tensor, sigma: torch.Tensor, count: int, batch: float) -> torch.Tensor:
    """Return the deviation of the noise on every number of a block, (R,): sigma sqrt(count) threshold / (2 batch)."""
    return sigma * math.sqrt(count) * threshold / (2 * batch)


def clip_factors(norms: torch.Tensor, threshold: torch.Tensor) -> torch.Tensor:
    """Return the factors (R, b) that bring the norm of each sample's coefficient to at most the threshold (R,).

    Divided in the norms' precision, and rounded to the threshold's, which the slack exceeds by far, but where a factor
    has fewer digits than others (it is subnormal): there it is 0.
    """
    factors = ((1 - SLACK) * threshold[:, None] / norms).clamp(max=1.0).to(threshold)
    return factors * (factors >= torch.finfo(factors.dtype).tiny)


def exact(samples: PerSample, present: torch.Tensor, batch: float) -> Polynomial:
    """Return the polynomial as it is, neither clipped nor noised; present (R, b): 1 for samples that count, else 0."""
    kinds = ("constant", "linear") if samples.quadratic is None else ("constant", "linear", "quadratic")
    return Polynomial(**{kind: samples.total(kind, present) / (2 * batch) for kind in kinds})


def release(
    samples: PerSample,
    thresholds: dict[str, torch.Tensor],
    present: torch.Tensor,
    sigma: torch.Tensor,
    count: int,
    batch: float,
    generators: list[np.random.Generator],
) -> Polynomial:
    """Return a layer's noisy polynomial, of the coefficients that `thresholds` names; no other leaves this function.

    thresholds: (R,) for each of `linear`, and `quadratic`, `constant` where they are released, T_b, T_C and T_a.
    present (R, b): 1 for samples in the batch, 0 for what pads it. sigma: (R,). count: blocks released in the whole
    step (see `blocks`). batch: the expected size B, whatever size was drawn. generators: one for each of the R runs.
    """
    released = {}
    for kind, threshold in thresholds.items():
        clipped = samples.total(kind, present * clip_factors(samples.norm(kind), threshold)) / (2 * batch)
        deviation = noise_deviation(threshold, sigma, count, batch)
        released[kind] = clipped + deviation.view(-1, *[1] * (clipped.ndim - 1)) * _noise(clipped, generators)
    return Polynomial(**released)


def _noise(like: torch.Tensor, generators: list[np.random.Generator]) -> torch.Tensor:
    """Return standard normal numbers; each run's are its own generator's, on whatever device they are used."""
    drawn = np.stack([rng.standard_normal(like.shape[1:], dtype=np.float32) for rng in generators])
    return torch.from_numpy(drawn).to(like)

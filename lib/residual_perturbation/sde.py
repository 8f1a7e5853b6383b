"""Images carried forward and back by the paper's differential equations (Section II, Figures 1 and 8).

The paper writes the noise of a step as N(0, sqrt(dt) I) (eqs. (4) and (5)); a Brownian motion's increment has the
variance dt, so that sqrt(dt) is its standard deviation.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.ndimage import uniform_filter

from lib.core.errors import InputError

Field = Callable[[np.ndarray], np.ndarray]
# what the noise of a step is multiplied by, besides its coefficient: eq. (3), and eq. (7)
STRATEGIES = {"additive": lambda image: 1.0, "multiplicative": lambda image: image}
# how an image is recovered from noisy features: with new noise, without it, and blurred besides
RECOVERIES = ("printed", "noiseless", "blurred")


def velocity_field(rows: int, columns: int) -> Field:
    """Return the paper's F (Algorithm 1) for images (rows, columns, ...): each pixel is that of another place.

    It is linear and depends on time no more than on weights, but is no permutation: some pixels are read several times
    and many never. Raises InputError for an image without pixels.
    """
    if rows < 1 or columns < 1:
        raise InputError(f"image of {rows} x {columns}: it must have at least one pixel")
    i, j = np.mgrid[:rows, :columns]
    # int() of a number that is not negative rounds down
    across = ((j + 50.0 * np.cos(2 * math.pi * i / 180)) % columns).astype(int)
    down = ((i + 50.0 * np.sin(2 * math.pi * i / 180)) % rows).astype(int)
    source = (i + across) % rows * columns + (j + down) % columns

    def field(image: np.ndarray) -> np.ndarray:
        return image.reshape(rows * columns, *image.shape[2:]).take(source, axis=0)

    return field


def forward(
    image: np.ndarray,
    field: Field,
    steps: int,
    step: float,
    strategy: str = "additive",
    noise: float = 0.0,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """Return an image's features: `steps` Euler-Maruyama steps of length `step` (eq. (4)); an ODE where noise is 0.

    image: floating-point, of the shape that `field` takes. noise: gamma, of a Brownian motion for every number of the
    image; with the strategy `multiplicative` it is multiplied by the number (eq. (7)).
    Raises InputError for an unknown strategy, no steps, a step or noise out of range, and noise without a generator.
    """
    return _propagate(image, field, steps, step, strategy, noise, rng, 1)


def backward(
    features: np.ndarray,
    field: Field,
    steps: int,
    step: float,
    strategy: str = "additive",
    noise: float = 0.0,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """Return the image recovered from features by stepping back (eq. (5)); arguments and errors as `forward`.

    The paper's step back adds noise anew. Whoever inverts features need not: noise 0 steps back along the ODE.
    """
    return _propagate(features, field, steps, step, strategy, noise, rng, -1)


def _propagate(
    image: np.ndarray,
    field: Field,
    steps: int,
    step: float,
    strategy: str,
    noise: float,
    rng: np.random.Generator | None,
    direction: int,
) -> np.ndarray:
    if strategy not in STRATEGIES:
        raise InputError(f"strategy {strategy!r}: allowed are {', '.join(STRATEGIES)}")
    if steps < 1 or not (math.isfinite(step) and step > 0):
        raise InputError(f"{steps} steps of {step}: at least one, of positive and finite length")
    if not (math.isfinite(noise) and noise >= 0):
        raise InputError(f"noise {noise}: it must be finite and at least 0")
    if noise and rng is None:
        raise InputError(f"noise {noise} without a generator")
    for _ in range(steps):
        moved = image + direction * step * field(image)
        if noise and rng is not None:
            moved += noise * math.sqrt(step) * STRATEGIES[strategy](image) * rng.standard_normal(image.shape)
        image = moved
    return image


def through_ode(image: np.ndarray, field: Field, settings: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Features without noise, and the image recovered from them.

    settings: steps, and time, which they take together. Arguments and errors as `forward`.
    """
    taken = {"field": field, "steps": settings["steps"], "step": settings["time"] / settings["steps"]}
    features = forward(image, **taken)
    return features, backward(features, **taken)


def through_sde(
    image: np.ndarray, field: Field, settings: Mapping[str, Any], strategy: str, rng: np.random.Generator
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Features with noise, and the image recovered from them in each of RECOVERIES.

    settings: steps and time as for `through_ode`, noise, and blur, a radius in pixels. Errors as `forward`.
    """
    taken = {"field": field, "steps": settings["steps"], "step": settings["time"] / settings["steps"]}
    noisy = taken | {"strategy": strategy, "noise": settings["noise"], "rng": rng}
    features = forward(image, **noisy)
    noiseless = backward(features, **taken)
    recovered = (backward(features, **noisy), noiseless, blurred(noiseless, settings["blur"]))
    return features, dict(zip(RECOVERIES, recovered, strict=True))


def blurred(image: np.ndarray, radius: int) -> np.ndarray:
    """Means over squares that reach `radius` pixels to every side, edges mirrored; image (rows, columns, channels).

    The noise of Strategies I and II is drawn for every pixel, a picture's shades are not: the plainest of denoisers.
    Raises InputError for a negative radius.
    """
    if radius < 0:
        raise InputError(f"blur of {radius} pixels: it must be at least 0")
    return uniform_filter(image, (2 * radius + 1, 2 * radius + 1, 1))


def relative_error(recovered: np.ndarray, image: np.ndarray) -> float:
    """L2 norm of what was recovered wrongly, over the image's own."""
    return float(np.linalg.norm(recovered - image) / np.linalg.norm(image))


def uniform_error(image: np.ndarray) -> float:
    """`relative_error` of a uniform image of the same mean, which shows nothing."""
    return relative_error(np.full_like(image, image.mean()), image)


def correlation(recovered: np.ndarray, image: np.ndarray) -> float:
    """Pearson's correlation over all numbers of two images."""
    return float(np.corrcoef(recovered.ravel(), image.ravel())[0, 1])

"""Residual perturbation: noise that a residual network adds to itself, in training and in test.

Tao et al., Section II-B. Strategy I, eq. (6): x^{i+1} = x^i + F(x^i) + gamma n^i, on an input with noise of deviation
pi. Strategy II, eq. (8): x^{i+1} = x^i + F(x^i) + gamma x^i n^i, element by element. The paper's privacy claims for
either do not hold up as stated; nothing here is a mechanism with an epsilon.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from lib.core.errors import InputError
from lib.models.resnet8 import FEATURES, INPUT, STEM, SUMS, Perturb

STRATEGIES = ("additive", "multiplicative")
SCALINGS = ("unscaled", "std")
STARTS = {"image": INPUT, "stem": STEM}


@dataclass(frozen=True)
class NoiseForm:
    """How noise enters a network; how strong it is, gamma and pi, is given apart.

    strategy: `additive` (I): gamma n on every residual sum, pi n on x^0. `multiplicative` (II): gamma x n, x what
    the block carries past its convolutions (where the shape changes, its projection), and pi x n on the features that
    the last layer sees (Section III-B; the text gives no value). scaling, of the additive noise only: `unscaled`, eq.
    (6); or `std`, times the standard deviation of all numbers of the batch at that place, as the public code of the
    paper's reference 49 has it: then gamma has no unit, and a sample's noise depends on its batch. start, of the
    additive noise only: what x^0 is, the `image`, as eq. (6) has it, whose network is residual mappings alone; or the
    features of the `stem`, the convolution before them, which the first residual mapping of this network is given.
    Weights of a stem may outgrow noise on its features, and none outgrow noise on pixels. floor: eta of Theorem 2, x is
    taken as sgn(x) max(|x|, eta), with sgn(0) = 1, or else there would be no noise at 0. Eq. (8) has none. Raises
    InputError for what is not allowed.
    """

    strategy: str = "additive"
    scaling: str = "unscaled"
    start: str = "image"
    floor: float = 0.0

    def __post_init__(self) -> None:
        """Check names and the floor."""
        for what, allowed in (("strategy", STRATEGIES), ("scaling", SCALINGS), ("start", STARTS)):
            if getattr(self, what) not in allowed:
                raise InputError(f"{what} {getattr(self, what)!r}: allowed are {', '.join(allowed)}")
        if self.strategy == "multiplicative" and self.scaling != "unscaled":
            raise InputError(f"scaling {self.scaling!r}: multiplicative noise is scaled by what it multiplies")
        if self.strategy == "multiplicative" and self.start != "image":
            raise InputError(f"start {self.start!r}: multiplicative noise has none, its pi is at the end")
        if not 0 <= self.floor < float("inf") or (self.floor and self.strategy == "additive"):
            raise InputError(f"floor {self.floor}: allowed are finite numbers of at least 0; for additive noise 0")

    def pi(self, gamma: float) -> float:
        """The paper's pi for this gamma: half of it in Strategy I (Section IV-A), none stated in Strategy II."""
        return gamma / 2 if self.strategy == "additive" else 0.0

    def sites(self, gamma: bool, pi: bool) -> list[int]:
        """Where noise is drawn, given whether there is any of strength gamma, and of pi."""
        return sorted([self._end] * pi + SUMS * gamma)

    @property
    def _end(self) -> int:
        """Where noise of strength pi is."""
        return STARTS[self.start] if self.strategy == "additive" else FEATURES

    def perturb(self, normals: Mapping[int, Tensor], gamma: Tensor, pi: Tensor) -> Perturb:
        """What to give a network: `normals` are standard normal draws for the sites that have noise."""

        def perturbed(site: int, carried: Tensor, value: Tensor) -> Tensor:
            if site not in normals:
                return value
            noise = (pi if site == self._end else gamma) * normals[site]
            if self.strategy == "multiplicative":
                return value + self._floored(carried) * noise
            return value + (noise if self.scaling == "unscaled" else value.std() * noise)

        return perturbed

    def _floored(self, x: Tensor) -> Tensor:
        if not self.floor:
            return x
        return torch.where(x < 0, -1.0, 1.0) * x.abs().clamp(min=self.floor)

"""Residual perturbation: noise that a residual network adds to itself, in training and in test.

Tao et al., Section II-B. Strategy I, eq. (6): x^{i+1} = x^i + F(x^i) + gamma n^i, on an input with noise of deviation
pi. Strategy II, eq. (8): x^{i+1} = x^i + F(x^i) + gamma x^i n^i, element by element. The paper's privacy claims for
either do not hold up as stated; nothing here is a mechanism with an epsilon.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from lib.models.resnet8 import FEATURES, INPUT, STEM, SUMS, Perturb
from lib.residual_perturbation.residual_recipe import NoiseSettings

STARTS = {"image": INPUT, "stem": STEM}


class NoiseForm(NoiseSettings):
    """How noise enters a network; how strong it is, gamma and pi, is given apart.

    strategy: `additive` (I): gamma n on every residual sum, pi n on x^0. `multiplicative` (II): gamma x n, x what
    the block carries past its convolutions (where the shape changes, its projection), and pi x n on the features that
    the last layer sees (Section III-B; the text gives no value). scaling, of the additive noise only: `unscaled`, eq.
    (6); or `std`, times the standard deviation of all numbers of the batch at that place, as the public code of the
    paper's reference 49 has it: then gamma has no unit, and a sample's noise depends on its batch. start, of the
    additive noise only: what x^0 is, the `image`, as eq. (6) has it, whose network is residual mappings alone; or the
    features of the `stem`, the convolution before them, which the first residual mapping of this network is given.
    Weights of a stem may outgrow noise on its features, and none outgrow noise on pixels. floor: eta of Theorem 2, x is
    taken as sgn(x) max(|x|, eta), with sgn(0) = 1, or else there would be no noise at 0. Eq. (8) has none.
    """

    def pi(self, gamma: float) -> float:
        """Noise pi for this gamma; in the paper half of it in Strategy I (Section IV-A), none stated in Strategy II."""
        if self.pi_share is not None:
            return self.pi_share * gamma
        return gamma / 2 if self.strategy == "additive" else 0.0

    def sites(self, gamma: bool, pi: bool) -> list[int]:
        """Where noise is drawn, given whether there is any of strength gamma, and of pi."""
        return sorted([self._end] * pi + SUMS * gamma)

    @property
    def _end(self) -> int:
        """Where noise of strength pi is."""
        return STARTS[self.start] if self.strategy == "additive" else FEATURES

    def perturb(self, normals: Mapping[int, Tensor], gamma: Tensor, pi: Tensor) -> Perturb:
        """Return the perturbation that a network receives. normals: standard normal, for the sites that have noise."""

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

"""Per-sample coefficients of a layer's expansion, and the polynomial in the weights that their sum makes (eq. (4)).

T_n is expanded at the current weights w: T_n + (v - w)^T dT + (v - w)^T d2T (v - w) / 2 in v, with dT = T'(u) z and
d2T = T''(u) z z^T for each unit. Sorted by powers of v, one sample contributes

    constant (a):   T_n - w^T dT [+ w^T d2T w / 2]  =  sum_h T - T' u [+ T'' u^2 / 2]
    linear (b):     dT [- d2T w]                    =  (T' [- T'' u]) z, a column for each unit
    quadratic (C):  [d2T / 2]                       =  (T'' / 2) z z^T, a matrix for each unit

the brackets in the second order only. All are outer products with the layer's input z: norms and clipped sums need no
per-sample matrix.
"""

from dataclasses import dataclass

import torch

from lib.dp_mac.objectives import Objective


@dataclass(frozen=True)
class PerSample:
    """Coefficients of b samples in each of R networks, without the factor 1/(2N).

    inputs: z (R, b, in). constant: (R, b). linear: (R, b, out), to be multiplied by z. quadratic: (R, b, out), to be
    multiplied by z z^T, or None in the first order.
    """

    inputs: torch.Tensor
    constant: torch.Tensor
    linear: torch.Tensor
    quadratic: torch.Tensor | None

    def norm(self, kind: str) -> torch.Tensor:
        """Norm of each sample's coefficient, (R, b): Frobenius over the whole layer, or the constant's magnitude.

        Computed in double precision: in single, squares vanish or overflow, and what has a norm of 0 is not clipped.
        """
        if kind == "constant":
            return self.constant.abs()
        values, power = (self.linear, 1) if kind == "linear" else (self.quadratic, 2)
        assert values is not None
        return values.double().norm(dim=-1) * self.inputs.double().norm(dim=-1) ** power

    def total(self, kind: str, weighting: torch.Tensor) -> torch.Tensor:
        """Sum over samples, each times its weighting (R, b): (R,), (R, in, out) or (R, out, in, in)."""
        if kind == "constant":
            return (self.constant * weighting).sum(-1)
        if kind == "linear":
            return torch.bmm(self.inputs.mT, self.linear * weighting[..., None])
        assert self.quadratic is not None
        factors = self.quadratic * weighting[..., None]
        runs, samples, units = factors.shape
        width = self.inputs.shape[-1]
        scaled = (factors[..., None] * self.inputs[:, :, None]).view(runs, samples, units * width)
        return torch.bmm(scaled.mT, self.inputs).view(runs, units, width, width)


def per_sample(
    objective: Objective, weight: torch.Tensor, inputs: torch.Tensor, target: torch.Tensor, order: int
) -> PerSample:
    """Coefficients of the expansion of `order` 1 or 2 at `weight` (R, in, out).

    inputs: (R, b, in), with the bias's 1; target: (R, b, out).
    """
    u = torch.bmm(inputs, weight)
    value, first = objective.value(u, target), objective.first(u, target)
    if order == 1:
        return PerSample(inputs, (value - first * u).sum(-1), first, None)
    second = objective.second(u, target)
    constant = (value - first * u + 0.5 * second * u**2).sum(-1)
    return PerSample(inputs, constant, first - second * u, 0.5 * second)


@dataclass(frozen=True)
class Polynomial:
    """a + sum_h w_h^T b_h + sum_h w_h^T C_h w_h in the weights w (R, in, out) (eq. (5)).

    linear: b (R, in, out). quadratic: C (R, out, in, in), or None. constant: a (R,), or None where it was not
    released: no gradient needs it.
    """

    linear: torch.Tensor
    quadratic: torch.Tensor | None = None
    constant: torch.Tensor | None = None

    def gradient(self, weight: torch.Tensor) -> torch.Tensor:
        """b + (C + C^T) w, (R, in, out). Noise makes C asymmetric; only its symmetric part has an effect."""
        if self.quadratic is None:
            return self.linear
        columns = weight.mT[..., None]  # (R, out, in, 1)
        product = (self.quadratic @ columns + self.quadratic.mT @ columns).squeeze(-1)
        return self.linear + product.mT

    def value(self, weight: torch.Tensor) -> torch.Tensor:
        """Return the polynomial at `weight`, (R,), without the constant where there is none."""
        total = (self.linear * weight).sum((1, 2))
        if self.quadratic is not None:
            columns = weight.mT[..., None]
            total = total + (columns * (self.quadratic @ columns)).sum((1, 2, 3))
        return total if self.constant is None else total + self.constant

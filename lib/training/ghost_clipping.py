"""Ghost clipping with Opacus: per-sample gradients of linear layers are clipped and summed, and never laid out.

A sample's gradient of a layer's weights is the outer product of what reaches the layer's output on the way back, b, and
its input, a, so its norm is |b| |a|, and the clipped sum one matrix product (Goodfellow 2015, arXiv:1510.01799).
"""

import torch
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from torch import nn


class GhostClipping(GradSampleModuleFastGradientClipping):
    """A module all of whose parameters are those of `nn.Linear` on inputs (b, features), each used once in a pass.

    Norms, factors and sums are in double precision, where no product of numbers in single precision overflows or
    vanishes: Opacus's own norm is 0 where b^2 vanishes, however large a, and then the sample is not clipped. The sum is
    of the same b and a as the norms: Opacus's second pass backwards, of rescaled losses, rounds anew, which can be all
    there is of a gradient, and then exceeds the clip.
    """

    def __init__(self, module: nn.Module, clip: float) -> None:
        """clip: the largest norm of a sample's gradient over all layers."""
        super().__init__(module, loss_reduction="sum", max_grad_norm=clip)
        self.NORM_SAMPLERS = {nn.Linear: self._norms}
        # a and b of every layer, of the pass under way
        self._pieces: dict[nn.Linear, tuple[torch.Tensor, torch.Tensor]] = {}

    def _norms(
        self, layer: nn.Linear, activations: list[torch.Tensor], backprops: torch.Tensor
    ) -> dict[torch.Tensor, torch.Tensor]:
        """Norm (b,) of every sample's gradient of each parameter."""
        a, b = self._pieces[layer] = activations[0].double(), backprops.double()
        norm = b.norm(dim=1)
        norms = {layer.weight: norm * a.norm(dim=1)}
        return norms if layer.bias is None else {**norms, layer.bias: norm}

    def get_clipping_coef(self) -> torch.Tensor:
        """Return each sample's factor, (b,), for its gradient.

        Opacus adds 1e-6 to the norm, a lot for a small clip; here nothing is added.
        """
        return (self.max_grad_norm / self.get_norm_sample()).clamp(max=1.0)

    def backward(self, loss: torch.Tensor, x: torch.Tensor) -> None:
        """Set every parameter's `grad` to the sum of the samples' clipped gradients.

        loss: the sum of the samples' losses, no two of which may share anything but parameters. x: the batch that the
        module was given, which must require a gradient. A sample whose gradient is not finite makes the sum NaN.
        """
        torch.autograd.grad(loss, x)  # the hooks on its way fill _pieces; parameters' gradients are not needed
        factors = self.get_clipping_coef()[:, None]
        for layer, (a, b) in self._pieces.items():
            clipped = factors * b
            layer.weight.grad = (clipped.T @ a).to(layer.weight)
            if layer.bias is not None:
                layer.bias.grad = clipped.sum(0).to(layer.bias)
        self._pieces.clear()

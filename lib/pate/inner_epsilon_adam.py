"""Adam with its epsilon below the root, as in the code of Salimans et al. (2016)."""

from collections.abc import Iterable

import torch
from torch import Tensor


class InnerEpsilonAdam(torch.optim.Optimizer):
    """p <- p - rate * m / sqrt(v + epsilon), with m and v corrected for their start at zero.

    torch.optim.Adam divides by sqrt(v) + epsilon. With epsilon 1e-8 in both, gradients below 1e-4 move a weight by less
    and less here, and by the whole rate there; so a GAN whose classifier has won for the moment goes on growing there.
    Source: openai/improved-gan, nn.py, `adam_updates`. The state has the names of torch.optim.Adam's.
    """

    def __init__(
        self, parameters: Iterable[Tensor], lr: float, betas: tuple[float, float], epsilon: float = 1e-8
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "epsilon": epsilon})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]  # no closure, which torch's own takes for other optimizers
        """One step of all parameters, each of which must have a gradient."""
        for group in self.param_groups:
            parameters = group["params"]
            states = [self.state[parameter] for parameter in parameters]
            for parameter, state in zip(parameters, states, strict=True):
                if not state:
                    # the number of steps stays in main memory, where reading it waits for no device
                    state["step"] = torch.tensor(0.0)
                    state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
                state["step"] += 1
            beta1, beta2 = group["betas"]
            done = float(states[0]["step"])
            first, second = 1 - beta1**done, 1 - beta2**done
            gradients = [parameter.grad for parameter in parameters]
            means = [state["exp_avg"] for state in states]
            squares = [state["exp_avg_sq"] for state in states]
            torch._foreach_lerp_(means, gradients, 1 - beta1)
            torch._foreach_mul_(squares, beta2)
            torch._foreach_addcmul_(squares, gradients, gradients, 1 - beta2)
            roots = torch._foreach_add(squares, second * group["epsilon"])
            torch._foreach_sqrt_(roots)
            torch._foreach_addcdiv_(parameters, means, roots, -group["lr"] * second**0.5 / first)

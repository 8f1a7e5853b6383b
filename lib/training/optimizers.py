"""PyTorch's optimizers without its compiler: they import it, for more than a second, only to be left alone by it."""

import functools
import inspect
from collections.abc import Callable

import torch
from torch.optim import SGD, Adam, Optimizer


@functools.cache
def spare_compiler() -> None:
    """Let SGD and Adam of this process compute as before, and import nothing for it.

    Nothing here is compiled. Where another version of PyTorch keeps these things elsewhere, it imports the compiler.
    """
    for method in (Optimizer.add_param_group, Optimizer.load_state_dict, Optimizer.state_dict, Optimizer.zero_grad):
        plain = inspect.unwrap(method)
        plain.__dynamo_disable = plain  # where PyTorch looks for what the compiler leaves alone
    for kind in (SGD, Adam):
        kind.step = _step(inspect.unwrap(kind.step))


def _step(plain: Callable) -> Callable:
    """A method that steps with gradients as the optimizer wants them, which is all that PyTorch's own wrapper does."""

    @functools.wraps(plain)
    def step(self: Optimizer, *arguments, **more):
        with torch.set_grad_enabled(self.defaults["differentiable"]):
            return plain(self, *arguments, **more)

    return step

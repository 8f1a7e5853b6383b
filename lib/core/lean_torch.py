"""PyTorch without its compiler, which it loads for more than a second where nothing is compiled."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch.optim import SGD, Adam, Optimizer


@functools.cache
def spare_compiler() -> None:
    """Let SGD and Adam of this process compute as before, and import nothing for it.

    They import the compiler only to be left alone by it. Where another version of PyTorch keeps these things elsewhere,
    it imports the compiler all the same.
    """
    for method in (Optimizer.add_param_group, Optimizer.load_state_dict, Optimizer.state_dict, Optimizer.zero_grad):
        plain: Any = inspect.unwrap(method)
        plain.__dynamo_disable = plain  # where PyTorch looks for what the compiler leaves alone
    for kind in (SGD, Adam):
        kind.step = _step(inspect.unwrap(kind.step))  # type: ignore[method-assign]


def _step(plain: Callable) -> Callable:
    """Return a method that steps with gradients as the optimizer wants them: all that PyTorch's own wrapper does."""

    @functools.wraps(plain)
    def step(self: Optimizer, *arguments, **more):
        with torch.set_grad_enabled(self.defaults["differentiable"]):
            return plain(self, *arguments, **more)

    return step

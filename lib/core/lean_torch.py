"""PyTorch without its compiler, which it loads for more than a second where nothing is compiled."""

import functools
import inspect
from collections.abc import Callable

import torch
from torch import nn
from torch.optim import SGD, Adam, Optimizer


@functools.cache
def spare_compiler() -> None:
    """Let SGD and Adam of this process compute as before, and import nothing for it.

    They import the compiler only to be left alone by it. Where another version of PyTorch keeps these things elsewhere,
    it imports the compiler all the same.
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


def undrawn(kind: Callable[..., nn.Module], *arguments, **options) -> nn.Module:
    """A module whose weights are still to be drawn: those that it has are of no keyed generator.

    The global generator is left as it was. PyTorch's own `skip_init` goes by the device "meta", for which it loads a
    package for algebra (0.3 s), or the compiler where weights are drawn from a normal law.
    """
    with torch.random.fork_rng(devices=[]):
        return kind(*arguments, **options)

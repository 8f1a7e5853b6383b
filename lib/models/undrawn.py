"""Build modules without first weights."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import nn

Module = TypeVar("Module", bound=nn.Module)


def undrawn(kind: Callable[..., Module], *arguments, **options) -> Module:
    """Return a module whose weights are still to be drawn: those that it has are of no keyed generator.

    The global generator is left as it was. PyTorch's own `skip_init` returns no type, and needs a parameter `device`.
    """
    with torch.random.fork_rng(devices=[]):
        return kind(*arguments, **options)

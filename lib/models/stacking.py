"""Many networks of one shape, computed one after the other or all at once."""

from collections.abc import Callable

import torch
from torch.func import vmap

Single = Callable[[dict[str, torch.Tensor], torch.Tensor], torch.Tensor]


def stacked_logits(
    single: Single, parameters: dict[str, torch.Tensor], x: torch.Tensor, shared: bool, loop: bool | None
) -> torch.Tensor:
    """Logits (T, b, classes) of T networks from their stacked parameters, each with a leading axis T.

    single: logits (b, classes) of one network from its parameters and a batch. x: a batch for each network
    (T, b, ...), or with `shared` the same for all (b, ...). loop: one network after the other, or all by `vmap`
    (grouped convolutions). Default: a loop on the CPU, where grouped convolutions are slower than that, `vmap`
    elsewhere. Both agree within rounding.
    """
    if x.device.type == "cpu" if loop is None else loop:
        # unbind, not p[t]: the gradient of an index is an array of zeros as large as the whole stack
        stacks = zip(*(p.unbind() for p in parameters.values()), strict=True)
        networks = [dict(zip(parameters, stack, strict=True)) for stack in stacks]
        batches = [x] * len(networks) if shared else x.unbind()
        return torch.stack([single(p, batch) for p, batch in zip(networks, batches, strict=True)])
    return vmap(single, in_dims=(0, None if shared else 0))(parameters, x)

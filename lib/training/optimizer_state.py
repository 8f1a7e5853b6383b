"""Keep the state of an optimiser among the arrays of a checkpoint."""

from collections.abc import Mapping

import torch

from lib.core.checkpoint import State
from lib.training.epochs import under


def optimizer_state(optimizer: torch.optim.Optimizer, prefix: str = "optimizer") -> State:
    """Return its tensors by `PREFIX.INDEX.NAME`, INDEX counting the parameters over all groups."""
    return {
        f"{prefix}.{index}.{name}": value
        for index, values in optimizer.state_dict()["state"].items()
        for name, value in values.items()
        if torch.is_tensor(value)
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, state: Mapping, prefix: str = "optimizer") -> None:
    """Let it go on from what `optimizer_state` returned; keys without the prefix are not its own.

    What is as large as its parameter gets that one's layout in memory: fused steps walk through both side by side,
    and an array has lost it.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    restored: dict[int, dict[str, torch.Tensor]] = {}
    for key, array in under(prefix, state).items():
        index, _, name = key.partition(".")
        parameter, value = parameters[int(index)].detach(), torch.as_tensor(array)
        like = parameter if value.shape == parameter.shape else value
        restored.setdefault(int(index), {})[name] = torch.empty_like(like, dtype=value.dtype).copy_(value)
    optimizer.load_state_dict({"state": restored, "param_groups": optimizer.state_dict()["param_groups"]})

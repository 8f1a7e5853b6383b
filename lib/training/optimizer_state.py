"""What an optimiser knows of its parameters, among the arrays of a checkpoint."""

from collections.abc import Mapping

import torch

from lib.core.checkpoint import State


def optimizer_state(optimizer: torch.optim.Optimizer) -> State:
    """Tensors by `optimizer.INDEX.NAME`, INDEX counting the parameters over all groups."""
    return {
        f"optimizer.{index}.{name}": value
        for index, values in optimizer.state_dict()["state"].items()
        for name, value in values.items()
        if torch.is_tensor(value)
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, state: Mapping) -> None:
    """Let it go on from what `optimizer_state` returned; other keys of the state are not its own.

    What is as large as its parameter gets that one's layout in memory: fused steps walk through both side by side,
    and an array has lost it.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    restored = {}
    for key, value in state.items():
        kind, _, rest = key.partition(".")
        if kind == "optimizer":
            index, _, name = rest.partition(".")
            parameter, value = parameters[int(index)].detach(), torch.as_tensor(value)
            like = parameter if value.shape == parameter.shape else value
            restored.setdefault(int(index), {})[name] = torch.empty_like(like, dtype=value.dtype).copy_(value)
    optimizer.load_state_dict({"state": restored, "param_groups": optimizer.state_dict()["param_groups"]})

"""An accelerator made of the CPU, which finds what a CPU forgives and a real one does not, and counts what is slow.

Its tensors hold CPU tensors and say that they lie elsewhere. So an operation on tensors of two devices fails, as does a
draw with a generator of the wrong device, and `.numpy()` without `.cpu()`; and each number that the host reads from the
device is counted, for on a real one the host then waits until all that was asked for is done. It says nothing of speed,
of memory, or of whether a real device gives the same bytes twice. It rests on private parts of torch.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

_setup_privateuseone_for_python_backend("pretended")
DEVICE = torch.device("pretended:0")
ATEN = torch.ops.aten
# these may be given tensors of two devices by CUDA, too: copies, and an index on the host
TWO_DEVICES = {ATEN.copy_.default, ATEN._to_copy.default, ATEN.index.Tensor, ATEN.index_put_.default}
OnHost = torch.Generator


class OnDevice(torch.Tensor):
    """A tensor whose numbers are `host`, on the CPU, and which says that it lies on the device."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, host: torch.Tensor) -> "OnDevice":
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            host.size(),
            strides=host.stride(),
            dtype=host.dtype,
            storage_offset=host.storage_offset(),
            device=DEVICE,
        )
        made.host = host
        return made

    @classmethod
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        return computed(operation, args, kwargs or {})

    def tolist(self):
        """One transfer, however many numbers: a wait."""
        COUNTED.waits += 1
        return self.host.tolist()


class Generator(OnHost):
    """A generator of the CPU that says that it belongs to the device it was made for."""

    def __new__(cls, device="cpu"):
        made = OnHost.__new__(cls, "cpu")
        made.place = torch.device(device)
        return made

    device = property(lambda self: self.place)


def computed(operation, args, kwargs):
    """An operation on what the tensors hold; its results lie where CUDA would put them."""
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    owners = {id(tensor.host): tensor for tensor in tensors if isinstance(tensor, OnDevice)}
    # a tensor on the host with no dimension is a number, which every device takes
    foreign = [tensor for tensor in tensors if tensor.ndim and not isinstance(tensor, OnDevice)]
    if owners and foreign and operation not in TWO_DEVICES:
        raise RuntimeError(f"{operation}: tensors on two devices")
    asked = kwargs.get("device")
    onto_device = bool(owners) if asked is None else torch.device(asked).type == DEVICE.type
    if operation is ATEN.copy_.default:
        onto_device = isinstance(args[0], OnDevice)
    if operation is ATEN._to_copy.default and owners and not onto_device:
        COUNTED.waits += 1  # the host waits for what it copies
    args, kwargs = tree_map_only(OnDevice, lambda tensor: tensor.host, (args, kwargs))
    found = operation(*args, **(kwargs if asked is None else kwargs | {"device": "cpu"}))
    if not onto_device:
        return found

    def placed(tensor: torch.Tensor) -> OnDevice:
        # what is changed in place stays the same tensor
        return owners[id(tensor)] if id(tensor) in owners else OnDevice(tensor)

    return tree_map_only(torch.Tensor, placed, found)


class Counted(TorchDispatchMode):
    """Counts `operations` that are sent to the device, and `waits` of the host for it."""

    waits = operations = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        on_device = any(isinstance(leaf, OnDevice) for leaf in tree_leaves((args, kwargs)))
        self.operations += on_device
        self.waits += on_device and operation is ATEN._local_scalar_dense.default
        return computed(operation, args, kwargs or {})


COUNTED = Counted()


class CheckedGenerators(TorchFunctionMode):
    """Fails where a tensor is drawn with a generator of another device."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        found, own = function(*args, **(kwargs or {})), (kwargs or {}).get("generator")
        if own is not None and isinstance(found, torch.Tensor) and own.device.type != found.device.type:
            raise RuntimeError(f"{function.__name__}: a generator of {own.device}, a tensor on {found.device}")
        return found


@contextmanager
def pretended_device() -> Iterator[Counted]:
    """Within it DEVICE is a device; yields what counts."""
    before = torch._C._only_lift_cpu_tensors()
    torch._C._set_only_lift_cpu_tensors(True)  # torch.tensor(..., device=DEVICE) is made on the host and copied
    COUNTED.waits = COUNTED.operations = 0
    try:
        with (
            mock.patch.object(torch, "Generator", Generator),
            mock.patch.object(torch, "inference_mode", torch.no_grad),  # it makes tensors that no wrapper can hold
            COUNTED,
            CheckedGenerators(),
        ):
            yield COUNTED
    finally:
        torch._C._set_only_lift_cpu_tensors(before)

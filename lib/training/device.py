"""Where networks are trained, and how their numbers are kept the same from run to run."""

import os

import torch
import torch.utils.deterministic

from lib.core.errors import InputError

DEVICES = ("cpu", "cuda")


def choose_device(name: str, threads: int) -> torch.device:
    """The torch device of the configured name, with `threads` threads on the CPU.

    Sets, for the whole process: deterministic algorithms only, float32 products in full (no TF32). Results are the
    same bytes only for the same number of threads on the same kind of processor. Call it before any work on the
    device: cuBLAS reads its setting once. Raises InputError for another name, or 'cuda' where there is no such device.
    """
    if name not in DEVICES:
        raise InputError(f"device {name!r}: allowed are {', '.join(DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("device 'cuda': no CUDA device is available here; allowed is cpu")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it cuBLAS is not deterministic
    # the same flag as torch.use_deterministic_algorithms, which imports the compiler for more than a second
    torch.set_deterministic_debug_mode("error")
    # nothing here reads memory before writing it, and filling it costs time
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cudnn.benchmark = False  # it would choose algorithms by timing them
    torch.backends.cudnn.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    torch.set_num_threads(threads)
    return torch.device(name)

"""Where networks are trained, and how their numbers are kept the same from run to run."""

import os
from functools import cache
from pathlib import Path

import torch
import torch.utils.deterministic

from lib.core import locks as slots
from lib.core.errors import InputError
from lib.core.lean_torch import spare_compiler

DEVICES = ("cpu", "cuda")
# what the workflow tells jobs that share a machine's GPUs: how many there are for them, and where they claim one
COUNT, FOLDER, VISIBLE = "GPU_SLOTS", "GPU_SLOTS_FOLDER", "CUDA_VISIBLE_DEVICES"


def choose_device(name: str, threads: int) -> torch.device:
    """Return the torch device of the configured name, with `threads` threads on the CPU.

    Sets, for the whole process: deterministic algorithms only, float32 products in full (no TF32). Results are the
    same bytes only for the same number of threads on the same kind of processor. Call it before any work on the
    device: cuBLAS reads its setting once. Raises InputError for another name, or 'cuda' where there is no such device.
    """
    if name not in DEVICES:
        raise InputError(f"device {name!r}: allowed are {', '.join(DEVICES)}")
    if name == "cuda":
        if COUNT in os.environ:
            _claim_gpu(int(os.environ[COUNT]), Path(os.environ[FOLDER]))
        if not torch.cuda.is_available():
            shown = f", of {VISIBLE}={os.environ[VISIBLE]}" if VISIBLE in os.environ else ""
            raise InputError(f"device 'cuda': no CUDA device is available here{shown}; allowed is cpu")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it cuBLAS is not deterministic
    # the same flag as torch.use_deterministic_algorithms, which imports the compiler for more than a second
    torch.set_deterministic_debug_mode("error")
    # nothing here reads memory before writing it, and filling it costs time
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # a property of a module
    torch.backends.cudnn.benchmark = False  # it would choose algorithms by timing them
    torch.backends.cudnn.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    torch.set_num_threads(threads)
    spare_compiler()
    return torch.device(name)


def memory_of_a_pass(device: torch.device) -> int:
    """Bytes that one pass of many samples through networks may take: of a GPU an eighth of all it has.

    Not of what is free: that is another at each call, and on it results would depend, in their last bits. On the CPU
    about what its caches hold, where more at a time is slower.
    """
    return torch.cuda.mem_get_info(device)[1] // 8 if device.type == "cuda" else 2**24


@cache
def _claim_gpu(count: int, folder: Path) -> None:
    """Let this process see one of the GPUs that it may see, which no other job sees while it runs.

    Raises InputError where fewer may be seen than jobs are to run at once, none of a variable that is set and empty, or
    all are taken.
    """
    seen = list(map(str, range(count)))
    if VISIBLE in os.environ:
        seen = [each for each in os.environ[VISIBLE].split(",") if each.strip()]
    if len(seen) < count:
        instead = f"set gpu={len(seen)}" if seen else "without one, allowed is the device cpu"
        raise InputError(f"{VISIBLE}={os.environ[VISIBLE]}: {count} jobs at once need {count} GPUs; {instead}")
    os.environ[VISIBLE] = seen[slots.claim(folder, count)]

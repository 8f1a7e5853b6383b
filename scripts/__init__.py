"""The scripts of the rules. Running one as a module runs this first: a job without room to start says so."""

import os
import resource
import sys

# What importing numpy and scipy takes, with a margin. With less, OpenBLAS tries for ever to get its buffers, of which
# each of its threads (64 at most) has one: a job under `ulimit -v` would hang and say nothing.
LEAST = 384 + 128 * min(os.cpu_count() or 1, 64)  # MiB

_limit = resource.getrlimit(resource.RLIMIT_AS)[0]
if _limit != resource.RLIM_INFINITY and _limit < LEAST << 20:
    sys.exit(
        f"error: this job may have {_limit >> 20} MiB of address space, too little memory to start; "
        f"it needs {LEAST} MiB at least: see `ulimit -v` and the limits of the cluster"
    )

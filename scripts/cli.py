"""What every script shares: how it ends, and the arguments that name its job."""

import argparse
import errno
import json
import os
import re
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from lib.core.errors import InputError


def run(main: Callable[[], None]) -> None:
    """Run `main`; on InputError, or for want of memory or space, end with a line `error: ...` and exit status 1."""
    # by default SIGTERM skips `finally`, and a stopped job would leave its temporary files behind
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        main()
    except InputError as error:
        _end(str(error))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        _end(f"{error.filename or 'what is printed'}: no space left on the device; make room and run again")
    except (MemoryError, RuntimeError) as error:
        # torch raises a RuntimeError where it gets no memory, of the processor's or of a GPU's
        if not isinstance(error, MemoryError) and not re.search("allocate memory|out of memory", str(error)):
            raise
        _end(f"out of memory: {' '.join(str(error).split()) or 'nothing was left'}")


def _end(line: str) -> NoReturn:
    """Say what is wrong; where not even that can be written, end as Python does then, which `rules/ended.sh` tells."""
    try:
        print(f"error: {line}", file=sys.stderr, flush=True)
    except OSError:
        os._exit(120)
    sys.exit(1)


def job_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the arguments of every job that writes a record."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--preset", required=True, help="name of the preset")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name: rule and wildcards")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    return parser


def identity(arguments: argparse.Namespace) -> dict:
    """What the arguments of `job_parser` say in a record: which job of which preset, seed and dataset it is of."""
    return {name: getattr(arguments, name) for name in ("job", "preset", "seed", "dataset")}


def add_noise_seed(parser: argparse.ArgumentParser) -> None:
    """The argument of jobs that draw privacy noise."""
    parser.add_argument(
        "--noise-seed", type=_noise_seed, required=True, help="seed of the privacy noise; null: the system's entropy"
    )


def _noise_seed(text: str) -> int | None:
    if text == "null":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}: allowed is a whole number of at least 0, or null")
    return int(text)


def add_json(parser: argparse.ArgumentParser, name: str, meaning: str) -> None:
    """An argument that is JSON text: a block of the configuration."""
    parser.add_argument(name, type=json.loads, required=True, help=meaning)


def add_noiseless(parser: argparse.ArgumentParser) -> None:
    """The argument of students that are trained on labels without noise, to compare with."""
    parser.add_argument(
        "--noiseless", action="store_true", help="the labels are not private, and so what is measured is not public"
    )


def add_device(parser: argparse.ArgumentParser) -> None:
    """The arguments of jobs that compute with networks."""
    parser.add_argument("--device", required=True, help="cpu or cuda")
    parser.add_argument("--threads", type=int, required=True, help="threads on the CPU")


def add_training(parser: argparse.ArgumentParser) -> None:
    """The arguments of jobs that train networks and can go on where they were stopped."""
    add_device(parser)
    parser.add_argument("--checkpoint", required=True, help="file for the state of half-done work")


def progress_with_loss(what: str) -> Callable[[int, int, float], None]:
    """Like `progress`, with the loss of the newest step."""

    def report(done: int, total: int, loss: float) -> None:
        if done == total or done * 10 // total > (done - 1) * 10 // total:
            print(f"{what}: {done}/{total}, loss {loss:.4g}", file=sys.stderr, flush=True)

    return report


def progress(what: str) -> Callable[[int, int], None]:
    """Report progress on standard error: a bar's worth of lines, ten at most."""

    def report(done: int, total: int) -> None:
        if done == total or done * 10 // total > (done - 1) * 10 // total:
            print(f"{what}: {done}/{total}", file=sys.stderr, flush=True)

    return report

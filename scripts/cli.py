"""What every script shares: how it ends, and the arguments that name its job."""

import argparse
import json
import signal
import sys
from collections.abc import Callable

from lib.errors import InputError


def run(main: Callable[[], None]) -> None:
    """Run `main`; on InputError write `error: ...` as the last line of standard error and exit with status 1."""
    # by default SIGTERM skips `finally`, and a stopped job would leave its temporary files behind
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        main()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


def job_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the arguments of every job that writes a record."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--preset", required=True, help="name of the preset")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name: rule and wildcards")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    return parser


def add_json(parser: argparse.ArgumentParser, name: str, meaning: str) -> None:
    """An argument that is JSON text: a block of the configuration."""
    parser.add_argument(name, type=json.loads, required=True, help=meaning)


def add_noiseless(parser: argparse.ArgumentParser) -> None:
    """The argument of students that are trained on labels without noise, to compare with."""
    parser.add_argument(
        "--noiseless", action="store_true", help="the labels are not private, and so what is measured is not public"
    )


def add_training(parser: argparse.ArgumentParser) -> None:
    """The arguments of jobs that train networks and can go on where they were stopped."""
    parser.add_argument("--device", required=True, help="cpu or cuda")
    parser.add_argument("--threads", type=int, required=True, help="threads on the CPU")
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

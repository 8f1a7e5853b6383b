"""Scripts as functions: the options of a command line follow from the signature of what it runs."""

import argparse
import dataclasses
import errno
import functools
import inspect
import itertools
import json
import os
import re
import resource
import signal
import stat
import sys
import types
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from lib.core.code_inputs import commit, digest
from lib.core.errors import InputError
from lib.core.seeding import Draws

GIVEN = ("settings", "script")  # fields that are no options


@dataclasses.dataclass(frozen=True)
class Job(Draws):
    """The job that wrote a record, as the record has it.

    job: rule and wildcards, by which every draw of the job is keyed. preset, seed: of the configuration. dataset: what
    the job's data are called there. script: the file of the program that runs.
    """

    preset: str
    dataset: str
    script: Path = dataclasses.field(kw_only=True)

    def identity(self) -> dict[str, Any]:
        """Return these as a record has them: the script by the digest of its code."""
        told = {field.name: getattr(self, field.name) for field in dataclasses.fields(Job) if field.name != "script"}
        return told | {"job": list(self.job), "code": digest(self.script)}


@dataclasses.dataclass(frozen=True)
class Device:
    """Where networks compute: device (cpu or cuda), and threads on the CPU."""

    device: str
    threads: int


@dataclasses.dataclass(frozen=True)
class Training(Device):
    """Where networks train, and where they go on from after a stop.

    checkpoint: file for the state of half-done work. settings: every option of the command line that is not a path, so
    that a checkpoint of other settings is not taken for one of these.
    """

    checkpoint: Path
    settings: dict


def command(function: Callable[..., None]) -> Callable[[list[str] | None], None]:
    """Return `function` as a program: main(argv), with `sys.argv` for None; called for each job of a command line.

    Each parameter is an option, with dashes for underscores; one annotated with a dataclass stands for that class's
    fields. By annotation: str, int, float and Path are one word; list[X], tuple[X, ...] and Sequence[X] are any number
    of words; dict and plain list are JSON; bool is a flag; `X | None` may be left out. A parameter with a default may
    be left out. Two fields are no options: `settings` is every option that is not a path, and `script` the file of
    `function`. What an option means is read from the docstring, from a line `name: meaning`.
    """

    @functools.wraps(function)
    def main(argv: list[str] | None = None) -> None:
        for own in calls(sys.argv[1:] if argv is None else argv):
            function(**_parse(function, own))

    return main


def calls(argv: list[str]) -> list[list[str]]:
    """Return the command lines of the jobs that one process does in turn; one, unless `--together` tells them apart.

    What stands behind `--together K` is of job K, and behind `--together all` of every job.

    >>> calls("--together 0 --a 1 --together 1 --a 2 --together 0 --b 3 --together all --c 4".split())
    [['--a', '1', '--b', '3', '--c', '4'], ['--a', '2', '--c', '4']]
    """
    starts = [place for place, word in enumerate(argv) if word == "--together"]
    if not starts:
        return [argv]
    own: dict[str, list[str]] = {}
    for start, end in itertools.pairwise([*starts, len(argv)]):
        own.setdefault(argv[start + 1], []).extend(argv[start + 2 : end])
    common = own.pop("all", [])
    return [words + common for words in own.values()]


def run(main: Callable[..., None]) -> None:
    """Run `main`; on InputError, or for want of memory or space, end with a line `error: ...` and exit status 1."""
    # by default SIGTERM skips `finally`, and a stopped job would leave its temporary files behind
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        main()
        if stat.S_ISREG(os.fstat(2).st_mode):  # a job's log, not a person's terminal
            made_by = f"code: {digest(inspect.getfile(inspect.unwrap(main)))}, commit: {commit()}"
            print(_memory(), made_by, sep="\n", file=sys.stderr, flush=True)
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


def progress(what: str) -> Callable[[int, int], None]:
    """Report progress (done, total) on standard error, in ten lines at most."""

    def report(done: int, total: int) -> None:
        if done == total or done * 10 // total > (done - 1) * 10 // total:
            print(f"{what}: {done}/{total}", file=sys.stderr, flush=True)

    return report


def _memory() -> str:
    """Say the most memory that this process and those that it waited for had, and networks on a GPU, in MiB."""
    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    said = f"most memory: {most / 1024:.0f} MiB"
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        said += f"; on the GPU: {torch.cuda.max_memory_reserved() / 2**20:.0f} MiB"
    return said


def _end(line: str) -> NoReturn:
    """Say what is wrong; where not even that can be written, end as Python does then, as `job.sh` tells."""
    try:
        print(f"error: {line}", file=sys.stderr, flush=True)
    except OSError:
        os._exit(120)
    sys.exit(1)


def _parse(function: Callable, argv: list[str]) -> dict[str, Any]:
    """Arguments for `function` from a command line."""
    parser = argparse.ArgumentParser(description=inspect.getmodule(function).__doc__, allow_abbrev=False)
    hints, parameters = typing.get_type_hints(function), inspect.signature(function).parameters
    for name, parameter in parameters.items():
        if not dataclasses.is_dataclass(hints[name]):
            _add(parser, name, hints[name], parameter.default, function.__doc__)
            continue
        fields = typing.get_type_hints(hints[name])
        for field in dataclasses.fields(hints[name]):
            if field.init and field.name not in GIVEN:
                default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
                _add(parser, field.name, fields[field.name], default, hints[name].__doc__)
    given = vars(parser.parse_args(argv))
    settings = {name: value for name, value in given.items() if not _is_path(value)}
    given_too = {"settings": settings, "script": Path(inspect.getfile(function)).resolve()}

    def value(name: str) -> Any:
        if not dataclasses.is_dataclass(hints[name]):
            return given[name]
        return hints[name](
            **{
                field.name: given_too[field.name] if field.name in GIVEN else given[field.name]
                for field in dataclasses.fields(hints[name])
                if field.init
            }
        )

    return {name: value(name) for name in parameters}


def _add(parser: argparse.ArgumentParser, name: str, kind: Any, default: Any, doc: str | None) -> None:
    """Add the option of one parameter."""
    options: dict[str, Any] = {"help": _meaning(name, doc)}
    required = default is inspect.Parameter.empty
    if isinstance(kind, types.UnionType):
        (kind,) = (part for part in typing.get_args(kind) if part is not types.NoneType)
    if kind is bool:
        options["action"] = "store_true"
    else:
        options |= {"required": True} if required else {"default": default}
        if typing.get_origin(kind) in (list, tuple, Sequence):
            options |= {"nargs": "+", "type": typing.get_args(kind)[0]}
            if typing.get_origin(kind) is tuple:
                options["action"] = _Tuple
        else:
            options["type"] = functools.partial(_from_json, kind) if kind in (dict, list) else kind
    parser.add_argument(f"--{name.replace('_', '-')}", **options)


class _Tuple(argparse.Action):
    """Keep an option's words as a tuple."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: Any = None) -> None:
        setattr(namespace, self.dest, tuple(values))


def _from_json(kind: type, text: str) -> Any:
    """Return a mapping or a list from JSON text."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not JSON ({error}): {text!r}") from error
    if not isinstance(value, kind):
        raise argparse.ArgumentTypeError(f"allowed is a JSON {'object' if kind is dict else 'array'}: {text!r}")
    return value


def _meaning(name: str, doc: str | None) -> str | None:
    """Return what a docstring says of a parameter; argparse takes % for a placeholder."""
    found = re.search(rf"(?<!\w){re.escape(name)}: ((?:[^.]|\.(?=\w))*)", doc or "")
    return " ".join(found.group(1).split()).replace("%", "%%") if found else None


def _is_path(value: Any) -> bool:
    parts = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(part, Path) for part in parts)

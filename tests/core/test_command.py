"""Scripts as functions: what options a signature makes, and how a run ends."""

import errno
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, progress, run
from lib.core.errors import InputError
from lib.plan.command_line import command_line

SEEN = {}


@dataclass(frozen=True)
class Box:
    """A block of options.

    width: how wide it is, in pixels.
    """

    width: int
    height: int = 7


@command
def script(
    votes: Path,
    names: list[str],
    block: dict,
    job: Job,
    training: Training,
    box: Box,
    gamma: float | None = None,
    noise_seed: int | None = None,
    noiseless: bool = False,
    shards: list[Path] = (),
) -> None:
    """Do something.

    votes: histograms of 100 % of the votes. names: words.
    """
    SEEN.clear()
    SEEN.update(locals())


WORDS = "--votes v.npz --names a b --block {} --job train x 1 --preset quick --seed 3 --dataset digits".split()
WORDS += "--device cpu --threads 1 --checkpoint state.npz --width 5".split()


def test_every_kind_of_parameter():
    script([*WORDS, "--gamma", "-0.5", "--shards", "s", "t", "--noiseless"])
    assert (SEEN["votes"], SEEN["names"], SEEN["block"]) == (Path("v.npz"), ["a", "b"], {})
    words = {"job": ["train", "x", "1"], "preset": "quick", "seed": 3, "dataset": "digits"}
    assert SEEN["job"].script == Path(__file__)
    assert SEEN["job"].identity() == words | {"code": digest(__file__)}
    assert (SEEN["gamma"], SEEN["noise_seed"], SEEN["noiseless"]) == (-0.5, None, True)
    assert SEEN["shards"] == [Path("s"), Path("t")]
    assert SEEN["box"] == Box(5, 7)


def test_a_checkpoint_is_keyed_by_every_option_that_is_no_path():
    script(WORDS)
    settings = SEEN["training"].settings
    assert {"names", "block", "job", "seed", "device", "threads", "gamma", "width", "height", "noiseless"} <= set(
        settings
    )
    assert not {"votes", "checkpoint"} & set(settings)
    script([*WORDS, "--gamma", "1"])
    assert SEEN["training"].settings != settings
    script([*WORDS[:1], "elsewhere.npz", *WORDS[2:]])
    assert SEEN["training"].settings == settings


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (WORDS[2:], "--votes"),
        ([*WORDS, "--gama", "1"], "--gama"),
        ([*WORDS, "--seed", "1.5"], "--seed"),
        ([*WORDS, "--block", "{"], "--block: not JSON"),
        ([*WORDS, "--block", "[]"], "--block: allowed is a JSON object"),
    ],
)
def test_a_wrong_command_line_is_refused(words, complaint, capsys):
    with pytest.raises(SystemExit) as ended:
        script(words)
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


def test_help_says_what_the_docstring_says(capsys):
    with pytest.raises(SystemExit):
        script(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "histograms of 100 % of the votes" in text and "how wide it is, in pixels" in text


HOSTILE = "a b; $(touch x) 'q' \"d\" \\ --seed"


def test_a_command_line_says_what_the_script_hears():
    files = [("votes", "v.npz"), ("beside", ["y"]), ("shards", [f"{HOSTILE}/s", "t"])]
    settings = {
        "names": [HOSTILE, "b"],
        "block": {"z": [1, {"y": HOSTILE}], "a": None},
        "job": ["train", HOSTILE],
        "preset": "quick",
        "seed": 3,
        "dataset": "-d",
        "device": "cpu",
        "threads": 1,
        "checkpoint": HOSTILE,
        "width": 5,
        "gamma": 1e-05,
        "noise_seed": None,
        "noiseless": True,
    }
    line = command_line(files, settings)
    script(shlex.split(line))
    assert SEEN["names"] == settings["names"] and SEEN["block"] == settings["block"]
    own = {name: settings[name] for name in ("job", "preset", "seed", "dataset")}
    assert SEEN["job"].identity() == own | {"code": digest(__file__)} and SEEN["job"].job == ("train", HOSTILE)
    assert SEEN["gamma"] == 1e-05 and SEEN["noise_seed"] is None and SEEN["noiseless"] is True
    assert SEEN["shards"] == [Path(f"{HOSTILE}/s"), Path("t")] and SEEN["training"].checkpoint == Path(HOSTILE)
    assert "beside" not in line


def test_what_is_left_out_of_a_command_line():
    assert command_line([], {"a": None, "b": False, "c": [], "d": True, "e": 0, "f": ""}) == "--d --e 0 --f ''"
    assert command_line([], {"pairs": [["a", 1], ["b", 2]]}) == """--pairs '[["a", 1], ["b", 2]]'"""


def ending(error):
    def main():
        raise error

    return main


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InputError("votes.npz: has no votes"), "error: votes.npz: has no votes"),
        (OSError(errno.ENOSPC, "full", "x.npz"), "error: x.npz: no space left on the device"),
        (MemoryError(), "error: out of memory"),
        (RuntimeError("CUDA out of memory. Tried"), "error: out of memory: CUDA out of memory"),
    ],
)
def test_how_a_run_ends(error, line, capsys):
    with pytest.raises(SystemExit) as ended:
        run(ending(error))
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith(line)


@pytest.mark.parametrize("error", [RuntimeError("shape"), OSError(errno.ENOENT, "gone", "x"), KeyError("x")])
def test_other_errors_are_not_hidden(error):
    with pytest.raises(type(error)):
        run(ending(error))


def test_progress_is_ten_lines_at_most(capsys):
    report = progress("steps")
    for done in range(1, 101):
        report(done, 100)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10 and lines[-1] == "steps: 100/100"


def test_one_process_does_several_jobs_in_turn():
    done = []

    @command
    def several(files: list[Path], gamma: float, threads: int) -> None:
        done.append((files, gamma, threads))

    jobs = "--together 0 --files a b --together 1 --files c --together 0 --gamma 1 --together 1 --gamma 2"
    several(f"{jobs} --together all --threads 4".split())
    assert done == [([Path("a"), Path("b")], 1.0, 4), ([Path("c")], 2.0, 4)]

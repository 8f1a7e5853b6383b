"""A process that has loaded Snakemake and forks itself for each call of it: most of a dry run is loading.

It knows no module of the project: a call finds those of the folder it is made in, as one from a shell does.
"""

import atexit
import gc
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

# what Snakemake and a plan load of other packages
LOADED = (
    *("snakemake.cli", "snakemake.report.html_reporter", "snakemake_logger_plugin_rich", "requests", "smart_open"),
    *("jsonschema", "nibabel", "numpy", "pandas", "PIL.Image", "pydantic.dataclasses", "scipy.io", "scipy.special"),
)


class Loaded:
    """Calls of Snakemake, each in a process of its own that has all packages loaded."""

    def __init__(self) -> None:
        """Start the process that the calls are forked from."""
        command = [sys.executable, str(Path(__file__).resolve())]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self._close)  # waited for, or `time make test` would leave out what its calls took

    def call(self, arguments: list[str], folder: Path, environ: dict[str, str], printed: Path) -> int:
        """One call in a folder, to its end; returns its exit status. Its two streams are files below `printed`."""
        asked = {"arguments": arguments, "folder": str(folder), "environ": environ, "printed": str(printed)}
        print(json.dumps(asked), file=self._server.stdin, flush=True)
        return int(self._server.stdout.readline())

    def _close(self) -> None:
        """End the process."""
        self._server.stdin.close()
        self._server.wait()


def become(arguments: list[str], folder: str, environ: dict[str, str], printed: str) -> None:
    """Turn this process into `python -m snakemake` with these arguments, called in this folder."""
    streams = (
        (os.devnull, os.O_RDONLY),
        (f"{printed}/out", os.O_CREAT | os.O_WRONLY),
        (f"{printed}/err", os.O_CREAT | os.O_WRONLY),
    )
    for number, (path, mode) in enumerate(streams):
        os.dup2(os.open(path, mode), number)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    sys.path[:1] = [folder, *filter(None, environ.get("PYTHONPATH", "").split(os.pathsep))]
    cli = sys.modules["snakemake.cli"]
    sys.argv[:] = [cli.__file__, *arguments]
    cli.main()


def serve() -> None:
    """Fork for every line that comes, and answer with how that ended."""
    for module in LOADED:
        importlib.import_module(module)
    # a call is over in seconds: the collector would spend a third of them on what is loaded, and copy that
    gc.disable()
    gc.freeze()
    while line := sys.stdin.buffer.readline():
        if not (child := os.fork()):
            become(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()

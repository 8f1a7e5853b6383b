"""A process that has loaded the packages of jobs and forks itself for each job: half of a tiny job is loading.

`python` becomes a function of the shell that each job's command runs in. It hands arguments, folder, environment and
streams to the process, waits for the job, and ends with its status. The process runs one job after the other, and knows
no module of the project: a job finds those of its folder, as one from a shell does.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import shlex
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

# what many jobs load of other packages; the few that use others (MONAI, Opacus) load them
LOADED = (
    *("numpy", "pandas", "scipy.ndimage", "scipy.optimize", "scipy.special", "scipy.stats", "matplotlib.pyplot"),
    *("sklearn.decomposition", "sklearn.ensemble", "sklearn.linear_model", "sklearn.model_selection"),
    *("torch", "dp_accounting", "jsonschema", "yaml"),
)
# `python ARGUMENTS`, with the server's address before them; 1 where the server ends without an answer
CALL = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    asked = {"arguments": sys.argv[2:], "folder": os.getcwd(), "environ": dict(os.environ)}
    socket.send_fds(server, [b"streams"], [0, 1, 2])
    server.sendall(json.dumps(asked).encode())
    server.shutdown(socket.SHUT_WR)
    sys.exit((server.recv(1) or b"\\1")[0])
"""


@contextmanager
def loaded_jobs() -> Iterator[dict[str, str]]:
    """Environment variables of a run on one core, whose jobs are forked while the block lasts."""
    with TemporaryDirectory() as folder:
        address = f"{folder}/jobs"
        of_one_thread = os.environ | {"OMP_NUM_THREADS": "1"}  # as Snakemake says to a job of one thread
        command = [sys.executable, str(Path(__file__).resolve()), address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=of_one_thread) as server:
            try:
                assert server.stdout.readline() == b"loaded\n"
                call = shlex.join([sys.executable, "-IS", "-c", CALL, address])
                yield {"BASH_FUNC_python%%": f'() {{ {call} "$@"\n}}'}
            finally:
                server.kill()


def serve(address: str) -> None:
    """Fork for each call, and answer with how that ended."""
    for module in LOADED:
        importlib.import_module(module)
    gc.freeze()  # or a job's first collection would copy all that is loaded
    with socket.socket(socket.AF_UNIX) as calls:
        calls.bind(address)
        calls.listen()
        print("loaded", flush=True)
        while True:
            with calls.accept()[0] as caller:
                _, streams, *_ = socket.recv_fds(caller, len(b"streams"), 3)
                with caller.makefile() as stream:
                    asked = json.load(stream)
                if not (child := os.fork()):
                    become(streams, **asked)
                for number in streams:
                    os.close(number)
                caller.sendall(bytes([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256]))


def become(streams: list[int], arguments: list[str], folder: str, environ: dict[str, str]) -> None:
    """Turn this process into `python -m MODULE ...`, called in a folder, and end it without clearing up."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    sys.path[:1] = [folder, *filter(None, environ.get("PYTHONPATH", "").split(os.pathsep))]
    importlib.invalidate_caches()
    with suppress(ModuleNotFoundError):  # where the folder has one
        importlib.import_module("sitecustomize")
    option, module, *words = arguments
    assert option == "-m", arguments
    sys.argv[:] = [module, *words]
    status = 1
    try:
        runpy._run_module_as_main(module)  # as `python -m` does
        status = 0
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])

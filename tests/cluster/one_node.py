"""A Slurm cluster of one node on this machine, with its state in a folder of its own."""

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

PLUGIN = "snakemake_executor_plugin_slurm"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo")
# Jobs find Slurm's configuration at its default place only, since the plugin clears SLURM_CONF.
CONFIGURATION = Path("/etc/slurm")
MARK = "# The one-node cluster of a test, removed when it ends.\n"
DEADLINE = 60  # seconds until the node must be idle: never reached unless a daemon cannot start


def missing() -> str | None:
    """Why no cluster can be started here; None if it can."""
    if not find_spec(PLUGIN):
        return "needs the Slurm plugin: make test-cluster"
    if os.geteuid() != 0:
        return "needs root, to configure Slurm"
    absent = [name for name in PROGRAMS if not shutil.which(name)]
    if absent:
        return f"needs Slurm and munge: {', '.join(absent)} not found"
    for path in (CONFIGURATION / name for name in configuration(Path())):
        if path.exists() and not path.read_text().startswith(MARK):
            return f"a Slurm that is not the test's own is configured: {path}"
    return None


def free_port() -> int:
    """A port that nothing listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def configuration(state: Path) -> dict[str, str]:
    """The files below /etc/slurm. The GPU is a name that Slurm hands out, with no device behind it."""
    host = socket.gethostname().partition(".")[0]
    return {
        "slurm.conf": f"""{MARK}
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={state}/munge.socket
StateSaveLocation={state}/controller
SlurmdSpoolDir={state}/node
SlurmctldPidFile={state}/slurmctld.pid
SlurmdPidFile={state}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
ReturnToService=2
KillWait=5
MinJobAge=86400
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=16000 Gres=gpu:1
PartitionName=cpu Nodes={host} Default=YES
PartitionName=gpu Nodes={host}
""",
        "gres.conf": f"{MARK}Name=gpu File=/dev/null\n",
    }


@contextmanager
def running(state: Path, *command: str) -> Iterator[subprocess.Popen]:
    """A daemon in the foreground; stopped, and killed if it does not stop."""
    with (state / f"{command[0]}.log").open("w") as log:
        daemon = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        yield daemon
    finally:
        daemon.terminate()
        try:
            daemon.wait(15)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()


def wait_until_idle(state: Path, daemons: list[subprocess.Popen]) -> None:
    """Return when the node takes jobs; fails with the daemons' logs if it does not."""
    end = time.monotonic() + DEADLINE
    while True:
        node = subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False)
        if set(node.stdout.split()) == {"idle"}:
            return
        if time.monotonic() > end or any(daemon.poll() is not None for daemon in daemons):
            logs = "".join(f"== {path.name}\n{path.read_text()}" for path in sorted(state.glob("*.log")))
            raise RuntimeError(f"the node does not become idle: {node.stdout}{node.stderr}\n{logs}")
        time.sleep(0.2)


@contextmanager
def cluster(state: Path) -> Iterator[None]:
    """A cluster that takes jobs; afterwards its daemons, jobs and configuration are gone."""
    for folder in ("controller", "node"):
        (state / folder).mkdir()
    key = state / "munge.key"
    key.touch(0o400)
    key.write_bytes(secrets.token_bytes(128))
    before = CONFIGURATION.is_dir()
    CONFIGURATION.mkdir(exist_ok=True)
    with ExitStack() as stack:
        if not before:
            stack.callback(CONFIGURATION.rmdir)
        for name, text in configuration(state).items():
            stack.callback((CONFIGURATION / name).unlink, missing_ok=True)
            (CONFIGURATION / name).write_text(text)
        # munged wants its folders open to all; nobody but root uses this one
        files = {"key-file": key, "socket": state / "munge.socket", "pid-file": state / "munge.pid"}
        files |= {"log-file": state / "munge.log", "seed-file": state / "munge.seed"}
        options = [f"--{name}={path}" for name, path in files.items()]
        daemons = [stack.enter_context(running(state, "munged", "--foreground", "--force", *options))]
        daemons.append(stack.enter_context(running(state, "slurmctld", "-D")))
        daemons.append(stack.enter_context(running(state, "slurmd", "-D")))
        wait_until_idle(state, daemons)
        stack.callback(cancel_all)
        yield


def jobs(*fields: str) -> list[dict[str, str]]:
    """Fields of `scontrol show job` of all jobs, also of those that ended."""
    shown = subprocess.run(["scontrol", "--oneliner", "show", "job"], capture_output=True, text=True, check=True)
    rows = [dict(part.split("=", 1) for part in line.split() if "=" in part) for line in shown.stdout.splitlines()]
    return [{field: row.get(field, "") for field in fields} for row in rows if "JobId" in row]


def cancel_all() -> None:
    """Cancel every job of this cluster and wait until none is left."""
    end = time.monotonic() + DEADLINE
    while subprocess.run(["squeue", "--noheader"], capture_output=True, check=True).stdout.strip():
        if time.monotonic() > end:
            raise RuntimeError("jobs of the cluster do not end")
        subprocess.run(["scancel", "--user=root"], check=True)
        time.sleep(0.2)

"""What disturbs jobs from inside: a module that every Python of a copy loads when it starts, and its settings."""

import json
from pathlib import Path

# Job by job: `event` names what the job is killed at, the `count`-th time that it opens a file of results for writing
# or renames one; `all`: with the whole run, else alone. `listing` names a file, to which a line is added for every file
# that is renamed: whether it had been synced, and its new name.
_MODULE = """
import json, os, signal, sys

if "DISTURB" in os.environ:
    settings = json.loads(os.environ["DISTURB"])
    left = settings.get("count", 0)

    def hook(event, arguments):
        global left
        if event != settings["event"] or "results" not in str(arguments[0]):
            return
        if event == "open" and not (isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")):
            return
        left -= 1
        if left == 0:
            if settings["all"]:
                os.killpg(0, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

    if "event" in settings:
        sys.addaudithook(hook)
    if "listing" in settings:
        synced, sync, replace = set(), os.fsync, os.replace

        def noting_sync(descriptor):
            number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
            synced.add(os.fstat(number).st_ino)
            sync(descriptor)

        def noting_replace(old, new, **more):
            done = os.stat(old).st_ino in synced
            replace(old, new, **more)
            with open(settings["listing"], "a") as stream:
                stream.write(f"{'yes' if done else 'no'} {os.path.relpath(new)}\\n")

        os.fsync, os.replace = noting_sync, noting_replace
"""
WRITING, RENAMING = "open", "os.rename"


def lay_into(root: Path) -> None:
    """Make the jobs of a copy load the disturbance; they are as before where no settings are given."""
    (root / "sitecustomize.py").write_text(_MODULE)


def memory(root: Path, size: int) -> dict[str, str]:
    """Environment in which no job of a copy gets more than `size` bytes of address space, as on some clusters."""
    limit = root / "limit.sh"
    limit.write_text(f"ulimit -v {size >> 10}\n")
    return {"BASH_ENV": str(limit)}  # what the shell of every job reads before anything else


def listing(path: Path) -> dict[str, str]:
    """Environment in which jobs list what they rename, and whether it was synced before."""
    return {"DISTURB": json.dumps({"listing": str(path)})}


def kill(event: str, count: int, everything: bool) -> dict[str, str]:
    """Environment in which a job that comes to its `count`-th `event` is killed, alone or with everything."""
    return {"DISTURB": json.dumps({"event": event, "count": count, "all": everything})}

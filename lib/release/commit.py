"""The project's own commit, which a release tells."""

import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_SOURCES = ("Snakefile", "lib", "rules", "schemas", "scripts")


def commit(root: Path = _ROOT) -> str | None:
    """Return the commit (hex) whose sources are those below `root`; None where they are no commit's, or unknown."""
    try:
        top, found = _git(root, "rev-parse", "--show-toplevel", "HEAD").splitlines()
        changed = _git(root, "status", "--porcelain", "--", *_SOURCES)
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None
    # a copy of the project may lie in a repository of something else
    return found if Path(top) == root.resolve() and not changed else None


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout

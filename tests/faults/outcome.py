"""What came of a run that was disturbed."""

import re
import shutil
import subprocess
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tests.faults.scene import Job, Scene, outputs, results
from tests.workflow.running import Project

SURVIVED = "survived"  # the bytes of the undisturbed run
CLEAR = "clear error"  # one line says what is wrong; nothing that is there differs from the undisturbed run
UNCLEAR = "unclear error"
WRONG = "wrong"  # something that is there differs, or the run says that it is done and something is missing
SKIPPED = "skipped"
OUTCOMES = (SURVIVED, CLEAR, UNCLEAR, WRONG, SKIPPED)


@dataclass(frozen=True)
class Tried:
    """A fault: of what kind, what was done, what came of it and why that is said."""

    kind: str
    what: str
    outcome: str
    reason: str = ""


def judge(
    scene: Scene,
    project: Project,
    done: subprocess.CompletedProcess[str],
    wanted: Iterable[Job],
    clear: str = "^error: ",
    damaged: Collection[str] = (),
) -> tuple[str, str]:
    """(outcome, reason) of a finished call.

    wanted: jobs whose outputs the call was to make. clear: pattern of a line that explains an error.
    damaged: files that were damaged on purpose, which need not be mended.
    """
    found = results(project)
    other = [path for path in found if found[path] != scene.expected.get(path) and path not in damaged]
    if other:
        return WRONG, f"differs: {' '.join(other[:3])}"
    if done.returncode == 0:
        missing = [path for job in wanted for path in job.outputs if not (project.root / path).exists()]
        return (WRONG, f"not there: {' '.join(missing[:3])}") if missing else (SURVIVED, "")
    text = done.stdout + done.stderr
    explained = [line.strip() for line in text.splitlines() if re.search(clear, line.strip())]
    return (CLEAR, explained[0]) if explained else (UNCLEAR, last_line(text))


def again(scene: Scene, project: Project, jobs: Iterable[Job], **more: str) -> tuple[str, str]:
    """Unlock, make the outputs of the jobs in one more run, judge it. more: environment variables."""
    # all that `--unlock` does, once it has read the workflow, which takes longer than a job here
    shutil.rmtree(project.root / ".snakemake" / "locks", ignore_errors=True)
    return judge(scene, project, project.snakemake("--cores", "2", "--", *outputs(jobs), **more), jobs)


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "(nothing was printed)"

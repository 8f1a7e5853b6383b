"""The workflow on a real Slurm: the same bytes as on one machine, also when a job is killed; who asks for a GPU."""

import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.one_node import cancel_all, cluster, jobs, missing
from tests.workflow.running import Project, environment

# The preset quick with one repetition, since each job on Slurm starts Snakemake twice.
ONCE = {"preset": "once", "repetitions": 1}
PAPER = "autoencoded_pate"
TRAINED = "train_mask_teachers"  # a rule that trains networks, with a job that is killed
DEADLINE = 1800  # seconds until a run must end: never reached unless it hangs
# In what this cluster differs from a usual one: no accounting, jobs of seconds, the partitions of the profile's file.
OPTIONS = (
    "--workflow-profile=profiles/slurm",
    "--slurm-partition-config=profiles/slurm/partitions.yaml",
    "--slurm-no-account",
    "--slurm-status-command=squeue",
    "--slurm-init-seconds-before-status-checks=2",
)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """A cluster for the tests of this file."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    with cluster(tmp_path_factory.mktemp("slurm")):
        yield


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> Project:
    """A copy of the project in which the paper's results were made without the cluster."""
    project = Project.copy(tmp_path_factory.mktemp("local") / "project", ONCE)
    project.run("--cores", "2", PAPER)
    return project


@contextmanager
def submitted(project: Project, log: Path, *arguments: str):
    """A run whose jobs Slurm runs, in the background; what it prints goes to `log`."""
    with log.open("w") as stream:
        running = subprocess.Popen(
            project.command(*OPTIONS, *arguments),
            cwd=project.root,
            env=environment(),
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    try:
        yield running
    finally:
        if running.poll() is None:
            running.terminate()  # it then waits for the jobs that it has submitted
            cancel_all()
            running.wait(DEADLINE)


def wait_until(ready, running: subprocess.Popen, log: Path):
    """What `ready()` returns as soon as it is true; fails if the run ends first."""
    end = time.monotonic() + DEADLINE
    while not (found := ready()):
        assert running.poll() is None and time.monotonic() < end, log.read_text()
        time.sleep(0.1)
    return found


def states(rule: str) -> dict[str, str]:
    """The state of each of Slurm's jobs of a rule, by its number."""
    return {job["JobId"]: job["JobState"] for job in jobs("JobId", "JobState", "Comment") if rule in job["Comment"]}


def test_a_paper_made_on_slurm_is_the_same_though_a_job_was_killed(slurm, local, tmp_path):
    project = Project.copy(tmp_path / "project", ONCE)
    log = tmp_path / "run.log"
    logs = project.root / "results" / "once" / "logs" / TRAINED
    with submitted(project, log, PAPER) as running:
        wait_until(lambda: any(logs.rglob("*.log")), running, log)
        (victim,) = states(TRAINED)
        subprocess.run(["scancel", "--signal=KILL", "--full", victim], check=True)
        assert running.wait(DEADLINE) == 0, log.read_text()
    ended = states(TRAINED)
    assert ended.pop(victim) in ("CANCELLED", "FAILED")
    assert list(ended.values()) == ["COMPLETED"]
    assert "Trying to restart job" in log.read_text()
    assert project.results() == local.results()
    # every job ran on Slurm, and none asked for a GPU
    ran = jobs("JobState", "Partition", "TresPerJob", "TresPerNode")
    benchmarks = local.root / "results" / "once" / "benchmarks"
    assert len([job for job in ran if job["JobState"] == "COMPLETED"]) == len(list(benchmarks.rglob("*.tsv")))
    assert {(job["Partition"], job["TresPerJob"], job["TresPerNode"]) for job in ran} == {("cpu", "", "")}


@pytest.mark.parametrize("spelling", ["gpus", "gres"])
def test_a_job_that_trains_on_a_gpu_asks_slurm_for_one(slurm, local, tmp_path, spelling):
    project = local.duplicate(tmp_path / "project").over(
        {"device": "cuda", "gres": "gpu:1" if spelling == "gres" else None}
    )
    before = {job["JobId"] for job in jobs("JobId")}
    log = tmp_path / "run.log"

    def asked() -> list[dict[str, str]]:
        shown = jobs("JobId", "Comment", "Partition", "TresPerJob", "TresPerNode")
        return [job for job in shown if job["JobId"] not in before]

    # Whether the job then finds a GPU is not looked at: the cluster's has no device behind it.
    with submitted(project, log, "--jobs=1", "--retries=0", f"--until={TRAINED}", PAPER) as running:
        job = wait_until(asked, running, log)[0]
    assert job["Comment"].startswith(f"rule_{TRAINED}")
    assert job["Partition"] == "gpu"
    assert (job["TresPerJob"], job["TresPerNode"]) == (("gres:gpu:1", "") if spelling == "gpus" else ("", "gres:gpu:1"))

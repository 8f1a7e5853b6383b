"""The profile for Kubernetes, as far as that can be seen without a cluster."""

from importlib.util import find_spec

import pytest

from tests.workflow.running import Project

PROFILE = "--workflow-profile=profiles/kubernetes"
pytestmark = pytest.mark.skipif(
    not find_spec("snakemake_executor_plugin_kubernetes"), reason="needs the Kubernetes plugin: make test-cluster"
)


def test_a_dry_run_for_kubernetes_plans_what_one_machine_does(tmp_path):
    project = Project.copy(tmp_path / "project")
    image = f"--container-image=python@sha256:{'0' * 64}"
    planned = project.pending(PROFILE, image, f"--default-storage-prefix={project.root}")
    assert planned.counts == project.pending("--cores", "1").counts


def test_an_image_is_named_by_its_digest(tmp_path):
    project = Project.copy(tmp_path / "project")
    for image in ([], ["--container-image=python:3.11"]):  # that of the profile, which a person must replace
        done = project.snakemake("--dry-run", PROFILE, *image, f"--default-storage-prefix={project.root}")
        assert done.returncode and "Traceback" not in done.stdout + done.stderr
        assert "error: container-image: " in done.stderr and " has no digest; allowed is NAME@sha256:" in done.stderr

"""The profile for Kubernetes, as far as that can be seen without a cluster."""

from importlib.util import find_spec

import pytest

from tests.workflow.running import Project


@pytest.mark.skipif(
    not find_spec("snakemake_executor_plugin_kubernetes"), reason="needs the Kubernetes plugin: make test-cluster"
)
def test_a_dry_run_for_kubernetes_plans_what_one_machine_does(tmp_path):
    project = Project.copy(tmp_path / "project")
    planned = project.pending("--workflow-profile=profiles/kubernetes", f"--default-storage-prefix={project.root}")
    assert planned.counts == project.pending("--cores", "1").counts

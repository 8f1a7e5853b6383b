"""Which GPU a job claims of those that it may see; needs none."""

import os

import pytest

from lib.core.errors import InputError
from lib.training import device


def claimed(monkeypatch, folder, count: int, visible: str | None) -> str:
    """What a process may see after it claimed one of `count` GPUs."""
    monkeypatch.delenv(device.VISIBLE, raising=False)
    if visible is not None:
        monkeypatch.setenv(device.VISIBLE, visible)
    device._claim_gpu.__wrapped__(count, folder)  # it claims once in a process
    return os.environ[device.VISIBLE]


@pytest.mark.parametrize(("visible", "allowed"), [(None, "01"), ("4,5", "45"), ("4,5,6", "45"), ("4,,5,", "45")])
def test_each_job_sees_another_of_the_gpus_that_all_may_see(monkeypatch, tmp_path, visible, allowed):
    assert [claimed(monkeypatch, tmp_path, 2, visible) for _ in range(2)] == list(allowed)


@pytest.mark.parametrize(
    ("visible", "instead"), [("", "the device cpu"), (",", "the device cpu"), ("4", "set gpu=1"), ("4,", "set gpu=1")]
)
def test_fewer_gpus_than_jobs_are_refused_and_hidden_ones_stay_hidden(monkeypatch, tmp_path, visible, instead):
    with pytest.raises(InputError, match=f"^{device.VISIBLE}={visible}: 2 jobs at once need 2 GPUs; .*{instead}$"):
        claimed(monkeypatch, tmp_path, 2, visible)
    assert os.environ[device.VISIBLE] == visible

"""Every training on a real GPU: finite numbers, and the same bytes twice. `--on cpu` tries the test itself."""

import numpy as np
import pytest
import torch

from lib.training.device import choose_device
from tests.core import test_resume_contract as contract


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("name", contract.TRAININGS)
def test_a_gpu_gives_the_same_bytes_twice(name, monkeypatch, request):
    where = request.config.getoption("--on")
    if where == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    monkeypatch.setattr(contract, "CPU", choose_device(where, 1))
    first, second = (contract.TRAININGS[name].run() for _ in range(2))
    assert all(np.isfinite(values).all() for values in first.values())
    assert contract.digests(first) == contract.digests(second)

"""PyTorch without its compiler: the same numbers, and nothing is imported for them."""

import subprocess
import sys
from functools import cache

import pytest

from tests.workflow.running import ROOT, environment

STEPS = """
import sys, torch
{first}
fused = {{"fused": True}}
for kind, settings in (("Adam", fused), ("Adam", {{}}), ("SGD", fused | {{"momentum": 0.9}}), ("SGD", {{}})):
    torch.manual_seed(1)
    layer = torch.nn.Linear(5, 3)
    optimizer = getattr(torch.optim, kind)([{{"params": [layer.weight]}}], lr=0.01, **settings)
    optimizer.add_param_group({{"params": [layer.bias]}})
    for _ in range(3):
        optimizer.zero_grad()
        layer(torch.randn(4, 5)).square().sum().backward()
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
    print(kind, layer.weight.tolist(), layer.bias.tolist(), layer.weight.requires_grad)
print("torch._dynamo" in sys.modules)
"""


@cache
def trained(first: str) -> tuple[list[str], bool]:
    """What a new process trains after `first`, and whether it imported the compiler."""
    command = [sys.executable, "-c", STEPS.format(first=first)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True)
    *numbers, imported = done.stdout.splitlines()
    return numbers, imported == "True"


@pytest.mark.slow
def test_a_job_trains_as_pytorch_does_without_importing_its_compiler():
    plain, _ = trained("")
    found, imported = trained(
        "from lib.training.device import choose_device; choose_device('cpu', torch.get_num_threads())"
    )
    assert len(found) == 4 and found == plain
    assert not imported


@pytest.mark.slow
def test_nor_does_it_matter_that_there_was_an_optimizer_before():
    before = "torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0).step()\n"
    found, _ = trained(before + "from lib.core.lean_torch import spare_compiler; spare_compiler(); spare_compiler()")
    assert found == trained("")[0]

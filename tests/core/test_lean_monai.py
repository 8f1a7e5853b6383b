"""MONAI without the packages that it only looks for."""

import subprocess
import sys

import pytest

ABSENT = ("torchvision", "matplotlib", "sklearn", "scipy.signal", "torch._dynamo")


def printed(program: str) -> list[str]:
    """Words that a Python of its own prints."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
def test_what_monai_only_looks_for_is_not_loaded_and_can_still_be_imported():
    shown = f"print(*(name for name in {ABSENT} if name in sys.modules))"
    after = "import torchvision, matplotlib.pyplot\nprint(torchvision.__name__, matplotlib.__name__)"
    assert printed(f"import sys, lib.core.lean_monai\n{shown}\n{after}") == ["torchvision", "matplotlib"]


@pytest.mark.slow
def test_monai_itself_loads_these_and_what_was_loaded_stays():
    """Else there would be nothing to be spared."""
    before = f"import sys, monai\nloaded = {{name: sys.modules[name] for name in {ABSENT}}}"
    shown = "print(*(name for name in loaded if sys.modules.get(name) is loaded[name]))"
    assert printed(f"{before}\nimport lib.core.lean_monai\n{shown}") == list(ABSENT)

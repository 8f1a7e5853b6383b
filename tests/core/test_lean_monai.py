"""MONAI without the packages that it only looks for."""

import subprocess
import sys

import pytest

ABSENT = ("torchvision", "matplotlib", "sklearn", "scipy.signal", "torch._dynamo")


def printed(program: str) -> list[str]:
    """Words that a Python of its own prints."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
def test_what_monai_only_looks_for_is_not_loaded():
    shown = f"print(*(name for name in {ABSENT} if name in sys.modules))"
    assert printed(f"import sys, monai\n{shown}") == list(ABSENT)  # else there is nothing to be spared
    assert printed(f"import sys, lib.core.lean_monai\n{shown}") == []


@pytest.mark.slow
def test_it_can_still_be_imported_and_what_was_loaded_stays():
    after = "import torchvision, matplotlib.pyplot; print(torchvision.__name__, matplotlib.__name__)"
    assert printed(f"import lib.core.lean_monai\n{after}") == ["torchvision", "matplotlib"]
    before = "import sys, matplotlib; first = matplotlib; import lib.core.lean_monai"
    assert printed(f"{before}\nprint(sys.modules['matplotlib'] is first)") == ["True"]

"""What tests of every room share, and the tiers they are in (CONTRIBUTING.md)."""

from contextlib import contextmanager
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parent / "workflow"
FIRST = WORKFLOW / "test_code_inputs.py"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items):
    """Give all tests of a file to one process, and begin with what starts a workflow.

    The first file makes the finished run (tests/workflow/conftest.py). Files that need it come when processes have been
    busy with others for as long as that takes, so that none waits for it; the shortest files come last.
    """
    needs = {item.path for item in items if "recorded" in item.fixturenames}
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    for item in items:
        if item.path.is_relative_to(WORKFLOW):
            item.add_marker("workflow")
        item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))

    def place(item) -> int:
        if item.path == FIRST:
            return 0
        if item.path in needs:
            return 3
        return 1 if item.path.is_relative_to(WORKFLOW) else 2 if item.path in slow else 4

    items.sort(key=place)
    return (yield)  # pytest-xdist reads the groups in this hook


@contextmanager
def restored():
    """Other tests get back the threads that they had, and what jobs set."""
    import torch  # tests that need none should not wait for it

    before, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
    torch.use_deterministic_algorithms(deterministic)


@pytest.fixture
def one_thread():
    """Numbers of networks are those of one thread."""
    with restored():
        yield


@pytest.fixture
def device(one_thread):
    """The device of jobs that one thread computes."""
    from lib.training.device import choose_device

    return choose_device("cpu", 1)


@pytest.fixture(scope="module")
def module_device():
    """The same for all of a module, whose own fixtures run jobs, too."""
    from lib.training.device import choose_device

    with restored():
        yield choose_device("cpu", 1)


def pytest_addoption(parser):
    """Where tests of a real GPU compute."""
    parser.addoption("--on", default="cuda", choices=("cpu", "cuda"), help="device of tests/accelerator/test_cuda.py")

"""What tests of every room share."""

import pytest


@pytest.fixture
def one_thread():
    """Numbers of networks are those of one thread; other tests get back what they had, also of what jobs set."""
    import torch  # tests that need none should not wait for it

    before, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
    torch.use_deterministic_algorithms(deterministic)

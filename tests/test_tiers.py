"""Tests that share what is dear to make share a process."""

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="needs several processes: make test")
def test_pytest_xdist_takes_the_groups(request):
    assert request.node.nodeid.endswith("@tests/test_tiers.py")

"""Every benchmark runs, at sizes at which its times mean nothing."""

import sys

import pytest
import torch

from bench import accounting, dp_mac, pca, residual, segmentation, teachers

pytestmark = pytest.mark.slow

SMALL = {
    pca: ["--sizes", "8,8,8", "8,8,16", "--volumes", "1", "--components", "2"],
    residual: ["--images", "128", "256", "--side", "8", "--replicas", "2", "--epochs", "1"],
    segmentation: ["--widths", "2,2,2,2,2", "--patches", "32,16,16", "32,32,16", "--repeats", "1"],
    teachers: ["--epochs", "1", "--shard", "2", "--shard-epochs", "1"],
}
NAMES = {module.__name__: module for module in (accounting, *SMALL)}


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_says_how_costs_grow(name, monkeypatch, capsys):
    monkeypatch.setattr(accounting, "QUERIES", (20, 40))
    monkeypatch.setattr(teachers, "TEACHERS", (1, 2))
    monkeypatch.setattr(teachers, "QUERIES", 10)
    monkeypatch.setattr(sys, "argv", ["bench", *SMALL.get(NAMES[name], [])])
    NAMES[name].main()
    assert "growth: " in capsys.readouterr().out


@pytest.mark.parametrize("make", [dp_mac.ghost_step, dp_mac.per_sample_step])
def test_what_dp_mac_is_compared_with_can_be_trained(make):
    step = make(torch.device("cpu"))
    step()


def test_dp_mac_can_be_trained():
    dp_mac.mac_step(range(2), torch.device("cpu"))()

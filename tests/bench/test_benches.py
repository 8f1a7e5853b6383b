"""Every benchmark runs, at sizes at which its times mean nothing."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from bench import accounting, dp_mac, own_votes, pca, segmentation, teachers
from pate_accountant.rdp import order_grid

pytestmark = pytest.mark.slow

SMALL = {
    pca: ["--sizes", "8,8,8", "8,8,16", "--volumes", "1"],
    segmentation: ["--widths", "2,2,2,2,2", "--patches", "32,16,16", "32,32,16", "--repeats", "1"],
    teachers: ["--epochs", "1", "--shard", "2", "--shard-epochs", "1"],
}
NAMES = {module.__name__: module for module in (accounting, own_votes, *SMALL)}


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_says_how_costs_grow(name, monkeypatch, capsys):
    monkeypatch.setattr(accounting, "QUERIES", (20, 40))
    monkeypatch.setattr(own_votes, "QUERIES", (20, 40))
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


CORE = """
import numpy as np
from pate_accountant import gnmax, threshold

def compute_logpr_answered(limit, sigma, counts):
    return threshold.log_probabilities(np.array([max(counts)]), limit, sigma)[0][0]

def compute_rdp_threshold(log_answered, sigma, orders):
    log_q = min(log_answered, np.log(-np.expm1(log_answered)))
    return gnmax.rdp(orders, np.array([log_q]), np.sqrt(2) * sigma)[0]

def compute_logq_gaussian(counts, sigma):
    return gnmax.log_error_bound(counts[None], sigma)[0]

def rdp_gaussian(log_q, sigma, orders):
    return gnmax.rdp(orders, np.array([log_q]), sigma)[0]
"""
SMOOTH = """
import numpy as np
import core
from pate_accountant import smooth_sensitivity

asked = []

def compute_local_sensitivity_bounds_gnmax(votes, teachers, sigma, order):
    assert teachers == votes.sum()
    asked.append((votes, sigma, order))
    return np.zeros(teachers)

def compute_discounted_max(beta, bounds):
    votes, sigmas, orders = zip(*asked)
    asked.clear()
    return smooth_sensitivity.maximise(smooth_sensitivity.Sequence(np.array(votes), sigmas[0], orders[0]), beta)
"""


def test_accounting_is_compared_with_scripts_that_are_given(monkeypatch, capsys, tmp_path):
    """Scripts with the names of the authors', made of our functions; then some that disagree."""
    (tmp_path / "core.py").write_text(CORE)
    (tmp_path / "smooth_sensitivity.py").write_text(SMOOTH)
    monkeypatch.delenv(accounting.AUTHORS, raising=False)
    assert accounting.authors() is None
    monkeypatch.setenv(accounting.AUTHORS, str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    kept = []
    monkeypatch.setattr(accounting, "compare", lambda name, value: kept.append(name))
    votes = accounting.generated_votes(4, 8.0, np.random.default_rng(0))
    accounting.beside(accounting.authors(), order_grid(), votes, (1.0, 1.0), "strong")
    for name in ("core", "smooth_sensitivity"):
        monkeypatch.delitem(sys.modules, name)
    said = capsys.readouterr().out.splitlines()
    assert kept == [f"strong consensus, {what}, of the authors' scripts" for what in ("RDP", "smooth sensitivity")]
    assert [line.split(" s, ")[0].rpartition(" ")[0] for line in said] == [
        f"the authors' scripts: {what}" for what in ("RDP", "smooth sensitivity")
    ]
    assert [float(line.rpartition(" ")[2]) for line in said] == [0, 0]
    theirs = SimpleNamespace(rdp=lambda orders, votes: 2 * orders, smooth_sensitivity=lambda votes, beta: 1.0)
    with pytest.raises(ArithmeticError, match=r"RDP, strong consensus: .* from the authors' scripts, allowed 1e-09"):
        accounting.beside(theirs, order_grid(), votes, (1.0, 1.0), "strong")

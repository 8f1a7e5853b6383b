"""Small settings of every method, and two worlds of real digits that differ by one record."""

from dataclasses import replace
from functools import cache

import numpy as np

from lib.core.seeding import Draws
from lib.data.samples import Samples
from lib.data.sources.digits import read
from lib.leaderboard.methods import build_method
from lib.leaderboard.worlds import PrivateWorlds, PublicPart, draw_worlds
from pate_accountant.rdp import order_grid

ORDERS = order_grid((1.5, 64.0, 0.5), (64.0, 256.0, 12))
SLOTS, TEACHERS, DELTA = 200, 10, 1e-3
CLASSIFIER = {"kind": "logistic_regression", "iterations": 50}
STUDENT = {"hidden": [], "recipe": {"batch": 20, "epochs": 30, "rate": 0.02, "optimizer": "adam"}}
PATE = {"teachers": TEACHERS, "queries": 120, "student": STUDENT}
PLAIN = {"hidden": [16], "recipe": {"batch": 50, "epochs": 20, "rate": 0.01, "optimizer": "adam"}}
SETTINGS = {
    "plain": {"kind": "plain", **PLAIN},
    "memorised": {"kind": "memorised", **PLAIN},
    "untouched": {"kind": "untouched", **PLAIN},
    "dp_sgd": {
        "kind": "dp_sgd",
        "hidden": [16],
        "activation": "tanh",
        "recipe": {"batch": 100, "epochs": 10, "rate": 2.0, "clip": 1.0},
    },
    "dp_sgd_broken": {
        "kind": "dp_sgd_broken",
        "hidden": [16],
        "activation": "tanh",
        "recipe": {"batch": 100, "epochs": 10, "rate": 2.0, "clip": 1.0},
    },
    "dp_mac": {
        "kind": "dp_mac",
        "hidden": [16],
        "threshold": 0.3,
        "recipe": {"batch": 200, "epochs": 60, "z_steps": 3, "z_rate": 0.02, "w_steps": 1, "w_rate": 0.1},
    },
    "residual": {
        "kind": "residual",
        "widths": [4, 4, 8],
        "gamma": 0.2,
        "residual_bound": 30.0,
        "input_bound": 30.0,
        "recipe": {"epochs": 15, "batch": 50, "rate": 0.05},
    },
    "lnmax": {"kind": "lnmax", **PATE},
    "gnmax": {"kind": "gnmax", **PATE},
    "gnmax_broken": {"kind": "gnmax_broken", **PATE},
    "confident_gnmax": {"kind": "confident_gnmax", **PATE, "max_answered": 90, "ratio": 2.0, "threshold": 0.3},
    "interactive_gnmax": {
        "kind": "interactive_gnmax",
        **PATE,
        "first": 80,
        "max_answered": 90,
        "ratio": 2.0,
        "threshold": 0.3,
        "excess": 0.1,
        "confidence": 0.5,
    },
    "encoded_mean": {"kind": "encoded_mean", **PATE},
    "external": {"kind": "external", "entry": "docs.examples.noisy_means:NoisyMeans", "promises": True},
}
VOTING = ("lnmax", "gnmax", "confident_gnmax", "interactive_gnmax", "encoded_mean")
PRIVATE = ("dp_sgd", "dp_mac", *VOTING)
ASKING = (*VOTING, "gnmax_broken")


def build(kind, epsilon=8.0, samples=SLOTS, /, **changed):
    if not changed:
        return _standard(kind, epsilon, samples)
    return build_method({**SETTINGS[kind], **changed}, samples, (8, 8), 10, 16.0, epsilon, DELTA, ORDERS)


@cache
def _standard(kind, epsilon, samples):
    return build_method(SETTINGS[kind], samples, (8, 8), 10, 16.0, epsilon, DELTA, ORDERS)


@cache
def worlds() -> tuple[PrivateWorlds, PublicPart]:
    """Two worlds of digits, the second the first with the record of slot 7 replaced."""
    arrays = read([])
    samples = Samples(arrays["x"], arrays["y"], "digits", None)
    private, public = draw_worlds(samples, SLOTS, 20, 150, 200, 2, 10, Draws(3, ("tests",)))
    chosen = np.repeat(private.chosen[:1], 2, axis=0)
    chosen[1, 7] ^= True
    return replace(private, chosen=chosen), public

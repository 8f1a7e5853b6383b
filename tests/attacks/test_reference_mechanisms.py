"""Mechanisms of known epsilon: their noise, their epsilon by counting, and the table and figure of their audits."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from lib.attacks.reference_mechanisms import Gaussian, RandomisedResponse, repeated, response_epsilon, response_flip
from lib.core.seeding import Draws
from pate_accountant.rounding import rounded_up
from scripts import audit_known
from tests.redrawn import assert_redrawn

pytestmark = pytest.mark.slow

SETTINGS = {
    "level": 0.9,
    "repetitions": 8,
    "epsilon": 1.0,
    "mechanisms": ["gaussian", "randomised_response"],
    "noises": [1.0, 0.5],
    "many_runs": {"delta": 1e-2, "sizes": [2000, 200]},
    "one_run": {"delta": 1e-5, "sizes": [400, 4000], "guesses": [0.1, 0.3]},
}


def test_outputs_have_the_noise_they_say():
    rng, coins = np.random.default_rng(1), np.arange(100_000) % 2 == 1
    for noise in (1.0, 0.5):
        out = Gaussian(2.0, noise).outputs(coins, rng)
        assert out[coins].mean() - out[~coins].mean() == pytest.approx(1, abs=0.05)
        assert out[coins].std() == pytest.approx(2 * noise, rel=0.02)
        turned = RandomisedResponse(0.3, noise).outputs(coins, rng) != coins
        assert turned.mean() == pytest.approx(0.3 * noise, abs=0.01)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(epsilon=st.floats(0.01, 6), delta=st.sampled_from([1e-9, 1e-3, 0.1]), noise=st.floats(0.1, 1))
def test_the_epsilon_of_randomised_response_is_that_of_its_events(epsilon, delta, noise):
    flip = response_flip(epsilon, delta) * noise
    exact = response_epsilon(flip, delta)
    answers = (1 - flip, flip)
    events = [(0.0, 0.0), (1.0, 1.0), answers, answers[::-1]]
    assert max(p - math.exp(exact) * q for p, q in events) == pytest.approx(delta, abs=1e-12)
    assert exact >= epsilon - 1e-9
    if noise == 1:
        assert exact == pytest.approx(epsilon)
    assert response_epsilon(0.4, 0.3) == 0


def test_a_gaussian_claims_what_it_has_and_the_broken_one_does_not():
    for noise in (1.0, 0.5):
        mechanism, exact = audit_known.known("gaussian", 1.0, 1e-3, noise)
        move = 1 / (mechanism.sigma * mechanism.noise)
        profile = norm.cdf(move / 2 - exact / move) - math.exp(exact) * norm.cdf(-move / 2 - exact / move)
        assert profile == pytest.approx(1e-3, rel=1e-5)
        assert exact == pytest.approx(1.0, abs=1e-6) if noise == 1 else exact > 2


def test_repetitions_are_keyed_by_their_names():
    arguments = ("one_run", RandomisedResponse(0.2), 300, [0.5], 0.0, 0.9)
    first, more = repeated(*arguments, 2, Draws(1, ("a",))), repeated(*arguments, 3, Draws(1, ("a",)))
    np.testing.assert_array_equal(first, more[:2])
    assert len(set(more[:, 0])) > 1
    assert (repeated(*arguments, 3, Draws(1, ("b",))) != more).any()


def written(folder):
    files = {name: folder / f"known.{name}" for name in ("table", "privacy", "png", "pdf")}
    options = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    audit_known.main(["--seed", "1", "--audit", json.dumps(SETTINGS), *options])
    return list(files.values())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return written(tmp_path_factory.mktemp("audit"))


def test_the_table_has_a_row_for_each_audit(made):
    table, privacy = pd.read_csv(made[0]), pd.read_csv(made[1])
    assert len(table) == 16 and set(table["audit"]) == {"many_runs", "one_run"}
    assert (table["holds"] == "yes").all()
    assert (table["lower_bound_least"] <= table["lower_bound"]).all()
    assert (table["lower_bound"] <= table["lower_bound_most"]).all()
    assert (table["lower_bound_most"] <= table["largest"]).all()
    intact, broken = table[table["noise"] == 1], table[table["noise"] == 0.5]
    for row in intact.to_dict("records"):
        _, exact = audit_known.known(row["mechanism"], 1.0, row["delta"], 1.0)
        assert row["exact_epsilon"] == rounded_up(exact, 6) and exact == pytest.approx(1.0, abs=1e-6)
    assert (broken["exact_epsilon"] > 1.5).all() and (table["claimed_epsilon"] == 1).all()
    large = table["size"].isin((2000, 4000)) & (table["mechanism"] == "randomised_response")
    assert (table[large & (table["noise"] == 0.5)]["caught"] == "yes").all()
    assert (intact["caught_share"] <= 0.5).all() and (intact["caught"] == "no").all()
    assert len(privacy) == 32
    false = privacy[(privacy["column"] == "claimed_epsilon") & (privacy["noise"] == 0.5)]
    assert not false["guarantee"].any() and privacy.drop(false.index)["guarantee"].all()
    assert all(path.stat().st_size > 5000 for path in made[2:])
    assert_redrawn(audit_known, made[2], made[0])


def test_equal_seeds_give_equal_bytes(made, tmp_path):
    files = written(tmp_path)
    assert [path.read_bytes() for path in files] == [path.read_bytes() for path in made]


def test_an_audit_that_claims_too_much_does_not_hold(monkeypatch):
    """If the exact epsilon were a half of what it is, the column `holds` would say so."""
    exact = audit_known.known
    monkeypatch.setattr(audit_known, "known", lambda *given: (exact(*given)[0], exact(*given)[1] / 2))
    row = audit_known.row_of("many_runs", "randomised_response", 1.0, 2000, SETTINGS, 1)
    assert row["holds"] == "no" and row["above_exact"] == 1

"""By how much the choice of queries moves students on Adult, and what claims leave open for it."""

import numpy as np
import pandas as pd
import pytest

from bench.queries import TABLE, spread
from lib.core.code_inputs import ROOT
from lib.reporting.claims.loading import load_claims


def test_the_choice_is_what_the_scatter_gains_over_that_of_the_noise():
    noise, choice = np.array([-3.0, 3.0] * 50), np.array([-4.0, -4.0, 4.0, 4.0] * 25)
    assert spread(noise, noise + choice)["choice"] == pytest.approx(4, rel=0.01)
    assert spread(noise + choice, noise)["choice"] == 0


def test_claims_leave_no_more_open_than_twice_what_was_measured():
    measured = pd.read_csv(TABLE, index_col="claim")["choice"]
    claims = {claim["id"]: claim for claim in load_claims(ROOT / "claims.csv")}
    for name, choice in measured.items():
        assert 0 < float(claims[f"scalable_pate.{name}"]["latitude"]) <= 2 * choice

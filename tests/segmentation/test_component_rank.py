"""How far the search for the best number of principal components goes."""

import numpy as np
import pytest

from lib.encoders.principal_components import PrincipalComponents
from scripts.measure_components import chosen


@pytest.mark.parametrize(("least", "rank"), [(1e-9, 3), (1e-18, 2)])
def test_the_search_goes_as_far_as_directions_are_no_rounding(least, rank):
    """However little public masks vary along a direction, others may vary more: without it the rule beat the best."""
    values = np.array([1.0, 0.5, least, 0.0])
    pca = PrincipalComponents(np.zeros(4, np.float32), np.eye(4, dtype=np.float32), values, float(values.sum()))
    lost = {
        "public": np.array([1.5 + least, 0.5 + least, least, 0.0, 0.0]),
        "test": np.array([2.0, 1.0, 0.4, 0.1, 0.1]),
    }
    found = chosen(pca, lost, 1e-5, 4)
    assert found["rank"] == found["optimal_components"] == rank
    # at this noise the rule keeps the third direction where its variance is above 1e-10
    assert found["heuristic_components"] == rank and found["heuristic_over_optimal"] == 1.0

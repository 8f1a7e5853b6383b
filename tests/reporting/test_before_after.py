"""Before and after a setting was changed: which numbers differ, and how they are shown."""

import numpy as np
import pandas as pd
import pytest

from lib.core.errors import InputError
from lib.reporting.before_after import changes, draw, first, written

TABLE = pd.DataFrame(
    {
        "dataset": ["digits", "digits", "shapes"],
        "run": ["lnmax", "gnmax", "gnmax"],
        "epsilon": [20.631, 8.0, 3.0],
        "epsilon_spread": [0.1, 0.2, np.nan],
        "answers": [100, 100, 50],
    }
)


def test_only_numbers_that_differ_are_listed_by_the_row_that_they_are_of():
    after = TABLE.assign(epsilon=[20.631, 4.0012, 3.0], answers=[100, 100, 49])
    assert changes(TABLE, after).to_dict("split")["data"] == [
        ["digits gnmax", "epsilon", 8.0, 4.0012],
        ["shapes gnmax", "answers", 50, 49],
    ]
    assert changes(TABLE, TABLE.copy()).empty


def test_a_number_that_comes_or_goes_is_a_change():
    found = changes(TABLE, TABLE.assign(epsilon_spread=[0.1, np.nan, 0.3]))
    assert list(found["row"]) == ["digits gnmax", "shapes gnmax"]


def test_rows_of_one_name_are_numbered():
    table = pd.DataFrame({"run": ["a", "a"], "gamma": [0.1, 0.2]})
    assert list(changes(table, table.assign(gamma=[1.0, 2.0]))["row"]) == ["a (1)", "a (2)"]


@pytest.mark.parametrize("after", [TABLE.head(2), TABLE.assign(run=["lnmax", "gnmax", "confident"])])
def test_other_rows_are_refused(after):
    with pytest.raises(InputError, match="which rows there are"):
        changes(TABLE, after)


def test_epsilons_are_rounded_up_and_spreads_not_shown(tmp_path):
    found = changes(TABLE, TABLE.assign(epsilon=[20.6, 8.0011, 3.0], epsilon_spread=[0.3, 0.4, 0.5]))
    assert list(first(found)["column"]) == ["epsilon", "epsilon"]
    assert [written(row) for _, row in first(found).iterrows()] == [("20.7", "20.6"), ("8", "8.01")]
    draw(found, tmp_path / "changes.png")
    assert (tmp_path / "changes.png").read_bytes().startswith(b"\x89PNG")

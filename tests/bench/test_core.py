"""How near a core comes to its limit: what is compared with what."""

import pandas as pd
import pytest

from bench import core


def frame(rates, **more):
    return pd.DataFrame({"samples/s": rates} | more, index=pd.Index(["a", "b"], name="training"))


def test_rates_are_compared_with_those_of_a_process_alone():
    alone = frame([10.0, 4.0], **{"TFLOP/s": [0.05, None], "share of limit": [0.5, None]})
    found = core.compared(alone, frame([15.0, None]), frame([19.0, 8.0])).set_index("training")
    assert found.loc["a"].to_dict() == {"gflops": 50.0, "share": 0.5, "bfloat16": 1.5, "two_processes": 1.9}
    assert found.loc["b", "two_processes"] == 2.0 and found.loc["b"].isna().sum() == 3


def test_the_fastest_of_several_times_counts_and_processes_are_added_up(monkeypatch):
    assert core.fastest([frame([1.0, 5.0]), frame([2.0, None])])["samples/s"].to_list() == [2.0, 5.0]

    class Done:
        def __init__(self, command, **options):
            assert options["env"]["OMP_NUM_THREADS"] == "1" and command[-2] == "--table"
            pd.DataFrame({"training": ["a", "b"], "device": "cpu", "samples/s": [3.0, None]}).to_csv(command[-1])

        def wait(self):
            return 0

    monkeypatch.setattr(core.subprocess, "Popen", Done)
    found = core.measured("--seconds", "1", processes=2)["samples/s"]
    assert found["a"] == 6.0 and pd.isna(found["b"])


@pytest.mark.parametrize("column", ["gflops", "share", "bfloat16", "two_processes"])
def test_the_committed_table_has_a_training_that_says_it(column):
    assert (pd.read_csv(core.TABLE)[column] > 0).any()

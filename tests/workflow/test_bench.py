"""What the benchmark of the workflow does to a checkout: nothing, in the end."""

import pytest

from bench.workflow import one_figure, planning


def test_one_figure_is_made_again_as_it_was(changed, finished):
    results = changed.root / "results" / "tiny"
    done = one_figure("scalable_pate_fig1", results, changed.command())
    assert done["jobs run"] == 1
    expected, found = finished.results(), changed.results()
    assert [path for path in expected if found.get(path) != expected[path]] == []


def test_a_figure_that_is_not_there_is_refused_in_one_line(tmp_path):
    with pytest.raises(SystemExit, match=r"^error: dp_mac_fig9: no such figure in .*dp_mac$"):
        one_figure("dp_mac_fig9", tmp_path)


def test_a_preset_is_planned_without_its_data(any_root, tmp_path):
    (tmp_path / "data").symlink_to(any_root)
    row = planning("votes", tmp_path)
    assert row["jobs"] > 20
    assert row["ms a job"] == pytest.approx(1000 * row["processor s"] / row["jobs"])

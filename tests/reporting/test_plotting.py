"""Figures look alike, leave nothing open, and are the same bytes for the same content."""

import matplotlib.pyplot as plt
import pytest

from lib.reporting import plotting


def draw(folder, name: str, heights=(1, 3, 2)) -> tuple[bytes, bytes]:
    with plotting.figure() as (drawn, (axes,)):
        axes.plot(heights, label="a line")
        axes.set_xlabel("queries")
        axes.legend()
        plotting.save(drawn, folder / f"{name}.png", folder / f"{name}.pdf")
    return (folder / f"{name}.png").read_bytes(), (folder / f"{name}.pdf").read_bytes()


@pytest.mark.slow
def test_equal_figures_are_equal_bytes(tmp_path, monkeypatch):
    first = draw(tmp_path, "first")
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert draw(tmp_path, "second") == first
    other = draw(tmp_path, "third", heights=(1, 3, 2.5))
    assert other[0] != first[0] and other[1] != first[1]


def test_files_are_what_they_are_called_and_undated(tmp_path):
    png, pdf = draw(tmp_path, "a")
    assert png.startswith(b"\x89PNG") and pdf.startswith(b"%PDF")
    for mark in (b"CreationDate", b"Matplotlib", b"matplotlib"):
        assert mark not in pdf and mark not in png
    assert {path.name for path in tmp_path.iterdir()} == {"a.png", "a.pdf"}


@pytest.mark.slow
def test_a_persons_own_matplotlibrc_changes_nothing(tmp_path):
    plain = draw(tmp_path, "plain")
    theirs = {
        "text.usetex": True,
        "font.family": ["serif"],
        "axes.facecolor": "black",
        "lines.marker": "o",
        "savefig.bbox": "tight",
        "savefig.transparent": True,
        "path.simplify_threshold": 0.9,
        "pdf.compression": 0,
    }
    for name, value in theirs.items():
        with plt.rc_context({name: value}):
            assert draw(tmp_path, name) == plain, name
            assert plt.rcParams[name] == value, "a figure leaves the settings as they were"


def test_axes_come_as_a_flat_list():
    with plotting.figure(2, 3, width=2.0, height=1.5) as (drawn, axes):
        assert len(axes) == 6
        assert tuple(drawn.get_size_inches()) == (6.0, 3.0)


def test_a_figure_is_as_wide_as_a_page_unless_its_axes_have_a_width():
    for columns in (1, 4):
        with plotting.figure(2, columns, height=1.5) as (drawn, _):
            assert tuple(drawn.get_size_inches()) == (plotting.WIDTH, 3.0)


def test_a_name_looks_alike_within_the_style_and_without():
    outside = plotting.looks(["a", "b"])
    with plotting.figure() as (drawn, axes):
        assert plotting.looks(["a", "b"]) == outside and outside["a"]["color"] != outside["b"]["color"]
        axes[0].plot([1], label="once", **outside["a"])
        axes[0].plot([2], label="")
        axes[0].plot([3], label="once")
        plotting.legend(drawn, axes * 2)
        assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["once"]


def test_style_and_figures_end_with_the_block():
    before, size = dict(plt.rcParams), plt.rcParams["font.size"]
    with plotting.figure():
        assert dict(plt.rcParams) != before
    assert plt.rcParams["font.size"] == size and dict(plt.rcParams) == before
    assert plt.get_fignums() == []


def test_a_failure_closes_the_figure_too():
    before = dict(plt.rcParams)
    with pytest.raises(RuntimeError), plotting.figure():
        raise RuntimeError
    assert plt.get_fignums() == [] and dict(plt.rcParams) == before


def test_a_figure_that_cannot_be_written_leaves_the_old_file(tmp_path):
    (tmp_path / "a.png").write_text("old")
    with plotting.figure() as (drawn, _), pytest.raises(ValueError):
        plotting.save(drawn, tmp_path / "a.nonsense", tmp_path / "a.pdf")
    assert (tmp_path / "a.png").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"a.png"}


def test_no_display_is_needed():
    assert plt.get_backend().lower() == "agg"

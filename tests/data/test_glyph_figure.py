"""Figure 3 shows what its table says, and the same each time."""

import numpy as np
import pandas as pd
import pytest

from lib.core.errors import InputError
from lib.core.files import save_arrays
from lib.data.glyph_classes import LOOK_ALIKES
from scripts import prepare_glyph, scalable_pate_fig3


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Open Glyph as it is prepared."""
    path = tmp_path_factory.mktemp("glyph") / "open_glyph.npz"
    prepare_glyph.main(["--settings={}", f"--data={path}"])
    return path


def arguments(data, folder, scan: int) -> list[str]:
    files = [f"--{name}={folder / f'figure.{suffix}'}" for name, suffix in (("numbers", "csv"), ("png", "png"))]
    return [f"--data={data}", "--split=public", f"--scan={scan}", *files, f"--pdf={folder / 'figure.pdf'}"]


@pytest.mark.slow
def test_the_figure_shows_clear_ambiguous_and_mislabelled_samples(data, tmp_path):
    scalable_pate_fig3.main(arguments(data, tmp_path, 4096))
    shown = pd.read_csv(tmp_path / "figure.csv", keep_default_na=False, dtype=str)
    assert shown["shown_as"].value_counts().to_dict() == {"clear": 8, "ambiguous": 8, "mislabelled": 8}
    right = shown["label"] == shown["true_label"]
    assert (right == (shown["shown_as"] != "mislabelled")).all()
    pairs = shown.loc[shown["shown_as"] == "ambiguous", "label"].tolist()
    assert pairs[:2] == [",", "’"]  # noqa: RUF001
    assert all(
        any({first, second} <= set(group) for group in LOOK_ALIKES)
        for first, second in zip(*[iter(pairs)] * 2, strict=True)
    )
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    scalable_pate_fig3.main(arguments(data, tmp_path, 4096))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first
    assert first["figure.png"].startswith(b"\x89PNG")
    assert first["figure.pdf"].startswith(b"%PDF")


@pytest.mark.slow
def test_too_few_samples_to_choose_from_are_refused(data, tmp_path):
    with pytest.raises(InputError, match="needs 8"):
        scalable_pate_fig3.main(arguments(data, tmp_path, 100))
    assert not list(tmp_path.iterdir())


def test_the_figure_is_of_open_glyph_alone(tmp_path):
    save_arrays(tmp_path / "digits.npz", x=np.zeros((3, 2, 2)), y=np.arange(3))
    with pytest.raises(InputError, match=r"digits\.npz.*stream"):
        scalable_pate_fig3.main(arguments(tmp_path / "digits.npz", tmp_path / "figure", 100))
    assert [path.name for path in tmp_path.iterdir()] == ["digits.npz"]

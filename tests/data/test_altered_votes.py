"""Published votes that somebody altered: refused by name, and nothing is written."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.data import registry
from scripts import prepare_data


def published(change=None) -> np.ndarray:
    """Votes of the shape that were published for Adult, made up."""
    votes = np.tile([200.0, 50.0], (16281, 1))
    if change:
        votes[3] = change
    return votes


@pytest.mark.parametrize(
    ("votes", "why"),
    [
        (published(), "other samples"),
        (published([200, 51]), "row 3 sums to 251, expected 250"),
        (published([np.nan, 250]), "row 3, class 0 is not finite"),
        (published([-1, 251]), "row 3, class 0 is negative"),
        (published([199.5, 50.5]), "row 3, class 0 is not a whole number"),
        (published()[:, :1], "shape (16281, 1), expected (16281, 2)"),
        (None, "not a readable .npy file"),
        (20, "not a readable .npy file"),
        (5000, "not a readable .npy file"),
    ],
    ids=["made up", "sum", "nan", "negative", "fraction", "shape", "empty file", "cut header", "cut data"],
)
def test_altered_published_votes_are_refused_by_name(tmp_path, votes, why):
    file = tmp_path / "pate_votes" / "adult_250_teachers.npy"
    file.parent.mkdir()
    if isinstance(votes, np.ndarray):
        np.save(file, votes)
    else:
        np.save(file, published())
        file.write_bytes(file.read_bytes()[: votes or 0])
    output = tmp_path / "out" / "adult.npz"
    arguments = ["--dataset=pate_votes_adult", "--module=pate_votes", "--source=data_root", f"--data-root={tmp_path}"]
    with pytest.raises(InputError) as caught:
        prepare_data.main([*arguments, f"--data={output}"])
    message = str(caught.value)
    assert str(file) in message and why in message and "\n" not in message
    assert not output.parent.exists()


@pytest.mark.parametrize("folder", ["", "not there"])
def test_missing_published_votes_are_named_with_how_they_can_be_had(tmp_path, folder):
    with pytest.raises(InputError) as caught:
        registry.required_files("pate_votes_adult", "pate_votes", "data_root", tmp_path / folder)
    message = str(caught.value)
    for part in (str(tmp_path / folder), "adult_250_teachers.npy", "fingerprint", "by hand"):
        assert part in message
    assert "\n" not in message

"""Where datasets come from, and what their jobs are told."""

from types import SimpleNamespace

import pytest

from lib.core.errors import InputError
from lib.plan.data import Data

DATASETS = {
    "digits": {"module": "digits", "source": "embedded"},
    "mnist": {"module": "mnist", "source": "download"},
    "usps": {"module": "usps", "source": "data_root"},
    "glyph": {"module": "glyph", "source": "generated", "settings": {"size": 28}},
}


def plan(data_root=None, **datasets):
    block = {"preset": "tiny", "data_root": data_root, "datasets": DATASETS | datasets}
    return Data(block | {"download": {"attempts": 4, "wait": 2}})


def job(dataset):
    return SimpleNamespace(dataset=dataset)


def test_every_dataset_is_made_by_one_rule():
    assert plan().read() == ["digits", "mnist", "usps"] and plan().generated() == ["glyph"]
    assert plan().downloaded() == ["mnist"]


def test_an_embedded_dataset_needs_no_file():
    assert plan().files(job("digits")) == []
    settings = plan("/data").prepare_settings(job("digits"))
    assert settings == {"dataset": "digits", "module": "digits", "source": "embedded", "data_root": None}


def test_a_download_is_waited_for_and_read_where_it_lies():
    folder = "results/tiny/downloads/mnist"
    assert plan("/data").files(job("mnist")) == [folder]
    assert plan("/data").prepare_settings(job("mnist"))["data_root"] == folder
    told = {"dataset": "mnist", "module": "mnist", "attempts": 4, "wait": 2}
    assert plan().download_settings(job("mnist")) == told


def test_files_of_a_data_root_are_those_that_are_there(tmp_path):
    folder = tmp_path / "pate_votes"
    folder.mkdir()
    (folder / "adult_250_teachers.npy").write_bytes(b"")
    made = plan(str(tmp_path), votes={"module": "pate_votes", "source": "data_root"})
    made.datasets["pate_votes_adult"] = made.datasets.pop("votes")
    assert made.files(job("pate_votes_adult")) == [str(folder / "adult_250_teachers.npy")]


@pytest.mark.parametrize(
    ("data_root", "says"), [(None, "needs 'data_root'"), ("/nowhere at all", "no complete set of files below /nowhere")]
)
def test_missing_files_are_refused(data_root, says):
    with pytest.raises(InputError, match=says):
        plan(data_root).files(job("usps"))


def test_a_source_that_a_dataset_does_not_have_is_refused():
    with pytest.raises(InputError, match=r"no source 'download', allowed: \['embedded'\]"):
        plan(digits={"module": "digits", "source": "download"}).files(job("digits"))


def test_the_file_that_knows_a_dataset_is_there():
    assert plan().module(job("mnist")) == "lib/data/sources/mnist.py"
    assert plan().module(job("mnist")) in plan().modules()


def test_generated_samples_have_settings_and_may_have_none():
    assert plan().glyph_settings(job("glyph")) == {"settings": {"size": 28}}
    plain = plan(glyph={"module": "glyph", "source": "generated"})
    assert plain.glyph_settings(job("glyph")) == {"settings": {}}

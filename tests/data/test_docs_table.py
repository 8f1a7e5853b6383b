"""docs/data.md says of every dataset and collection where its files go, and whether the workflow can fetch it."""

import re

import pytest

from lib.data import registry
from lib.data.volumes.registry import VOLUMES
from lib.plan.config import ROOT, catalogue, expand_download, load

ROWS = re.findall(r"^\| (`[a-z].*?) \| (`.*?) \| (.*?) \|$", (ROOT / "docs" / "data.md").read_text(), re.MULTILINE)


def row(name: str) -> tuple[str, str]:
    """What the page says of a name: where its files go, and how else it comes."""
    (found,) = [(where, otherwise) for names, where, otherwise in ROWS if f"`{name}`" in names]
    return found


def given() -> dict:
    """The datasets whose files a person gives."""
    return {name: entry for name, entry in catalogue()["datasets"].items() if entry["source"] == "data_root"}


def test_the_page_names_every_dataset_its_place_and_whether_it_is_fetched():
    for name, entry in given().items():
        spec = registry.get(entry["module"], name)
        where, otherwise = row(name)
        assert f"`{spec.layouts[0][0]}`" in where, name
        assert otherwise == ("`download=true`" if "download" in spec.sources else "by hand"), name


def test_the_page_names_every_collection_of_volumes_and_its_folder():
    for name, spec in VOLUMES.items():
        if spec.folder:
            where, otherwise = row(name)
            assert f"`{spec.folder}/" in where and otherwise.startswith("by hand"), name


def test_the_page_names_nothing_else():
    named = {name for names, _, _ in ROWS for name in re.findall(r"`(\w+)`", names)}
    assert named == set(given()) | {name for name, spec in VOLUMES.items() if spec.folder}


@pytest.mark.slow
def test_one_switch_fetches_what_can_be_fetched_and_nothing_else():
    before, after = load()["datasets"], load((), {"download": True})["datasets"]
    fetched = {name for name in before if "download=true" in (row(name)[1] if name in given() else "")}
    assert {name for name, entry in after.items() if entry["source"] == "download"} == fetched
    assert {name for name in before if before[name] != after[name]} == fetched


def test_the_switch_keeps_what_the_mapping_said_of_attempts():
    config = load((), {"download": {"attempts": 7}})
    assert config["download"] == {"all": False, "attempts": 7, "wait": 2}
    assert load((), {"download": {"all": True, "attempts": 7}})["datasets"]["mnist"]["source"] == "download"
    config = {"download": False, "datasets": {}}
    expand_download(config)
    assert config["download"] == {"all": False}

"""The preset smoke: paper on made data (test_dry_run.py plans it); rules ask for what its jobs were seen to take."""

import csv
import re

import pytest

from bench.made_files import write_brats, write_decathlon, write_patches
from bench.smoke import MARGIN, TABLE, taken
from lib.data import registry
from lib.data.sources.idc import read
from lib.data.volumes.registry import get
from lib.plan.config import load
from lib.plan.rule_texts import rule_texts
from tests.offenders import each
from tests.workflow.running import ROOT, Project

FILES = [ROOT / "presets" / f"{name}.yaml" for name in ("paper", "smoke")]
LAID = ("--configfile", "presets/paper.yaml", "presets/smoke.yaml")
PAPER, SMOKE = load(FILES[:1]), load(FILES)


def asked() -> dict[str, int]:
    """The memory in MiB that each rule asks for in the preset paper; 1000, the profiles', where it says nothing."""
    found = {}
    for name, rule in rule_texts().items():
        said = re.search(r"mem_mb=(\d+)", rule.text)
        found[name] = int(said[1]) if said else found.get(rule.like, 1000)
    return found | {name: block["mem_mb"] for name, block in PAPER["resources"].items() if "mem_mb" in block}


def test_jobs_of_smoke_run_on_made_data_and_say_what_memory_they_had(pristine, tmp_path):
    project = Project(pristine.duplicate(tmp_path / "project").root)
    curve = "results/smoke/dp_mac/curves/usps_dp_sgd/printed_8/1.json"
    project.run("--cores", "1", *LAID, "--config", f"data_root={tmp_path}", "--", curve)
    found = taken(project.root / "results" / "smoke").set_index("rule")
    assert set(found.index) == {"prepare_data", "train_sgd"}
    assert (found["mib"] > 30).all() and (found["mib"] < 4000).all()


def test_no_block_of_smoke_says_that_it_is_the_papers():
    said = []

    def walk(block, place):
        for key, value in block.items() if isinstance(block, dict) else enumerate(block):
            if isinstance(value, dict | list):
                walk(value, (*place, str(key)))
            elif str(key).endswith("protocol") and value == "paper":
                said.append(".".join(place))

    walk({name: SMOKE[name] for name in ("residual_perturbation", "segmentation", "dp_mac", "ensembles")}, ())
    used = set(re.findall(r"[a-z]\w+", str([SMOKE[name] for name in ("scalable_pate", "leaderboard")])))
    used |= {curve["series"] for curve in SMOKE["dp_mac"]["curves"]}
    used |= {network["task"] for network in SMOKE["residual_perturbation"]["networks"]}
    used |= set(SMOKE["residual_perturbation"]["audit"]["chosen"])
    assert [place for place in said if place.rpartition(".")[2] in used] == []


def test_smoke_has_the_papers_networks_and_batches():
    """Of what decides on memory only numbers of samples, steps, patients and shards are smaller."""
    cut = {"epochs", "steps", "warm_up", "z_steps", "trees", "milestones"}
    for name, model in PAPER["models"].items():
        own = {key: value for key, value in model.items() if key not in cut and key != "recipe"}
        assert own.items() <= SMOKE["models"][name].items(), name
        recipe, other = model.get("recipe", {}), SMOKE["models"][name].get("recipe", {})
        assert {key: recipe[key] for key in recipe.keys() - cut} == {key: other[key] for key in other.keys() - cut}
    for key in ("residual_perturbation", "segmentation"):
        for name, task in PAPER[key]["tasks"].items():
            for part in ("widths", "window"):
                assert SMOKE[key]["tasks"][name].get(part) == task.get(part), name
            for part in ("recipe", "dp_sgd", "teacher", "student"):
                assert task.get(part, {}).get("batch") == SMOKE[key]["tasks"][name].get(part, {}).get("batch"), name
    shapes = {name: volumes["shape"] for name, volumes in PAPER["segmentation"]["volumes"].items()}
    assert {name: volumes["shape"] for name, volumes in SMOKE["segmentation"]["volumes"].items()} == shapes


@each(csv.DictReader(TABLE.open()), lambda row: row["rule"])
def test_a_rule_asks_for_half_as_much_again_as_its_largest_job_had(row):
    assert asked()[row["rule"]] >= MARGIN * float(row["mib"]), row


def test_made_files_are_read_as_what_they_stand_for(tmp_path):
    write_patches(tmp_path / "idc", (30, 12), 5)
    patches = read([tmp_path / "idc"], published=(30, 12))
    assert patches["x"].shape == (42, 50, 50, 3) and patches["y"].sum() == 12 and len(set(patches["group"])) == 5
    write_decathlon(tmp_path / "Task01_BrainTumour", 2, (24, 24, 16))
    write_brats(tmp_path / "MICCAI_BraTS_2019_Data_Training", 2, (24, 24, 16))
    for name in ("msd_brain_tumour", "brats2019"):
        source = get(name, {}, tmp_path)
        volume = source.read(source.subjects()[0])
        assert volume.image.shape == (4, 24, 24, 16) and len(source.subjects()) == 2
        assert volume.label.max() <= 3


@pytest.mark.parametrize("name", [name for name, entry in SMOKE["datasets"].items() if entry["module"] == "made"])
def test_made_arrays_have_the_shapes_that_the_dataset_says(name):
    real = registry.get(load()["datasets"][name]["module"], name)
    made = registry.get("made", name)
    numbers = re.findall(r"\d[\d,]*", real.samples.partition(";")[0])[:2]
    assert all(number in made.samples for number in numbers), name
    assert real.classes in (None, made.classes)

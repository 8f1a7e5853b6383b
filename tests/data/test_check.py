"""What is said of data before any job: found, missing, damaged, one level off; nothing is changed."""

import re

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.data import check, registry
from lib.plan import data_needs as needed
from scripts import check_data
from tests.plan.configurations import ROOT

ADULT = {"module": "pate_votes", "source": "data_root"}
NAME, FILE = "pate_votes_adult", "adult_250_teachers.npy"


@pytest.fixture
def root(tmp_path):
    """A data_root with made-up votes, which are others than the authors'."""
    (tmp_path / "data" / "pate_votes").mkdir(parents=True)
    np.save(tmp_path / "data" / "pate_votes" / FILE, np.tile([200.0, 50.0], (16281, 1)))
    return tmp_path / "data"


def tree(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_are_found_missing_or_damaged(root):
    before = tree(root)
    damaged = check.check_dataset(NAME, ADULT, root)
    assert damaged.state == check.DAMAGED and damaged.lacks and "other samples" in damaged.detail
    assert check.check_dataset(NAME, ADULT, root, read=False).state == check.FOUND
    missing = check.check_dataset("pate_votes_svhn", ADULT, root)
    assert missing.state == check.MISSING and "svhn_test_labels.npy" in missing.detail
    assert check.check_dataset(NAME, ADULT, None).state == check.MISSING
    assert check.check_dataset(NAME, ADULT | {"source": "download"}, None).state == check.FETCHED
    assert not check.check_dataset("digits", {"module": "digits", "source": "embedded"}, None).lacks
    assert not check.check_dataset("open_glyph", {"module": "glyph", "source": "generated"}, None).lacks
    assert tree(root) == before


def test_a_data_root_that_is_one_level_off_is_told_where_the_files_are(root):
    for wrong in (root.parent, root / "pate_votes"):
        found = check.check_dataset(NAME, ADULT, wrong)
        assert found.state == check.ELSEWHERE and f"give data_root={root}" in found.detail


def test_hidden_folders_are_neither_named_nor_watched(root):
    (root / "pate_votes").rename(root / ".old")
    (root / ".old" / FILE).rename(root / ".old" / "adult.npy")
    (root / ".old" / "pate_votes").mkdir()
    (root / ".old" / "adult.npy").rename(root / ".old" / "pate_votes" / FILE)
    (root / "new" / ".trash").mkdir(parents=True)
    assert check.check_dataset(NAME, ADULT, root).state == check.MISSING
    assert registry.watched([root]) == [root, root / "new"]


def test_volumes_are_looked_for_as_well(tmp_path):
    block = {"name": "lgg_mri", "settings": {}}
    missing = check.check_volumes("lgg", block, tmp_path)
    assert missing.state == check.MISSING and "kaggle" in missing.obtain
    (tmp_path / "lgg_mri" / "TCGA_CS_4941_19960909").mkdir(parents=True)
    assert check.check_volumes("lgg", block, tmp_path).state == check.DAMAGED
    assert check.check_volumes("lgg", block, tmp_path / "lgg_mri").state == check.ELSEWHERE
    generated = {"name": "brain_phantom", "settings": {"shape": [16, 16, 16], "seed": 1, "subjects": 2}}
    assert check.check_volumes("phantom", generated, None).state == check.FOUND


def test_all_that_lacks_is_in_one_table_and_in_one_line(root):
    names = {"prepare_data": [NAME, "pate_votes_svhn", "mnist", "digits"], "prepare_volumes": ["lgg"], "tasks": ["lgg"]}
    config = check_data.load((), {"data_root": str(root)})
    found = needed.findings(config, names)
    table, line = check.as_table(found), check.in_one_line(found, root)
    assert line.startswith("4 of the datasets") and "\n" not in line
    for name in ("pate_votes_adult", "pate_votes_svhn", "mnist", "lgg"):
        assert name in table and name in line
    assert "digits" in table and "digits" not in line and "obtain: " in table


def test_too_few_patients_are_named_with_the_task_that_needs_more(tmp_path):
    for number in range(6):
        case = tmp_path / "lgg_mri" / f"TCGA_CS_{number}_1996"
        case.mkdir(parents=True)
        for name in ("flair", "mask"):
            (case / f"{name}.nii.gz").touch()
    config = check_data.load((), {"data_root": str(tmp_path)})
    names = {"prepare_data": [], "prepare_volumes": ["lgg"], "tasks": ["lgg", "phantom"]}
    (found,) = needed.findings(config, names)
    assert found.state == check.TOO_FEW and found.lacks
    parts = "segmentation.tasks.lgg.parts = {'public': 40, 'student': 40, 'test': 30}"
    line = f"{parts} and segmentation.tasks.lgg.apart = 1: 110 patients in each"
    assert found.detail.startswith(line) and "segmentation.volumes.lgg has 6 patients" in found.detail
    (found,) = needed.findings(config, names | {"tasks": []})
    assert found.state == check.FOUND and "6 patients" in found.detail


def test_every_rule_that_divides_patients_is_known_by_its_name():
    """A job's line names its task, and `needed` finds it."""
    rules = (ROOT / "rules" / "segmentation").glob("*.smk")
    blocks = [block for path in rules for block in path.read_text(encoding="utf-8").split("\nrule ")[1:]]
    divided = [block.partition(":")[0] for block in blocks if "{task}" in block]
    assert {"aggregate_masks", "train_mask_students", "measure_limits"} < set(divided)
    for rule in divided:
        assert re.match(needed._TASKS, f"{rule} repetition=1,shard=0,task=mine:")[1] == "mine"
        assert re.match(needed._TASKS, f"{rule} task=mine,repetition=1,")


def test_the_line_says_first_what_helps(root):
    """One level off for all: only where to go. No folder: that, and not what would be put there."""
    names = {"prepare_data": [NAME], "prepare_volumes": [], "tasks": []}

    def line(folder):
        return check.in_one_line(needed.findings(check_data.load((), {"data_root": str(folder)}), names), folder)

    above = root.parent
    assert line(above) == f"data_root={above} is one level off: its files are in {root}: give data_root={root}"
    away = root / "nowhere"
    assert line(away / "else") == f"data_root={away / 'else'}: there is no such folder; needed there: {NAME}"


def test_the_script_ends_with_status_one_if_something_lacks(root, monkeypatch, capsys):
    asked = []

    def planned(configfiles, given, targets):
        asked.append((given, targets))
        return {"prepare_data": [NAME], "prepare_volumes": [], "tasks": []}

    monkeypatch.setattr(check_data, "needed", planned)
    with pytest.raises(SystemExit) as caught:
        check_data.main(["--config", f"data_root={root}", "device=cpu", "--", "scalable_pate_table1"])
    assert caught.value.code == 1 and asked == [(["device=cpu"], ["scalable_pate_table1"])]
    assert "damaged" in capsys.readouterr().out
    check_data.main(["--quick", "--config", f"data_root={root}"])
    assert "found" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory; allowed is a file of YAML (a target needs ` -- ` before it)"),
        (b"preset: mine\nrelease:\n\trun: null\n", ": line 3: not readable as YAML: found character"),
        (b"preset: [mine\n", "; allowed is YAML, indented with spaces"),
        (b"preset: a\x07b\n", "characters are not allowed"),
        (b"preset: \xff\n", "line 1: the byte 0xff is no UTF-8; allowed is UTF-8"),
        (b"- preset\n", "holds no mapping; allowed are settings, KEY: VALUE"),
        (b"", "holds no mapping; allowed are settings, KEY: VALUE"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_one_line_with_its_file(tmp_path, content, said):
    file = tmp_path / "mine.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        check_data.main(["--configfile", str(file)])
    line = str(caught.value)
    assert line.startswith(str(file)) and said in line and "\n" not in line


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("scalable_pate_table1", "a target needs ` -- ` before it"),
        ("data_root=/x/Scans #2", "arrives as '/x/Scans'"),
    ],
)
def test_a_setting_that_cannot_be_read_is_one_line_with_its_name(given, said):
    with pytest.raises(InputError) as caught:
        check_data.main(["--config", given])
    line = str(caught.value)
    assert line.startswith(f"--config {given.partition('=')[0]}") and said in line and "\n" not in line

"""What a person writes into the configuration reaches a script as it is, whatever a shell would make of it."""

import copy
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from lib.core.errors import InputError
from lib.plan.config import check_config, claim_ids, merged
from lib.plan.data_needs import mark_without_data
from lib.plan.paper_settings import find, settings
from lib.plan.schema import validator_of
from tests.data.volumes.conftest import SHAPE, image, label, write_nifti
from tests.plan.configurations import CONFIG, SCHEMA, parent_of
from tests.plan.test_config import walk
from tests.workflow.running import ROOT, Project

# some texts have to begin with "reduced: "
HOSTILE = "reduced: x'y\" $(touch PWNED) `touch PWNED` & touch PWNED; \\ {input} %s * é"
FOLDER = "a folder's $(touch PWNED) & `touch PWNED`; *"
CLAIMS = claim_ids()


def allowed(config: dict) -> bool:
    try:
        check_config(config, SCHEMA, CLAIMS)
    except InputError:
        return False
    return True


@pytest.fixture(scope="module")
def places() -> list[tuple]:
    """Where the configuration allows the text.

    What the schema refuses is found at once, names that must exist block by block, all values of a key together:
    catalogues have hundreds of them.
    """
    texts = [path for path, value in walk(CONFIG) if isinstance(value, str) or value is None]
    refused = {("data_root",)}
    while True:
        tried = changed(CONFIG, [path for path in texts if path not in refused])
        more = {tuple(error.absolute_path) for error in validator_of(tried, SCHEMA).iter_errors(tried)} & set(texts)
        if not more:
            break
        refused |= more
    groups: dict[tuple, list[tuple]] = {}
    for path in texts:
        if path not in refused:
            block = path[:1] if path[0] in ("datasets", "models", "ensembles") else path[:2]
            groups.setdefault((*block, path[-1]), []).append(path)
    found = []
    for paths in groups.values():
        if allowed(changed(CONFIG, found + paths)):
            found += paths
    return found


def changed(config: dict, paths: list[tuple]) -> dict:
    """The configuration with the text in these places."""
    config = copy.deepcopy(config)
    for path in paths:
        parent_of(config, path)[path[-1]] = HOSTILE
    return config


def commands(text: str) -> list[str]:
    """The shell commands that a dry run prints, without where their output goes."""
    printed = re.findall(r"^Shell command: (?!None$)(.*)$", text, re.MULTILINE)
    ends = [re.fullmatch(r"(.*) > results/[\w/.]+\.log 2>&1", command) for command in printed]
    assert all(ends), [command for command, end in zip(printed, ends, strict=True) if not end]
    return [end[1] for end in ends]


def texts_in(word: str) -> list[str]:
    """The texts of a word: itself, or those of the JSON that it is, and of JSON within it."""
    if not word.startswith(("{", "[", '"')):
        return [word]
    return [text for _, leaf in walk(json.loads(word)) if isinstance(leaf, str) for text in texts_in(leaf)]


def words_in_bash(lines: list[str], folder: Path) -> list[str]:
    """The words that bash makes of the commands, of which only `python` does not do what it says."""
    script = "\n".join(['python() { printf "%s\\0" python "$@"; }', *lines])
    done = subprocess.run(["bash", "-euo", "pipefail"], input=script, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split("\0")[:-1]


@pytest.mark.parametrize("preset", ["quick", pytest.param("paper", marks=pytest.mark.long)])
def test_hostile_text_in_the_configuration_stays_text(pristine, tmp_path, places, preset):
    keys = {path[-1] for path in places}
    assert {"label", "stands_for", "protocol", "title", "student_protocol"} <= keys and len(places) > 200
    above = {} if preset == "quick" else yaml.safe_load((ROOT / "presets" / f"{preset}.yaml").read_text())
    config = merged(CONFIG, above)
    # names of datasets that a paper states are held to it
    stated = {find(config, row.key).place for row in settings() if row.stated and row.key}
    made = [path for path in places if len(path) < 3 or config[path[0]][path[1]] is not None]  # null: left out there
    config = changed(config, [path for path in made if ".".join(map(str, path)) not in stated])
    root = tmp_path / FOLDER
    mark_without_data(root)
    project = Project(pristine.root).over(config | {"preset": "hostile", "data_root": str(root)})
    planned = commands(project.run("--dry-run", "--printshellcmds", "--", "all"))
    words = [shlex.split(command) for command in planned]
    assert words_in_bash(planned, tmp_path) == [word for command in words for word in command]
    found = [text for command in words for word in command for text in texts_in(word) if "PWNED" in text]
    assert {text.partition(str(root))[0] for text in found} <= {HOSTILE, ""}
    assert found.count(HOSTILE) > 20 and any(str(root) in text for text in found) == (preset != "quick")
    assert not [path for folder in (tmp_path, project.root) for path in folder.rglob("PWNED")]


def test_volumes_below_a_hostile_folder_are_prepared_and_nothing_else_happens(pristine, tmp_path):
    root = tmp_path / FOLDER
    for number in (1, 2):
        case = root / "brats2013" / f"brats_2013_pat{number:04d}_1"
        for channel, what in enumerate(("flair", "t1c")):
            write_nifti(case / f"{what}.nii.gz", image(10 * number + channel))
        write_nifti(case / "brainmask.nii.gz", (image(number) > 0).astype("uint8"))
        write_nifti(case / "seg.nii.gz", label(1, 2, 3, 4))
    project = pristine.duplicate(tmp_path / "project")
    volumes = {"brats2013": {"shape": list(SHAPE)}}
    project = project.over({"data_root": str(root), "segmentation": {"volumes": volumes}})
    index = "results/tiny/private/volumes/brats2013/index.json"
    project.run("--cores", "1", "--", index)
    assert (project.root / index).is_file()
    assert not list(tmp_path.rglob("PWNED"))

"""A variant of a preset: only what depends on the setting is made again, beside an original that stays as it is."""

import re
import subprocess
import sys

import pandas as pd
import pytest
import yaml

from lib.core.errors import InputError
from scripts import variant
from tests.workflow.running import LIMIT, TINY, Project, environment

SETTING = "scalable_pate.runs.digits_confident.sigma"


def call(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "scripts.variant", "--cores", "1", *words]
    streams = {"capture_output": True, "text": True, "timeout": LIMIT, "check": False}
    return subprocess.run(line, cwd=project.root, env=environment(), **streams)


def test_a_variant_makes_only_what_its_setting_changes(changed):
    project = Project(changed.root)
    (project.root / "presets" / "tiny.yaml").write_text(yaml.safe_dump(TINY))
    original = ("--configfile", "presets/tiny.yaml", "--", "scalable_pate_table2")
    folder = project.root / "results" / "tiny"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    words = ("--preset", "tiny", "--target", "scalable_pate_table2", "--set", f"{SETTING}=4.0")
    done = call(project, *words)
    assert done.returncode == 0, done.stderr
    jobs = re.findall(r"^(?:Job \d+: )(\w+)", done.stderr, re.MULTILINE)
    assert sorted(jobs) == ["sanitize_epsilon", "scalable_pate_table2"]
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert project.pending(*original).nothing

    (place,) = (project.root / "variants").iterdir()
    tables = [pd.read_csv(root / "results/tiny/scalable_pate/table2.csv") for root in (project.root, place)]
    found = pd.read_csv(place / "scalable_pate_table2.csv").set_index("column")
    assert found.loc["epsilon", ["before", "after"]].tolist() == [table["epsilon"].item() for table in tables]
    assert found.loc["epsilon", "after"] < found.loc["epsilon", "before"]
    assert (place / "scalable_pate_table2.png").is_file() and "epsilon" in done.stdout

    again = call(project, *words)
    assert again.returncode == 0 and not re.search(r"^Job \d+: ", again.stderr, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--target", "scalable_pate_tabel2", "--set", f"{SETTING}=30.0"], "did you mean scalable_pate_table2"),
        (["--target", "scalable_pate_table2", "--set", f"{SETTING}a=30.0"], "did you mean sigma"),
        (["--target", "scalable_pate_table2", "--set", f"{SETTING}=much"], "allowed is a number"),
        (["--target", "scalable_pate_table2", "--set", SETTING], "allowed is KEY=VALUE"),
        (["--target", "scalable_pate_table2", "--set", "repetitions=2"], "has these values already"),
        (["--target", "scalable_pate_table2", "--set", "seed=1", "--preset", "fast"], "no such preset; allowed: quick"),
    ],
)
def test_what_cannot_be_a_variant_is_refused_before_anything_runs(words, said):
    with pytest.raises(InputError, match=re.escape(said)):
        variant.main(words)

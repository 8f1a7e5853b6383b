"""What is wrong before a job starts, or in one: Snakemake ends with one line, and nothing is left behind.

Which mistakes are refused, and with what line: tests/plan.
"""

import os
import time

import numpy as np
import pytest
import yaml

from lib.core.errors import InputError
from scripts import check_data
from tests.workflow.running import Project, assert_one_line

DIGITS = {"ensembles": {"digits": {"teachers": 201}}}


def refused(project: Project, *arguments: str) -> str:
    """The line with which a real run is refused; it starts no job and leaves nothing behind."""
    before = project.tree()
    done = project.snakemake("--cores", "1", *arguments)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Job stats" not in done.stderr and "Error" not in done.stdout + done.stderr
    assert project.tree() == before
    assert_one_line(done.stderr)
    return done.stderr.splitlines()[-1]


def test_a_mistake_in_the_configuration_is_one_line_and_runs_nothing(pristine):
    assert "ensembles.digits.teachers = 201: " in refused(pristine.over(DIGITS))


def test_so_is_one_that_is_found_while_the_jobs_are_planned(pristine):
    line = refused(Project(pristine.root), "--configfile", "presets/real.yaml")
    for part in ("'data_root'", "pate_votes", "not set"):
        assert part in line


def test_all_data_that_are_missing_are_named_at_once(pristine, tmp_path):
    line = refused(Project(pristine.root), "--configfile", "presets/votes.yaml", "--config", f"data_root={tmp_path}")
    for part in ("3 of the datasets", "pate_votes_mnist", "pate_votes_svhn", "pate_votes_adult", "scripts.check_data"):
        assert part in line


def test_a_task_that_needs_more_patients_than_there_are_is_refused(pristine, tmp_path):
    case = tmp_path / "lgg_mri" / "TCGA_CS_1_1996"
    case.mkdir(parents=True)
    for name in ("flair", "mask"):
        (case / f"{name}.nii.gz").touch()
    project = pristine.over({"compressed_pate": {"fig3": {"tasks": ["lgg"]}}})
    line = refused(project, "--config", f"data_root={tmp_path}", "--", "compressed_pate_fig3")
    assert "segmentation.tasks.lgg.parts" in line and "segmentation.volumes.lgg has 1 patients" in line


def test_a_dataset_from_where_it_never_comes_is_refused_without_a_run_in_the_run(pristine, tmp_path):
    """What all else is lacking is asked of a dry run, which is refused for the same reason, and must not ask again."""
    project = pristine.over({"datasets": {"digits": {"source": "data_root"}}})
    assert "no source 'data_root', allowed: ['embedded']" in refused(project, "--config", f"data_root={tmp_path}")


def test_planning_makes_nothing_in_a_persons_folders(pristine, tmp_path):
    """Also where volumes of one's own lie outside data_root, in a dry run and in check_data."""
    root, theirs = tmp_path / "data", tmp_path / "theirs"
    root.mkdir()
    theirs.mkdir()
    mine = {"layout": "datalist", "shape": [16, 16, 16], "channels": ["flair"], "labels": {0: "background", 1: "whole"}}
    folders = {"absolute": str(theirs / "new"), "above": "../theirs/other"}
    volumes = {name: mine | {"folder": folder, "list": f"../{name}.json"} for name, folder in folders.items()}
    project = pristine.over({"segmentation": {"volumes": volumes}})
    targets = [f"results/tiny/private/volumes/{name}/index.json" for name in volumes]
    line = refused(project, "--config", f"data_root={root}", "--", *targets)
    assert "2 of the datasets" in line and all(f"{name}: missing" in line for name in volumes)
    given = ["--configfile", *map(str, project.overlays), "--config", f"data_root={root}", "--", *targets]
    with pytest.raises(SystemExit):
        check_data.main(given)
    assert not list(root.iterdir()) and not list(theirs.iterdir())


def test_why_nothing_can_be_planned_is_the_line_of_check_data(monkeypatch):
    with pytest.raises(InputError, match=r"^MissingRuleException: No rule to produce nowhere\.csv "):
        check_data.main(["--", "nowhere.csv"])
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    with pytest.raises(InputError, match=r"^\w+Error: .*'/proc/nowhere'$"):
        check_data.main(["--", "dp_mac_budget"])


def test_a_folder_that_yaml_cuts_short_is_refused_by_how_it_was_typed(pristine, tmp_path):
    (tmp_path / "Scans").mkdir()
    votes = ("--configfile", "presets/votes.yaml", "--config", f"data_root={tmp_path / 'Scans #2'}")
    line = refused(Project(pristine.root), *votes)
    assert f"arrives as {str(tmp_path / 'Scans')!r}" in line and f'`data_root: "{tmp_path}/Scans #2"`' in line


@pytest.mark.parametrize("word", ["true", pytest.param("True", marks=pytest.mark.long)])
def test_true_is_read_as_yaml_has_it(word, pristine, tmp_path):
    given = (f"data_root={tmp_path}", f"download={word}")
    line = refused(Project(pristine.root), "--configfile", "presets/votes.yaml", "--config", *given)
    assert "1 of the datasets" in line and "pate_votes_svhn: missing" in line  # the others are fetched


def test_what_snakemake_reads_before_the_snakefile_is_refused_before_it_reads_it(pristine, tmp_path):
    (tmp_path / "mine.yaml").write_text("preset: mine\n", encoding="utf-16")
    for words, said in (
        (("--config", "data_root", "--", "datasets"), "--config data_root: allowed is KEY=VALUE"),
        (("--configfile", str(tmp_path / "mine.yaml"), "--", "datasets"), "mine.yaml: its text is UTF-16"),
    ):
        assert said in refused(Project(pristine.root), *words)


def test_a_misspelt_target_is_told_which_one_was_meant(pristine):
    assert "did you mean scalable_pate_table1 " in refused(Project(pristine.root), "--", "scalable_pate_tabel1")


def test_values_of_an_option_are_no_misspelt_targets(pristine):
    words = ("--rerun-triggers", "mtime", "code", "--", "results/quick/dp_mac/budget.csv")  # there is audit_code
    assert Project(pristine.root).pending(*words).rules


def test_so_is_an_overlay_without_a_preset_of_its_own(pristine, tmp_path):
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(yaml.safe_dump({"repetitions": 2}))
    line = refused(Project(pristine.root, (overlay,)))
    assert str(overlay) in line and "preset: NAME" in line
    target = "results/quick/dp_mac/budget.csv"
    assert Project(pristine.root, (overlay,)).pending("--config", "preset=quick", "--", target).rules
    assert Project(pristine.root).pending("--config", "repetitions=2", "--", target).rules


def test_a_file_of_the_future_is_named_before_a_job_that_reads_it(pristine, tmp_path):
    """Snakemake would delete what the job made. Code is no input, so that its date matters to nothing."""
    project = pristine.duplicate(tmp_path / "project")
    data, split = (f"results/tiny/private/{name}.npz" for name in ("data/digits", "splits/digits/1"))
    project.run("--cores", "1", "--", data)
    later = time.time() + 6 * 3600
    os.utime(project.root / "scripts" / "split_data.py", (later, later))
    os.utime(project.root / data, (later, later))
    done = project.snakemake("--cores", "1", "--", split)
    assert done.returncode == 1
    assert_one_line(done.stderr, f"error: {data}: dated 20", "in the future")
    assert "Job 0: " not in done.stderr and not (project.root / split).exists()
    os.utime(project.root / data)
    project.run("--cores", "1", "--", split)


def published() -> np.ndarray:
    """Votes of the shape that were published for Adult, made up."""
    return np.tile([200.0, 50.0], (16281, 1))


def test_a_job_on_altered_data_ends_with_one_line_and_leaves_no_output(changed, tmp_path):
    root = tmp_path / "folder with a space"
    (root / "pate_votes").mkdir(parents=True)
    file = root / "pate_votes" / "adult_250_teachers.npy"
    np.save(file, published())
    project = Project(changed.root)
    target = "results/real/private/votes/adult/0.npz"
    arguments = ("--configfile", "presets/real.yaml", "--config", f"data_root={root}")
    done = project.snakemake(*arguments, "--cores", "1", target)
    assert done.returncode == 1
    log = project.root / "results" / "real" / "logs" / "prepare_data" / "pate_votes_adult.log"
    assert_one_line(log.read_text(), str(file), "other samples")
    assert str(file) in done.stdout + done.stderr, "Snakemake does not show the log of the failed job"
    made = {path for path in (project.root / "results" / "real").rglob("*") if path.is_file()}
    assert made == {log}


def test_more_samples_asked_than_a_dataset_has_is_one_line_of_the_job(changed):
    project = changed.over({"ensembles": {"digits": {"private": 2000}}})
    assert project.snakemake("--cores", "1", "results/tiny/private/splits/digits/1.npz").returncode == 1
    log = project.root / "results" / "tiny" / "logs" / "split_data" / "digits" / "1.log"
    assert_one_line(log.read_text(), "2000", "1797")

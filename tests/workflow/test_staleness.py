"""What a change makes stale: the jobs that used what has changed and what follows from them, and nothing else."""

import re
import subprocess
from pathlib import Path

import pytest

from lib.plan.results import TITLES
from tests.workflow.running import Project, environment

# All rules that follow from the votes; the tables and figure follow from the accounts.
RELEASE = {"release_student", "release", "verify_release"}
TABLES = {"scalable_pate_table1", "scalable_pate_table2", "scalable_pate_epsilon"}
# what the students and the noisy check of a run have a part in
CHECKED = {"inspect_selection", "scalable_pate_selection", "scalable_pate_fig1"}
# what is measured of masks in every repetition, and what follows from it
MASKS = {
    *("train_mask_encoder", "measure_limits", "measure_components"),
    *("autoencoded_pate_fig2", "autoencoded_pate_pca"),
}
MASKS |= {f"compressed_pate_{item}" for item in ("fig1", "theorem4", "limits")}


# all rules that follow from tables that claims are about; how many papers' is in the counts
ENDS = {"claims", "paper_claims", "site_page", "site"}


def following(jobs, started: set[int]) -> set[int]:
    """Numbers of the jobs that have started ones, or their followers, among the jobs whose outputs they read."""
    found = set(started)
    while True:
        made = frozenset().union(*(jobs[number].outputs for number in found)) if found else frozenset()
        more = {number for number, job in enumerate(jobs) if job.inputs & made} | found
        if more == found:
            return found
        found = more


def counted(jobs, numbers: set[int]) -> dict[str, int]:
    """Number of jobs by rule."""
    rules = [jobs[number].rule for number in numbers]
    return {rule: rules.count(rule) for rule in set(rules)}


def users(jobs, *paths: str) -> dict[str, int]:
    """Number of jobs by rule that loaded or opened one of the files when they ran, and of those that follow."""
    return counted(jobs, following(jobs, {n for n, job in enumerate(jobs) if (job.modules | job.opened) & {*paths}}))


DATA = {"prepare_data", "split_data", "train_teachers", "count_votes"}
LEARNING = {"train_student", "train_baseline"}
# a file of each kind, rules that are stale with it, and rules that are not
CHANGES = {
    "pate_accountant/confident.py": (
        {"account", "aggregate", "sanitize_epsilon"} | TABLES | CHECKED | ENDS,
        DATA | {"train_baseline", "datasets"},
    ),
    "lib/data/sources/digits.py": (DATA | LEARNING | ENDS | {"datasets"}, set()),
    "lib/reporting/style.mplstyle": ({"scalable_pate_epsilon"}, DATA | LEARNING | {"account", "scalable_pate_table1"}),
    "schemas/record.schema.yaml": ({"account", "train_student"} | TABLES | ENDS, DATA | {"datasets"}),
    "scripts/pca_formula.py": (
        {"autoencoded_pate_pca", "compressed_pate_theorem4"} | ENDS,
        {"measure_components", "compressed_pate_fig1", "compressed_pate_limits"},
    ),
    "report/dp_mac_readings.md": (
        {"site_page"},
        {"train_mac", "claims", "paper_claims"},
    ),
    "claims.csv": (
        {"claims", "scalable_pate_table1", "scalable_pate_epsilon"} | ENDS,
        DATA | LEARNING | {"account", "aggregate", "scalable_pate_table2", "datasets"},
    ),
    "controls.csv": (set(), DATA | LEARNING | {"account", "train_mac"}),
    "report/claims.rst": (set(), DATA | LEARNING | TABLES | ENDS),
}


def test_a_second_run_has_nothing_to_do(finished):
    assert finished.pending("all").nothing
    # without -n as well, and without a trace
    before = {path: (finished.root / path).stat().st_mtime_ns for path in finished.tree()}
    assert "Nothing to be done" in finished.run("--cores", "2", "all")
    assert {path: (finished.root / path).stat().st_mtime_ns for path in finished.tree()} == before


@pytest.mark.parametrize("what", ["code and configuration", "everything"])
def test_touching_makes_nothing_stale(changed, what):
    for path in changed.tree():
        if what == "everything" or not path.startswith("results/"):
            (changed.root / path).touch()
    assert changed.pending("all").nothing


MARKS = {".py": "\n\nCHANGED = True\n", ".mplstyle": "\nlines.linewidth: 3\n", ".csv": "\n", ".yaml": "\n# changed\n"}
# The script of the papers' pages, which declares the controls, writes the leaderboard's page too, and reads none there.
DECLARED_ALONE = {"controls.csv": {"site_page": len(TITLES)}}


@pytest.fixture(scope="module")
def mended(finished, tmp_path_factory) -> Project:
    """A copy in which one file after another is changed, and made what it was."""
    return finished.duplicate(tmp_path_factory.mktemp("mended") / "project")


@pytest.mark.parametrize("path", CHANGES)
def test_a_changed_file_makes_exactly_its_users_stale(mended, recorded, path):
    stale, fresh = CHANGES[path]
    before = (mended.root / path).read_bytes()
    mended.append(path, MARKS.get(Path(path).suffix, "\nChanged.\n"))
    try:
        found = mended.pending("all")
    finally:
        (mended.root / path).write_bytes(before)
    assert stale <= found.rules
    assert not fresh & found.rules
    assert found.counts == users(recorded.jobs, path) | DECLARED_ALONE.get(path, {})


def test_a_comment_and_a_docstring_make_nothing_stale(changed):
    """Neither in what all jobs import nor in what few do, and no line that moves by it."""
    for path in ("lib/core/command.py", "pate_accountant/statement.py", "scripts/list_datasets.py"):
        content = (changed.root / path).read_text()
        assert content.startswith('"""')
        (changed.root / path).write_text(f'# a comment\n"""Another.\n\n{content[3:]}\n# and one more\n')
    assert changed.pending("all").nothing


def test_a_changed_job_is_run_once_and_then_fresh(changed):
    changed.append("scripts/list_datasets.py", "\nCHANGED = True\n")
    assert changed.pending("all").counts == {"datasets": 1}
    changed.run("--cores", "1", "all")
    assert changed.pending("all").nothing


def test_a_new_module_makes_the_rule_that_imports_it_stale(changed, recorded):
    (changed.root / "lib" / "extra.py").write_text("")
    assert changed.pending("all").nothing
    changed.edit("scripts/split_data.py", "from lib.core.command", "from lib import extra\nfrom lib.core.command")
    expected = users(recorded.jobs, "scripts/split_data.py")
    assert expected["split_data"] == 1
    assert changed.pending("all").counts == expected


def test_a_module_that_only_another_module_imports_counts(changed, recorded):
    (changed.root / "lib" / "extra.py").write_text("LIMIT = 1\n")
    changed.edit("lib/pate/classification.py", "import numpy as np\n", "import numpy as np\n\nimport lib.extra\n")
    expected = users(recorded.jobs, "lib/pate/classification.py")
    assert changed.pending("all").counts == expected
    changed.run("--cores", "2", "--touch", "all")
    assert changed.pending("all").nothing
    (changed.root / "lib" / "extra.py").write_text("LIMIT = 2\n")
    assert changed.pending("all").counts == expected


def git(project: Project, *arguments: str) -> None:
    """One git command in the copy."""
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *arguments]
    subprocess.run(command, cwd=project.root, env=environment(), check=True, capture_output=True)


def committed(project: Project) -> None:
    """Make the copy a repository with one commit."""
    git(project, "init", "--quiet", "--initial-branch", "main")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "All")


def test_a_renamed_module_makes_its_users_stale(changed, recorded):
    committed(changed)
    git(changed, "mv", "pate_accountant/sanitize.py", "pate_accountant/release.py")
    for path in (changed.root / name for name in ("lib", "pate_accountant", "scripts")):
        for file in path.rglob("*.py"):
            content = file.read_text()
            if "pate_accountant.sanitize" in content:
                file.write_text(content.replace("pate_accountant.sanitize", "pate_accountant.release"))
    expected = users(recorded.jobs, "pate_accountant/sanitize.py")
    assert expected["sanitize_epsilon"] == 1
    assert changed.pending("all").counts == expected


def test_a_module_that_is_gone_is_named(changed):
    (changed.root / "lib" / "reporting" / "style.mplstyle").unlink()
    done = changed.snakemake("--dry-run")
    assert done.returncode != 0
    assert "style.mplstyle" in done.stdout + done.stderr


def test_a_branch_and_back_makes_nothing_stale(changed, recorded):
    committed(changed)
    git(changed, "checkout", "--quiet", "-b", "other")
    changed.append("lib/reporting/results.py", "\n\nCHANGED = True\n")
    changed.append("claims.csv", "\n")
    git(changed, "commit", "--quiet", "--all", "--message", "Change")
    assert changed.pending("all").counts == users(recorded.jobs, "lib/reporting/results.py", "claims.csv")
    old = (changed.root / "lib" / "reporting" / "results.py").stat().st_mtime_ns
    git(changed, "checkout", "--quiet", "main")
    assert (changed.root / "lib" / "reporting" / "results.py").stat().st_mtime_ns > old
    assert changed.pending("all").nothing


def test_one_runs_sigma_makes_only_that_runs_jobs_stale(changed):
    found = changed.over({"scalable_pate": {"runs": {"digits_confident": {"sigma": 2.5}}}}).pending("all")
    one_each = {"account", "aggregate", "train_student", "sanitize_epsilon"} | RELEASE | TABLES | CHECKED | ENDS
    assert found.counts == dict.fromkeys(one_each, 1)
    assert not [message for message in found.messages if "digits_lnmax" in message]
    of_the_run = {message.split()[0] for message in found.messages if "run=digits_confident" in message}
    assert of_the_run == {"account", "aggregate", "train_student", "sanitize_epsilon", "inspect_selection"} | {
        "release_student"
    }


def test_another_repetition_adds_only_its_own_jobs(changed):
    found = changed.over({"repetitions": 2}).pending()
    numbers = {number for message in found.messages for number in re.findall(r"(?:repetition|drawn)=(\d+)", message)}
    assert numbers == {"2"}
    # what draws all its repetitions in one job is made again as a whole
    together = {f"residual_perturbation_{item}" for item in ("fig1", "fig8", "rademacher")}
    assert together <= set(found.counts)
    assert set(found.counts) - ENDS - {"scalable_pate_teachers"} - TABLES - CHECKED - MASKS - together == {
        *["split_data", "split_baseline", "train_teachers", "count_votes", "train_baseline"],
        *["account", "aggregate", "train_student", "sanitize_epsilon"],
    }


def test_another_seed_of_the_noise_makes_only_what_is_drawn_with_it_stale(changed):
    found = changed.over({"noise_seed": 1}).pending()
    assert {"aggregate", "train_student", "sanitize_epsilon"} | RELEASE <= found.rules
    assert not (DATA | {"public_part", "train_baseline", "account", "train_mac"}) & found.rules
    assert {"aggregate"} <= changed.over({"noise_seed": None}).pending().rules


def test_another_device_makes_only_the_training_of_networks_stale(changed):
    found = changed.over({"device": "cuda"}).pending()
    assert {"train_mac", "train_sgd"} <= found.rules
    assert not (DATA | LEARNING | TABLES | {"dp_mac_budget", "dp_mac_fig2"}) & found.rules


def test_what_no_job_uses_makes_nothing_stale(changed):
    """A run on other data, one that is in no table, another ensemble, and where data would lie."""
    runs = {"mnist_confident": {"sigma": 50.0}, "digits_gnmax": {"sigma": 50.0}}
    overlay = {"scalable_pate": {"runs": runs}, "ensembles": {"svhn": {"label": "House numbers"}}}
    assert changed.over(overlay | {"data_root": "/nowhere"}).pending("all").nothing


def test_the_seed_makes_every_draw_stale(changed):
    found = changed.over({"seed": 1}).pending()
    assert {"split_data", "train_teachers", "aggregate", "train_student", "sanitize_epsilon"} <= found.rules
    assert not {"prepare_data", "datasets"} & found.rules


def test_a_moved_copy_has_nothing_to_do_and_still_runs(finished, tmp_path):
    moved = finished.duplicate(tmp_path / "moved to a folder with spaces")
    assert moved.pending("all").nothing
    moved.append("claims.csv", "\n")
    moved.run("--cores", "2", "claims")
    assert moved.results()["results/tiny/claims.csv"] == finished.results()["results/tiny/claims.csv"]


def test_results_land_in_the_directory_that_is_asked_for(pristine, finished, tmp_path):
    elsewhere = tmp_path / "another place"
    before = pristine.tree()
    targets = ("residual_perturbation_theory", "datasets")
    pristine.run("--cores", "2", "--directory", str(elsewhere), *targets)
    assert pristine.tree() == before
    assert {path.name for path in elsewhere.iterdir()} == {".snakemake", "results"}
    made = Project(elsewhere).results()
    assert "results/tiny/residual_perturbation/theory.csv" in made
    assert made == {path: finished.results()[path] for path in made}
    for folder in (pristine.root, tmp_path):
        snakefile = ("--snakefile", str(pristine.root / "Snakefile"))
        assert pristine.pending(*snakefile, "--directory", str(elsewhere), *targets, folder=folder).nothing

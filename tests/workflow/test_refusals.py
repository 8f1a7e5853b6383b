"""Mistakes in the configuration: each is refused in one line, before anything runs and without a trace."""

import numpy as np
import pytest

from tests.workflow.running import Project, assert_one_line


def run(name: str, **keys) -> dict:
    """An overlay that changes keys of one run."""
    return {"scalable_pate": {"runs": {name: keys}}}


def digits(**keys) -> dict:
    """An overlay that changes keys of the ensemble."""
    return {"ensembles": {"digits": keys}}


LNMAX, GNMAX, CONFIDENT = (f"scalable_pate.runs.digits_{name}" for name in ("lnmax", "gnmax", "confident"))
NO_NUMBER, NO_LIMIT = float("nan"), float("inf")
# what is wrong, the overlay, and what the line says: the key, the value, what is allowed
REFUSED = [
    ("misspelt key at the top", {"presett": "x"}, ["'presett'", "did you mean preset?", "data_root"]),
    ("misspelt key in a run", run("digits_lnmax", laplace_scal=2.0), [LNMAX, "'laplace_scal'", "laplace_scale"]),
    ("misspelt key in a dataset", {"datasets": {"digits": {"modul": "x"}}}, ["datasets.digits", "'modul'", "module"]),
    ("misspelt key in a block", {"accounting": {"order": 1}}, ["accounting", "'order'", "did you mean orders?"]),
    ("delta 0", run("digits_lnmax", delta=0.0), [f"{LNMAX}.delta = 0.0", "greater than 0", "less than 1"]),
    ("delta 1", run("digits_lnmax", delta=1.0), [f"{LNMAX}.delta = 1.0", "greater than 0", "less than 1"]),
    ("delta that YAML reads as text", run("digits_lnmax", delta="1e-5"), [f"{LNMAX}.delta = '1e-5'", "1.0e-5"]),
    ("delta that is not a number", run("digits_lnmax", delta=NO_NUMBER), [f"{LNMAX}.delta = nan", "allowed"]),
    ("sigma below 0", run("digits_gnmax", sigma=-4.0), [f"{GNMAX}.sigma = -4.0", "greater than 0"]),
    ("sigma that is not a number", run("digits_gnmax", sigma=NO_NUMBER), [f"{GNMAX}.sigma = nan", "allowed"]),
    ("infinite sigma", run("digits_gnmax", sigma=NO_LIMIT), [f"{GNMAX}.sigma = inf", "allowed"]),
    (
        "sigma of the check 0",
        run("digits_confident", sigma_threshold=0.0),
        [f"{CONFIDENT}.sigma_threshold = 0.0", "greater than 0"],
    ),
    ("scale below 0", run("digits_lnmax", laplace_scale=-1.0), [f"{LNMAX}.laplace_scale = -1.0", "greater than 0"]),
    ("more teachers than samples", digits(teachers=201), ["ensembles.digits.teachers = 201", "at most", "200"]),
    ("one teacher", digits(teachers=1), ["ensembles.digits.teachers = 1", "at least 2"]),
    ("unknown dataset", digits(dataset="nope"), ["ensembles.digits.dataset = 'nope'", "allowed: ", "digits"]),
    ("unknown ensemble", run("digits_lnmax", ensemble="nope"), [f"{LNMAX}.ensemble = 'nope'", "allowed: adult"]),
    (
        "unknown run in a table",
        {"scalable_pate": {"table1": ["nope"]}},
        ["scalable_pate.table1 = 'nope'", "digits_lnmax"],
    ),
    (
        "run of the wrong aggregator in a table",
        {"scalable_pate": {"table2": ["digits_lnmax"]}},
        ["scalable_pate.table2 = 'digits_lnmax'", "allowed: ", "confident_gnmax"],
    ),
    (
        "unknown aggregator",
        run("digits_lnmax", aggregator="nope"),
        [f"{LNMAX}.aggregator = 'nope'", "lnmax, gnmax, confident_gnmax"],
    ),
    ("unknown model", digits(model="svm"), ["ensembles.digits.model = 'svm'", "allowed: ", "random_forest"]),
    ("unknown kind", digits(kind="bought"), ["ensembles.digits.kind = 'bought'", "trained, published"]),
    (
        "unknown module",
        {"datasets": {"digits": {"module": "nope"}}},
        ["'digits'", "unknown module 'nope'", "allowed: ", "'mnist'"],
    ),
    (
        "source that a dataset does not have",
        {"datasets": {"digits": {"source": "download"}}},
        ["'digits'", "'download'", "allowed: ['embedded']"],
    ),
    ("more queries than the pool", run("digits_lnmax", queries=301), [f"{LNMAX}.queries = 301", "at most", "300"]),
    (
        "more answers than queries",
        run("digits_confident", max_answered=61),
        [f"{CONFIDENT}.max_answered = 61", "at most", "60"],
    ),
    ("no queries", run("digits_lnmax", queries=0), [f"{LNMAX}.queries = 0", ">= 1"]),
    ("key that the aggregator lacks", run("digits_gnmax", aggregator="lnmax"), [GNMAX, "laplace_scale"]),
    ("preset with a slash", {"preset": "a/b"}, ["preset = 'a/b'", "text matching"]),
    ("no repetition", {"repetitions": 0}, ["repetitions = 0", "at least 1"]),
    ("empty block", {"datasets": {"digits": None}}, ["datasets.digits = None", "object"]),
    (
        "orders the wrong way round",
        {"accounting": {"orders": {"linear": [9.0, 2.0, 1.0]}}},
        ["[9.0, 2.0", "first < last"],
    ),
    ("unknown claim", run("digits_lnmax", claims={"epsilon": "nope.v01"}), [LNMAX, "'nope.v01'"]),
]


def assert_refused(project, *arguments: str, says: list[str]) -> str:
    """The call ends with one line, which is returned, and a status, and leaves nothing behind."""
    before = project.tree()
    done = project.snakemake("--dry-run", *arguments)  # all but its plan goes to standard output, the plan would too
    assert done.returncode == 1, done.stdout + done.stderr
    said = [line for line in done.stderr.splitlines() if not line.startswith("Using workflow specific profile")]
    assert len(said) == 1, done.stderr
    assert_one_line(said[0], *says)
    assert not [line for line in done.stdout.splitlines() if "Error" in line or line.startswith("Job")]
    assert project.tree() == before
    return said[0]


@pytest.mark.parametrize(("overlay", "says"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_mistake_in_the_configuration_is_one_line_and_runs_nothing(pristine, overlay, says):
    assert_refused(pristine.over(overlay), says=says)


def test_a_key_that_stands_twice_in_a_file_is_one_line_and_runs_nothing(pristine, tmp_path):
    path = tmp_path / "published.yaml"
    path.write_text("preset: published\nnoise_seed: null\nnoise_seed: 2018\n")
    says = [str(path), "'noise_seed' stands twice", "lines 2 and 3"]
    assert_refused(pristine, "--configfile", *map(str, pristine.overlays), str(path), says=says)


@pytest.mark.parametrize(
    ("name", "keys"),
    [("digits_lnmax", {"sigma": 3.0}), ("digits_gnmax", {"laplace_scale": 3.0}), ("digits_gnmax", {"threshold": 3})],
)
def test_a_key_of_another_aggregator_is_refused_and_not_offered(pristine, name, keys):
    project = pristine.over(run(name, **keys))
    (key,) = keys
    line = assert_refused(project, says=[f"scalable_pate.runs.{name}", f"'{key}'", "allowed: "])
    allowed = line.partition("allowed: ")[2].split(", ")
    assert "queries" in allowed
    assert key not in allowed


def test_a_whole_number_written_as_a_float_is_refused_or_means_the_same(pristine):
    done = pristine.over({"repetitions": 1.0}).snakemake("--dry-run")
    if done.returncode:
        assert_one_line(done.stderr, "repetitions = 1.0")
    else:
        assert done.stdout.replace("1.0", "1") == pristine.snakemake("--dry-run").stdout


@pytest.mark.parametrize(
    ("overlay", "says"),
    [(digits(teachers=201), "ensembles.digits.teachers = 201"), ({"datasets": {"digits": {"module": "x"}}}, "'x'")],
    ids=["before the jobs are known", "while they are"],
)
def test_a_mistake_starts_no_job_of_a_real_run(pristine, overlay, says):
    before = pristine.tree()
    done = pristine.over(overlay).snakemake("--cores", "1")
    assert done.returncode == 1
    assert_one_line(done.stderr, says)
    assert "Job stats" not in done.stderr
    assert pristine.tree() == before


@pytest.mark.parametrize("preset", ["real", "paper"])
def test_a_preset_on_real_data_names_the_key_it_needs(pristine, preset):
    project = Project(pristine.root)
    assert_refused(project, "--configfile", f"presets/{preset}.yaml", says=["'data_root'", "pate_votes", "not set"])


def test_a_data_root_without_the_files_says_what_belongs_there(pristine, tmp_path):
    project = Project(pristine.root)
    for folder in ("empty", "not there"):
        if folder == "empty":
            (tmp_path / folder).mkdir()
        arguments = ("--configfile", "presets/real.yaml", "--config", f"data_root={tmp_path / folder}")
        assert_refused(
            project, *arguments, says=[str(tmp_path / folder), "_250_teachers.npy", "fingerprint", "by hand"]
        )


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
def test_altered_published_votes_are_refused_by_name(pristine, tmp_path, votes, why):
    file = tmp_path / "pate_votes" / "adult_250_teachers.npy"
    file.parent.mkdir()
    if isinstance(votes, np.ndarray):
        np.save(file, votes)
    else:
        np.save(file, published())
        file.write_bytes(file.read_bytes()[: votes or 0])
    output = tmp_path / "out" / "adult.npz"
    done = pristine.script(
        *["prepare_data", "--dataset=pate_votes_adult", "--module=pate_votes", "--source=data_root"],
        *[f"--data-root={tmp_path}", f"--output={output}"],
    )
    assert done.returncode == 1
    assert_one_line(done.stderr, str(file), why)
    assert not output.parent.exists()


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
    project = changed.over(digits(private=2000))
    assert project.snakemake("--cores", "1", "results/tiny/private/splits/digits/1.npz").returncode == 1
    log = project.root / "results" / "tiny" / "logs" / "split_data" / "digits" / "1.log"
    assert_one_line(log.read_text(), "2000", "1797")

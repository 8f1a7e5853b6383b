"""What runs for Scalable PATE: which votes, splits and records a job gets, and what its script is told."""

from types import SimpleNamespace

import pytest

from lib.core.errors import InputError
from lib.plan.results import Results
from lib.plan.scalable_pate import ScalablePate

ROWS = {
    f"scalable_pate_{item}": {"paper": "scalable_pate", "shows": "table", "when": [f"scalable_pate.{key}"]}
    for item, key in {
        "selection": "selection",
        "teachers": "teachers",
        "search": "search.runs",
        "fig1": "fig1.students",
        "fig3": "fig3",
        "fig4": "fig4.left",
        "fig5": "fig5.runs",
    }.items()
}
TRAINED = {"kind": "trained", "classes": 10, "public": 40, "test": 20, "private": 60, "label": "Own"}
CONFIG = {
    "preset": "tiny",
    "seed": 3,
    "noise_seed": None,
    "device": "cpu",
    "repetitions": 3,
    "accounting": {"orders": {"first": 2.0}, "moments": 8, "curve_points": 4},
    "datasets": {},
    "models": {
        "forest": {"kind": "random_forest"},
        "cnn": {"kind": "teacher_cnn"},
        "vat": {"kind": "vat", "blocks": []},
    },
    "ensembles": {
        "own": TRAINED | {"dataset": "digits", "teachers": 10, "model": "forest", "draws": 2},
        "images": TRAINED | {"dataset": "glyph", "teachers": 5, "shard": 2, "model": "cnn", "baseline_samples": 9},
        "given": {"kind": "published", "dataset": "votes", "samples": "svhn", "teachers": 250, "classes": 10},
        "labelled": {"kind": "published", "dataset": "marked", "labelled": True, "teachers": 250, "classes": 10},
    },
    "scalable_pate": {
        "runs": {
            "first": {"ensemble": "own", "aggregator": "confident_gnmax", "student": "forest"},
            "second": {"ensemble": "own", "aggregator": "interactive_gnmax", "student": "vat", "first_round": "first"},
            "alone": {"ensemble": "given", "aggregator": "gnmax", "student": None},
            "judged": {"ensemble": "labelled", "aggregator": "confident_gnmax", "student": None},
        },
        "table1": ["first", "second", "alone"],
        "table2": ["first"],
        "epsilon": ["first", "alone"],
        "selection": [],
        "noiseless": [],
        "teachers": ["own", "given"],
        "search": {"runs": ["alone"], "sigma": [1.0]},
        "fig1": {"students": [], "curves": ["first"], "selection": "first", "bins": 5, "queries": 9},
        "fig3": [],
        "fig4": {"left": "own", "right": ["own", "images"], "queries": 40, "delta": 1e-5, "sigma": [1.0]},
        "fig5": {"runs": [], "bins": 5, "queries": 9, "order": 5.0},
        "sanitize": {"first": 0.3},
    },
}
PATE = "results/tiny/scalable_pate"
PRIVATE = "results/tiny/private"


def job(**wildcards):
    return SimpleNamespace(**{name: str(value) for name, value in wildcards.items()})


@pytest.fixture
def plan():
    return plan_of(CONFIG)


def plan_of(config):
    return ScalablePate(config, Results(config, ROWS, {}))


def plan_with(**blocks):
    return plan_of(CONFIG | {"scalable_pate": CONFIG["scalable_pate"] | blocks})


def test_repetitions_use_the_draws_in_turn(plan):
    assert [plan.draw("own", repetition) for repetition in (1, 2, 3)] == [1, 2, 1]
    assert plan.draws("own") == [1, 2]
    assert plan.draws("images") == [1, 2, 3]


def test_published_votes_are_one_draw_and_have_a_split_a_repetition(plan):
    assert plan.draws("given") == [0]
    assert plan.votes_of_run(job(run="alone", repetition=2)) == f"{PRIVATE}/votes/given/0.npz"
    assert plan.split("given", 2) == f"{PRIVATE}/splits/given/2.npz"
    assert plan.samples_of_run(job(run="alone", repetition=2)) == f"{PRIVATE}/data/svhn.npz"


def test_a_student_gets_the_split_that_its_teachers_were_trained_on(plan):
    wildcards = job(run="first", repetition=3)
    assert plan.split_of_run(wildcards) == [f"{PRIVATE}/splits/own/1.npz"]
    assert plan.votes_of_run(wildcards) == f"{PRIVATE}/votes/own/1.npz"


def test_teachers_are_divided_among_shards(plan):
    assert plan.shards("images") == [(0, 2), (2, 4), (4, 5)]
    labels = plan.labels_or_votes(job(ensemble="images", drawn=2))
    assert labels == [f"{PRIVATE}/teacher_labels/images/2/{shard}.npz" for shard in range(3)]
    assert plan.labels_or_votes(job(ensemble="given", drawn=0)) == [f"{PRIVATE}/data/votes.npz"]


def test_networks_and_classifiers_are_told_apart(plan):
    assert plan.ensembles_of_networks() == ["images"] and plan.ensembles_of_classifiers() == ["own"]
    assert plan.networks() == ["cnn", "vat"] and plan.classifiers() == ["forest"]
    assert plan.runs_with_networks() == ["second"] and plan.runs_with_classifiers() == ["first"]


def test_a_second_round_reads_what_the_first_released(plan):
    second = job(run="second", repetition=2)
    assert plan.first_round("students")(second) == [f"{PATE}/students/first/2.npz"]
    assert plan.first_round("aggregated")(second) == [f"{PATE}/aggregated/first/2.npz"]
    assert plan.released_labels(second) == [f"{PATE}/aggregated/{run}/2.npz" for run in ("first", "second")]
    settings = plan.aggregate_settings(second)
    first = dict(CONFIG["scalable_pate"]["runs"]["first"])
    del first["student"], first["ensemble"]
    assert settings["run"]["first_round"] == first and "student" not in settings["run"]


def test_a_single_round_reads_nothing_of_another(plan):
    first = job(run="first", repetition=2)
    assert plan.first_round("students")(first) == []
    assert "first_round" not in plan.account_settings(first)["run"]


def test_a_run_is_accounted_for_once_a_draw_and_with_a_student_every_repetition(plan):
    assert [plan.accounted(run) for run in ("first", "second", "alone")] == [[1, 2], [1, 2, 3], [0]]
    assert plan.accounts(["alone"], "npz") == [f"{PATE}/accounts/alone/0.npz"]


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ("account_settings", "account"),
        ("aggregate_settings", "aggregate"),
        ("inspect_settings", "inspect_selection"),
        ("sanitize_settings", "sanitize_epsilon"),
        ("student_settings", "train_student"),
        ("network_student_settings", "train_student"),
        ("noiseless_student_settings", "train_noiseless_student"),
        ("noiseless_network_student_settings", "train_noiseless_student"),
    ],
)
def test_the_words_that_key_a_jobs_draws(plan, settings, word):
    """Every number hangs on them: a network's draws are keyed as a classifier's."""
    assert getattr(plan, settings)(job(run="first", repetition=2))["job"] == [word, "first", "2"]


def test_all_samples_that_are_not_private_test_a_baseline(plan):
    wildcards = job(ensemble="own", repetition=2)
    runs, baselines = plan.split_settings(wildcards), plan.baseline_split_settings(wildcards)
    assert baselines["sizes"] == runs["sizes"] | {"public": 0, "test": 60} and baselines["job"] == runs["job"]


def test_table_1_counts_test_samples_where_the_papers_are_others(plan):
    own, later, given = plan.table1_settings(job())["runs"]
    assert (own["ensemble"]["test"], own["baseline_test"], own["student_kind"]) == (20, 60, "random_forest")
    assert later["student_kind"] == "vat_dense" and "test" not in given["ensemble"]
    config = CONFIG | {"ensembles": CONFIG["ensembles"] | {"own": CONFIG["ensembles"]["own"] | {"same_test": True}}}
    same = plan_of(config).table1_settings(job())["runs"][0]
    assert "test" not in same["ensemble"] and "baseline_test" not in same


def test_a_baselines_draws_are_keyed_by_ensemble_and_model(plan):
    wildcards = job(ensemble="images", model="cnn", repetition=2)
    settings = plan.network_baseline_settings(wildcards)
    assert settings["job"] == ["train_baseline", "images", "cnn", "2"] == plan.baseline_settings(wildcards)["job"]
    assert settings["private"] == 9 and settings["dataset"] == "glyph"
    assert plan.network_baseline_settings(job(ensemble="own", model="vat", repetition=2))["private"] == 60  # all
    assert settings["checkpoint"] == "results/tiny/checkpoints/train_network_baseline/images/cnn/2.npz"


def test_networks_are_told_which_pixel_value_becomes_1(plan):
    """255 where the ensemble says nothing; of those that students and baselines learn."""
    run, baseline = job(run="second", repetition=1), job(ensemble="images", model="cnn", repetition=1)
    settings = ("network_student_settings", "noiseless_network_student_settings")
    ensembles = CONFIG["ensembles"]
    dark = plan_of(CONFIG | {"ensembles": {name: block | {"largest": 16} for name, block in ensembles.items()}})
    for given, largest in ((plan, 255), (dark, 16)):
        assert given.network_baseline_settings(baseline)["largest"] == largest
        assert all(getattr(given, name)(run)["largest"] == largest for name in settings)
        assert "largest" not in given.student_settings(run)


def test_only_what_draws_privacy_noise_is_told_its_seed(plan):
    seeded = plan_of(CONFIG | {"noise_seed": 7})
    first = job(run="first", repetition=1)
    assert seeded.aggregate_settings(first)["noise_seed"] == seeded.sanitize_settings(first)["noise_seed"] == 7
    assert plan.aggregate_settings(first)["noise_seed"] is None
    assert "noise_seed" not in seeded.account_settings(first) | seeded.inspect_settings(first)


def test_students_of_published_votes_name_their_samples_and_accounts_the_votes(plan):
    runs = CONFIG["scalable_pate"]["runs"]
    given = plan_with(runs=runs | {"alone": runs["alone"] | {"student": "forest"}})
    wildcards = job(run="alone", repetition=1)
    assert given.student_settings(wildcards)["dataset"] == "svhn"
    assert given.account_settings(wildcards)["dataset"] == "votes"


def test_table_1_reads_every_stage_once(plan):
    records = plan.table1_records(job())
    assert len(records) == len(set(records))
    of = {stage: [path for path in records if f"/{stage}/" in path] for stage in ("accounts", "aggregated", "students")}
    assert {stage: len(paths) for stage, paths in of.items()} == {"accounts": 6, "aggregated": 9, "students": 6}
    baselines = [path for path in records if "/baselines/" in path]
    assert baselines == [f"{PATE}/baselines/own/{model}/{draw}.json" for model in ("forest", "vat") for draw in (1, 2)]


def test_a_run_is_described_with_its_ensemble_and_student(plan):
    first, alone = plan.described(["first", "alone"])
    assert first["ensemble"]["name"] == "own" and first["student_kind"] == "random_forest"
    assert first["baseline"] == "forest" and first["moments"] == 8
    assert alone["ensemble"]["name"] == "given" and "student_kind" not in alone and alone["baseline"] is None


def test_the_table_of_teachers_has_an_entry_a_draw(plan):
    votes, data, splits = plan.teachers_files(job()).values()
    assert votes == [f"{PRIVATE}/votes/{name}.npz" for name in ("own/1", "own/2", "given/0")]
    assert data == [f"{PRIVATE}/data/{name}.npz" for name in ("digits", "digits", "svhn")]
    assert splits == [f"{PRIVATE}/splits/{name}.npz" for name in ("own/1", "own/2", "given/1")]
    assert [block["name"] for block in plan.teachers_settings(job())["ensembles"]] == ["own", "own", "given"]


def test_the_search_looks_at_one_draw_of_a_runs_votes(plan):
    assert plan.search_files(job())["votes"] == [f"{PRIVATE}/votes/given/0.npz"]
    assert plan.search_files(job())["splits"] == [f"{PRIVATE}/splits/given/1.npz"]
    assert plan.search_files(job())["data"] == [f"{PRIVATE}/data/svhn.npz"]


def test_votes_that_came_with_their_labels_need_no_split():
    plan = plan_with(selection=["judged"], teachers=["labelled", "given"], search={"runs": ["judged"]})
    wildcards = job(run="judged", repetition=2)
    assert plan.split_of_run(wildcards) == []
    assert plan.samples_of_run(wildcards) == f"{PRIVATE}/data/marked.npz"
    assert plan.teachers_files(job())["data"] == [f"{PRIVATE}/data/marked.npz", f"{PRIVATE}/data/svhn.npz"]
    assert plan.teachers_files(job())["splits"] == [f"{PRIVATE}/splits/given/1.npz"]
    assert plan.search_files(job())["splits"] == []


def test_figure_4_reads_an_ensemble_of_both_panels_once(plan):
    tables = plan.fig4_tradeoffs(job())
    names = [f"own/{draw}" for draw in (1, 2)] + [f"images/{draw}" for draw in (1, 2, 3)]
    assert tables == [f"{PATE}/tradeoffs/{name}.csv" for name in names]
    assert plan.fig4_settings(job())["figure"] == {"left": "own", "right": ["own", "images"]}
    own = CONFIG["ensembles"]["own"]
    read = {name: own[name] for name in ("label", "protocol", "teachers", "private") if name in own}
    assert "teachers" in read and read.items() <= plan.fig4_settings(job())["ensembles"][0].items()
    assert set(plan.tradeoff_settings(job(ensemble="own", drawn=1))["tradeoff"]) == {"queries", "delta", "sigma"}


def test_figure_5_has_its_runs_by_role():
    runs = {f"run {number}": {"ensemble": "own", "number": number} for number in range(3)}
    plan = plan_with(runs=runs, fig5=CONFIG["scalable_pate"]["fig5"] | {"runs": list(runs)})
    shown = plan.fig5_settings(job())["figure"]["runs"]
    assert {role: run["number"] for role, run in shown.items()} == {"lnmax": 0, "moderate": 1, "aggressive": 2}
    assert plan.fig5_votes(job()) == plan.votes("own")


@pytest.mark.parametrize(
    ("method", "key"),
    [
        ("selection_records", "scalable_pate.selection"),
        ("fig1_files", "scalable_pate.fig1.students"),
        ("fig3_data", "scalable_pate.fig3"),
        ("fig5_votes", "scalable_pate.fig5.runs"),
    ],
)
def test_a_result_that_is_switched_off_is_refused_with_the_key_that_switches_it_on(plan, method, key):
    with pytest.raises(InputError, match=rf"preset tiny does not have it; set {key}$"):
        getattr(plan, method)(job())

"""What a release is made of."""

from types import SimpleNamespace

import pytest

from lib.core.errors import InputError
from lib.plan.release import Release
from lib.release.files import CONTENT, SUMS
from lib.release.origins import files_of, names_of
from tests.plan.test_scalable_pate_plan import CONFIG, plan_of

FIRST = SimpleNamespace(run="first", repetition="3")


def plan(**release):
    block = {"run": "first", "repetition": 3, "sanitized": True, "licence": None, "largest_epsilon": 10} | release
    config = CONFIG | {"release": block}
    return Release(config, plan_of(config))


def test_without_a_run_there_is_nothing_to_release():
    nothing = plan(run=None)
    assert nothing.target() == [] and nothing.runs_with_networks() == nothing.runs_with_classifiers() == []
    for method in (nothing.records, nothing.arrays, nothing.samples, nothing.verified):
        with pytest.raises(InputError, match=r"release\.run = None: there is nothing to release"):
            method(None)


def test_the_folder_has_its_content_and_their_checksums_and_is_verified():
    *names, report = [path.removeprefix("results/tiny/release/") for path in plan().target()]
    assert names == [*CONTENT, SUMS] and report == "results/tiny/release_verified.json"


def test_it_is_verified_with_all_that_it_was_made_of():
    read = plan().verified(None)
    assert read[: len(CONTENT) + 1] == plan().files()
    assert set(plan().records(None)) | set(plan().arrays(None)) | {"results/tiny/private/splits/own/1.npz"} <= set(read)
    assert plan().samples(None) == "results/tiny/public/own/1.npz"
    assert plan().verify_settings(None) == {"folder": "results/tiny/release", "run": ".", "largest_epsilon": 10}


def test_the_template_of_provenance_names_the_files_of_the_plan():
    """A release is refused that was made of others."""
    student = {"preset": "tiny", "dataset": "digits", "job": plan().student_settings(FIRST)["job"]}
    part = {"job": plan().public_settings(SimpleNamespace(ensemble="own", repetition="1"))["job"]}
    files = files_of(names_of(student, part))
    assert {files[name] for name in ("release_student", "public_part", "aggregate", "sanitize_epsilon")} == set(
        plan().records(None)
    )
    assert {files[name] for name in ("weights", "samples", "labels")} == set(plan().arrays(None))
    assert files["split"] in plan().verified(None)
    assert files["votes"] == plan().scalable_pate.votes_of_run(FIRST)


def test_it_is_made_of_public_files_and_of_what_mechanisms_released():
    """Repetition 3 uses draw 1 of two."""
    read = [*plan().records(None), *plan().arrays(None)]
    assert read == [
        "results/tiny/release_parts/first/3.json",
        "results/tiny/public/own/1.json",
        "results/tiny/scalable_pate/aggregated/first/3.json",
        "results/tiny/scalable_pate/sanitized/first/1.json",
        "results/tiny/release_parts/first/3.safetensors",
        "results/tiny/public/own/1.npz",
        "results/tiny/scalable_pate/aggregated/first/3.npz",
    ]
    assert not any("/private/" in path for path in read)


def test_a_sanitised_epsilon_is_read_only_where_it_is_published():
    assert not any("/sanitized/" in path for path in plan(sanitized=False).records(None))


def test_the_student_is_that_of_the_tables_by_another_rule():
    settings = plan().student_settings(FIRST)
    assert settings["job"] == ["release_student", "first", "3"] and settings["model"] == {"kind": "random_forest"}
    network = plan(run="second").network_student_settings(SimpleNamespace(run="second", repetition="1"))
    assert network["job"] == ["release_student", "second", "1"] and network["largest"] == 255
    assert network["checkpoint"] == "results/tiny/checkpoints/release_network_student/second/1.npz"


def test_only_the_student_of_the_released_run_is_trained_for_it():
    assert plan().runs_with_classifiers() == ["first"] and plan().runs_with_networks() == []
    assert plan(run="second").runs_with_networks() == ["second"]


def test_the_release_is_of_the_repetition_that_is_asked_for():
    """Also of its part of the data, where each repetition has one of its own."""
    for repetition in (1, 2):
        made = plan(repetition=repetition)
        names = [*made.records(None), *made.arrays(None), made.samples(None), made.verified(None)[-1]]
        assert {path.rpartition("/")[2].partition(".")[0] for path in names} == {str(repetition)}

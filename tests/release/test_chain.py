"""Walking files back: what is public, what a mechanism released, and what is refused."""

import dataclasses
import json

import pytest

from lib.core.errors import InputError
from lib.release.chain import Job, check_on_disk, job_from, published, trace

DRAWS = [{"mechanism": "gnmax", "count": 1}]
VOTES, LABELS, SAMPLES, WEIGHTS, CARD = "r/private/votes.npz", "r/labels.npz", "r/public.npz", "r/weights", "card"
PART = Job(("public_part", "1"), "public", {"r/private/data.npz": None}, {SAMPLES: "a" * 64})
MECHANISM = Job(("aggregate", "1"), "mechanism", {VOTES: None}, {LABELS: "b" * 64}, DRAWS, noise_seed=1)
STUDENT = Job(("release_student", "1"), "post-processing", {SAMPLES: "a" * 64, LABELS: "b" * 64}, {WEIGHTS: None})
RELEASE = Job(("release",), "post-processing", {WEIGHTS: None}, {CARD: None})
JOBS = [RELEASE, STUDENT, MECHANISM, PART]


def refusal(*changed: Job, jobs: list[Job] = JOBS) -> str:
    """What a chain with some jobs replaced by those of the same name is refused for."""
    names = {job.name: job for job in changed}
    with pytest.raises(InputError) as caught:
        trace(CARD, [names.get(job.name, job) for job in jobs])
    message = str(caught.value)
    assert message.startswith(CARD) and "\n" not in message
    return message


def reads(job: Job, *paths: str) -> Job:
    return dataclasses.replace(job, read=job.read | dict.fromkeys(paths))


def test_an_honest_chain_is_walked_to_its_ends():
    assert trace(CARD, JOBS) == [RELEASE, STUDENT, PART, MECHANISM]
    assert trace(WEIGHTS, JOBS) == [STUDENT, PART, MECHANISM]


@pytest.mark.parametrize("job", [RELEASE, STUDENT])
@pytest.mark.parametrize("path", [VOTES, "r/private/x", "private/x"])
def test_private_data_are_refused_with_the_way_to_them(job, path):
    message = refusal(reads(job, path))
    assert "private data other than through a mechanism" in message and message.endswith(f" <- {path}")
    assert (f"{CARD} <- {WEIGHTS}" in message) == (job is STUDENT)


def test_a_private_file_is_refused_whoever_wrote_it():
    teachers = Job(("train_teachers",), "post-processing", {}, {VOTES: None})
    assert "private data" in refusal(reads(STUDENT, VOTES), jobs=[*JOBS, teachers])
    lying = dataclasses.replace(teachers, kind="public")
    assert "private data" in refusal(reads(STUDENT, VOTES), jobs=[*JOBS, lying])


def test_a_file_that_no_job_wrote_is_refused():
    assert "no known job wrote" in refusal(reads(STUDENT, "r/elsewhere.npz"))
    assert "no known job wrote" in refusal(jobs=[job for job in JOBS if job is not PART])


def test_names_decide_who_is_a_mechanism_and_who_is_public():
    assert "is none" in refusal(dataclasses.replace(STUDENT, kind="mechanism", draws=DRAWS))
    assert "calls itself public" in refusal(reads(dataclasses.replace(STUDENT, kind="public"), VOTES))
    # one that calls itself public and reads public files only is walked on
    assert trace(CARD, [RELEASE, dataclasses.replace(STUDENT, kind="public"), MECHANISM, PART])
    assert "unknown kind" in refusal(dataclasses.replace(STUDENT, kind="mystery"))


def test_a_mechanism_without_a_ledger_is_refused():
    assert "without a draw of noise" in refusal(dataclasses.replace(MECHANISM, draws=[]))


def test_research_numbers_of_a_mechanism_are_none_of_its_outputs():
    """Its record holds data-dependent epsilons; only the ledger in it, and what was released, may be read."""
    assert "no known job wrote" in refusal(reads(RELEASE, "r/aggregated.json"))


def test_another_version_of_a_file_is_refused():
    changed = dataclasses.replace(STUDENT, read=STUDENT.read | {LABELS: "c" * 64})
    assert f"{LABELS} was another file when release_student/1 read it" in refusal(changed)


def test_a_file_made_of_itself_or_by_two_jobs_is_refused():
    assert "depends on itself" in refusal(reads(STUDENT, CARD))
    with pytest.raises(InputError, match="written by"):
        trace(CARD, [*JOBS, dataclasses.replace(STUDENT, name=("other",))])


def test_only_public_digests_are_published():
    for job in JOBS:
        block = published(job)
        digests = [entry["sha256"] for part in ("read", "wrote") for entry in block[part] if entry["sha256"]]
        assert digests == (["a" * 64] if job is PART else [])
        again = job_from(json.loads(json.dumps(block)))
        assert (again.name, again.kind, again.draws, again.noise_seed) == (
            job.name,
            job.kind,
            job.draws,
            job.noise_seed,
        )
        assert set(again.read) == set(job.read) and set(again.wrote) == set(job.wrote)
    assert trace(CARD, [job_from(published(job)) for job in JOBS])


def test_a_file_that_is_not_what_its_job_wrote_is_refused(tmp_path):
    path = tmp_path / "samples"
    path.write_text("x")
    with pytest.raises(InputError, match="is not what public_part/1 wrote"):
        check_on_disk([dataclasses.replace(PART, wrote={str(path): "a" * 64})])

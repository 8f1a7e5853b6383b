"""Walking files back: what is public, what a mechanism released, and what is refused."""

import dataclasses

import pytest

from lib.core.errors import InputError
from lib.core.files import write_text
from lib.core.provenance import provenance
from lib.release.chain import Job, check_on_disk, published, trace
from lib.release.files import CONTENT
from lib.release.origins import origins, samples_digest

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
        assert (tuple(block["job"]), block["kind"], block["draws"]) == (job.name, job.kind, job.draws)
        assert block["noise_seed"] == job.noise_seed
        assert [{entry["path"] for entry in block[part]} for part in ("read", "wrote")] == [
            set(job.read),
            set(job.wrote),
        ]


@pytest.mark.parametrize("sanitized", [None, {"epsilon": 3.0}])
def test_the_template_of_provenance_is_itself_walked_to_its_ends(sanitized):
    """So a release whose provenance is the template's comes from public files and mechanisms."""
    draws = [{"mechanism": "gnmax", "count": 2}] + ([{"mechanism": "gnss", "count": 1}] if sanitized else [])
    privacy = {"noise_seed": 3, "spent": {"draws": draws}, "sanitized": sanitized}
    names = {"preset": "a", "dataset": "b", "run": "c", "repetition": "2", "ensemble": "d", "draw": "1"}
    told = origins(names, privacy, "e" * 64, dict.fromkeys(CONTENT, b""))
    jobs = [
        Job(
            tuple(block["job"]),
            block["kind"],
            *({entry["path"]: entry["sha256"] for entry in block[part]} for part in ("read", "wrote")),
            block["draws"],
            block["released"],
            block["noise_seed"],
        )
        for block in told["jobs"]
    ]
    for name in CONTENT:
        assert len(trace(name, jobs)) == len(jobs) == 4 + bool(sanitized)
    # each number that is released is priced by a draw of the job that released it
    assert [job.draws for job in jobs if job.released] == [draws[1:]] * bool(sanitized)
    assert samples_digest(told) == "e" * 64
    assert [entry["sha256"] for job in told["jobs"] for entry in job["wrote"] if entry["sha256"]] == ["e" * 64]


def test_a_file_that_is_not_what_its_job_wrote_is_refused(tmp_path):
    path = tmp_path / "samples"
    path.write_text("x")
    with pytest.raises(InputError, match="is not what public_part/1 wrote"):
        check_on_disk([dataclasses.replace(PART, wrote={str(path): "a" * 64})])


def test_no_record_tells_a_digest_of_a_private_file(tmp_path, monkeypatch):
    """Who knows all votes but one could try what that one is, and compare."""
    monkeypatch.chdir(tmp_path)
    for path in (VOTES, SAMPLES):
        write_text(path, "1\n")
    made = provenance("mechanism", [VOTES, SAMPLES], [])
    private, public = made["read"]
    assert private == {"path": VOTES, "sha256": None} and len(public["sha256"]) == 64

"""Putting a release together, and refusing what must not be in one."""

from pathlib import Path

from lib.core.errors import InputError
from lib.core.files import atomic_folder
from lib.core.provenance import MECHANISM, POST_PROCESSING
from lib.release.card import card
from lib.release.chain import LEDGER, RELEASED, SANITIZED, Job, check_on_disk, job_of, published, trace
from lib.release.files import CONTENT, SUMS, WEIGHTS, json_bytes, sums
from lib.release.origins import AGGREGATE, PUBLIC_PART, STUDENT, files_of, names_of, origins
from lib.release.statement import delta_fault, privacy
from lib.release.verify import check_content, project_loader


def build(folder: str | Path, content: dict[str, bytes], largest_epsilon: float) -> None:
    """Write the folder of what `assemble` gives, whole or not at all.

    Raises InputError, naming the first fault, for a release that would not be verified.
    """
    content = content | {SUMS: sums(content)}
    for check in check_content(content, largest_epsilon):
        if check.faults:
            raise InputError(f"{folder}: {check.faults[0]}")
    with atomic_folder(folder) as made:
        for name, data in content.items():
            (made / name).write_bytes(data)


def assemble(
    records: dict[str, dict],
    ensemble: dict,
    orders: list[float],
    environment: dict[str, str | None],
    licence: str | None,
    root: str | Path = ".",
) -> dict[str, bytes]:
    """Return the files of a release but its checksums, by name.

    records: of `lib.reporting.records.read_record` by path, of every job of the chain: the student's, its public
    part's, the mechanisms'. Of a mechanism's record its parameters, the ledger, the source of its noise and a sanitised
    epsilon are read and nothing else. ensemble: label, teachers, private (samples). environment: what to say besides
    the versions in the student's record. root: the folder that all paths are relative to.
    Raises InputError, naming file and path, for what depends on private data other than through a mechanism in the
    ledger, and for a delta that is too large for so many private samples.
    """
    trained, part, run = (_one(records, rule) for rule in (STUDENT, PUBLIC_PART, AGGREGATE))
    jobs = {path: job_of(path, record) for path, record in records.items()}
    student, names = _student(trained, ensemble, licence), names_of(trained, part)
    files, mechanisms = files_of(names), {path: job for path, job in jobs.items() if job.kind == MECHANISM}
    read = [files["weights"]]
    read += [path for path, job in jobs.items() if job.kind == POST_PROCESSING]
    read += [f"{path}{piece}" for path in mechanisms for piece in (LEDGER, RELEASED)]
    this = Job(("release",), POST_PROCESSING, dict.fromkeys(read), dict.fromkeys(CONTENT))
    chain = trace(CONTENT[0], [*jobs.values(), this])
    check_on_disk((job for job in jobs.values() if job in chain), root)

    seed, *others = {job.noise_seed for job in mechanisms.values()}
    if others:
        drawn = sorted(map(str, (seed, *others)))
        raise InputError(f"the release's noise was drawn with the seeds {drawn}; run all of it again")
    if fault := delta_fault(run["parameters"]["delta"], ensemble["private"]):
        raise InputError(fault)
    sanitized = [record["privacy"][SANITIZED] for record in records.values() if SANITIZED in record["privacy"]]
    released = [draw for job in mechanisms.values() if job.released for draw in job.draws]
    said = privacy(
        run["parameters"], orders, seed, run["ledger"], released, sanitized[0].as_dict() if sanitized else None
    )
    versions = trained["versions"] | environment
    content = {
        "MODEL_CARD.md": card(said, student, versions).encode(),
        "environment.json": json_bytes(versions),
        "load_student.py": project_loader(),
        WEIGHTS: (Path(root) / files["weights"]).read_bytes(),
        "privacy.json": json_bytes(said),
        "student.json": json_bytes(student),
    }
    samples = next(job.wrote[files["samples"]] for job in chain if files["samples"] in job.wrote)
    assert samples is not None  # a job has the digest of each file that it wrote
    told = origins(names, said, samples, content)
    if told["jobs"] != [published(job) for job in [this, *chain[1:]]]:
        raise InputError(f"{' '.join(records)}: tell of other jobs or files than a release is made of")
    return content | {"provenance.json": json_bytes(told)}


def _one(records: dict[str, dict], rule: str) -> dict:
    """Return the record of a rule's job."""
    for record in records.values():
        if record["job"][0] == rule:
            return record
    raise InputError(f"{' '.join(records)}: none of them is a record of {rule}")


def _student(trained: dict, ensemble: dict, licence: str | None) -> dict:
    """Return the content of student.json."""
    return {name: trained["parameters"][name] for name in ("kind", "model", "classes", "shape", "white")} | {
        "format": 1,
        "label": ensemble["label"],
        "dataset": trained["dataset"],
        "labels": trained["metrics"]["labels"],
        "teachers": ensemble["teachers"],
        "private_samples": ensemble["private"],
        "public_samples": trained["metrics"]["public_samples"],
        "test_samples": trained["metrics"]["test_samples"],
        "public_fingerprint": trained["fingerprint"],
        "accuracy": trained["metrics"]["student_accuracy"],
        "licence": licence,
    }

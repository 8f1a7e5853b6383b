"""Putting a release together, and refusing what must not be in one."""

import json
import shutil
from pathlib import Path

from lib.core.errors import InputError
from lib.core.files import atomic_folder, write_json, write_text
from lib.core.provenance import MECHANISM, POST_PROCESSING, file_digest
from lib.release import loader
from lib.release.card import card
from lib.release.chain import LEDGER, RELEASED, Job, check_on_disk, job_of, published, trace
from lib.release.files import CONTENT, write_sums
from lib.release.statement import delta_fault, privacy

SANITIZED = "sanitized_epsilon_released"


def build(
    folder: str | Path,
    weights: str,
    student: dict,
    run: dict,
    orders: list[float],
    records: dict[str, dict],
    environment: dict[str, str],
) -> None:
    """Write the folder, whole or not at all.

    weights: the student's file of tensors. student: what student.json says. records: of
    `lib.reporting.records.read_record` by path, of every job of the chain: the student's, its public part's, the
    mechanisms'. Of a mechanism's record the ledger, the source of its noise and a sanitised epsilon are read and
    nothing else. Raises InputError, naming file and path, for what depends on private data other than through a
    mechanism in the ledger, and for a delta that is too large for so many private samples.
    """
    if fault := delta_fault(run["delta"], student["private_samples"]):
        raise InputError(f"{folder}: {fault}")
    jobs = [job_of(path, record) for path, record in records.items()]
    mechanisms = {path: job for path, job in zip(records, jobs, strict=True) if job.kind == MECHANISM}
    read = [weights]
    read += [path for path, job in zip(records, jobs, strict=True) if job.kind == POST_PROCESSING]
    read += [f"{path}{part}" for path, job in mechanisms.items() for part in (LEDGER, RELEASED)]
    this = Job(("release",), POST_PROCESSING, dict.fromkeys(read), {name: None for name in CONTENT})
    chain = trace(CONTENT[0], [*jobs, this])
    check_on_disk(job for job in jobs if job in chain)

    aggregate = next(job for job in mechanisms.values() if job.name[0] == "aggregate")
    sanitizing = [path for path, job in mechanisms.items() if job.name[0] == "sanitize_epsilon"]
    seeds = {job.noise_seed for job in mechanisms.values()}
    if len(seeds) > 1:
        raise InputError(f"{folder}: its noise was drawn with the seeds {sorted(map(str, seeds))}; run all of it again")
    sanitized = [records[path]["privacy"][SANITIZED].as_dict() for path in sanitizing]
    released = [draw for path in sanitizing for draw in mechanisms[path].draws]
    said = privacy(run, orders, *seeds, aggregate.draws, released, sanitized[0] if sanitized else None)
    with atomic_folder(folder) as made:
        shutil.copyfile(weights, made / "model.safetensors")
        shutil.copyfile(loader.__file__, made / "load_student.py")
        write_json(made / "privacy.json", said)
        write_json(made / "student.json", student)
        write_json(made / "environment.json", environment)
        # from what was written: a number that JSON rounds would show
        write_text(made / "MODEL_CARD.md", card(*(_read(made / f"{name}.json") for name in ("privacy", "student"))))
        files = [{"path": name, "sha256": file_digest(made / name)} for name in CONTENT if name != "provenance.json"]
        write_json(
            made / "provenance.json",
            {"format": 1, "files": files, "jobs": [published(job) for job in [this, *chain[1:]]]},
        )
        write_sums(made)


def _read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))

"""Walking every file of a release back to what is public, or to a mechanism whose noise is in the ledger."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lib.core.errors import InputError
from lib.core.provenance import MECHANISM, POST_PROCESSING, PUBLIC, file_digest, is_private

# What may call itself so. A job of another name that reads private files is neither, whatever its record says.
PUBLIC_JOBS = ("public_part",)
MECHANISM_JOBS = ("aggregate", "sanitize_epsilon")
LEDGER, RELEASED = "#ledger", "#released"
SANITIZED = "sanitized_epsilon_released"  # the one number besides labels that a mechanism may release


@dataclass(frozen=True)
class Job:
    """A job of the chain: its name, kind, and what it read and wrote as {path: SHA-256, or None where it is not given}.

    Of a mechanism's record, `{path}#ledger` and `{path}#released` alone are outputs: the rest of it is research and
    depends on private data. draws: its ledger. released: numbers that it drew, by name.
    """

    name: tuple[str, ...]
    kind: str
    read: dict[str, str | None]
    wrote: dict[str, str | None]
    draws: list[dict] = field(default_factory=list)
    released: dict[str, float] = field(default_factory=dict)
    noise_seed: int | None = None

    @property
    def title(self) -> str:
        """Its name in messages."""
        return "/".join(self.name)


def job_of(path: str, record: dict) -> Job:
    """Return the job of a record (of `read_record`) at `path`; InputError if the record does not say."""
    if "provenance" not in record:
        raise InputError(f"{path}: does not say what its job read; run the job again")
    block = record["provenance"]
    read, wrote = ({entry["path"]: entry["sha256"] for entry in block[part]} for part in ("read", "wrote"))
    name, kind = tuple(record["job"]), block["kind"]
    if kind != MECHANISM:
        return Job(name, kind, read, wrote | {path: None})
    if "noise_seed" not in record["parameters"]:
        raise InputError(f"{path}: does not say what its noise was drawn from; run the job again")
    released = {
        name: statement.epsilon
        for name, statement in record["privacy"].items()
        if getattr(statement, "sanitized", False)
    }
    outputs = wrote | {f"{path}{LEDGER}": None, f"{path}{RELEASED}": None}
    return Job(name, kind, read, outputs, record["ledger"], released, record["parameters"]["noise_seed"])


def trace(target: str, jobs: Iterable[Job]) -> list[Job]:
    """Return the jobs that a file was made by, nearest first.

    Raises InputError, naming the file and the path from it, if it comes of private data other than through a mechanism
    that has a ledger, of a file that no job wrote, of one that was altered in between, or of itself.
    """
    made_by: dict[str, Job] = {}
    for job in jobs:
        for path in job.wrote:
            if path in made_by:
                raise InputError(f"{path}: written by {made_by[path].title} and by {job.title}")
            made_by[path] = job
    found: dict[str, Job] = {}
    _walk(target, (target,), made_by, found)
    return list(found.values())


def _walk(path: str, chain: tuple[str, ...], made_by: dict[str, Job], found: dict[str, Job]) -> None:
    way = " <- ".join(chain)
    if path not in made_by:
        reason = "private data other than through a mechanism" if is_private(path) else "a file that no known job wrote"
        raise InputError(f"{chain[0]}: depends on {reason}: {way}")
    job = made_by[path]
    private = sorted(filter(is_private, job.read))
    if is_private(path):
        raise InputError(f"{chain[0]}: depends on private data other than through a mechanism: {way}")
    found[job.title] = job
    if job.kind == PUBLIC:
        if private and job.name[0] not in PUBLIC_JOBS:
            raise InputError(f"{chain[0]}: {job.title} calls itself public and reads {private[0]}: {way}")
        if job.name[0] in PUBLIC_JOBS:
            return
    elif job.kind == MECHANISM:
        if job.name[0] not in MECHANISM_JOBS:
            raise InputError(f"{chain[0]}: {job.title} calls itself a mechanism, and is none: {way}")
        if not job.draws:
            raise InputError(f"{chain[0]}: {job.title} is a mechanism without a draw of noise in its ledger: {way}")
        return
    elif job.kind != POST_PROCESSING:
        raise InputError(f"{chain[0]}: {job.title} is of the unknown kind {job.kind!r}: {way}")
    for read, digest in job.read.items():
        if read in chain:
            raise InputError(f"{chain[0]}: depends on itself: {way} <- {read}")
        made = made_by[read].wrote[read] if read in made_by else None
        if digest and made and digest != made:
            raise InputError(f"{chain[0]}: {read} was another file when {job.title} read it: {way} <- {read}")
        _walk(read, (*chain, read), made_by, found)


def check_on_disk(jobs: Iterable[Job], root: str | Path = ".") -> None:
    """Raise InputError for a file, its path relative to `root`, that is not what its job wrote."""
    for job in jobs:
        for path, digest in job.wrote.items():
            if digest and file_digest(Path(root) / path) != digest:
                raise InputError(f"{path}: is not what {job.title} wrote; delete it to make it again")


def published(job: Job) -> dict:
    """Return a job as the release tells of it.

    A digest is given of public files only: any other is a function of private records that no noise covers (the
    labels' file, say, carries the fingerprint of the whole dataset), and would confirm a guess of them.
    """

    def entries(files: dict[str, str | None], told: bool) -> list[dict]:
        return [{"path": path, "sha256": digest if told else None} for path, digest in sorted(files.items())]

    return {
        "job": list(job.name),
        "kind": job.kind,
        "read": entries(job.read, False),
        "wrote": entries(job.wrote, job.kind == PUBLIC),
        "draws": job.draws,
        "released": job.released,
        "noise_seed": job.noise_seed,
    }

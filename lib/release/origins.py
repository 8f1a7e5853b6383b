"""Write provenance.json: one template, which its names, the draws of privacy.json and a few digests fill.

Whatever a release is of, it was made by the same jobs from the same files; so its provenance is compared with what the
template gives, and needs no judgement of what else somebody wrote there.
"""

from collections.abc import Mapping

from lib.core.provenance import MECHANISM, POST_PROCESSING, PUBLIC
from lib.release.chain import LEDGER, RELEASED, SANITIZED
from lib.release.files import CONTENT, digest

AGGREGATE, PUBLIC_PART, SANITIZE, STUDENT = "aggregate", "public_part", "sanitize_epsilon", "release_student"
TOLD = tuple(name for name in CONTENT if name != "provenance.json")  # whose digests it tells


def names_of(student: dict, part: dict) -> dict[str, str]:
    """Return what fills the template, from the records of the student and of its public part.

    preset, dataset; run, repetition of the student; ensemble, draw of the public part, whose votes the run aggregates.
    """
    return {
        "preset": student["preset"],
        "dataset": student["dataset"],
        **dict(zip(("run", "repetition"), student["job"][1:], strict=True)),
        **dict(zip(("ensemble", "draw"), part["job"][1:], strict=True)),
    }


def files_of(names: Mapping[str, str]) -> dict[str, str]:
    """Where a run left what a release is made of, by what it is; relative to the folder that the run was started in."""
    results, student = f"results/{names['preset']}", f"{names['run']}/{names['repetition']}"
    drawn = f"{names['ensemble']}/{names['draw']}"
    return {
        "data": f"{results}/private/data/{names['dataset']}.npz",
        "split": f"{results}/private/splits/{drawn}.npz",
        "votes": f"{results}/private/votes/{drawn}.npz",
        "samples": f"{results}/public/{drawn}.npz",
        PUBLIC_PART: f"{results}/public/{drawn}.json",
        "labels": f"{results}/scalable_pate/aggregated/{student}.npz",
        AGGREGATE: f"{results}/scalable_pate/aggregated/{student}.json",
        SANITIZE: f"{results}/scalable_pate/sanitized/{names['run']}/{names['draw']}.json",
        "weights": f"{results}/release_parts/{student}.safetensors",
        STUDENT: f"{results}/release_parts/{student}.json",
    }


def origins(names: Mapping[str, str], privacy: Mapping, samples: str, content: Mapping[str, bytes]) -> dict:
    """All of provenance.json.

    privacy: privacy.json, whose draws are those that the mechanisms recorded. samples: SHA-256 of the public samples.
    content: the files of the release; those in `TOLD` have digests.
    """
    files, seed = files_of(names), privacy["noise_seed"]
    run = [names["run"], names["repetition"]]

    def job(name: list[str], kind: str, read: list[str], wrote: dict[str, str | None], **more: object) -> dict:
        mechanism = {"draws": [], "released": {}, "noise_seed": None} | more
        return {"job": name, "kind": kind, "read": _entries(dict.fromkeys(read)), "wrote": _entries(wrote)} | mechanism

    def mechanism(name: list[str], wrote: list[str], draws: list[dict], released: dict[str, float]) -> dict:
        record = files[name[0]]
        outputs = dict.fromkeys([*wrote, record + LEDGER, record + RELEASED])
        return job(name, MECHANISM, [files["votes"]], outputs, draws=draws, released=released, noise_seed=seed)

    spent = privacy["spent"]["draws"]
    sanitizing = [draw for draw in spent if draw["mechanism"] == "gnss"]
    mechanisms = [
        mechanism([AGGREGATE, *run], [files["labels"]], [draw for draw in spent if draw not in sanitizing], {})
    ]
    if privacy["sanitized"]:
        released = {SANITIZED: privacy["sanitized"]["epsilon"]}
        mechanisms.append(mechanism([SANITIZE, names["run"], names["draw"]], [], sanitizing, released))
    parts = [files[each["job"][0]] + part for each in mechanisms for part in (LEDGER, RELEASED)]
    return {
        "format": 2,
        "names": dict(names),
        "files": _entries({name: digest(content[name]) for name in TOLD}),
        "jobs": [
            job(["release"], POST_PROCESSING, [files["weights"], files[STUDENT], *parts], dict.fromkeys(CONTENT)),
            job(
                [STUDENT, *run],
                POST_PROCESSING,
                [files["samples"], files["labels"]],
                dict.fromkeys([files["weights"], files[STUDENT]]),
            ),
            job(
                [PUBLIC_PART, names["ensemble"], names["draw"]],
                PUBLIC,
                [files["data"], files["split"]],
                {files["samples"]: samples, files[PUBLIC_PART]: None},
            ),
            *mechanisms,
        ],
    }


def samples_digest(provenance: Mapping) -> str:
    """SHA-256 of the public samples, as provenance.json tells it; "" where it does not."""
    path = files_of(provenance["names"])["samples"]
    wrote = [entry for job in provenance["jobs"] for entry in job["wrote"] if entry["path"] == path]
    return next((entry["sha256"] for entry in wrote if entry["sha256"]), "")


def _entries(files: Mapping[str, str | None]) -> list[dict]:
    return [{"path": path, "sha256": told} for path, told in sorted(files.items())]

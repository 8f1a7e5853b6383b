"""Checking a release from its folder alone; every fault is named, not only the first."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jsonschema
import numpy as np
import yaml
from safetensors import SafetensorError
from safetensors.numpy import load_file

from lib.core.errors import InputError
from lib.core.files import reading
from lib.core.provenance import MECHANISM, PUBLIC, file_digest
from lib.release import loader
from lib.release.build import SANITIZED
from lib.release.card import card
from lib.release.chain import job_from, trace
from lib.release.files import CONTENT, SUMS, read_sums
from lib.release.pricing import check_draws, epsilons
from lib.release.statement import ANSWERS, CHECKS, delta_fault, meaning
from lib.release.weights import names_fault

DATA_FILES = ("../../schemas/release.schema.yaml",)
_ABOVE = 1e-6  # more than any rounding, less than one draw
_JSON = ("privacy", "provenance", "student", "environment")


@dataclass
class Check:
    """One check: what it found right, in a few words, and its faults."""

    name: str
    found: str = ""
    faults: list[str] = field(default_factory=list)


def verify(folder: str | Path) -> list[Check]:
    """All checks of a release. Raises InputError if `folder` is none at all."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: no folder; a release is one")
    checks = [_files(folder), _checksums(folder), _loader(folder)]
    content, readable = _content(folder)
    checks.append(readable)
    if privacy := content.get("privacy"):
        draws = _draws(privacy)
        checks += [_statement(privacy), draws]
        if not draws.faults:
            checks += [_epsilon(privacy, claim) for claim in ("announced", "spent")]
            checks.append(_caps(privacy))
    if provenance := content.get("provenance"):
        checks.append(_provenance(folder, provenance))
        if privacy:
            checks.append(_ledger(privacy, provenance))
    if student := content.get("student"):
        checks.append(_weights(folder, student))
        if privacy:
            checks += [_student(privacy, student), _card(folder, privacy, student)]
    return checks


def _files(folder: Path) -> Check:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    wanted = {*CONTENT, SUMS}
    check = Check("files", f"{len(wanted)} files, none besides")
    check.faults += [f"{name}: missing" for name in sorted(wanted - set(found))]
    check.faults += [f"{name}: does not belong to a release" for name in sorted(set(found) - wanted)]
    check.faults += [
        f"{name}: not a plain file"
        for name in sorted(wanted & set(found))
        if found[name].is_symlink() or not found[name].is_file()
    ]
    return check


def _checksums(folder: Path) -> Check:
    check = Check("checksums", "every file is the one that was summed")
    try:
        sums = read_sums(folder)
    except InputError as error:
        check.faults.append(str(error))
        return check
    check.faults += [f"{name}: {SUMS} does not list it" for name in CONTENT if name not in sums]
    for name, digest in sums.items():
        if name not in CONTENT:
            check.faults.append(f"{name}: {SUMS} lists it, and it does not belong to a release")
        elif (folder / name).is_file() and file_digest(folder / name) != digest:
            check.faults.append(f"{name}: is not the file that {SUMS} lists")
    return check


def _loader(folder: Path) -> Check:
    """What is run by whoever uses the release must be code of the project, which provenance calls public."""
    check = Check("loader", "load_student.py is the project's")
    path = folder / "load_student.py"
    if path.is_file() and file_digest(path) != file_digest(loader.__file__):
        check.faults.append("load_student.py: is not lib/release/loader.py of this version of the project")
    return check


def _content(folder: Path) -> tuple[dict[str, dict], Check]:
    """The JSON files that can be read, by name."""
    content, check = {}, Check("content", "the JSON files are whole")
    for name in _JSON:
        path = folder / f"{name}.json"
        try:
            with reading(path, "JSON"):
                block = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
            part = {"$ref": f"#/$defs/{name}", "$defs": _definitions()}
            if errors := sorted(jsonschema.Draft202012Validator(part).iter_errors(block), key=str):
                place = ".".join(map(str, errors[0].absolute_path)) or "all of it"
                raise InputError(f"{name}.json: {place}: {_short(errors[0].message)}")
            content[name] = block
        except InputError as error:
            check.faults.append(_short(str(error)))
    return content, check


@cache
def _definitions() -> dict:
    return yaml.safe_load((Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8"))["$defs"]


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _short(text: str) -> str:
    return " ".join(text.split())[:300]


def _statement(privacy: dict) -> Check:
    """What privacy.json says of itself."""
    unknown = privacy["noise_seed"] is None
    source = "operating-system entropy" if unknown else f"seed {privacy['noise_seed']}: NOT PRIVATE"
    check = Check("statement", f"noise from {source}")
    if privacy["meaning"] != _made(lambda: meaning(privacy["noise_seed"], privacy["announced"]["statement"])):
        check.faults.append("privacy.json: meaning is not that of its noise_seed and of what was announced")
    sanitized = {"sanitized": privacy["sanitized"]} if privacy["sanitized"] else {}
    parts = {name: privacy[name]["statement"] for name in ("announced", "spent")} | sanitized
    for name, block in parts.items():
        if block["delta"] != privacy["delta"]:
            check.faults.append(f"privacy.json: {name}: delta {block['delta']}, and {privacy['delta']} above")
        if block["sanitized"] != (name == "sanitized"):
            check.faults.append(f"privacy.json: {name}: sanitized is {block['sanitized']}")
        if block["guarantee"] and (not unknown or name == "sanitized"):
            check.faults.append(f"privacy.json: {name}: called a guarantee, and it is none")
    for name in ("announced", "spent"):
        if parts[name]["one_sided"]:
            check.faults.append(f"privacy.json: {name}: one-sided, and draws are priced in both directions")
    fixed = not any("threshold" in draw["mechanism"] for draw in privacy["announced"]["draws"])
    for name, dependent in (("announced", False), ("spent", not fixed)):
        if parts[name]["data_dependent"] != dependent:
            check.faults.append(f"privacy.json: {name}: data_dependent is {parts[name]['data_dependent']}")
        if dependent and parts[name]["guarantee"]:
            check.faults.append(f"privacy.json: {name}: called a guarantee, and the votes decide the number of draws")
    return check


def _draws(privacy: dict) -> Check:
    check = Check("draws", f"{sum(draw['count'] for draw in privacy['spent']['draws']):,} draws of known kinds")
    for claim in ("announced", "spent"):
        try:
            check_draws(privacy[claim]["draws"], f"privacy.json: {claim}")
        except InputError as error:
            check.faults.append(str(error))
    return check


def _epsilon(privacy: dict, claim: str) -> Check:
    """The epsilon that is stated must not be below what its draws cost, nor that of other draws."""
    stated, check = privacy[claim]["statement"]["epsilon"], Check(f"epsilon {claim}")
    try:
        own, second = epsilons(privacy["orders"], privacy[claim]["draws"], privacy["delta"])
    except InputError as error:
        check.faults.append(f"privacy.json: {claim}: {error}")
        return check
    check.found = f"{stated:.6g} stated, {own:.6g} by our curves, {second:.6g} by dp_accounting"
    if not stated >= max(own, second):
        check.faults.append(
            f"privacy.json: {claim}: epsilon {stated:.12g} is below {max(own, second):.12g}, what its draws cost"
        )
    elif stated > max(own, second) * (1 + _ABOVE):
        check.faults.append(
            f"privacy.json: {claim}: epsilon {stated:.12g} is not that of its draws, {max(own, second):.12g}"
        )
    return check


def _caps(privacy: dict) -> Check:
    """What was spent is of the announced kinds and within their numbers."""
    check = Check("caps", "no more draws than announced")
    announced, spent = ({_kind(draw): draw for draw in privacy[part]["draws"]} for part in ("announced", "spent"))
    for part, kinds in (("announced", announced), ("spent", spent)):
        if len(kinds) != len(privacy[part]["draws"]):
            check.faults.append(f"privacy.json: {part}: a kind of draw comes twice")
    for kind, draw in announced.items():
        if kind not in spent:
            check.faults.append(f"privacy.json: spent lacks {_told(draw)}, which was announced")
        elif spent[kind]["count"] > draw["count"]:
            check.faults.append(
                f"privacy.json: spent {spent[kind]['count']} of {_told(draw)}, {draw['count']} announced"
            )
    check.faults += [
        f"privacy.json: announced lacks {_told(draw)}, which was spent"
        for kind, draw in spent.items()
        if kind not in announced
    ]
    if privacy["spent"]["statement"]["epsilon"] > privacy["announced"]["statement"]["epsilon"]:
        check.faults.append("privacy.json: more epsilon is spent than was announced")
    if (privacy["sanitized"] is not None) != any(draw["mechanism"] == "gnss" for draw in privacy["spent"]["draws"]):
        check.faults.append(
            "privacy.json: a sanitized epsilon without the draw that released it, or the draw without it"
        )
    discrete = privacy["noise"] == "discrete"
    check.faults += [
        f"privacy.json: noise is {privacy['noise']}, and the ledger has {draw['mechanism']}"
        for draw in spent.values()
        if draw["mechanism"] != "gnss" and draw["mechanism"].startswith("discrete") != discrete
    ]
    return check


def _kind(draw: dict) -> tuple:
    return draw["mechanism"], *sorted(draw["parameters"].items())


def _told(draw: dict) -> str:
    return (
        f"{draw['mechanism']} ({', '.join(f'{name} {value:g}' for name, value in sorted(draw['parameters'].items()))})"
    )


def _provenance(folder: Path, provenance: dict) -> Check:
    """Each file is the one that the release was made with, and comes from public files and mechanisms."""
    check = Check("provenance", "every file comes from public files and mechanisms")
    jobs = [job_from(block) for block in provenance["jobs"]]
    listed = {entry["path"]: entry["sha256"] for entry in provenance["files"]}
    wanted = [name for name in CONTENT if name != "provenance.json"]
    check.faults += [f"{name}: provenance.json does not list it" for name in wanted if name not in listed]
    check.faults += [
        f"{name}: provenance.json lists it, and it does not belong" for name in sorted(set(listed) - set(wanted))
    ]
    for name in wanted:
        if listed.get(name) and (folder / name).is_file() and file_digest(folder / name) != listed[name]:
            check.faults.append(f"{name}: is not the file that provenance.json tells of")
    for name in CONTENT:
        try:
            trace(name, jobs)
        except InputError as error:
            check.faults.append(str(error))
    check.faults += [
        f"provenance.json: {job.title} tells the digest of {path}, which depends on private data"
        for job in jobs
        for path, digest in (*job.read.items(), *(job.wrote.items() if job.kind != PUBLIC else ()))
        if digest
    ]
    return check


def _ledger(privacy: dict, provenance: dict) -> Check:
    """The draws that the mechanisms recorded are those that privacy.json prices."""
    check = Check("ledger", "the mechanisms recorded the same draws")
    mechanisms = [block for block in provenance["jobs"] if block["kind"] == MECHANISM]
    recorded = [draw for block in mechanisms for draw in block["draws"]]
    spent = list(privacy["spent"]["draws"])
    for draw in recorded:
        if draw in spent:
            spent.remove(draw)
        else:
            check.faults.append(
                f"privacy.json: spent lacks {draw['count']} of {_told(draw)}, which provenance.json tells of"
            )
    check.faults += [
        f"privacy.json: spent has {draw['count']} of {_told(draw)}, which provenance.json does not tell of"
        for draw in spent
    ]
    for block in mechanisms:
        if block["noise_seed"] != privacy["noise_seed"]:
            check.faults.append(
                f"privacy.json: noise_seed {privacy['noise_seed']}, and {'/'.join(block['job'])} drew with "
                f"{block['noise_seed']}"
            )
    released = {name: value for block in mechanisms for name, value in block["released"].items()}
    stated = privacy["sanitized"]["epsilon"] if privacy["sanitized"] else None
    if released.get(SANITIZED) != stated:
        check.faults.append(
            f"privacy.json: sanitized epsilon {stated}, and the mechanism released {released.get(SANITIZED)}"
        )
    return check


def _weights(folder: Path, student: dict) -> Check:
    check = Check("weights")
    try:
        tensors = load_file(folder / "model.safetensors")
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        check.faults.append(f"model.safetensors: not a readable file of tensors ({_short(str(error))})")
        return check
    check.found = f"{len(tensors)} arrays of a {student['kind']} student"
    if fault := names_fault(student["kind"], set(tensors)):
        check.faults.append(f"model.safetensors: {fault}, for a {student['kind']} student")
    check.faults += [
        f"model.safetensors: {name} holds a number that is not finite"
        for name, tensor in tensors.items()
        if not np.isfinite(tensor).all()
    ]
    return check


def _student(privacy: dict, student: dict) -> Check:
    """The student learned from what the ledger paid for, and delta is small for so many records."""
    check = Check("student", f"{student['labels']:,} labels, all of them in the ledger")
    spent = privacy["spent"]["draws"]
    paid = sum(draw["count"] for draw in spent if draw["mechanism"] in ANSWERS)
    if student["labels"] != paid:
        check.faults.append(f"student.json: {student['labels']} labels, and privacy.json pays for {paid} answers")
    checked = [draw["count"] for draw in spent if draw["mechanism"] in CHECKS]
    if checked and student["labels"] > sum(checked):
        check.faults.append(f"student.json: {student['labels']} labels, and {sum(checked)} queries were checked")
    if fault := delta_fault(privacy["delta"], student["private_samples"]):
        check.faults.append(f"privacy.json: {fault}")
    return check


def _card(folder: Path, privacy: dict, student: dict) -> Check:
    check = Check("model card", "says what privacy.json and student.json say")
    try:
        with reading(folder / "MODEL_CARD.md", "text"):
            same = (folder / "MODEL_CARD.md").read_text(encoding="utf-8") == _made(lambda: card(privacy, student))
    except InputError as error:
        check.faults.append(str(error))
        return check
    if not same:
        check.faults.append("MODEL_CARD.md: does not say what privacy.json and student.json say")
    return check


def _made(make: Callable[[], str]) -> str | None:
    """A page, None where what it is made of is beyond it."""
    try:
        return make()
    except (KeyError, OverflowError, ValueError):
        return None

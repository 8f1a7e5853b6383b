"""Checking a release from its folder alone; every fault is named, not only the first.

What can be computed again is computed and compared byte for byte; what cannot be is held to a closed schema. Nothing in
a release is run, and nothing in it makes a check run long.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jsonschema
import yaml

from lib.core.errors import InputError
from lib.release import loader
from lib.release.card import card
from lib.release.files import CONTENT, SIGNATURE, SUMS, WEIGHTS, digest, json_bytes, read_files, sums
from lib.release.kinds import KINDS
from lib.release.origins import TOLD, origins, samples_digest
from lib.release.pricing import check_draws, epsilons, flags
from lib.release.sanitized import sanitized_fault
from lib.release.signature import form_fault
from lib.release.statement import ANSWERS, CHECKS, LARGEST_EPSILON, delta_fault, epsilon_fault, meaning
from lib.release.weights import read_weights, weights_fault
from pate_accountant.discrete import DISCRETE

DATA_FILES = ("../../schemas/release.schema.yaml",)
_ABOVE = 1e-6  # more than any rounding, less than one draw
_ONE_SAMPLE = 1e-6  # of how far an accuracy may be from a whole number of samples
_JSON = ("privacy", "provenance", "student", "environment")


@dataclass
class Check:
    """One check: what it found right, in a few words, and its faults."""

    name: str
    found: str = ""
    faults: list[str] = field(default_factory=list)


def verify(folder: str | Path, largest_epsilon: float = LARGEST_EPSILON) -> tuple[dict[str, bytes], list[Check]]:
    """Return the files of a release by name, and all checks of them. Raises InputError if `folder` is none at all."""
    content, faults = read_files(folder)
    return content, [
        Check("files", f"{len(CONTENT) + 1} plain files", faults),
        *check_content(content, largest_epsilon),
    ]


def check_content(content: Mapping[str, bytes], largest_epsilon: float) -> list[Check]:
    """All checks of a release's files; one that needs a file that is not there, or is none, is left out."""
    checks = [_checksums(content), _loader(content)]
    blocks, readable = read_blocks(content)
    checks.append(readable)
    privacy, student = blocks.get("privacy"), blocks.get("student")
    if privacy:
        draws = _draws(privacy)
        checks += [_statement(privacy), draws]
        if not draws.faults:
            checks += [_epsilon(privacy, claim) for claim in ("announced", "spent")]
            checks += [_largest(privacy, largest_epsilon), _caps(privacy)]
    if privacy and "provenance" in blocks:
        checks.append(_provenance(content, privacy, blocks["provenance"]))
    if student:
        checks.append(_weights(content, student))
    if privacy and student:
        checks.append(_student(privacy, student))
        if privacy["sanitized"] and not draws.faults:
            checks.append(_sanitized(privacy, student))
        if "environment" in blocks:
            checks.append(_card(content, privacy, student, blocks["environment"]))
    return checks


def _checksums(content: Mapping[str, bytes]) -> Check:
    check = Check("checksums", "every file is the one that was summed")
    if SUMS not in content:
        return check
    found = set(content[SUMS].splitlines())
    expected = sums(content)
    for line in expected.splitlines():
        if line not in found:
            check.faults.append(f"{line.decode().split()[1]}: is not the file that {SUMS} lists")
    if not check.faults and content[SUMS] != expected:
        check.faults.append(f"{SUMS}: is not one line a file, in the order of their names")
    if SIGNATURE in content and (fault := form_fault(content[SIGNATURE])):
        check.faults.append(f"{SIGNATURE}: {fault}")
    return check


def _loader(content: Mapping[str, bytes]) -> Check:
    """Check that what a user of the release runs is code of the project, which provenance calls public."""
    check = Check("loader", "load_student.py is the project's")
    if content.get("load_student.py", project_loader()) != project_loader():
        check.faults.append("load_student.py: is not lib/release/loader.py of this version of the project")
    return check


def project_loader() -> bytes:
    """Return the code that a release is loaded with."""
    return Path(loader.__file__).read_bytes()


def read_blocks(content: Mapping[str, bytes]) -> tuple[dict[str, dict], Check]:
    """Return the JSON files that are what a release may hold, by name without suffix."""
    blocks, check = {}, Check("content", "the JSON files say what a release may say, as it writes it")
    for name in _JSON:
        if f"{name}.json" not in content:
            continue
        try:
            blocks[name] = _block(name, content[f"{name}.json"])
        except InputError as error:
            check.faults.append(f"{name}.json: {_short(str(error))}")
    return blocks, check


def _block(name: str, data: bytes) -> dict:
    try:
        block = json.loads(data.decode("ascii"))
        written = json_bytes(block)
    except (ValueError, RecursionError, OverflowError) as error:
        raise InputError(f"not JSON in ASCII ({error})") from error
    if written != data:
        raise InputError("a key twice, or white space or a number written otherwise than a release writes it")
    part = {"$ref": f"#/$defs/{name}", "$defs": _definitions()}
    if errors := sorted(_Validator(part).iter_errors(block), key=str):
        place = ".".join(map(str, errors[0].absolute_path)) or "all of it"
        raise InputError(f"{place}: {errors[0].message}")
    return block


# to JSON Schema 1.0 is an integer, and the card would write it as it is
_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)


@cache
def _definitions() -> dict:
    return yaml.safe_load((Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8"))["$defs"]


def _short(text: str) -> str:
    return " ".join(text.split())[:300]


def _statement(privacy: dict) -> Check:
    """Return what privacy.json says of itself."""
    unknown = privacy["noise_seed"] is None
    source = "operating-system entropy" if unknown else f"seed {privacy['noise_seed']}: NOT PRIVATE"
    check = Check("statement", f"noise from {source}")
    if privacy["meaning"] != _made(lambda: meaning(privacy["noise_seed"], privacy["announced"]["statement"])):
        check.faults.append("privacy.json: meaning is not that of its noise_seed and of what was announced")
    # the votes decide how many draws there are where a check is among them
    fixed = not any(draw["mechanism"] in CHECKS for draw in privacy["announced"]["draws"])
    expected = {
        "announced": flags(fixed=True, proved_bound=unknown),
        "spent": flags(fixed=fixed, proved_bound=unknown and fixed),
        "sanitized": {
            "accountant": "rdp + gnss (exact cost)",
            "data_dependent": True,
            "sanitized": True,
            "one_sided": True,
            "proved_bound": False,
        },
    }
    for name, said in expected.items():
        block = privacy["sanitized"] if name == "sanitized" else privacy[name]["statement"]
        guarantee = said["proved_bound"] and not (said["data_dependent"] or said["one_sided"])
        said |= {"delta": privacy["delta"], "guarantee": guarantee}
        for key, value in said.items() if block else ():
            if block[key] != value:
                check.faults.append(f"privacy.json: {name}: {key} is {block[key]}; of such noise it is {value}")
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
    """Check that the epsilon is not below what its draws cost, nor that of other draws."""
    stated, check = privacy[claim]["statement"]["epsilon"], Check(f"epsilon {claim}")
    try:
        own, second = epsilons(privacy["orders"], privacy[claim]["draws"], privacy["delta"])
    except InputError as error:
        check.faults.append(f"privacy.json: {claim}: {error}")
        return check
    check.found = f"{stated:.6g} stated, {own:.6g} by our curves, {second:.6g} by dp_accounting"
    if not stated >= max(own, second):
        check.faults.append(f"privacy.json: {claim}: epsilon {stated} is below {max(own, second)}, what its draws cost")
    elif stated > max(own, second) * (1 + _ABOVE):
        check.faults.append(f"privacy.json: {claim}: epsilon {stated} is not that of its draws, {max(own, second)}")
    return check


def _largest(privacy: dict, largest: float) -> Check:
    check = Check("size", f"no more than epsilon {largest} is announced")
    if fault := epsilon_fault(privacy["announced"]["statement"]["epsilon"], largest):
        check.faults.append(f"privacy.json: {fault}")
    return check


def _caps(privacy: dict) -> Check:
    """Check that what was spent is of the announced kinds and within their numbers."""
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
    names = [draw["mechanism"] for draw in privacy["announced"]["draws"]]
    if privacy["noise"] == "discrete":
        allowed = [[DISCRETE["gnmax"]], [DISCRETE["threshold"], DISCRETE["gnmax"]]]
    else:
        allowed = [["gnmax"], ["threshold", "gnmax"]]
    # a sanitized epsilon is of a run with checks, and its release is a draw
    allowed = [["threshold", "gnmax", "gnss"]] if privacy["sanitized"] else allowed
    if names not in allowed or (privacy["sanitized"] and privacy["noise"] == "discrete"):
        check.faults.append(
            f"privacy.json: announced are draws of {', '.join(names)}; allowed of {privacy['noise']} noise "
            f"with{'' if privacy['sanitized'] else 'out'} a sanitized epsilon: {' or '.join(map(', '.join, allowed))}"
        )
    elif len(names) > 1 and privacy["announced"]["draws"][1]["count"] > privacy["announced"]["draws"][0]["count"]:
        check.faults.append("privacy.json: announced are more answers than checks")
    return check


def _kind(draw: dict) -> tuple:
    return draw["mechanism"], *sorted(draw["parameters"].items())


def _told(draw: dict) -> str:
    return f"{draw['mechanism']} ({', '.join(f'{name} {value}' for name, value in sorted(draw['parameters'].items()))})"


def _provenance(content: Mapping[str, bytes], privacy: dict, provenance: dict) -> Check:
    """Provenance is the template's, of these files and of the draws that privacy.json prices."""
    check = Check("provenance", "that of a release: public files, and mechanisms with the draws of privacy.json")
    listed = {entry["path"]: entry["sha256"] for entry in provenance["files"]}
    for name in TOLD:
        if name in content and listed.get(name) != digest(content[name]):
            check.faults.append(f"{name}: is not the file that provenance.json tells of")
    if check.faults or not set(TOLD) <= set(content):
        return check
    expected = origins(provenance["names"], privacy, samples_digest(provenance), content)
    if provenance != expected:
        check.faults.append(f"provenance.json: {_difference(provenance, expected)}")
    return check


def _difference(found: object, expected: object, place: str = "") -> str:
    """Where two JSON values first differ, the first of them being the stranger's."""
    if isinstance(found, dict) and isinstance(expected, dict) and set(found) == set(expected):
        pairs = [(f"{place}.{key}", found[key], expected[key]) for key in sorted(found)]
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = [(f"{place}.{number}", *each) for number, each in enumerate(zip(found, expected, strict=True))]
    else:
        pairs = []
    for where, one, other in pairs:
        if one != other:
            return _difference(one, other, where)
    return _short(f"{place.lstrip('.')} is {json.dumps(found)[:120]}; of these names and draws: {json.dumps(expected)}")


def _weights(content: Mapping[str, bytes], student: dict) -> Check:
    check = Check("weights")
    if WEIGHTS not in content:
        return check
    try:
        tensors = read_weights(content[WEIGHTS])
    except InputError as error:
        check.faults.append(_short(f"{WEIGHTS}: {error}"))
        return check
    check.found = f"{len(tensors)} arrays of a {student['kind']} student"
    if KINDS[student["model"]["kind"]] != student["kind"]:
        check.faults.append(f"student.json: a {student['model']['kind']} is no {student['kind']}")
    elif fault := weights_fault(student, tensors):
        check.faults.append(f"{WEIGHTS}: {fault}")
    return check


def _student(privacy: dict, student: dict) -> Check:
    """Check that the student learned from what the ledger paid for, and that its numbers agree."""
    check = Check("student", f"{student['labels']:,} labels, all of them in the ledger")
    spent = privacy["spent"]["draws"]
    paid = sum(draw["count"] for draw in spent if draw["mechanism"] in ANSWERS)
    if student["labels"] != paid:
        check.faults.append(f"student.json: {student['labels']} labels, and privacy.json pays for {paid} answers")
    asked = max(draw["count"] for draw in spent)
    if asked > student["public_samples"]:
        check.faults.append(f"student.json: {student['public_samples']} public samples, and {asked} were asked about")
    checked = [draw["count"] for draw in spent if draw["mechanism"] in CHECKS]
    if checked and student["labels"] > sum(checked):
        check.faults.append(f"student.json: {student['labels']} labels, and {sum(checked)} queries were checked")
    if fault := delta_fault(privacy["delta"], student["private_samples"]):
        check.faults.append(f"privacy.json: {fault}")
    if student["private_samples"] < student["teachers"]:
        check.faults.append(f"student.json: {student['teachers']} teachers of {student['private_samples']} samples")
    if student["kind"] != "dense" and student["white"] != 1:
        check.faults.append(f"student.json: white is {student['white']}; of a {student['kind']} it is 1.0")
    right = student["accuracy"] / 100 * student["test_samples"]
    if abs(right - round(right)) > _ONE_SAMPLE:
        check.faults.append(
            f"student.json: accuracy {student['accuracy']} % is no whole number of {student['test_samples']} samples"
        )
    return check


def _sanitized(privacy: dict, student: dict) -> Check:
    check = Check("sanitized", "the data-dependent epsilon can say more than the caps do")
    if fault := sanitized_fault(privacy, student["teachers"], student["classes"]):
        check.faults.append(f"privacy.json: {_short(fault)}")
    return check


def _card(content: Mapping[str, bytes], privacy: dict, student: dict, environment: dict) -> Check:
    check = Check("model card", "says what the JSON files say, and nothing else")
    expected = _made(lambda: card(privacy, student, environment))
    if "MODEL_CARD.md" in content and (expected is None or content["MODEL_CARD.md"] != expected.encode()):
        check.faults.append("MODEL_CARD.md: is not the page that follows from the JSON files")
    return check


def _made(make: Callable[[], str]) -> str | None:
    """Return a page, None where what it is made of is beyond it."""
    try:
        return make()
    except (KeyError, OverflowError, ValueError):
        return None

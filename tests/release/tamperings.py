"""Ways to forge a release, each tried as somebody would who makes all that follows from it again.

A tampering is `visible` where the folder alone shows it; the others agree with themselves, and need a signature. The
public samples or the run's records show some of these (`with_more`).
"""

import copy
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from lib.core.command import run as run_command
from lib.release.card import card
from lib.release.files import SIGNATURE, SUMS, WEIGHTS, json_bytes, sums
from lib.release.origins import origins, samples_digest
from lib.release.pricing import epsilons
from lib.release.statement import meaning
from lib.release.weights import read_weights, weight_bytes
from pate_accountant.draws import as_dict
from scripts import sign_release, verify_release
from tests.release.conftest import Made

CYRILLIC = "\N{CYRILLIC SMALL LETTER A}"
BLOCKS = ("privacy", "student", "environment")


@dataclass
class Forgery:
    """A release on its way to be another: what it says, as plain values, and what is done after that was written.

    provenance: an edit of provenance.json. last: edits of the bytes of files; of the checksums, after all others.
    """

    content: dict[str, bytes]
    privacy: dict
    student: dict
    environment: dict
    names: dict
    samples: str
    tensors: dict[str, np.ndarray]
    provenance: Callable[[dict], None] = lambda block: None
    last: dict[str, Callable[[bytes], bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> "Forgery":
        content = {path.name: path.read_bytes() for path in folder.iterdir()}
        blocks = {name: json.loads(content[f"{name}.json"]) for name in (*BLOCKS, "provenance")}
        provenance = blocks.pop("provenance")
        tensors = {name: array.copy() for name, array in read_weights(content[WEIGHTS]).items()}
        return cls(content, **blocks, names=provenance["names"], samples=samples_digest(provenance), tensors=tensors)

    def reprice(self) -> None:
        """State what the draws cost now, and what that means."""
        for part in ("announced", "spent"):
            draws = self.privacy[part]["draws"]
            for draw in draws:
                draw |= as_dict(draw["mechanism"], draw["count"], draw["parameters"])
            cost = max(epsilons(self.privacy["orders"], draws, self.privacy["delta"])) * (1 + 1e-9)
            self.privacy[part]["statement"] |= {"epsilon": cost, "delta": self.privacy["delta"]}
        self.say()

    def say(self) -> None:
        self.privacy["meaning"] = meaning(self.privacy["noise_seed"], self.privacy["announced"]["statement"])

    def write(self, folder: Path) -> None:
        """Make again what follows, and write the folder."""
        content = self.content
        for name in BLOCKS:
            content[f"{name}.json"] = json_bytes(getattr(self, name))
        content[WEIGHTS] = weight_bytes(self.tensors)
        content["MODEL_CARD.md"] = card(self.privacy, self.student, self.environment).encode()
        for name in set(self.last) - {SUMS, SIGNATURE, "provenance.json"}:
            content[name] = self.last[name](content[name])
        block = origins(self.names, self.privacy, self.samples, content)
        self.provenance(block)
        content["provenance.json"] = self.last.get("provenance.json", bytes)(json_bytes(block))
        content[SUMS] = self.last.get(SUMS, bytes)(sums(content))
        if SIGNATURE in self.last:
            content[SIGNATURE] = self.last[SIGNATURE](content.get(SIGNATURE, b""))
        for name, data in content.items():
            (folder / name).write_bytes(data)


@dataclass(frozen=True)
class Tampering:
    """One way to forge. edit: of what a release says; on_disk: of its folder, after that. forest: of a forest."""

    file: str
    what: str
    edit: Callable[[Forgery], None] = lambda forged: None
    on_disk: Callable[[Path], None] = lambda folder: None
    visible: bool = True
    forest: bool = False

    def apply(self, folder: Path) -> None:
        """Forge the release of that folder."""
        forged = Forgery.of(folder)
        self.edit(forged)
        forged.write(folder)
        self.on_disk(folder)


# ---------------------------------------------------------------- small words that tamperings are made of


def put(block: str, way: str, value: object, say: bool = False) -> Callable[[Forgery], None]:
    """Set what lies at `way`, with dots, of a block."""

    def edit(forged: Forgery) -> None:
        *path, last = (int(step) if step.isdigit() else step for step in way.split("."))
        place = getattr(forged, block)
        for step in path:
            place = place[step]
        place[last] = value
        if say:
            forged.say()

    return edit


def scale(way: str, factor: float, say: bool = True) -> Callable[[Forgery], None]:
    """Multiply an epsilon of privacy.json."""

    def edit(forged: Forgery) -> None:
        forged.privacy[way]["statement"]["epsilon"] *= factor
        if say:
            forged.say()

    return edit


def draws(change: Callable[[dict], None], parts: tuple[str, ...] = ("announced", "spent")) -> Callable:
    """Change every draw of the ledgers, by what it is, and price them again."""

    def edit(forged: Forgery) -> None:
        for part in parts:
            for draw in forged.privacy[part]["draws"]:
                change(draw)
        forged.reprice()

    return edit


def drop(mechanism: str, parts: tuple[str, ...] = ("announced", "spent")) -> Callable[[Forgery], None]:
    def edit(forged: Forgery) -> None:
        for part in parts:
            kept = [draw for draw in forged.privacy[part]["draws"] if draw["mechanism"] != mechanism]
            forged.privacy[part]["draws"] = kept
        forged.reprice()

    return edit


def text(name: str, old: str, new: str) -> Callable[[Forgery], None]:
    """Replace text of a file that is otherwise made again."""

    def replace(data: bytes) -> bytes:
        assert old.encode() in data, old
        return data.replace(old.encode(), new.encode(), 1)

    return last(name, replace)


def last(name: str, change: Callable[[bytes], bytes]) -> Callable[[Forgery], None]:
    return lambda forged: forged.last.update({name: change})


def told(change: Callable[[dict], None]) -> Callable[[Forgery], None]:
    """Change provenance.json."""

    def edit(forged: Forgery) -> None:
        forged.provenance = change

    return edit


def tensors(change: Callable[[dict[str, np.ndarray]], None]) -> Callable[[Forgery], None]:
    return lambda forged: change(forged.tensors)


def both(*edits: Callable[[Forgery], None]) -> Callable[[Forgery], None]:
    def edit(forged: Forgery) -> None:
        for each in edits:
            each(forged)

    return edit


def replaced(name: str, make: Callable[[Path], None]) -> Callable[[Path], None]:
    """Put something else in the place of a file."""

    def on_disk(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return on_disk


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        before = Path.cwd()
        os.chdir(path.parent)  # the name of a socket is short
        made.bind(path.name)
        os.chdir(before)


def sparse(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(2**40)


def sigma(factor: float) -> Callable[[dict], None]:
    def change(draw: dict) -> None:
        if "sigma" in draw["parameters"]:
            draw["parameters"]["sigma"] *= factor

    return change


def count(mechanism: str, number: int) -> Callable[[dict], None]:
    def change(draw: dict) -> None:
        if draw["mechanism"] == mechanism:
            draw["count"] = number

    return change


def job(rule: str, change: Callable[[dict], None]) -> Callable[[Forgery], None]:
    """Change what provenance.json tells of a job."""

    def edit(block: dict) -> None:
        (found,) = (each for each in block["jobs"] if each["job"][0] == rule)
        change(found)

    return told(edit)


def reads(rule: str, path: str, digest: str | None = None) -> Callable[[Forgery], None]:
    return job(rule, lambda block: block["read"].append({"path": path, "sha256": digest}))


def unseeded(forged: Forgery) -> None:
    """Say that nobody knows the noise."""
    forged.privacy["noise_seed"] = None
    forged.privacy["announced"]["statement"] |= {"proved_bound": True, "guarantee": True}
    forged.say()


def held(place: str) -> Callable[[Forgery], None]:
    return both(*(put("privacy", f"{place}.{word}", True) for word in ("proved_bound", "guarantee")))


def rowed(**more: float) -> Callable[[Forgery], None]:
    """A forest's numbers changed: {name}_{place} = value."""

    def change(arrays: dict[str, np.ndarray]) -> None:
        for key, value in more.items():
            name, place = key.split("_")
            arrays[name][int(place)] = value

    return tensors(change)


def cycle(arrays: dict[str, np.ndarray]) -> None:
    inner = np.flatnonzero(arrays["left"] >= 0)
    arrays["left"][inner[-1]] = inner[0]


def crossing(arrays: dict[str, np.ndarray]) -> None:
    """Two leaves of two trees change places."""
    leaves = np.flatnonzero(arrays["left"] < 0)
    first, other = leaves[0], leaves[-1]
    for side in ("left", "right"):
        here, there = arrays[side] == first, arrays[side] == other
        arrays[side][here], arrays[side][there] = other, first


VOTES = "results/tiny/private/votes/digits/1.npz"
P, S, E, V, C = "privacy.json", "student.json", "environment.json", "provenance.json", "MODEL_CARD.md"
FAKE = "consistent; signed by everybody"

TAMPERINGS = [
    # ------------------------------------------------------------ the folder
    Tampering("folder", "a file besides", on_disk=lambda folder: (folder / "votes.npz").write_bytes(b"x")),
    Tampering("folder", "a hidden file besides", on_disk=lambda folder: (folder / ".votes").write_bytes(b"x")),
    Tampering("folder", "a folder besides", on_disk=lambda folder: (folder / "more").mkdir()),
    Tampering(
        "folder", "a file whose name is a line of this program", on_disk=lambda f: (f / f"x\n{FAKE}\n").write_bytes(b"")
    ),
    Tampering(S, "missing", on_disk=lambda folder: (folder / S).unlink()),
    Tampering(S, "a link to a file elsewhere", on_disk=replaced(S, lambda path: path.symlink_to("/etc/hostname"))),
    Tampering(S, "a link to an endless device", on_disk=replaced(S, lambda path: path.symlink_to("/dev/zero"))),
    Tampering(S, "a pipe", on_disk=replaced(S, os.mkfifo)),
    Tampering(SUMS, "a pipe", on_disk=replaced(SUMS, os.mkfifo)),
    Tampering(S, "a socket", on_disk=replaced(S, listen)),
    Tampering(S, "a folder", on_disk=replaced(S, Path.mkdir)),
    Tampering(WEIGHTS, "a file of a terabyte without content", on_disk=replaced(WEIGHTS, sparse)),
    Tampering(S, "megabytes of white space at its end", last(S, lambda data: data + b"\n" * 2**21)),
    Tampering(SUMS, "a further line", last(SUMS, lambda data: data + b"0" * 64 + b"  votes.npz\n")),
    Tampering(SUMS, "a comment", last(SUMS, lambda data: b"# certified\n" + data)),
    Tampering(SUMS, "other ends of lines", last(SUMS, lambda data: data.replace(b"\n", b"\r\n"))),
    Tampering(SUMS, "other order of lines", last(SUMS, lambda data: b"".join(sorted(data.splitlines(True))))),
    Tampering(SIGNATURE, "words in the place of a signature", last(SIGNATURE, lambda _: b"signed by everybody\n")),
    # ------------------------------------------------------------ how JSON is written
    Tampering(P, "a key twice, the first with a smaller epsilon", text(P, ' "delta"', ' "delta": 1e-9,\n "delta"')),
    Tampering(S, "a key twice, the first a better accuracy", text(S, ' "accuracy"', ' "accuracy": 99.0,\n "accuracy"')),
    Tampering(V, "a key twice, the first other jobs", text(V, ' "jobs"', ' "jobs": [],\n "jobs"')),
    Tampering(S, "NaN for a number", text(S, '"white": 1.0', '"white": NaN')),
    Tampering(P, "infinity for a number", text(P, '"sigma": 8.0', '"sigma": Infinity')),
    Tampering(P, "a number beyond what a computer holds", text(P, '"sigma": 8.0', '"sigma": 8e999')),
    Tampering(P, "a number of ten thousand digits", text(P, '"noise_seed": 7', f'"noise_seed": {"7" * 10_000}')),
    Tampering(P, "a number written otherwise", text(P, '"sigma": 8.0', '"sigma": 8.00')),
    Tampering(S, "a whole number with a point", put("student", "labels", 120.0)),
    Tampering(E, "white space that spells something", text(E, "{\n", "{ \t \t\n")),
    Tampering(E, "a mark at its beginning", last(E, lambda data: b"\xef\xbb\xbf" + data)),
    Tampering(E, "lists in lists without end", last(E, lambda data: b"[" * 200_000)),
    Tampering(E, "no JSON", last(E, lambda data: b"certified")),
    # ------------------------------------------------------------ words
    Tampering(S, "bold words in the label", put("student", "label", "digits** **certified private**")),
    Tampering(S, "a heading in the label", put("student", "label", "digits`\n\n# Certified")),
    Tampering(S, "an unclosed comment in the label", put("student", "label", "digits` <!--")),
    Tampering(S, "code that ends in the label", put("student", "label", "digits` certified")),
    Tampering(S, "a letter of another alphabet in the label", put("student", "label", f"d{CYRILLIC}gits")),
    Tampering(S, "a label of a thousand letters", put("student", "label", "d" * 1000)),
    Tampering(S, "a link in the licence", put("student", "licence", "[MIT](https://example.org)")),
    Tampering(S, "HTML in the licence", put("student", "licence", "<b>certified</b>")),
    Tampering(S, "the end of a terminal's line in the licence", put("student", "licence", "MIT\x1b[2K")),
    Tampering(S, "Markdown in the dataset", put("student", "dataset", "digits` **certified**")),
    Tampering(S, "words in the fingerprint", put("student", "public_fingerprint", "certified")),
    Tampering(S, "another key in the model", put("student", "model.note", "certified")),
    Tampering(S, "words for the kind of the model", put("student", "model.kind", "certified")),
    Tampering(S, "a list of votes in the model", put("student", "model.hidden", [60, 0, 0])),
    Tampering(S, "another key", put("student", "note", "certified")),
    Tampering(P, "another key", put("privacy", "note", "certified")),
    Tampering(E, "another key", put("environment", "note", "certified")),
    Tampering(E, "words for a version", put("environment", "numpy", "certified")),
    Tampering(E, "words for the commit", put("environment", "commit", "certified")),
    Tampering(P, "words for the accountant", put("privacy", "announced.statement.accountant", "certified")),
    Tampering(P, "words for the conversion", put("privacy", "spent.statement.conversion", "certified")),
    Tampering(P, "words in an event", put("privacy", "spent.draws.0.dp_event", "certified")),
    Tampering(P, "another sentence about privacy", put("privacy", "meaning", "Nobody learns anything.")),
    Tampering(P, "the sentence of a smaller epsilon", put("privacy", "meaning", "**Epsilon 0.10 at delta 0.001**")),
    Tampering(C, "another number", text(C, "epsilon 9.99", "epsilon 0.99")),
    Tampering(C, "a line at its end", last(C, lambda data: data + b"Certified.\n")),
    Tampering(C, "an unclosed comment above its limits", text(C, "## Limits", "<!--\n## Limits")),
    Tampering(C, "a limit left out", text(C, "- Attacks: none", "<!-- -->")),
    Tampering(C, "other ends of lines", last(C, lambda data: data.replace(b"\n", b"\r\n"))),
    Tampering(C, "no text", last(C, lambda data: b"\xff\xfe")),
    Tampering("load_student.py", "a command", last("load_student.py", lambda data: data + b"\nimport os\n")),
    Tampering("load_student.py", "a comment", last("load_student.py", lambda data: data + b"# certified\n")),
    # ------------------------------------------------------------ what privacy.json says
    Tampering(P, "a smaller announced epsilon", scale("announced", 0.5)),
    Tampering(P, "an announced epsilon smaller by a hair", scale("announced", 1 - 1e-8)),
    Tampering(P, "a smaller spent epsilon", scale("spent", 0.5)),
    Tampering(P, "a larger announced epsilon", scale("announced", 1.001)),
    Tampering(P, "no draws of answers in its ledgers", drop("gnmax")),
    Tampering(P, "no checks in its ledgers", drop("threshold")),
    Tampering(P, "no draw of the released epsilon in its ledgers", drop("gnss")),
    Tampering(P, "spent lacks a kind of draw", drop("threshold", ("spent",))),
    Tampering(P, "a count of none", draws(count("gnss", 0))),
    Tampering(P, "fewer answers spent than labels", draws(count("gnmax", 60), ("spent",))),
    Tampering(P, "more answers spent than announced", draws(count("gnmax", 60), ("announced",))),
    Tampering(P, "more noise announced than spent", draws(sigma(2), ("announced",))),
    Tampering(P, "more noise spent than announced", draws(sigma(2), ("spent",))),
    Tampering(P, "the event of more noise", text(P, "noise_multiplier=20.0", "noise_multiplier=40.0")),
    Tampering(P, "a draw of a kind that no run announces", put("privacy", "spent.draws.0.mechanism", "lnmax")),
    Tampering(
        P, "a delta too large for so many records", both(put("privacy", "delta", 0.01), draws(lambda draw: None))
    ),
    Tampering(P, "a statement at another delta", put("privacy", "announced.statement.delta", 1e-9, say=True)),
    Tampering(P, "a guarantee with a known seed", held("announced.statement")),
    Tampering(P, "the data-dependent epsilon called a guarantee", held("sanitized")),
    Tampering(P, "spent called independent of the data", put("privacy", "spent.statement.data_dependent", False)),
    Tampering(P, "spent called sanitised", put("privacy", "spent.statement.sanitized", True)),
    Tampering(P, "the released epsilon called two-sided", put("privacy", "sanitized.one_sided", False)),
    Tampering(P, "other neighbours", put("privacy", "neighbouring", "add_or_remove_one")),
    Tampering(P, "continuous noise called discrete", put("privacy", "noise", "discrete")),
    Tampering(P, "no orders", put("privacy", "orders", [])),
    Tampering(P, "an order of 1", put("privacy", "orders", [1.0])),
    Tampering(P, "a released epsilon whose draw stays, taken out", put("privacy", "sanitized", None)),
    Tampering(P, "less noise, honestly priced", draws(sigma(0.5))),
    Tampering(P, "a released epsilon that can say no more than the caps", draws(count("threshold", 10**5))),
    # ------------------------------------------------------------ provenance
    Tampering(V, "the student reads votes", reads("release_student", VOTES)),
    Tampering(
        V,
        "the student reads votes, a letter of another alphabet",
        reads("release_student", f"results/priv{CYRILLIC}te/x"),
    ),
    Tampering(V, "the student reads votes by another way", reads("release_student", "results/public/../private/x")),
    Tampering(V, "the digest of votes", reads("aggregate", VOTES, "0" * 64)),
    Tampering(
        V, "a mechanism called post-processing", job("aggregate", lambda block: block.update(kind="post-processing"))
    ),
    Tampering(V, "the student called public", job("release_student", lambda block: block.update(kind="public"))),
    Tampering(V, "a mechanism without draws", job("aggregate", lambda block: block.update(draws=[]))),
    Tampering(V, "noise that nobody knows", job("aggregate", lambda block: block.update(noise_seed=None))),
    Tampering(
        V,
        "an epsilon released by what drew none",
        job("aggregate", lambda block: block.update(released={"sanitized_epsilon_released": 1.0})),
    ),
    Tampering(
        V,
        "another number released, without a price",
        job("sanitize_epsilon", lambda block: block["released"].update(mean_of_votes=12.5)),
    ),
    Tampering(V, "another job", told(lambda block: block["jobs"].append(copy.deepcopy(block["jobs"][0])))),
    Tampering(V, "a job left out", told(lambda block: block["jobs"].pop(2))),
    Tampering(V, "a file left out", told(lambda block: block["files"].pop(0))),
    Tampering(V, "words for the name of the run", told(lambda block: block["names"].update(run="certified run"))),
    Tampering(V, "a name of another alphabet", told(lambda block: block["names"].update(preset=f"tiny{CYRILLIC}"))),
    # ------------------------------------------------------------ weights
    Tampering(WEIGHTS, "metadata", last(WEIGHTS, lambda data: with_metadata(data, {"votes": "60 0 0"}))),
    Tampering(WEIGHTS, "bytes at its end", last(WEIGHTS, lambda data: data + b"votes")),
    Tampering(WEIGHTS, "white space in its header", last(WEIGHTS, lambda data: widened(data))),
    Tampering(WEIGHTS, "another array", tensors(lambda arrays: arrays.update(votes=np.zeros((3, 3))))),
    Tampering(WEIGHTS, "an array left out", tensors(lambda arrays: arrays.pop("mean"))),
    Tampering(WEIGHTS, "an array of another shape", tensors(lambda a: a.update(coef=np.zeros((10, 640))))),
    Tampering(WEIGHTS, "an array of another type", tensors(lambda a: a.update(coef=a["coef"].astype(np.float32)))),
    Tampering(WEIGHTS, "an infinite number", tensors(lambda a: a["coef"].__setitem__((0, 0), np.inf))),
    Tampering(WEIGHTS, "weights that overflow in use", tensors(lambda a: a["coef"].__imul__(1e306))),
    Tampering(WEIGHTS, "a scale that overflows in use", tensors(lambda a: a["scale"].__setitem__(0, 5e-324))),
    Tampering(WEIGHTS, "a scale of 0", tensors(lambda a: a["scale"].__setitem__(0, 0))),
    Tampering(WEIGHTS, "a class that there is not", tensors(lambda a: a["classes"].__setitem__(-1, 99))),
    Tampering(WEIGHTS, "no file of tensors", last(WEIGHTS, lambda data: b"PK\x03\x04" + data)),
    Tampering(WEIGHTS, "a tree that leads back", tensors(cycle), forest=True),
    Tampering(WEIGHTS, "a tree that is its own child", rowed(left_0=0), forest=True),
    Tampering(WEIGHTS, "trees with each other's leaves", tensors(crossing), forest=True),
    Tampering(WEIGHTS, "a child beyond all nodes", rowed(right_0=10**9), forest=True),
    Tampering(WEIGHTS, "a node with one child", rowed(left_0=-1), forest=True),
    Tampering(WEIGHTS, "a tree that begins elsewhere", rowed(root_0=1), forest=True),
    Tampering(WEIGHTS, "a feature that no sample has", rowed(feature_0=64), forest=True),
    Tampering(WEIGHTS, "leaves that are no shares", rowed(value_0=2.0), forest=True),
    # ------------------------------------------------------------ what student.json says
    Tampering(S, "weights of another kind", put("student", "kind", "dense")),
    Tampering(S, "another kind of model", put("student", "model", {"kind": "random_forest", "trees": 7})),
    Tampering(S, "another number of trees", put("student", "model.trees", 700), forest=True),
    Tampering(S, "more labels than were paid for", put("student", "labels", 1000)),
    Tampering(S, "fewer labels than were paid for", put("student", "labels", 100)),
    Tampering(S, "fewer public samples than were asked about", put("student", "public_samples", 20)),
    Tampering(S, "so many private samples that delta is large", put("student", "private_samples", 10**6)),
    Tampering(S, "fewer private samples than teachers", put("student", "private_samples", 10)),
    Tampering(S, "fewer classes than the weights have", put("student", "classes", 9)),
    Tampering(S, "a million million classes", put("student", "classes", 10**12)),
    Tampering(S, "samples of another size", put("student", "shape", [8, 80])),
    Tampering(S, "a white that the model does not know", put("student", "white", 255.0)),
    Tampering(S, "an accuracy that no number of samples gives", put("student", "accuracy", 99.9)),
    Tampering(S, "an accuracy above all", put("student", "accuracy", 101.0)),
    # ------------------------------------------------------------ what agrees with itself
    Tampering(P, "noise of a seed called unknown", unseeded, visible=False),
    Tampering(P, "another seed", put("privacy", "noise_seed", 8, say=True), visible=False),
    Tampering(P, "more noise in all ledgers", draws(sigma(1.1)), visible=False),
    Tampering(P, "fewer checks in all ledgers", draws(count("threshold", 150)), visible=False),
    Tampering(
        P,
        "fewer answers in all ledgers, and as few labels",
        both(draws(count("gnmax", 60)), put("student", "labels", 60)),
        visible=False,
    ),
    Tampering(P, "another released epsilon", put("privacy", "sanitized.epsilon", 0.5), visible=False),
    Tampering(
        P,
        "no released epsilon, and no draw of it",
        both(put("privacy", "sanitized", None), drop("gnss")),
        visible=False,
    ),
    Tampering(
        P,
        "fewer checks in all ledgers, no released epsilon, and no draw of it",
        both(put("privacy", "sanitized", None), drop("gnss"), draws(count("threshold", 150))),
        visible=False,
    ),
    Tampering(
        P,
        "another delta, honestly priced",
        both(put("privacy", "delta", 2e-3), put("privacy", "sanitized.delta", 2e-3), draws(lambda draw: None)),
        visible=False,
    ),
    Tampering(P, "fewer orders", both(put("privacy", "orders", [3.0]), draws(lambda draw: None)), visible=False),
    Tampering(V, "another run", lambda forged: forged.names.update(run="other"), visible=False),
    Tampering(V, "another digest of the public samples", lambda f: setattr(f, "samples", "0" * 64), visible=False),
    Tampering(WEIGHTS, "other weights", tensors(lambda arrays: arrays["coef"].__imul__(-1)), visible=False),
    Tampering(
        WEIGHTS,
        "weights with a mark in their last digits",
        tensors(lambda a: a["coef"].__imul__(1 + 1e-12)),
        visible=False,
    ),
    Tampering(S, "a better accuracy", put("student", "accuracy", 99.0), visible=False),
    Tampering(S, "another fingerprint of the samples", put("student", "public_fingerprint", "0" * 64), visible=False),
    Tampering(S, "more classes", put("student", "classes", 12), visible=False),
    Tampering(S, "samples of another form", put("student", "shape", [4, 16]), visible=False),
    Tampering(S, "more public samples", put("student", "public_samples", 2000), visible=False),
    Tampering(S, "more teachers", put("student", "teachers", 250), visible=False),
    Tampering(S, "more private samples", put("student", "private_samples", 900), visible=False),
    Tampering(S, "other settings of the model", put("student", "model.iterations", 9), visible=False),
    Tampering(S, "another name of the ensemble", put("student", "label", "certified"), visible=False),
    Tampering(S, "another dataset", put("student", "dataset", "mnist"), visible=False),
    Tampering(S, "another licence", put("student", "licence", "MIT"), visible=False),
    Tampering(E, "another commit", put("environment", "commit", "0" * 40), visible=False),
    Tampering(E, "another version", put("environment", "numpy", "1.0"), visible=False),
]


def with_metadata(data: bytes, metadata: dict[str, str]) -> bytes:
    return save(read_weights(data), metadata=metadata)


def widened(data: bytes) -> bytes:
    """The same tensors behind a header with more white space."""
    length = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + length] + b" " * 64
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


# ---------------------------------------------------------------- what catches them


def passes(folder: Path, *options: str) -> bool:
    """Whether the program finds no fault."""
    try:
        run_command(lambda: verify_release.main(["--folder", str(folder), *options]))
    except SystemExit:
        return False
    return True


@dataclass(frozen=True)
class Scene:
    """Signed releases, the run that one of them was made by, and who may sign.

    root: where that run's files lie. releases: by whether it is of a random forest. own: the author's key; forged: a
    stranger's. scratch: where copies are made.
    """

    root: Path
    releases: dict[bool, Path]
    own: Path
    forged: Path
    scratch: Path

    @classmethod
    def of(cls, made: Made, scratch: Path) -> "Scene":
        """From a run that stands whole; the working folder is its root."""
        keys = scratch / "own", scratch / "forged"
        for key in keys:
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)]
            subprocess.run(words, check=True)
        scene = cls(made.root, {forest: scratch / f"release_{forest}" for forest in (False, True)}, *keys, scratch)
        shutil.copytree(made.root / made.FOLDER, scene.releases[False])
        forest = Made(scratch / "run_of_a_forest")
        shutil.copytree(made.root, forest.root)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(forest.root)
            forest.student({"kind": "random_forest", "trees": 3})
            shutil.copytree(forest.release(), scene.releases[True])
        for folder in scene.releases.values():
            sign_release.main(["--folder", str(folder), "--key", str(scene.own)])
        scene.allowed.write_text(f"author@example.org {keys[0].with_suffix('.pub').read_text()}")
        return scene

    @property
    def allowed(self) -> Path:
        """The file of who may sign."""
        return self.scratch / "allowed"

    def copied(self, forest: bool = False) -> Path:
        """A copy of a signed release that may be tampered with."""
        folder = self.scratch / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        return Path(shutil.copytree(self.releases[forest], folder))

    def seen_by(self, folder: Path) -> set[str]:
        """Which of the public samples and the run's records, at hand, show that a folder is forged."""
        more = {"samples": ["--samples", str(self.root / Made.SAMPLES)], "run": ["--run", str(self.root)]}
        return {name for name, words in more.items() if not passes(folder, *words)}

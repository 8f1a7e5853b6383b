"""A person's own volumes: NIfTI files in folders, or named by a MONAI datalist; how they lie is said, never guessed."""

import glob
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from lib.core.errors import InputError
from lib.data.volumes import labels, nifti
from lib.data.volumes.datalist import read_datalist
from lib.data.volumes.source import Volume, one_each

NAME = "own"  # of the collection
# What a label's numbers may mean; whole: the abnormality as one, which is then all that is told apart; first, second:
# two classes of any kind, such as the parts of an organ.
MEANINGS = {
    "background": labels.BACKGROUND,
    "whole": labels.OEDEMA,
    "oedema": labels.OEDEMA,
    "core": labels.CORE,
    "enhancing": labels.ENHANCING,
    "first": labels.FIRST,
    "second": labels.SECOND,
}
TOGETHER = ({"whole"}, {"first", "second"}, {"oedema", "core", "enhancing"})
NEEDED = {"folders": ("folder", "images", "label", "labels"), "datalist": ("folder", "list", "channels", "labels")}
ALLOWED = {layout: ("layout", *keys, "patient") for layout, keys in NEEDED.items()}

LONGEST = 10  # seconds for `patient` to find the patients of all cases


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raise InputError for settings that do not say how volumes lie, and what is in them."""
    layout = settings.get("layout")
    if layout not in NEEDED:
        raise InputError(f"layout = {layout!r}: allowed: {', '.join(NEEDED)}")
    for key in NEEDED[layout]:
        if not settings.get(key):
            raise InputError(f"lacks the key '{key}'; layout {layout} needs {', '.join(NEEDED[layout])}")
    if unknown := sorted(set(settings) - set(ALLOWED[layout])):
        raise InputError(f"unknown key '{unknown[0]}'; layout {layout} allows {', '.join(ALLOWED[layout])}")
    patterns = [settings["label"], *_channels(settings).values()] if layout == "folders" else []
    for pattern in patterns:
        fits = "{case}" in pattern and pattern.endswith((".nii", ".nii.gz"))
        if not fits or "*" in pattern or Path(pattern).is_absolute():
            raise InputError(
                f"{pattern!r}: allowed is the path of a .nii or .nii.gz file below the folder, with {{case}} and no *"
            )
    _values(settings)
    if set(settings["labels"].values()) - {"background"} not in TOGETHER:
        raise InputError(
            f"labels {dict(settings['labels'])}: allowed are whole alone, first and second, or oedema, core and "
            "enhancing, all three"
        )
    try:
        groups = re.compile(settings.get("patient") or "(.*)").groups
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"patient = {settings['patient']!r}: no regular expression ({error})") from error
    if groups != 1:
        raise InputError(f"patient = {settings['patient']!r}: allowed is one pair of parentheses, about the patient")


def classes(settings: Mapping[str, Any]) -> int:
    """How many tumour classes the labels tell apart."""
    return labels.classes_of(_values(settings))


class OwnVolumes:
    """A collection of a person's own, as a VolumeSource.

    Each case is a patient of its own, unless `patient`, a regular expression with one group, finds whose it is in the
    case's name: whoever has two cases is then refused, since each teacher must learn from other patients.
    """

    def __init__(self, root: str | Path, settings: Mapping[str, Any]) -> None:
        """root: the folder that the collection's is in. Nothing is read yet; InputError for wrong settings."""
        check_settings(settings)
        self._folder, self._settings = Path(root) / str(settings["folder"]), settings
        self._values = _values(settings)
        self.channels = tuple(_channels(settings)) if settings["layout"] == "folders" else tuple(settings["channels"])
        self.classes = classes(settings)
        self._cases: dict[str, tuple[list[Path], Path]] | None = None
        self._patients: dict[str, str] | None = None

    def subjects(self) -> tuple[str, ...]:
        """Return the cases' names, sorted; InputError for none, a patient with two, or a file that is not there."""
        return one_each({case: self.patient(case) for case in self._files()}, self._folder)

    def patient(self, name: str) -> str:
        """Return the patient of a case; InputError where the expression finds none in a case, or takes too long."""
        if self._patients is None:
            expression, names = self._settings.get("patient"), list(self._files())
            patients: dict[str, str] = {}
            found = _first_groups(str(expression), names) if expression else names
            for case, patient in zip(names, found, strict=True):
                if patient is None:
                    raise InputError(f"{self._folder}: no patient in the case {case!r} by {expression!r}")
                patients[case] = patient
            self._patients = patients
        return self._patients[name]

    def read(self, name: str) -> Volume:
        """Image and label of a case; InputError, naming the file, where they are not whole."""
        images, _ = self._files()[name]
        image, affine = nifti.load_channels(images)
        path, label, own_affine = self._label(name)
        nifti.check_grid(path, label.shape, own_affine, image.shape[1:], affine)
        return Volume(name, image, label)

    def label(self, name: str) -> np.ndarray:
        """Return the label of a case, (X, Y, Z) uint8."""
        return self._label(name)[1]

    def _label(self, name: str) -> tuple[Path, np.ndarray, np.ndarray]:
        path = self._files()[name][1]
        return path, *nifti.load_label(path, self._values)

    def _files(self) -> dict[str, tuple[list[Path], Path]]:
        """Image files and label of each case, found once, all of them there."""
        if self._cases is None:
            listed = self._in_folders if self._settings["layout"] == "folders" else self._in_list
            cases = listed()
            for case, (images, label) in cases.items():
                for path in (*images, label):
                    if not os.path.isfile(path):
                        raise InputError(f"{self._folder}: case {case} lacks {path}")
            self._cases = cases
        return self._cases

    def _in_folders(self) -> dict[str, tuple[list[Path], Path]]:
        patterns = [*_channels(self._settings).values(), self._settings["label"]]
        found = sorted({case for pattern in patterns for case in self._matching(pattern)})
        if not found:
            raise InputError(f"{self._folder}: no file like {self._settings['label']}")
        paths = {case: [self._folder / pattern.replace("{case}", case) for pattern in patterns] for case in found}
        return {case: (images, label) for case, (*images, label) in paths.items()}

    def _matching(self, pattern: str) -> list[str]:
        """Find the cases that have a file of a pattern; {case} is one part of a path, or of a name, not hidden."""
        pattern = PurePosixPath(pattern).as_posix()
        visible = r"(?!\.)" if "/{case}" in f"/{pattern}" else ""
        first, *others = pattern.split("{case}")
        expression = re.compile(
            f"{re.escape(first)}(?P<case>{visible}[^/]+)" + "(?P=case)".join(map(re.escape, others)), re.DOTALL
        )
        paths = self._folder.glob("*".join(map(glob.escape, (first, *others))))
        matches = (expression.fullmatch(path.relative_to(self._folder).as_posix()) for path in paths)
        return [match.group("case") for match in matches if match]

    def _in_list(self) -> dict[str, tuple[list[Path], Path]]:
        path = self._folder / str(self._settings["list"])
        cases: dict[str, tuple[list[Path], Path]] = {}
        for number, (images, label) in enumerate(read_datalist(path, len(self.channels))[1]):
            if label is None:
                raise InputError(f"{path}: entry {number} of training has no label")
            case = re.sub(r"\.nii(\.gz)?\Z", "", label).strip("./").replace("/", "_")
            if case in cases:
                raise InputError(f"{path}: the label {label} stands twice")
            cases[case] = [self._folder / image for image in images], self._folder / label
        return cases


def _first_groups(expression: str, names: Sequence[str]) -> list[str | None]:
    """Return what the one group of a regular expression finds in each name, None where the name does not match.

    A process of its own does it: some expressions need more than a lifetime, and Python cannot stop them. Raises
    InputError after LONGEST seconds.
    """
    code = (
        "import json, re, sys; expression, names = json.load(sys.stdin); "
        "found = [re.fullmatch(expression, name) for name in names]; "
        "print(json.dumps([each and each[1] for each in found]))"
    )
    command, given = [sys.executable, "-I", "-S", "-c", code], json.dumps((expression, names))
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=LONGEST, check=True)
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"patient = {expression!r}: takes more than {LONGEST} s for {len(names)} names of cases; allowed is a "
            "quicker expression, such as one without repetitions within repetitions"
        ) from error
    return json.loads(done.stdout)


def _channels(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the pattern of each channel's file; one pattern alone is of the channel `image`."""
    images = settings["images"]
    return {"image": images} if isinstance(images, str) else dict(images)


def _values(settings: Mapping[str, Any]) -> dict[int, int]:
    """Return a label's numbers to the canonical ones; 0 is background."""
    values = {0: labels.BACKGROUND}
    for number, meaning in dict(settings["labels"]).items():
        if meaning not in MEANINGS or not re.fullmatch(r"\d{1,3}", str(number)) or int(number) > 255:
            raise InputError(f"labels {{{number}: {meaning}}}: allowed are 0 to 255, each one of {', '.join(MEANINGS)}")
        values[int(number)] = MEANINGS[meaning]
    if "whole" in dict(settings["labels"]).values() and labels.classes_of(values) > 1:
        raise InputError("labels: whole stands for all classes, and beside it no other is allowed")
    return values

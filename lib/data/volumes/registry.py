"""The collections of volumes by name: how each is opened, which files it needs, and where they can be had."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lib.core.errors import InputError
from lib.data.spec import is_there
from lib.data.volumes import own
from lib.data.volumes.decathlon import DecathlonBrainTumour
from lib.data.volumes.folders import BRATS_2013, BRATS_2019, LGG, CaseFolders
from lib.data.volumes.labels import classes_of
from lib.data.volumes.phantom import BrainPhantom, PhantomSource
from lib.data.volumes.source import VolumeSource


@dataclass(frozen=True)
class VolumeSpec:
    """One collection.

    title: what it is; layout: its files, in words; licence, homepage, obtain: in words. folder: below data_root, None
    for what is generated; parts: files and folders (with / at the end) in it, of which all are needed, or one where
    `any_part`. open: the source in that folder, from settings where it is generated. classes: tumour classes that its
    labels tell apart. settings: their names; needed: of those without a default. private: whether they are a person's
    own, which results name by a keyed digest alone.
    """

    title: str
    layout: str
    licence: str
    homepage: str
    obtain: str
    open: Callable[..., VolumeSource]
    classes: int
    folder: str | None = None
    parts: tuple[str, ...] = ()
    any_part: bool = False
    settings: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    private: bool = False


def _phantom(shape: tuple[int, int, int], seed: int, subjects: int, skull_stripped: bool = True) -> PhantomSource:
    return PhantomSource(BrainPhantom(tuple(shape), seed, skull_stripped), subjects)


# Its list of cases differs between releases, and each file has one channel: the folders say enough.
_HIPPOCAMPUS = {
    "layout": "folders",
    "folder": "msd_hippocampus",
    "images": {"t1": "imagesTr/{case}.nii.gz"},
    "label": "labelsTr/{case}.nii.gz",
    "labels": {1: "first", 2: "second"},  # anterior, posterior
}

VOLUMES = {
    "brain_phantom": VolumeSpec(
        title="Brain phantoms: generated, nobody's brain",
        layout="no files",
        licence="that of this project; nothing else went into it",
        homepage="docs/brain_phantom.md",
        obtain="nothing to obtain: it is generated where it is needed",
        open=_phantom,
        classes=PhantomSource.classes,
        settings=("shape", "seed", "subjects", "skull_stripped"),
        needed=("shape", "seed", "subjects"),
    ),
    "msd_brain_tumour": VolumeSpec(
        title="Medical Segmentation Decathlon, Task01: brain tumours, 484 labelled cases",
        layout="Task01_BrainTumour/{dataset.json, imagesTr/BRATS_001.nii.gz, labelsTr/BRATS_001.nii.gz, ...}",
        licence="CC BY-SA 4.0",
        homepage="http://medicaldecathlon.com",
        obtain="unpack Task01_BrainTumour.tar, from there or by monai.apps.DecathlonDataset(data_root, "
        "'Task01_BrainTumour', 'training', download=True)",
        open=DecathlonBrainTumour,
        classes=DecathlonBrainTumour.classes,
        folder="Task01_BrainTumour",
        parts=("dataset.json", "imagesTr/", "labelsTr/"),
    ),
    "msd_hippocampus": VolumeSpec(
        title="Medical Segmentation Decathlon, Task04: hippocampus, anterior and posterior, in 260 crops of T1 MRI",
        layout="msd_hippocampus/{imagesTr,labelsTr}/hippocampus_001.nii.gz, ...",
        licence="CC BY-SA 4.0",
        homepage="http://medicaldecathlon.com",
        obtain="unpack Task04_Hippocampus.tar, from there, and call its folder msd_hippocampus",
        open=lambda folder: own.OwnVolumes(folder.parent, _HIPPOCAMPUS),
        classes=own.classes(_HIPPOCAMPUS),
        folder="msd_hippocampus",
        parts=("imagesTr/", "labelsTr/"),
    ),
    "brats2019": VolumeSpec(
        title="BraTS 2019, training: 335 subjects",
        layout="MICCAI_BraTS_2019_Data_Training/{HGG,LGG}/CASE/CASE_{flair,t1,t1ce,t2,seg}.nii.gz (or .nii)",
        licence="of the challenge: for registered researchers",
        homepage="https://www.med.upenn.edu/cbica/brats2019/data.html",
        obtain="register there",
        open=lambda folder: CaseFolders(folder, BRATS_2019),
        classes=classes_of(BRATS_2019.values),
        folder="MICCAI_BraTS_2019_Data_Training",
        parts=("HGG/", "LGG/"),
        any_part=True,
    ),
    "lgg_mri": VolumeSpec(
        title="LGG: FLAIR of 110 patients of TCGA-LGG, whole abnormality outlined",
        layout="lgg_mri/PATIENT/{flair,mask}.nii.gz, PATIENT as TCGA_CS_4941_19960909, mask 0 or 1",
        licence="CC BY-NC-SA 4.0 as listed on Kaggle, the images CC BY 3.0 of TCIA",
        homepage="https://www.kaggle.com/datasets/mateuszbuda/lgg-mri-segmentation",
        obtain="stack the slices of each patient, channel 2 of the TIFF files (FLAIR) and their masks, to NIfTI",
        open=lambda folder: CaseFolders(folder, LGG),
        classes=classes_of(LGG.values),
        folder="lgg_mri",
    ),
    "brats2013": VolumeSpec(
        title="BRATS 2013, subjects with FLAIR and contrast-enhanced T1",
        layout="brats2013/CASE/{flair,t1c,seg,brainmask}.nii.gz, CASE as brats_2013_pat0001_1",
        licence="CC BY-NC-SA 3.0",
        homepage="https://github.com/deepmedic/deepmedic",
        obtain="six subjects come with DeepMedic, in examples/dataForExamples; rename Flair_*, T1c_*, OTMultiClass and "
        "brainmask",
        open=lambda folder: CaseFolders(folder, BRATS_2013),
        classes=classes_of(BRATS_2013.values),
        folder="brats2013",
    ),
}


# What it is of classes, folder and files is said where it is configured.
_OWN = VolumeSpec(
    title="Volumes of one's own",
    layout="the files as the configuration says",
    licence="one's own",
    homepage="docs/own_votes.md",
    obtain="nothing to obtain: they are yours",
    open=own.OwnVolumes,
    classes=1,
    private=True,
)


def spec(name: str, settings: Mapping[str, Any] | None = None) -> VolumeSpec:
    """Return the collection of a name, `own` as its settings say; InputError, naming what is allowed, for another."""
    if name == own.NAME:
        settings = settings or {}
        own.check_settings(settings)
        listed = (str(settings["list"]),) if settings["layout"] == "datalist" else ()
        return replace(_OWN, classes=own.classes(settings), folder=str(settings["folder"]), parts=listed)
    if name not in VOLUMES:
        raise InputError(f"unknown volumes {name!r}, allowed: {', '.join((*VOLUMES, own.NAME))}")
    return VOLUMES[name]


def required_files(name: str, data_root: str | Path | None, settings: Mapping[str, Any] | None = None) -> list[Path]:
    """Return the files and folders that a collection is read from, none for a generated one. settings: of `own`.

    `lib.data.registry.watched` adds the folders in them, whose times tell when a case comes or goes.
    Raises InputError, saying what belongs where and how it can be had, if `data_root` is None or they are not there.
    """
    found = spec(name, settings)
    if found.folder is None:
        return []
    if data_root is None:
        raise InputError(f"volumes {name!r}: need 'data_root', the directory of their files; not set")
    folder = Path(data_root) / found.folder
    parts = {folder / part: is_there(folder, part) for part in found.parts or ("./",)}
    there = [path for path in parts if parts[path]]
    if not there or (len(there) < len(parts) and not found.any_part):
        missing = ", ".join(str(path) for path in parts if path not in there)
        raise InputError(
            f"volumes {name!r}: {missing} not there; put {found.layout} below {data_root}; {found.title}; "
            f"{found.homepage}: {found.obtain}"
        )
    return there


def get(name: str, settings: Mapping[str, Any], data_root: str | Path | None) -> VolumeSource:
    """Return the source of a collection.

    settings: shape (X, Y, Z), seed, subjects and, if wanted, skull_stripped of "brain_phantom"; those of
    `lib.data.volumes.own` of "own"; none of others.
    Raises InputError as `required_files` does, and for settings that are missing or unknown.
    """
    found = spec(name, settings)
    if name == own.NAME:
        required_files(name, data_root, settings)
        return own.OwnVolumes(str(data_root), settings)
    if unknown := sorted(set(settings) - set(found.settings)):
        allowed = ", ".join(found.settings) or "none"
        raise InputError(f"volumes {name!r}: unknown settings {', '.join(unknown)}; allowed: {allowed}")
    if found.folder is None:
        if missing := sorted(set(found.needed) - set(settings)):
            raise InputError(f"volumes {name!r}: settings {', '.join(missing)} missing")
        return found.open(**settings)
    required_files(name, data_root)
    return found.open(Path(str(data_root)) / found.folder)

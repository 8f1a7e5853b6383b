"""The blocks segmentation, autoencoded_pate and compressed_pate of the configuration."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge, Len

from lib.core.keywords import (
    ABSENT,
    AS_GIVEN,
    EACH_ONCE,
    WHOLE,
    Count,
    Counts,
    Delta,
    Keywords,
    Name,
    Positive,
    Positives,
    Sides,
    TwoOrMore,
    among,
)
from lib.data.volumes import own, registry
from lib.data.volumes.geometry_settings import GeometrySettings
from lib.encoders.autoencoder_form import AutoencoderForm
from lib.segmentation.segmentation_recipes import AutoencoderRecipe, SegmentationRecipe, SegmentationSgdRecipe

BUDGET = "budget"  # noise in training: that of each budget
VolumesName = Annotated[str, among("segmentation.volumes")]
EncoderName = Annotated[str, among("segmentation.encoders")]
EncoderNames = Annotated[tuple[EncoderName, ...], EACH_ONCE, "Encoders of the masks."]
TaskName = Annotated[str, among("segmentation.tasks")]
TaskNames = Annotated[tuple[TaskName, ...], EACH_ONCE, "Who learns; none to leave it out."]
Path = Annotated[str, Keywords(pattern=r"^[^{}]+\Z")]  # without braces, in which Snakemake sees wildcards
Radius = Annotated[Positive | None, "Bound on a volume's code, to which it is clipped; null: what nothing exceeds."]
Coded = Annotated[Count, "Classes that it encodes, 1: all as one; by default those of the task."]
Classes = Annotated[Literal[1, 2, 3], WHOLE]
Route = Annotated[Literal["rdp", "analytic"], "Noise by Renyi DP (2020) or the analytic Gaussian mechanism (2022)."]
Teachers = Annotated[Counts, "How many teachers are taken to agree."]
Epsilon = Annotated[Positive, "Budget of the student."]


@dataclass(frozen=True, kw_only=True)
class VolumeSettings:
    """Of generated volumes, or of one's own (name own; docs/own_votes.md)."""

    layout: Annotated[Literal[*own.NEEDED], "Of one's own: folders, or a MONAI datalist."] = ABSENT
    folder: Annotated[Path, "Of one's own: below data_root."] = ABSENT
    images: Annotated[
        Any,
        Keywords(type=["string", "object"], additionalProperties={"type": "string"}, minProperties=1),
        "Of one's own in folders: the image's file, or each channel's, with {case} in it.",
    ] = ABSENT
    label: Annotated[str, "Of one's own in folders: the label's file, with {case} in it."] = ABSENT
    list: Annotated[Path, "Of one's own by a datalist: its file."] = ABSENT
    channels: Annotated[tuple[str, ...], Len(1), "Of one's own by a datalist: the channels, a file each."] = ABSENT
    labels: Annotated[dict[str, Literal[*own.MEANINGS]], "Of one's own: meanings of the label's numbers."] = ABSENT
    patient: Annotated[
        str,
        "Of one's own: a regular expression whose one group is the patient in a case's name; without it each case is a "
        "patient.",
    ] = ABSENT
    shape: Annotated[Sides, "Voxels along each axis."] = ABSENT
    seed: Annotated[int, Ge(0), "Root of every random number."] = ABSENT
    subjects: Annotated[Count, "How many."] = ABSENT
    skull_stripped: Annotated[bool, "Nothing but the brain."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Volumes(GeometrySettings):
    """Prepared volumes."""

    name: Annotated[Literal[own.NAME, *sorted(registry.VOLUMES)], "Of the collection; lib/data/volumes/registry.py."]
    settings: VolumeSettings
    images: Annotated[bool, "False: labels alone."]
    fingerprint: Annotated[
        str,
        Keywords(pattern=r"^[0-9a-f]{64}\Z"),
        "SHA-256 of names and decoded volumes, before they are brought to one shape; others are refused. Every "
        "preparation says its own.",
    ] = ABSENT


@dataclass(frozen=True, kw_only=True)
class IdentityEncoder:
    """Every voxel is a number of the code."""

    kind: Annotated[Literal["identity"], "How masks become codes."]
    coded_classes: Coded = ABSENT
    radius: Radius


@dataclass(frozen=True, kw_only=True)
class PcaEncoder:
    """Principal components."""

    kind: Literal["pca"]
    coded_classes: Coded = ABSENT
    block: Annotated[Sides | None, "Voxels of a block; null: whole volumes."]
    components: Annotated[Count, "How many are kept."]
    radius: Annotated[Positive | Literal["cube"], "Bound on a volume's code: a number, or cube, what no mask exceeds."]


@dataclass(frozen=True, kw_only=True)
class EncoderRecipe(AutoencoderRecipe):
    """How an autoencoder is trained; with `sigma: budget` one a budget, each with the noise of its use."""

    sigma: Annotated[Annotated[float, Ge(0)] | Literal["budget"], "Noise on the code in training."]


@dataclass(frozen=True, kw_only=True)
class AutoencoderEncoder(AutoencoderForm):
    """An autoencoder of masks."""

    kind: Literal["autoencoder"]
    coded_classes: Coded = ABSENT
    grid: Annotated[Sides | None, "Voxels of coarser masks that are encoded; null: masks as they are."]
    radius: Radius
    recipe: Annotated[EncoderRecipe, AS_GIVEN]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Patients in each part."""

    teachers: Annotated[Count, "Divided among the teachers."] = ABSENT
    public: Annotated[TwoOrMore, "Whose masks encoders are fitted to."] = ABSENT
    student: Annotated[Count, "Whose volumes are labelled."] = ABSENT
    test: Annotated[Count, "On whom results are measured."]


@dataclass(frozen=True, kw_only=True)
class Task:
    """Who learns what from whom."""

    volumes: Annotated[VolumesName, "Which are prepared."]
    label: Annotated[str, "Its name in tables."]
    stands_for: Annotated[str, "Name of the paper's dataset."]
    protocol: Annotated[str, Keywords(pattern=r"^(paper\Z|reduced: )"), "paper, or reduced: and what is."]
    classes: Annotated[Classes, "Beside the background: 1, the whole, or as many as the labels distinguish."]
    coded_classes: Annotated[Classes, "Classes in what is encoded: as many as there are, or 1."]
    parts: Parts
    apart: Annotated[Count, "So many repetitions share no patient."]
    repetitions: Annotated[Count | None, "At most so many; null: as many as there are of everything."] = None
    encoder_part: Annotated[Literal["public", "student"], "The part whose masks are public."]
    teachers: Annotated[Count | None, "How many; null: none are trained."]
    shard: Annotated[Count | None, "Teachers a job."]
    together: Annotated[
        bool, "One job a repetition for all encoders, one for all codes, one for all students and so on; else one each."
    ]
    widths: Annotated[tuple[Count, Count, Count, Count, Count], "Channels of the U-Net at each resolution."]
    window: Annotated[Sides, "Sides of what a network is shown at once when it is tried, clipped to the volume."]
    teacher: Annotated[SegmentationRecipe, AS_GIVEN]
    student: Annotated[SegmentationRecipe, AS_GIVEN]
    tries: Annotated[
        Count, "Students trained, at most, until one has as much Dice on public volumes as their mean mask."
    ]
    dp_sgd: Annotated[
        SegmentationSgdRecipe, AS_GIVEN, "Of the baseline, in place of that of autoencoded_pate.results."
    ] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Segmentation:
    """PATE for segmentation masks: volumes, encoders and networks that two papers share."""

    volumes: Annotated[dict[Name, Volumes], "Catalogue of prepared volumes by name."]
    encoders: Annotated[
        dict[Name, IdentityEncoder | PcaEncoder | AutoencoderEncoder], "Catalogue of encoders of masks."
    ]
    tasks: Annotated[dict[Name, Task], "Catalogue of who learns what from whom."]


@dataclass(frozen=True, kw_only=True)
class Distributions:
    """The logistic and the normal distribution."""

    largest: Annotated[Positive, "Where the curves end."]
    points: Annotated[TwoOrMore, "Of each curve."]


@dataclass(frozen=True, kw_only=True)
class BallActivation:
    """The ball activation of normal numbers."""

    samples: Annotated[Count, "Points of each distribution."]
    bins: Annotated[TwoOrMore, "Along each axis."]


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A network on all private patients; lib/segmentation/dp_sgd.py."""

    noises: Annotated[
        tuple[Literal["printed", "budget", "clipped"], ...],
        Len(1),
        EACH_ONCE,
        "printed: sigma as it stands here; budget: as little noise as the budget allows; clipped: none.",
    ]
    sigma: Annotated[Positive, "Noise, in units of the bound on a whole gradient."]
    delta: Delta
    recipe: Annotated[SegmentationSgdRecipe, AS_GIVEN]


@dataclass(frozen=True, kw_only=True)
class PublishedDice:
    """Dice in the paper."""

    student: Annotated[float, "Of the student."]
    teachers: Annotated[float, "Of the teachers, on average."]
    dp_sgd: Annotated[float, "Of the baseline."]


@dataclass(frozen=True, kw_only=True)
class Results:
    """The table of Dice."""

    tasks: TaskNames
    encoders: EncoderNames
    epsilon: Epsilon
    further: Annotated[
        tuple[Positive, ...], EACH_ONCE, "Larger budgets, at which the first encoder's students are taught as well."
    ]
    shown_teachers: Annotated[Counts, "How many teachers epsilon is also shown for, at the same noise."]
    delta: Delta
    route: Route
    shown: Annotated[Count, "Volumes in the figure of masks; a task has as many for its student."]
    dp_sgd: Baseline
    published: PublishedDice


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """How close to its bound the sensitivity of principal components comes."""

    tasks: TaskNames
    components: Annotated[Counts, "How many are kept."]
    starts: Annotated[Count, "Random corners of the cube to climb from."]


@dataclass(frozen=True, kw_only=True)
class Components:
    """Eq. (6) on principal components of blocks, as in compressed_pate.fig1; it holds on any masks."""

    tasks: TaskNames


@dataclass(frozen=True, kw_only=True)
class AutoencodedPate:
    """Private Learning for High-Dimensional Targets with PATE (Fay et al. 2020)."""

    fig1: Distributions
    fig2: BallActivation
    results: Results
    sensitivity: Sensitivity
    pca: Components


@dataclass(frozen=True, kw_only=True)
class BlockComponents:
    """Principal components of blocks over noise."""

    tasks: TaskNames
    block: Annotated[Sides, "Voxels along each axis."]
    sigmas: Annotated[Positives, "Standard deviations of the noise, also of Figure 2."]
    shown: Annotated[Count, "Test masks that are reconstructed."]
    fixed: Annotated[Count, "Components with which the error formula is tried."]


@dataclass(frozen=True, kw_only=True)
class Reconstructed:
    """Cross-entropy of reconstructed masks over noise."""

    tasks: TaskNames
    encoders: EncoderNames


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Students of one encoder at one budget."""

    teachers: Annotated[Count, "How many are taken to agree."]
    epsilon: Epsilon
    encoder: Annotated[EncoderName, "Of the labels."]


@dataclass(frozen=True, kw_only=True)
class Students:
    """Dice of students over the number of labelled volumes."""

    tasks: TaskNames
    queries: Annotated[Counts, "Labelled volumes, rising."]
    curves: Annotated[tuple[Curve, ...], "A number of teachers, a budget and an encoder each."]
    noiseless: Annotated[EncoderName, "The encoder of students without noise."]
    delta: Delta
    route: Route


@dataclass(frozen=True, kw_only=True)
class External:
    """Students of one collection tried on another."""

    task: Annotated[str, among("compressed_pate.fig3.tasks"), "Whose students."]
    volumes: Annotated[VolumesName, "Of the other collection."]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Signal, noise and Dice over the size of the code, teachers and epsilon."""

    tasks: TaskNames
    encoders: EncoderNames
    teachers: Teachers
    epsilons: Annotated[Positives, "Budgets, rising."]
    queries: Annotated[Count, "Labelled volumes."]
    delta: Delta
    route: Route


@dataclass(frozen=True, kw_only=True)
class CompressedPate:
    """Private Learning via Knowledge Transfer with High-Dimensional Targets (Fay et al. 2022)."""

    fig1: BlockComponents
    fig2: Reconstructed
    fig3: Students
    external: Annotated[External | None, "Null: not made."]
    limits: Limits

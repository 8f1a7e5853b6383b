"""The block datasets of the configuration, and the keys of config.yaml that are no block of a paper."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Ge

from lib.core.keywords import ABSENT, AS_GIVEN, EACH_ONCE, Count, Keywords, Name, NotNegative, Positive
from lib.data.glyph_settings import GlyphSettings
from lib.plan.results import PAPERS
from lib.plan.shared_processes import RULES

FOLDERS = ("private", "checkpoints", "logs", "benchmarks")  # of a preset's results, which code finds by these names
SHOWN = (*PAPERS, "audit", "leaderboard")


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Where data come from."""

    module: Annotated[Name, "Module of lib/data/sources that reads it."]
    source: Annotated[
        Literal["embedded", "data_root", "download", "generated"],
        "Where its files come from; generated is Open Glyph, module glyph, alone.",
    ]
    settings: Annotated[GlyphSettings, AS_GIVEN, "Of Open Glyph, what differs from its defaults."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Download:
    """How datasets with source download are fetched. `true`, as --config has it, is short for `{all: true}`."""

    all: Annotated[bool, "Whether all that can be fetched is, also where the catalogue says otherwise."] = False
    attempts: Annotated[Count, "Attempts a dataset."] = 4
    wait: Annotated[NotNegative, "Seconds before the second attempt; doubled for each further one."] = 2


@dataclass(frozen=True, kw_only=True)
class Resources:
    """Resources that jobs of a rule ask for."""

    mem_mb: Annotated[Count, "Memory in MiB."] = ABSENT
    runtime: Annotated[Count, "Minutes."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Release:
    """The folder that can be published, results/{preset}/release."""

    run: Annotated[
        str | None, "A run of gnmax or confident_gnmax on an ensemble trained here, with a student; null for none."
    ]
    repetition: Annotated[Count, "Which of the repetitions."] = 1
    sanitized: Annotated[
        bool,
        "Whether a data-dependent epsilon of a confident_gnmax run gets noise of its own and is published, which adds "
        "to what is announced.",
    ] = False
    licence: Annotated[
        Annotated[str, Keywords(pattern=r"^[A-Za-z0-9][A-Za-z0-9 .,()+-]{0,59}\Z")] | None,
        "Of the student, as the model card says it; one line without a character that Markdown reads.",
    ] = None
    largest_epsilon: Annotated[Positive, "Largest epsilon to announce; above it building and verifying refuse."] = 10.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """Keys of a run."""

    preset: Annotated[Name, Keywords({"not": {"enum": [*FOLDERS]}}), "Name of the results folder, results/{preset}."]
    over: Annotated[str, "Preset that a file laid over another needs below it; it is no setting of a run."] = ABSENT
    seed: Annotated[int, Ge(0), "Root of every random number of the preset but those of `noise_seed`."]
    noise_seed: Annotated[
        Annotated[int, Ge(0)] | None,
        "Root of the privacy noise on votes. An integer is for reproduction, and a release with it is marked as not "
        "private, since whoever knows it can subtract the noise; null takes the operating system's entropy.",
    ]
    papers: Annotated[
        tuple[Literal[*SHOWN], ...],
        EACH_ONCE,
        "Subjects of `all` and the claims; any other result can still be asked for by name.",
    ] = SHOWN
    repetitions: Annotated[
        Count,
        "Number of independent repetitions of whatever is random. An entry of dp_mac.curves, and of networks of "
        "residual_perturbation, may have its own; a task of segmentation may have fewer.",
    ] = 3
    together: Annotated[
        Annotated[tuple[Literal[*RULES], ...], EACH_ONCE] | None,
        "Rules of which one process does all jobs that the preset chooses, where starting takes longer than they do. "
        "null: all of these in the preset of config.yaml, none in another.",
    ] = None
    data_root: Annotated[
        Annotated[str, Keywords(pattern=r"^[^{}]+\Z")] | None,
        "Folder that holds the files of datasets with source data_root; without braces, in which Snakemake sees "
        "wildcards.",
    ] = None
    device: Annotated[
        Literal["cpu", "cuda"],
        "Where networks are trained. Configured, not detected, since a login node has no GPU.",
    ] = "cpu"
    allow_cpu: Annotated[bool, "Whether the device may be cpu; a preset that takes years there says no."] = True
    gres: Annotated[
        Annotated[str, Keywords(pattern=r"^gpu(:[A-Za-z0-9_.]+)?:[1-9][0-9]*\Z")] | None,
        "What a Slurm job on the device cuda gives to --gres, type and number included; null gives --gpus=1.",
    ] = None
    resources: Annotated[
        dict[Name, Resources],
        "What jobs of a rule ask for where the preset's are larger than the rule says.",
    ] = field(default_factory=dict)
    download: Annotated[Download, Keywords(type=["boolean", "object"])] = Download()
    release: Release
    datasets: Annotated[dict[Name, Dataset], "Catalogue of datasets by name."]

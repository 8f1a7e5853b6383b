"""The configuration: files laid one over another, refused in one line before any job starts, defaults filled in."""

import csv
import io
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from lib.core.errors import InputError
from lib.data import registry
from lib.plan.blocks import check_blocks, load_schema
from lib.plan.dp_mac_checks import check_mac
from lib.plan.leaderboard_checks import check_leaderboard
from lib.plan.paper_settings import check_device, check_protocols
from lib.plan.residual_perturbation_checks import check_attacks
from lib.plan.results import whole
from lib.plan.scalable_pate_checks import check_release, check_scalable_pate
from lib.plan.schema import check_schema, fill_defaults
from lib.plan.segmentation_checks import check_segmentation
from lib.plan.shared_processes import RULES
from lib.plan.strict_yaml import check_files

ROOT = Path(__file__).resolve().parents[2]
LEDGER = (ROOT / "claims.csv", ROOT / "checks.csv")  # the papers' claims, and our checks beside them
BLOCKS = (  # files of catalogue/, no key of which stands in another
    "datasets",
    "models",
    "ensembles",
    "accounting",
    "scalable_pate_runs",
    "scalable_pate",
    "dp_mac",
    "residual_perturbation",
    "residual_perturbation_theory",
    "residual_perturbation_audit",
    "segmentation",
    "autoencoded_pate",
    "compressed_pate",
    "audit",
    "leaderboard",
)
GLYPH = "glyph"  # the module of Open Glyph, which no file is read for
WORDS = {"true": True, "false": False, "null": None}


def load(overlays: Iterable[Path] = (), overrides: Mapping | None = None) -> dict:
    """Return the configuration as a run with `--configfile OVERLAYS --config OVERRIDES` has it, without Snakemake.

    Raises InputError, one line, for what `check_config` refuses, for a block that calls itself the paper's and is not,
    for a device on which the preset would take too long, and for an overlay that `check_files` refuses.
    """
    overlays = list(overlays)
    check_files(overlays)
    config, schema = layered(overlays, overrides), load_schema()
    expand(config)
    check_config(config, schema, claim_ids())
    fill_defaults(config, schema)
    check_protocols(config)
    check_device(config)
    return config


def layered(overlays: Iterable[Path] = (), overrides: Mapping | None = None) -> dict:
    """Return the configuration, neither checked nor filled in."""
    config = catalogue()
    for path in (ROOT / "config.yaml", *overlays):
        config = merged(config, _read(path))
    return merged(config, overrides or {})


def catalogue() -> dict:
    """Return the catalogue below config.yaml: all datasets, models and runs, and the settings of each paper."""
    config: dict = {}
    for block in BLOCKS:
        config = merged(config, _read(ROOT / "catalogue" / f"{block}.yaml"))
    return config


def expand(config: dict) -> None:
    """Write out, in place, what a person may say in short; before anything is checked."""
    expand_words(config)
    expand_own_volumes(config)
    expand_download(config)
    expand_repetitions(config)
    expand_together(config)


def expand_words(config: dict) -> None:
    """Read, in place, `--config KEY=true`, `=false` and `=null` as YAML does; Snakemake knows `True` and `False`."""
    config |= {key: WORDS[value] for key, value in config.items() if isinstance(value, str) and value in WORDS}


def expand_own_volumes(config: dict) -> None:
    """Write, in place, volumes that a `layout` says as the catalogue has them: a collection `own` with its settings.

    Its files are below data_root in the folder of its own name, unless `folder` says another.
    """
    block = config.get("segmentation")
    found = block.get("volumes") if isinstance(block, dict) else None
    if not isinstance(found, dict):
        return
    for name, volumes in found.items():
        if isinstance(volumes, dict) and "layout" in volumes:
            prepared = {
                key: volumes.pop(key) for key in ("crop", "shape", "label_mode", "fingerprint") if key in volumes
            }
            settings = {"folder": name} | volumes
            if isinstance(settings.get("labels"), dict):
                settings["labels"] = {str(number): meaning for number, meaning in settings["labels"].items()}
            found[name] = {"name": "own", "settings": settings, "crop": None, "label_mode": "majority", "images": True}
            found[name] |= prepared


def expand_download(config: dict) -> None:
    """Where `download` says all, fetch, in place, every dataset that can be fetched and whose files were to be given.

    `download: true`, which is easily given on a command line, is short for all.
    """
    if isinstance(config.get("download"), bool):
        config["download"] = {"all": config["download"]}
    block, datasets = config.get("download"), config.get("datasets")
    if not (isinstance(block, dict) and block.get("all") is True and isinstance(datasets, dict)):
        return
    for name, entry in datasets.items():
        if isinstance(entry, dict) and entry.get("source") == "data_root":
            if "download" in registry.get(entry["module"], name).sources:
                datasets[name] = entry | {"source": "download"}


def expand_repetitions(config: dict) -> None:
    """Give, in place, each entry of what is trained the repetitions of all where it has none of its own."""
    repetitions = config.get("repetitions", load_schema()["properties"]["repetitions"]["default"])
    for paper, key in (("dp_mac", "curves"), ("residual_perturbation", "networks")):
        block = config.get(paper)
        entries = block.get(key) if isinstance(block, dict) else None
        for entry in entries if isinstance(entries, list) and type(repetitions) is int else ():
            if isinstance(entry, dict):
                entry.setdefault("repetitions", repetitions)


def expand_together(config: dict) -> None:
    """Say, in place, which rules' jobs are one process where nothing does: all in the default preset, whose are short.

    In another they may be long: one job would have the runtime of them all, and do all again where one is changed.
    """
    if config.get("together") is None:
        config["together"] = list(RULES) if config.get("preset") == default_preset() else []


def register() -> dict:
    """Return the register of results, by target; it is no setting, and presets do not change it."""
    return {name: whole(name, row) for name, row in _read(ROOT / "catalogue" / "results.yaml")["results"].items()}


def default_preset() -> str:
    """Return the preset of config.yaml."""
    return _read(ROOT / "config.yaml")["preset"]


def merged(below: Any, above: Any) -> Any:
    """Merge mappings key by key, as Snakemake lays one file over another; nothing is shared with `above`.

    Nor is a part of the result another part of it, which YAML's anchors would make it.
    """
    if isinstance(above, Mapping):
        result = dict(below) if isinstance(below, Mapping) else {}
        return result | {key: merged(result.get(key), value) for key, value in above.items()}
    return [merged(None, item) for item in above] if isinstance(above, list) else above


def _read(path: Path) -> dict:
    """Read a file of YAML, by libyaml where it is there, since every job reads all of these (0.1 s, not 0.7 s)."""
    return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def claim_ids() -> set[str]:
    """Return the identifiers of all claims of the papers, and of the checks beside them."""
    texts = [path.read_text(encoding="utf-8") for path in LEDGER]
    return {claim["id"] for text in texts for claim in csv.DictReader(io.StringIO(text))}


def check_config(config: dict, schema: dict, claims: Collection[str] = ()) -> None:
    """Raise InputError for the first fault: the key, its value, and what is allowed, on one line.

    First the schema, then what a class refuses, then the rest: names of what there is no catalogue of, claims among
    the identifiers `claims` (unchecked if there are none), and sizes that must fit.
    """
    check_schema(config, schema)
    check_blocks(config)
    _check_datasets(config["datasets"])
    check_scalable_pate(config, claims)
    check_release(config)
    check_mac(config)
    check_attacks(config)
    check_segmentation(config)
    check_leaderboard(config)


def _check_datasets(datasets: dict) -> None:
    """Only Open Glyph is generated where it is used, and has settings."""
    for name, block in datasets.items():
        module, source = block["module"], block["source"]
        if (source == "generated") != (module == GLYPH):
            allowed = "generated" if module == GLYPH else ", ".join(registry.get(module, name).sources)
            raise InputError(f"datasets.{name}.source = {source!r}: of module {module}, allowed: {allowed}")
        if "settings" in block and module != GLYPH:
            raise InputError(f"datasets.{name}.settings: module {module} has none; allowed for module {GLYPH}")

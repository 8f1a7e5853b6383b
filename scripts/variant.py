"""Change settings of a preset, run one result again beside the original, and show which of its numbers change.

    python -m scripts.variant --target scalable_pate_table2 --set scalable_pate.runs.digits_confident.sigma=30.0

What does not depend on the settings is not computed again: the variant begins with the original's files and with
Snakemake's records of them, in a folder of its own, variants/NAME.
"""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import yaml

from lib.core.command import run
from lib.core.errors import InputError
from lib.core.files import write_text
from lib.plan.config import default_preset, load, merged, register
from lib.plan.configfiles import PRESETS, preset_files
from lib.reporting.before_after import changes, draw, first, written
from lib.reporting.claims.cells import read_table

# what a job appends to, what it goes on from, and what nothing is made of: of these the variant makes its own
LEFT_OUT = shutil.ignore_patterns("logs", "checkpoints", "*.html")


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True, help="a table or figure that make help names")
    parser.add_argument("--set", nargs="+", required=True, metavar="KEY=VALUE", help="key with dots, value as in YAML")
    parser.add_argument("--preset", default=default_preset(), help="the original; default: %(default)s")
    parser.add_argument("--data-root", type=Path, help="folder of the data, where the preset reads any")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    return parser.parse_args(argv)


def settings(words: list[str]) -> dict:
    """Return KEY=VALUE words as a configuration; raises InputError for a word without a value."""
    found: dict = {}
    for word in words:
        key, equals, typed = word.partition("=")
        if not (key and equals):
            raise InputError(f"--set {word}: allowed is KEY=VALUE, like scalable_pate.runs.digits_confident.sigma=30.0")
        value = yaml.safe_load(typed)
        for part in reversed(key.split(".")):
            value = {part: value}
        found = merged(found, value)
    return found


def check(preset: str, target: str, changed: dict, given: dict) -> None:
    """Raise InputError for no preset, a target that is no result, and settings that a run refuses or has already."""
    known = [default_preset(), *sorted(path.stem for path in PRESETS.glob("*.yaml"))]
    if preset not in known:
        raise InputError(f"--preset {preset}: no such preset; allowed: {', '.join(known)}")
    rows, overlays = register(), preset_files(preset)
    if target not in rows:
        near = difflib.get_close_matches(target, rows, n=1)
        raise InputError(f"--target {target}: no table or figure{f'; did you mean {near[0]}?' if near else ''}")
    if load(overlays, merged(given, changed)) == load(overlays, given):
        raise InputError("--set: the preset has these values already")


def linked(results: Path, folder: Path) -> None:
    """Begin a variant with an original's results and records; files are shared until a job replaces them."""
    temporary = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.copytree(results, temporary / results, copy_function=_link, ignore=LEFT_OUT)
    shutil.copytree(".snakemake/metadata", temporary / ".snakemake" / "metadata")
    temporary.rename(folder)


def _link(source: str, target: str) -> None:
    """Link a file; or copy it where links cannot be, and what jobs write into: benchmarks."""
    try:
        if "benchmarks" in Path(source).parts:
            raise OSError
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def snakemake(words: list[str], target: str) -> None:
    """Run a target; where that fails, end as Snakemake does, which has said why."""
    done = subprocess.run([sys.executable, "-m", "snakemake", *words, "--quiet", "host", "reason", "--", target])
    if done.returncode:
        sys.exit(done.returncode)


def main(argv: list[str] | None = None) -> None:
    """Run the original where it is not there, then the variant, and compare them."""
    given = parse_arguments(argv)
    changed = settings(given.set)
    data = {"data_root": str(given.data_root.resolve())} if given.data_root else {}
    check(given.preset, given.target, changed, data)
    words = ["--cores", str(given.cores)]
    config = [f"{key}={value}" for key, value in data.items()]
    files = list(map(str, preset_files(given.preset)))
    original = [*words, *(["--configfile", *files] if files else []), *(["--config", *config] if config else [])]
    snakemake(original, given.target)

    results = Path("results") / given.preset
    name = re.sub(r"[^\w.-]+", "-", "_".join([given.preset, *given.set])).strip("-.")
    folder = Path("variants") / name
    if not folder.is_dir():  # else it goes on
        linked(results, folder)
    write_text(folder / "settings.yaml", yaml.safe_dump(changed))
    files = [*files, str(folder.resolve() / "settings.yaml")]
    config = [f"preset={given.preset}", *config]
    snakemake([*words, "--directory", str(folder), "--configfile", *files, "--config", *config], given.target)

    row = register()[given.target]
    table = results / row["paper"] / f"{row['item']}.csv"
    found = changes(read_table(table), read_table(folder / table))
    place = folder / given.target
    write_text(Path(f"{place}.csv"), found.to_csv(index=False, lineterminator="\n"))
    draw(found, Path(f"{place}.png"))
    print("\n".join(shown(given.target, found, place)))


def shown(target: str, found: pd.DataFrame, place: Path) -> list[str]:
    """Say the first of the numbers that changed, and where all of them are."""
    if found.empty:
        return [f"{target}: no number changes"]
    seen = first(found)
    rows = [("", "", "before", "after"), *((row["row"], row["column"], *written(row)) for _, row in seen.iterrows())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [*lines, f"{len(seen)} of {len(found)} numbers of {target} that change", f"All: {place}.csv, {place}.png"]


if __name__ == "__main__":
    run(main)

"""List the committed tables and figures that today's code would make anew."""

from pathlib import Path

from lib.core.code_inputs import ROOT
from lib.core.command import command, run
from lib.reporting.provenance import BEFORE, SAME, UNKNOWN, of_today, read_origins


@command
def main(pages: Path = ROOT / "docs" / "reproduction") -> None:
    """Print a line for each, the scripts whose code changed behind it, and how many there are of each kind.

    pages: the folder of pages, with the table of origins.
    """
    origins = read_origins(pages / "provenance.csv")
    files = sorted(path.relative_to(pages).as_posix() for end in ("csv", "png") for path in pages.glob(f"*/*.{end}"))
    found = {file: of_today(origins.get(file)) for file in files}
    for file, (status, changed) in found.items():
        if changed:
            print(f"{file}: {status}, {', '.join(changed)}; made by commit {origins[file]['commit']}")
    unknown = [file for file, (status, _) in found.items() if status == UNKNOWN]
    for folder in sorted({file.partition("/")[0] for file in unknown}):
        print(f"{folder}: {sum(file.startswith(f'{folder}/') for file in unknown)} files were {BEFORE}")
    same = sum(status == SAME for status, _ in found.values())
    print(f"{same} of {len(files)} committed tables and figures are of today's code")


if __name__ == "__main__":
    run(main)

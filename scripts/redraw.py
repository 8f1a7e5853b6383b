"""Make the committed pages anew from the tables and figures that are committed with them; no data are needed.

What is told of a result, and how, may change without a run: claims, outlines, readings, captions, templates. The
verdicts are computed again from the committed tables.
"""

from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import write_text
from lib.plan.config import ROOT, load, register
from lib.plan.plan import Plan
from lib.plan.results import PAPERS, TITLES
from lib.reporting import markdown
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.ledger import judge_all
from lib.reporting.claims.loading import load_claims
from lib.reporting.material import gather
from lib.reporting.outline import load_outline
from lib.reporting.pages import Page
from lib.reporting.pages import index as index_of
from lib.reporting.pages import page as page_of
from scripts import reproduction

DOCS = Path("docs/reproduction")


@command
def main(overlay: Path = Path("presets/real.yaml"), readme: Path = Path("README.md")) -> None:
    """Write docs/reproduction/*.md, the verdicts beside them, and the table of papers of the first page.

    overlay: the preset that the committed results are of. readme: the first page.
    """
    plan = Plan(load([ROOT / overlay], {"data_root": "."}), register())
    tables = {(path.parent.name, path.stem): read_table(path) for path in sorted(DOCS.glob("*/*.csv"))}
    found = judge_all(load_claims("claims.csv"), tables)
    for name in TITLES:
        own = found[found["paper"] == name] if name in PAPERS else None
        settings = plan.results.page_of(name)
        if own is not None:
            write_text(DOCS / f"{name}.csv", own.assign(preset=settings["preset"]).to_csv(index=False, lineterminator="\n"))
        write_text(DOCS / f"{name}.md", markdown.page(page(name, settings, own)))
    outlines = [f"report/{paper}.yaml" for paper in PAPERS]
    papers = [str(DOCS / f"{paper}.csv") for paper in sorted(PAPERS)]
    ends = ["--claims", str(DOCS / "claims.csv"), "--index", str(DOCS / "README.md")]
    reproduction.main(["--papers", *papers, "--outlines", *outlines, *ends])
    shown = {Path(path).stem: load_outline(path) for path in outlines}
    links = {outline["name"]: f"{DOCS}/{paper}.md" for paper, outline in shown.items()}
    block = markdown.papers(index_of(found, shown, ""), links)
    write_text(readme, markdown.between_marks(readme.read_text(encoding="utf-8"), block))


def page(name: str, settings: dict, own: pd.DataFrame | None) -> Page:
    """The content of one page, of the files of its settings that are committed."""
    every = {table: DOCS / name / f"{table}.csv" for table in settings["tables"] | settings["numbers"]}
    every = {table: str(path) for table, path in every.items() if path.is_file()}
    pictures = {item: f"{name}/{item}.png" for item in settings["figures"]}
    pictures = {item: place for item, place in pictures.items() if (DOCS / place).is_file()}
    links = {table: f"{name}/{table}.csv" for table in every}
    # a table of an earlier run may lack a column
    columns = {
        table: [column for column in columns if column in read_table(every[table]).columns]
        for table, columns in settings["columns"].items()
        if table in every
    }
    outline, readings = Path(f"report/{name}.yaml"), Path(f"report/{name}_readings.md")
    ledger = Path("claims.csv") if own is not None else None
    made_of = gather(name, outline, readings, settings["results"], every, columns, links, pictures, own, ledger)
    return page_of(name, settings["title"], settings["preset"], made_of, f"{name}.csv" if own is not None else "")


if __name__ == "__main__":
    run(main)

"""Judge every claim of the papers by the result tables, and write the verdicts as a table and as a page."""

import argparse

from lib.core.errors import InputError
from lib.core.files import atomic_path, write_text
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.ledger import judge_all
from lib.reporting.claims.loading import load_claims
from lib.reporting.pages import claims_page
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", required=True, help="the ledger, claims.csv")
    parser.add_argument("--papers", nargs="+", help="the keys of the papers whose claims to judge; all without it")
    parser.add_argument(
        "--tables", nargs="*", default=[], metavar="PAPER:ITEM:PATH", help="result tables that are there"
    )
    parser.add_argument("--preset", required=True, help="name of the preset that the tables are of")
    parser.add_argument("--output", required=True, help="the verdicts, .csv")
    parser.add_argument("--page", required=True, help="the verdicts for reading, .md")
    return parser.parse_args(argv)


def split(text: str) -> tuple[tuple[str, str], str]:
    """Parse PAPER:ITEM:PATH."""
    parts = text.split(":", 2)
    if len(parts) != 3 or not all(parts):
        raise InputError(f"--tables: {text!r} is not allowed; allowed: PAPER:ITEM:PATH")
    return (parts[0], parts[1]), parts[2]


def chosen(claims: list[dict[str, str]], papers: list[str] | None) -> list[dict[str, str]]:
    """The claims of the papers, or all; raises InputError for a paper of which there are none."""
    if papers is None:
        return claims
    known = sorted({claim["paper"] for claim in claims})
    unknown = [paper for paper in papers if paper not in known]
    if unknown:
        raise InputError(f"--papers: the ledger has no claims of {unknown}; allowed: {', '.join(known)}")
    return [claim for claim in claims if claim["paper"] in papers]


def main(argv: list[str] | None = None) -> None:
    """Read the ledger and the tables, judge, write."""
    arguments = parse_arguments(argv)
    claims = chosen(load_claims(arguments.claims), arguments.papers)
    tables = {key: read_table(path) for key, path in map(split, arguments.tables)}
    verdicts = judge_all(claims, tables)
    with atomic_path(arguments.output) as temporary:
        verdicts.to_csv(temporary, index=False, lineterminator="\n")
    write_text(arguments.page, claims_page(verdicts, arguments.preset))


if __name__ == "__main__":
    cli.run(main)

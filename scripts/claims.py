"""Judge every claim of the papers and every check by the result tables; write the verdicts as tables and a page."""

from collections.abc import Sequence
from pathlib import Path

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path, write_text
from lib.reporting import site
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.ledger import divided, judge_all
from lib.reporting.claims.loading import load_claims
from lib.reporting.pages import all_claims


@command
def main(
    claims: list[Path],
    preset: str,
    verdicts: Path,
    checks: Path,
    shown: Path,
    papers: Sequence[str] = (),
    results: dict | None = None,
) -> None:
    """Read the ledger and the tables, judge, write.

    claims: the ledger, claims.csv and checks.csv. preset: name of the preset that the tables are of. verdicts, checks:
    the verdicts on claims and on checks to write, .csv. shown: the verdicts for reading, .html. papers: keys of the
    papers whose claims to judge; all without it. results: paths of result tables that are there, by paper and table.
    """
    ledger = chosen(load_claims(*claims), papers)
    tables = {
        (paper, table): read_table(path) for paper, paths in (results or {}).items() for table, path in paths.items()
    }
    found = judge_all(ledger, tables)
    for path, rows in zip((verdicts, checks), divided(found), strict=True):
        with atomic_path(path) as temporary:
            rows.to_csv(temporary, index=False, lineterminator="\n")
    write_text(shown, site.page(all_claims(found, preset), {}))


def chosen(claims: list[dict[str, str]], papers: Sequence[str]) -> list[dict[str, str]]:
    """The claims of the papers, or all for none; raises InputError for a paper of which there are none."""
    if not papers:
        return claims
    known = sorted({claim["paper"] for claim in claims})
    if unknown := [paper for paper in papers if paper not in known]:
        raise InputError(f"--papers: the ledger has no claims of {unknown}; allowed: {', '.join(known)}")
    return [claim for claim in claims if claim["paper"] in papers]


if __name__ == "__main__":
    run(main)

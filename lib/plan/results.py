"""The register of results: what targets there are, what each shows, and what switches it on."""

import re
from collections.abc import Mapping
from typing import Any

from lib.core.errors import InputError
from lib.plan.layout import Layout

PAPERS = {
    "scalable_pate": "Scalable Private Learning with PATE",
    "dp_mac": "DP-MAC: The Differentially Private Method of Auxiliary Coordinates for Deep Learning",
    "residual_perturbation": "Deep Learning with Data Privacy via Residual Perturbation",
    "autoencoded_pate": "Private Learning for High-Dimensional Targets with PATE",
    "compressed_pate": "Private Learning via Knowledge Transfer with High-Dimensional Targets",
}

# titles of pages: the papers', and those of results that no paper's claim is about
TITLES = PAPERS | {"leaderboard": "All methods under the same attacks"}
# what a menu calls them
NAMES = {
    "scalable_pate": "Scalable PATE",
    "dp_mac": "DP-MAC",
    "residual_perturbation": "Residual perturbation",
    "autoencoded_pate": "Autoencoded PATE",
    "compressed_pate": "Compressed PATE",
    "leaderboard": "Leaderboard",
}


PARTS = (*TITLES, "audit")  # with which the name of a result begins


def whole(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the register with all its keys: its paper, its item within the paper, and lists.

    Claims are about a table, where its row does not say otherwise; the other lists are empty.
    """
    paper = next(part for part in PARTS if f"{name}_".startswith(f"{part}_"))
    item = name.removeprefix(f"{paper}_")
    lists = {key: list[str]() for key in ("when", "judged", "numbers", "page")}
    whole_row = {"paper": paper, "item": item, "columns": {}, **lists, **row}
    if row["shows"] == "table" and "judged" not in row:
        whole_row["judged"] = [whole_row["item"]]
    return whole_row


class Results:
    """The rows of catalogue/results.yaml, and which of them a configuration switches on.

    A row is named by its target, PAPER_ITEM, and lies at results/{preset}/PAPER/ITEM.*; a row may name another `item`.
    """

    def __init__(self, config: Mapping[str, Any], rows: Mapping[str, Any], facts: Mapping[str, bool]) -> None:
        """config: the whole, checked configuration. rows: by target. facts: what `when` may name besides its keys."""
        self._config, self._facts = config, facts
        self._layout = Layout(config["preset"])
        self.rows: Mapping[str, Mapping[str, Any]] = rows

    def paper(self, name: str) -> str:
        """Return the paper of a result."""
        return self.rows[name]["paper"]

    def item(self, name: str) -> str:
        """Name a result within its paper."""
        return self.rows[name]["item"]

    def is_on(self, name: str) -> bool:
        """Whether the configuration asks for a result: every key that its row names under `when` holds something."""
        return all(self._value(key) for key in self.rows[name]["when"])

    def chosen(self, paper: str) -> list[str]:
        """Return the results of a paper that are switched on, in the order of the register."""
        return [name for name in self.rows if self.paper(name) == paper and self.is_on(name)]

    def check(self, name: str) -> None:
        """Raise InputError, with the keys that would switch it on, for a result that is switched off."""
        if not self.is_on(name):
            off = [key for key in self.rows[name]["when"] if not self._value(key)]
            raise InputError(f"{name}: preset {self._layout.preset} does not have it; set {', '.join(off)}")

    def file(self, name: str, suffix: str) -> str:
        """Return a file of a result; suffix: `.csv`, `_privacy.csv`, `.png`, ..."""
        return f"{self._layout.of(self.paper(name))}/{self.item(name)}{suffix}"

    def target(self, name: str) -> str:
        """Return the file that stands for a result: its picture, or its table."""
        return self.file(name, ".csv" if self.rows[name]["shows"] == "table" else ".png")

    def targets(self, paper: str) -> list[str]:
        """Return the files of all results of a paper that are switched on."""
        return [self.target(name) for name in self.chosen(paper)]

    def all_targets(self) -> list[str]:
        """Return the targets of every paper that the preset is about, of the audits and of the leaderboard."""
        return [path for paper in self._config["papers"] for path in self.targets(paper)]

    def judged(self, paper: str) -> list[tuple[str, str]]:
        """Tables (name, path) that claims are about."""
        folder = self._layout.of(paper)
        return [(table, f"{folder}/{table}.csv") for name in self.chosen(paper) for table in self.rows[name]["judged"]]

    def shown(self, paper: str) -> list[tuple[str, str, list[str]]]:
        """Tables (name, path, columns) that a paper's page shows."""
        folder = self._layout.of(paper)
        return [
            (table, f"{folder}/{table}.csv", columns)
            for name in self.chosen(paper)
            for table, columns in self.rows[name]["columns"].items()
        ]

    def judging(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `claims`, for the paper of the wildcards or for all."""
        papers = [wildcards.paper] if hasattr(wildcards, "paper") else self.papers()
        return {"papers": papers, "preset": self._layout.preset, "results": {p: dict(self.judged(p)) for p in papers}}

    def papers(self) -> list[str]:
        """Return the papers that the preset is about, in the order of PAPERS."""
        return [paper for paper in PAPERS if paper in self._config["papers"]]

    def pages(self) -> list[str]:
        """Return the pages that the preset has: its papers', and the leaderboard's if it has one."""
        return [page for page in TITLES if page in self._config["papers"]]

    def judged_tables(self, wildcards: Any) -> list[str]:
        """Input: the tables that claims of a paper are about."""
        return [path for _, path in self.judged(wildcards.paper)]

    def page_files(self, wildcards: Any) -> list[str]:
        """Input: tables and figures that a page shows, and the tables behind its verdicts and its figures."""
        page = self.page_of(wildcards.paper)
        return [path for kind in ("tables", "numbers", "drawn", "figures") for path in page[kind].values()]

    def judged_by(self, wildcards: Any) -> list[str]:
        """Input: the verdicts on claims and on checks that a page shows; none for a page that no claim is about."""
        folder = self._layout.of(wildcards.paper)
        return [f"{folder}/claims.csv", f"{folder}/checks.csv"] if wildcards.paper in PAPERS else []

    def site_page(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `site_page`."""
        return self.page_of(wildcards.paper) | {"links": self.links()}

    def site(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `site`."""
        return {"preset": self._layout.preset, "links": self.links()}

    def links(self) -> dict[str, str]:
        """Return the pages of the site, by what a menu calls them."""
        return {"All papers": "index.html"} | {NAMES[page]: f"{page}.html" for page in self.pages()}

    def page_of(self, name: str) -> dict[str, Any]:
        """Return the contents of a paper's page; that of the leaderboard shows the audits of known mechanisms too."""
        rooms = ("leaderboard", "audit") if name == "leaderboard" else (name,)
        shown = [entry for room in rooms for entry in self.shown(room)]
        captions = self.captions()
        rows = [(target, self.rows[target]) for room in rooms for target in self.chosen(room)]
        results = [
            {
                "item": self.item(target),
                "title": row["title"],
                "caption": captions[target],
                "tables": list(dict.fromkeys([*row["columns"], *row["judged"], *row["numbers"]])),
            }
            for target, row in rows
        ]
        return {
            "paper": name,
            "title": TITLES[name],
            "preset": self._layout.preset,
            "results": results,
            "tables": {table: path for table, path, _ in shown},
            "columns": {table: columns for table, _, columns in shown},
            "figures": dict(figure for room in rooms for figure in self.figures(room)),
            "numbers": dict(entry for room in rooms for entry in self.behind(room).items()),
            "drawn": dict(entry for room in rooms for entry in self.drawn(room).items()),
        }

    def behind(self, paper: str) -> dict[str, str]:
        """Tables (name: path) that verdicts need besides those that `shown` names."""
        shown = {table for table, _, _ in self.shown(paper)}
        return {table: path for table, path in self.judged(paper) if table not in shown}

    def drawn(self, paper: str) -> dict[str, str]:
        """Tables (name: path) that figures are drawn from and nothing else needs: too long to be read."""
        folder = self._layout.of(paper)
        tables = [table for name in self.chosen(paper) for table in self.rows[name]["numbers"]]
        return {table: f"{folder}/{table}.csv" for table in tables}

    def figures(self, paper: str) -> list[tuple[str, str]]:
        """Pictures (name, path) of a paper's page: no picture of a patient, which a row's `page` rules out."""
        return [
            (self.item(name), self.file(name, ".png"))
            for name in self.chosen(paper)
            if self.rows[name]["shows"] == "figure" and all(map(self._value, self.rows[name]["page"]))
        ]

    def captions(self) -> dict[str, str]:
        """Caption each result for the report; `{key.of.the.configuration}` stands for what is configured."""
        return {
            name: re.sub(r"\{([\w.]+)\}", lambda key: _said(self._value(key.group(1))), row["caption"])
            for name, row in self.rows.items()
        }

    def _value(self, key: str) -> Any:
        if key in self._facts:
            return self._facts[key]
        block: Any = self._config
        for part in key.split("."):
            if block is None:  # what is not made has no settings
                return None
            block = block[part]
        return block


def _said(value: Any) -> str:
    """Return a value in running text."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

"""The documentation as a site: every setting on one page, links as on GitHub, and none that leads nowhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from lib.plan.config import load_schema
from lib.plan.reference import rows, settings_page

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
SHARE = {"description": "Kept.", "type": "number", "exclusiveMinimum": 0, "maximum": 1}
SCHEMA = {
    "properties": {
        "seed": {"description": "Root of\n  draws.", "type": "integer", "minimum": 0, "default": 7},
        "method": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"description": "Which.", "enum": ["pca", None]}},
            "allOf": [
                {
                    "if": {"properties": {"kind": {"const": "pca"}}, "required": ["kind"]},
                    "then": {"properties": {"share": SHARE}},
                }
            ],
        },
        "runs": {
            "type": "object",
            "additionalProperties": {
                "properties": {"sizes": {"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3}}
            },
        },
    },
}


def test_a_row_says_type_range_default_and_meaning():
    found = {row.key: row[1:] for row in rows(SCHEMA)}
    assert found["seed"] == ("integer, ≥ 0", "`7`", "Root of draws.")
    assert found["method.kind"] == ("`pca` or `null`", "required", "Which.")
    assert found["method.share"] == ("number, > 0, ≤ 1", "", "With kind `pca`: Kept.")
    assert found["runs.NAME.sizes"][0] == "list of 3 (integer)"


def keys(part: object) -> set[str]:
    """Every name below `properties` somewhere in a schema, but those in conditions."""
    if isinstance(part, list):
        return set().union(*map(keys, part))
    if not isinstance(part, dict):
        return set()
    inside = [value for key, value in part.items() if key not in ("if", "properties")]
    named = part.get("properties", {})
    return set(named).union(*map(keys, [*inside, *named.values()]))


def test_the_page_of_settings_has_every_key_of_the_schema():
    schema = load_schema()
    shown = {part for row in rows(schema) for part in row.key.split(".")}
    assert {name.removesuffix("[]") for name in shown} - {"NAME"} == keys(schema)
    assert len(keys(schema)) > 300


def test_each_block_of_settings_is_a_section_with_a_table():
    text = settings_page(load_schema())
    assert text.count("| --- | --- | --- | --- |") == text.count("\n## ") > 10
    (line,) = [line for line in text.splitlines() if line.startswith("| <code>noise_seed</code> |")]
    assert "integer or `null`, ≥ 0 | required |" in line


def pages(nav: list) -> list[str]:
    found = [value for item in nav for value in (item.values() if isinstance(item, dict) else [item])]
    return [page for value in found for page in ([value] if isinstance(value, str) else pages(value))]


# pages beside those in docs/
BESIDE = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *("results/README.md", "lib/release/README.md", "pate_accountant/README.md"),
)


def test_the_site_has_every_page_of_the_repository():
    (nav,) = [block for block in TEXT.split("\n\n") if block.startswith("nav:")]
    listed = pages(yaml.safe_load(nav)["nav"])
    written = {f"docs/{path.relative_to(ROOT / 'docs')}" for path in (ROOT / "docs").rglob("*.md")}
    expected = written | {*BESIDE, "docs/configuration.md"}
    assert sorted(listed) == sorted(expected)


# A small project with this one's hooks.
NAV = f"nav: [{', '.join(BESIDE)}, docs/page.md, docs/configuration.md]"
GOOD = """# Page

[first](../README.md) [code](../lib/a.py) [settings](../catalogue) [folder](../lib) [heading](#page)
"""


@pytest.fixture
def project(tmp_path):
    blocks = [NAV if block.startswith("nav:") else block for block in TEXT.split("\n\n")]
    for name in ("docs", "lib/release", "catalogue", "results", "pate_accountant"):
        (tmp_path / name).mkdir(parents=True)
    for name in BESIDE:
        (tmp_path / name).write_text(f"[![badge](https://example.org/b.svg)](LICENSE)\n# {name}\n\n1 \\< 2\n")
    (tmp_path / "lib" / "a.py").write_text("a = 1\n")
    (tmp_path / "mkdocs.yml").write_text("\n\n".join(blocks))
    shutil.copytree(ROOT / "documentation", tmp_path / "documentation")
    return tmp_path


def build(project: Path, page: str) -> subprocess.CompletedProcess[str]:
    """The command of `make docs`, on the small project with that page."""
    (command,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if "-m mkdocs" in line]
    (project / "docs" / "page.md").write_text(page)
    arguments = command.split("-m mkdocs ")[1].split()
    variables = os.environ | {"PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    line = [sys.executable, "-m", "mkdocs", *arguments]
    return subprocess.run(line, cwd=project, env=variables, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.slow
def test_links_lead_on_the_site_where_they_lead_on_github(project):
    done = build(project, GOOD)
    assert done.returncode == 0, done.stderr
    text = (project / "site" / "docs" / "page.html").read_text(encoding="utf-8")
    for link in ("../index.html", "../lib/a.py", "configuration.html", "#page"):
        assert f'href="{link}"' in text
    assert "> folder<" not in text and "folder" in text and '../lib"' not in text
    assert (project / "site" / "lib" / "a.py").read_text() == "a = 1\n"
    first = (project / "site" / "index.html").read_text(encoding="utf-8")
    assert "1 &lt; 2" in first and "example.org" not in first


@pytest.mark.slow
def test_links_that_lead_nowhere_end_the_build(project):
    dead = ("nowhere.md", "#nothing", "../lib/b.py", "../README.md#nowhere", "no.png", "../no")
    done = build(project, GOOD + "".join(f"[dead]({link})\n" for link in dead))
    warnings = [line for line in done.stderr.splitlines() if line.startswith("WARNING")]
    assert done.returncode != 0 and len(warnings) == len(dead)
    assert not [link for link in dead if not any(f"'{link}'" in line for line in warnings)]

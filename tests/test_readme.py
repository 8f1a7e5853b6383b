"""The first page says what the committed results say, and its commands exist."""

import json
import math
import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml

from lib.plan.results import PAPERS
from pate_accountant.announced import announced
from pate_accountant.rounding import rounded_up

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "lib" / "release" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


def test_the_first_page_is_short():
    assert len(README.splitlines()) <= 120 and len(README.split()) <= 1200


def test_the_python_of_the_first_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    printed = [rounded_up(float(line), 3) for line in capsys.readouterr().out.split()]
    assert printed == [float(said) for said in re.findall(r"# (\S+), rounded up", code)] and printed


def test_the_first_page_quotes_the_table_that_its_command_makes():
    table = pd.read_csv(ROOT / "docs" / "reproduction" / "scalable_pate" / "table1.csv")
    made = table[table["run"] == "mnist_confident"].iloc[0]
    assert f"Confident-GNMax, 286 answers: paper 1.97, here {rounded_up(made['epsilon'], 3):.2f}" in README
    assert made["paper_epsilon"] == 1.97 and made["paper_queries_answered"] == 286


def test_the_first_page_quotes_the_largest_ratio_to_the_authors_scripts():
    ratios = json.loads((ROOT / "bench" / "baseline.json").read_text(encoding="utf-8"))
    largest = max(ratio for name, ratio in ratios.items() if name.endswith(", of the authors' scripts"))
    assert f"It needs at most {math.ceil(largest * 100) / 100} of the time of the authors' scripts," in README


def test_the_first_page_has_a_command_for_each_paper_with_the_hours_of_the_page_on_cost():
    said = dict(re.findall(r"^\$REAL (\w+) +# ([\d.]+) hours$", README, re.MULTILINE))
    assert list(said) == [f"{paper}_claims" for paper in PAPERS]
    cost = (ROOT / "docs" / "cost.md").read_text(encoding="utf-8")
    assert said == {name: re.search(rf"`REAL {name}` \|.* ([\d.]+) estimated \|", cost)[1] for name in said}
    (real,) = re.findall(r'^REAL="(.+)"$', README, re.MULTILINE)
    assert f"`REAL` stands for `.venv/bin/{real}`" in " ".join(cost.split())
    ((place, ours),) = re.findall(r"go to `(\S+/PAPER\S*\.csv)`, .*; ours are `(\S+)`", README)
    assert (ROOT / ours).is_file()
    for paper in PAPERS:
        assert f"`{place.replace('PAPER', paper)}`" in cost


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_presets_and_scripts_in_commands_exist(page):
    text = page.read_text(encoding="utf-8")
    for preset in set(re.findall(r"presets/\w+\.yaml", text)):
        assert (ROOT / preset).is_file()
    for script in set(re.findall(r"-m scripts\.(\w+)", text)):
        assert (ROOT / "scripts" / f"{script}.py").is_file()


def test_badges_are_true():
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    (snakemake,) = re.findall(r"badge/snakemake-([\d.]+)-", README)
    (first, last) = re.findall(r"badge/python-([\d.]+)--([\d.]+)-", README)[0]
    assert f"\nsnakemake=={snakemake}." in pins and f"Python {first} to {last};" in pins.splitlines()[0]
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_the_checklist_counts_what_there_is():
    text = (ROOT / "docs" / "checklist.md").read_text(encoding="utf-8")
    ((claims, checks),) = re.findall(r"\| (\d+) rows: numbers and orders; (\d+) settings", text)
    assert int(claims) == len(pd.read_csv(ROOT / "claims.csv"))
    assert int(checks) == len(pd.read_csv(ROOT / "checks.csv"))
    (pinned,) = re.findall(r"\| (\d+) packages", text)
    assert int(pinned) == len(re.findall(r"(?m)^\S+==", (ROOT / "requirements.lock").read_text(encoding="utf-8")))


def test_the_version_is_one_in_package_citation_changelog_and_site():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == version and citation["date-released"].year >= 2026
    newest = re.findall(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0]
    assert newest == version
    assert f"\ncopyright: Version {version} " in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_papers_are_cited_as_in_the_citation_file():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    links = {entry["url"]: entry for entry in cited if "url" in entry}
    outlines = [yaml.safe_load((ROOT / "report" / f"{paper}.yaml").read_text("utf-8")) for paper in PAPERS]
    told = {
        link: words for words in (outline["cites"] for outline in outlines) for link in re.findall(r"\((h.*)\)", words)
    }
    assert set(told) == set(links) and len(links) == 3
    for link, words in told.items():
        assert str(links[link]["year"]) in words and link in (ROOT / "README.md").read_text(encoding="utf-8")
        assert all(author["family-names"] in words for author in links[link]["authors"])


def test_the_workflow_catalogue_is_told_of_commands_that_exist():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))["usage"]
    assert usage["software-stack-deployment"] == {"conda": True} and usage["report"] is True
    assert usage["mandatory-flags"]["flags"] == "--cores 2 --use-conda"


def test_epsilons_without_a_cap_are_those_of_runs_that_may_answer_every_query():
    runs = yaml.safe_load((ROOT / "catalogue" / "scalable_pate_runs.yaml").read_text("utf-8"))["scalable_pate"]["runs"]
    asked = [runs[name] for name in ("mnist_confident", "svhn_confident", "adult_confident")]
    exact = [announced(run | {"max_answered": run["queries"]}, run["queries"]).epsilon for run in asked]
    first, second, third = (f"{math.ceil(100 * epsilon) / 100:.2f}" for epsilon in exact)
    text = " ".join((ROOT / "report" / "scalable_pate_readings.md").read_text("utf-8").split())
    assert re.search(rf"\b{first}, {second} and {third}\b", text)


def test_the_number_of_settings_is_that_of_their_table():
    (said,) = re.findall(r"Its (\d+) settings", README)
    assert int(said) == len(pd.read_csv(ROOT / "published" / "settings.csv"))


# names of datasets in result tables, by how they begin, and in NOTICE; None: what this project makes itself
SOURCES = {
    "adult": "UCI Adult",
    "brats2013": "BRATS 2013",
    "cifar100": "CIFAR-10, CIFAR-100",
    "cifar10": "CIFAR-10, CIFAR-100",
    "digits": "scikit-learn's digits",
    "hippocampus": "MSD Task04",
    "lgg": "LGG MRI",
    "mnist": "MNIST",
    "notmnist": "notMNIST",
    "open_glyph": None,
    "pate_votes": "votes of PATE teachers",
    "phantom": None,
    "textured_shapes": None,
    "tissue_patches": None,
    "usps": "USPS",
}


def test_the_notice_names_all_data_that_committed_tables_are_made_from():
    tables = (path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "reproduction").glob("*/*.csv"))
    used = {name for table in tables for name in re.findall(r"(\w+) \([0-9a-f]{12}\)", table)}
    sources = {name: [source for begin, source in SOURCES.items() if name.startswith(begin)] for name in used}
    assert len(used) > 10 and all(sources.values())
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    expected = {source for found in sources.values() for source in found if source}
    assert not [source for source in sorted(expected) if f"\n  {source}" not in notice]

"""The shape of what a run writes, and its report."""

import base64
import html
import json
import math
import re

import pandas as pd
import yaml

from lib.core.code_inputs import digest
from lib.plan.config import catalogue
from lib.plan.results import TITLES
from lib.reporting.provenance import of_today, read_origins
from scripts import keep_results
from tests.workflow.running import ROOT, Project

TABLE1 = (
    "dataset, aggregator, queries_made, queries_answered, epsilon, delta, student_accuracy, baseline_accuracy, data, "
    "paper_queries_answered, paper_epsilon, paper_student_accuracy"
).split(", ")
TABLE2 = (
    "dataset, aggregator, order, epsilon, beta, smooth_sensitivity, sigma_ss, gnss_cost, sanitized_epsilon_mean, "
    "sanitized_epsilon_std"
).split(", ")
CLAIMS = (
    "id, paper, where, quantity, paper_value, measured, spread, seeds, data, judgement, grade, verdict, note".split(
        ", "
    )
)
# what a column of Table 1 that is named epsilon may be without a statement of its own: its spread, the paper's value
NO_STATEMENTS = ("_spread", "paper_epsilon")


def read(project: Project, name: str) -> pd.DataFrame:
    """A table of a run."""
    return pd.read_csv(project.root / "results" / "tiny" / name)


def test_every_kept_file_names_its_commit_and_code(finished, tmp_path):
    overlays = map(str, finished.overlays)
    given = ["--made-in", str(finished.root), "--pages", str(tmp_path), "--overlays", *overlays]
    for page in TITLES:
        keep_results.main([*given, "--page", page])
    origins = read_origins(tmp_path / "provenance.csv")
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*") if path.suffix in (".csv", ".png")}
    assert files == set(origins) and len(files) > 40
    told = {name: [words.split()[:-1] for words in origins[name]["code"].split("; ")] for name in files}
    assert {"scripts/train_mac.py", "scripts/dp_mac_table1.py"} <= {words[0] for words in told["dp_mac/table1b.csv"]}
    digits = ["scripts/prepare_data.py", "lib/data/sources/digits.py"]
    assert all(digits in told[name] for name in ("dp_mac/table1b.csv", "scalable_pate/table1.csv"))
    assert not [name for name in files if of_today(origins[name]) != ("same", [])]
    version = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    assert {row["commit"] for row in origins.values()} == {f"{version}+unknown"}  # the copy is no repository
    record = next((finished.root / "results" / "tiny" / "scalable_pate" / "accounts").rglob("*.json"))
    assert json.loads(record.read_text())["code"] == digest("scripts/account.py")


def test_table1_has_its_columns_and_a_row_for_each_mechanism(finished):
    table = read(finished, "scalable_pate/table1.csv")
    assert list(table.columns[:12]) == TABLE1
    assert list(table["aggregator"]) == ["lnmax_8_moments", "lnmax", "confident_gnmax"]
    assert list(table["queries_made"]) == [20, 20, 60]
    assert (table["queries_answered"] <= table["queries_made"]).all()
    assert (table["epsilon"] > 0).all()
    assert (table["epsilon"] <= table["epsilon_data_independent"] * (1 + 1e-9)).all()
    assert table["student_accuracy"].between(20, 100).all()
    assert table["baseline_accuracy"].between(50, 100).all()
    assert table[["paper_queries_answered", "paper_epsilon", "paper_student_accuracy"]].isna().all(axis=None)
    assert table["data"].str.fullmatch(r"digits \([0-9a-f]{12}\)").all()


def test_every_epsilon_of_table1_has_its_meaning(finished):
    table, meanings = (read(finished, f"scalable_pate/{name}.csv") for name in ("table1", "table1_privacy"))
    key = ["dataset", "aggregator", "queries_made"]
    assert not meanings.duplicated([*key, "column"]).any()
    meanings = meanings.set_index([*key, "column"])
    columns = [name for name in table.columns if "epsilon" in name and not name.endswith(NO_STATEMENTS)]
    assert {"epsilon", "epsilon_joint", "epsilon_caps", "epsilon_realised"} <= set(columns)
    printed = 0
    for row in table.to_dict("records"):
        for column in columns:
            if not math.isnan(row[column]):
                meaning = meanings.loc[(*(row[name] for name in key), column)]
                assert meaning["epsilon"] == row[column]
                assert meaning["delta"] == row["delta"]
                printed += 1
    assert printed == len(meanings)
    words = [
        "accountant",
        "conversion",
        "neighbouring",
        "data_dependent",
        "sanitized",
        "one_sided",
        "proved_bound",
        "guarantee",
    ]
    assert meanings[words].notna().all(axis=None)


def test_table2_has_its_columns_and_the_runs_asked_for(finished):
    table = read(finished, "scalable_pate/table2.csv")
    assert list(table.columns[:10]) == TABLE2
    assert list(table["aggregator"]) == ["confident_gnmax"]
    assert (table[["order", "epsilon", "beta", "smooth_sensitivity", "sigma_ss", "gnss_cost"]] > 0).all(axis=None)


def test_claims_have_their_columns_and_every_claim_a_verdict(finished):
    for name in ("claims.csv", "checks.csv"):
        table = pd.read_csv(finished.root / "results" / "tiny" / name, keep_default_na=False)
        ledger = pd.read_csv(ROOT / name, keep_default_na=False)
        assert list(table.columns) == CLAIMS
        assert sorted(table["id"]) == sorted(ledger["id"])
        assert (table["verdict"] != "").all()


def test_a_run_leaves_logs_benchmarks_and_a_list_of_datasets(finished):
    folder = finished.root / "results" / "tiny"
    outputs = finished.outputs("all")
    for row in outputs.values():
        assert (finished.root / row["log-file(s)"]).is_file()
    logs, benchmarks = (
        {path.relative_to(folder / kind).with_suffix("") for path in (folder / kind).rglob(f"*.{suffix}")}
        for kind, suffix in (("logs", "log"), ("benchmarks", "tsv"))
    )
    assert logs == benchmarks
    assert len(logs) == len({row["log-file(s)"] for row in outputs.values()})
    listed = (folder / "datasets.md").read_text()
    assert all(name in listed for name in catalogue()["datasets"])


def text_of(report) -> str:
    """The text of a report and of the pages in it, as it is embedded there, in one line, without markup of captions."""
    content = report.read_text(errors="replace")
    pages = re.findall(r"data:text/html[^,]*;base64,([A-Za-z0-9+/=]+)", content)
    content += " ".join(base64.b64decode(page).decode() for page in pages)
    content = html.unescape(content).replace("\\n", " ")
    return " ".join(content.split())


def test_the_report_has_the_captions(finished, tmp_path):
    finished.run("--report", str(tmp_path / "report.html"))
    content = text_of(tmp_path / "report.html")
    for caption in (
        "Queries, privacy bound and accuracy of each aggregator (Papernot et al. 2018, Table 1).",
        "What it costs to publish a data-dependent epsilon (Papernot et al. 2018, Appendix B).",
        "How much epsilon does the next answer cost?",
        "Every claim of the papers with the value measured here,",
        "Every table and figure below is computed by the workflow",
    ):
        assert caption in content
    for item in ("epsilon.png", "claims.html", "scalable_pate.html"):
        assert item in content
    assert "<td>confident_gnmax</td>" in content  # tables are tables

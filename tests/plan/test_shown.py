"""Texts that make prints: all that can be asked for, and what a run computed."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from lib.data.volumes.registry import VOLUMES
from lib.plan.config import ROOT, catalogue, register
from lib.plan.data_needs import needed
from lib.plan.results import PAPERS
from lib.plan.rule_texts import rule_texts
from lib.reporting.claims.cells import read_verdicts
from lib.reporting.claims.ledger import COLUMNS, divided
from lib.reporting.headlines import measured
from lib.reporting.verdicts import headline
from scripts import show_epsilons, show_help, show_verdicts

# of each dataset, what the help calls it
NAMED = {
    "pate_votes_mnist": "authors' votes",
    "pate_votes_svhn": "authors' votes",
    "pate_votes_adult": "authors' votes",
    "mnist": "MNIST",
    "adult": "Adult",
    "notmnist": "notMNIST",
    "usps": "USPS",
    "cifar10": "CIFAR-10",
    "cifar100": "CIFAR-100",
    "lgg_mri": "LGG MRI",
    "msd_hippocampus": "MSD Task04",
    "brats2013": "BRATS 2013",
}


def test_help_names_every_result_preset_and_program(tmp_path, monkeypatch, capsys):
    job = tmp_path / "results" / "quick" / "benchmarks" / "train_mac" / "one.tsv"
    job.parent.mkdir(parents=True)
    job.write_text("s\th:m:s\n120.0\t0:02:00\n")
    (tmp_path / "bench").symlink_to(ROOT / "bench")
    monkeypatch.setattr(show_help, "ROOT", tmp_path)
    show_help.main()
    text = capsys.readouterr().out
    assert all(f"  {name} " in text for name in register())
    for path in (ROOT / "presets").glob("*.yaml"):
        assert f"presets/{path.name}" in text
    spent = r"quick [\d.]+ measured; real [\d.]+ measured, [\d.]+ estimated; paper [\d,]+ estimated"
    assert re.search(rf"^dp_mac: .*\n  data of real: MNIST.*: {spent}$", text, re.MULTILINE)
    for name in show_help.PEOPLE:
        assert (ROOT / "scripts" / f"{name}.py").is_file()
    assert "Jobs of quick took 2 minutes here, most of them: train_mac 2" in text


def named_by_help() -> list[str]:
    """Every target that the help names."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.show_help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return re.findall(r"^  ([a-z]\w+) ", done.stdout, re.MULTILINE)


@pytest.mark.slow
def test_help_names_targets_that_exist_and_all_that_collect_results():
    found = set(named_by_help()) - set(show_help.PRESETS) - set(show_help.PEOPLE) - {"make", "data"}
    assert found <= set(rule_texts())
    collecting = {name for name in rule_texts() if name.endswith("_claims")} - {"paper_claims"}
    needed = {
        "all",
        "claims",
        "site",
        "release",
        "datasets",
        "audit",
        "leaderboard",
        *PAPERS,
        *collecting,
    }
    assert needed <= found


def test_help_names_targets_of_make_that_exist():
    there = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    said = {
        word for line in (*show_help.MAKE, *show_help.MAKE.values()) for word in re.findall(r"make ([a-z-]+)", line)
    }
    assert said <= there and len(said) > 10


@pytest.mark.slow
def test_help_ends_with_its_last_line(tmp_path):
    """Also where both streams go to one file, in which a job would find its memory and its code."""
    log = tmp_path / "help.log"
    with log.open("w") as stream:
        subprocess.run([sys.executable, "-m", "scripts.show_help"], cwd=ROOT, stdout=stream, stderr=stream, check=True)
    alone = subprocess.run(
        [sys.executable, "-m", "scripts.show_help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert log.read_text() == alone.stdout and "code: " not in alone.stdout


@pytest.mark.long
@pytest.mark.parametrize("paper", show_help.DATA)
def test_help_says_what_data_a_paper_reads(paper):
    """Of each file that the preset real reads below data_root, and of nothing else."""
    read = needed([ROOT / "presets" / "real.yaml"], [], [paper])
    entries, volumes = catalogue()["datasets"], catalogue()["segmentation"]["volumes"]
    found = {name for name in read["prepare_data"] if entries[name]["source"] == "data_root"}
    found |= {volumes[name]["name"] for name in read["prepare_volumes"] if VOLUMES[volumes[name]["name"]].folder}
    said = {name for name, start in NAMED.items() if re.search(rf"{start}\b", show_help.DATA[paper])}
    assert {re.split(r"_(?:subset|\d+)$", name)[0] for name in found} == said


@pytest.fixture
def committed() -> pd.DataFrame:
    """The verdicts on the committed tables: claims and checks."""
    pages = ROOT / "docs" / "reproduction"
    files = [pages / "claims.csv", pages / "checks.csv"]
    found = pd.concat([read_verdicts(path, [*COLUMNS, "preset"]) for path in files], ignore_index=True)
    return found.drop(columns="preset")


def told(folder: Path, verdicts: pd.DataFrame, capsys) -> list[str]:
    """Lines printed of a preset's results with these verdicts."""
    folder.mkdir(exist_ok=True)
    for name, part in zip(("claims.csv", "checks.csv"), divided(verdicts), strict=True):
        part.to_csv(folder / name, index=False)
    show_verdicts.main([str(folder)])
    lines = capsys.readouterr().out.splitlines()
    assert 4 <= len(lines) <= 12
    assert max(len(line) for line in lines if not line.startswith("Claims: ")) < 200  # the counts of all verdicts
    return lines


def test_a_run_ends_with_answers_three_numbers_and_where_to_look(tmp_path, committed, capsys):
    folder = tmp_path / "real"
    for file in ("site/index.html", "scalable_pate/table1.csv", "scalable_pate/fig1.png", "scalable_pate/fig1.csv"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    lines = told(folder, committed, capsys)
    assert lines[0] == f"real: 1 tables and 1 figures of 5 papers, in {folder}"
    assert "(3 of " in lines[1] and all(re.search(": (partly )?confirmed|: contradicted", line) for line in lines[2:5])
    rows = committed.set_index("id")
    for line, claim in zip(lines[6:9], ("scalable_pate.v09", "dp_mac.v20", "residual_perturbation.v27"), strict=True):
        paper = rows.loc[claim, "paper_value"]
        assert f"{paper} → {measured(rows.loc[claim])}" in line
    assert lines[9] == f"Claims: {headline(committed)}"
    assert "presets/paper.yaml" in lines[10]  # more than real
    assert f"Open {folder}/site/index.html; " in lines[11] and "docs/reproduction/README.md" in lines[11]


def test_what_is_said_follows_the_verdicts(tmp_path, committed, capsys):
    rows = committed.set_index("id", drop=False)
    rows.loc["scalable_pate.v09", ["measured", "grade", "data"]] = ["14.6271", "substitute data", "digits (digits (1))"]
    lines = told(tmp_path / "quick", rows, capsys)
    assert "  Scalable PATE: ε, MNIST votes  1.97 → 14.7 on digits" in lines
    assert any("presets/real.yaml" in line for line in lines)


@pytest.mark.slow
def test_a_run_that_decides_nothing_says_so_in_fewer_lines(tmp_path, committed, capsys):
    verdicts = committed.assign(judgement="not judged", measured="")
    lines = told(tmp_path / "quick", verdicts, capsys)
    assert len(lines) == 4 and lines[1] == f"Claims: {headline(verdicts)}" and "→" not in " ".join(lines)


def test_epsilons_are_shown_beside_the_papers(tmp_path, capsys):
    (tmp_path / "scalable_pate").mkdir()
    table = ROOT / "docs" / "reproduction" / "scalable_pate" / "table1.csv"
    (tmp_path / "scalable_pate" / "table1.csv").write_bytes(table.read_bytes())
    show_epsilons.main([str(tmp_path)])
    header, *rows, meaning, page = capsys.readouterr().out.splitlines()
    assert header.split() == "dataset aggregator answers paper's ε ε here guaranteed".split()
    frame = pd.read_csv(table)
    printed = frame[frame["paper_epsilon"].notna() & frame["aggregator"].isin(list(show_epsilons.NAMES))]
    assert len(rows) == len(printed) >= 8
    for line, row in zip(rows, printed.itertuples(), strict=True):
        _, name, _, paper, here, *guaranteed = re.split("  +", line.strip())
        assert (name, float(paper)) == (show_epsilons.NAMES[row.aggregator], row.paper_epsilon)
        assert row.epsilon <= float(here) <= 1.01 * row.epsilon
        assert not guaranteed or row.epsilon_announced <= float(*guaranteed) <= 1.1 * row.epsilon_announced
    assert "no guarantee" in meaning and page == f"Open {tmp_path}/site/scalable_pate.html"

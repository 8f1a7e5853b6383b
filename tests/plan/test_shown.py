"""What make prints: all that can be asked for, and how many claims hold."""

import re

import pandas as pd
import pytest

from lib.core.errors import InputError
from lib.data.volumes.registry import VOLUMES
from lib.plan.config import ROOT, catalogue, register
from lib.plan.needed import needed
from lib.reporting.claims.ledger import COLUMNS
from scripts import show_help, show_verdicts

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
    "brats2013": "BRATS 2013",
}


def test_help_names_every_result_preset_and_program(tmp_path, monkeypatch, capsys):
    job = tmp_path / "results" / "quick" / "benchmarks" / "train_mac" / "one.tsv"
    job.parent.mkdir(parents=True)
    job.write_text("s\th:m:s\n120.0\t0:02:00\n")
    for name in ("rules", "bench"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setattr(show_help, "ROOT", tmp_path)
    show_help.main()
    text = capsys.readouterr().out
    assert all(f"  {name} " in text for name in register())
    for path in (ROOT / "presets").glob("*.yaml"):
        assert f"presets/{path.name}" in text
    assert re.search(
        r"^dp_mac: .*\n  data of real: MNIST.*: quick [\d.]+ measured, real [\d.]+ estimated, paper [\d,]+ estimated$",
        text,
        re.MULTILINE,
    )
    for name in show_help.PEOPLE:
        assert (ROOT / "scripts" / f"{name}.py").is_file()
    assert "Jobs of quick took 2 minutes here, most of them: train_mac 2" in text


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


def test_verdicts_are_counted_by_paper_and_evidence(tmp_path, capsys):
    judged = [("a", "holds", "paper"), ("a", "fails", "paper"), ("a", "holds", "paper"), ("b", "not judged", "")]
    rows = [
        dict.fromkeys(COLUMNS, "")
        | {"id": f"{paper}.v{number}", "paper": paper, "judgement": judgement, "grade": grade}
        for number, (paper, judgement, grade) in enumerate(judged)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "claims.csv", index=False)
    show_verdicts.main([str(tmp_path / "claims.csv")])
    assert capsys.readouterr().out.splitlines() == [
        "a: on the paper's data and protocol: 2 hold, 1 fail; not judged: 0.",
        "b: not judged: 1.",
        "All claims: on the paper's data and protocol: 2 hold, 1 fail; not judged: 1.",
    ]
    (tmp_path / "claims.csv").write_text("paper,judgement\na,holds\n")
    with pytest.raises(InputError, match=r"claims.csv: lacks the columns \['id'.*allowed is a claims.csv of a preset"):
        show_verdicts.main([str(tmp_path / "claims.csv")])

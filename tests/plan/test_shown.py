"""What make prints: all that can be asked for, and how many claims hold."""

from lib.plan.config import ROOT, register
from scripts import show_help, show_verdicts


def test_help_names_every_result_preset_and_program(tmp_path, monkeypatch, capsys):
    job = tmp_path / "results" / "quick" / "benchmarks" / "train_mac" / "one.tsv"
    job.parent.mkdir(parents=True)
    job.write_text("s\th:m:s\n120.0\t0:02:00\n")
    monkeypatch.setattr(show_help, "ROOT", tmp_path)
    show_help.main()
    text = capsys.readouterr().out
    assert all(f"  {name} " in text for name in register())
    for path in (ROOT / "presets").glob("*.yaml"):
        assert f"presets/{path.name}" in text
    for name in show_help.PEOPLE:
        assert (ROOT / "scripts" / f"{name}.py").is_file()
    assert "Jobs of quick took 2 minutes here, most of them: train_mac 2" in text


def test_verdicts_are_counted_by_paper_and_evidence(tmp_path, capsys):
    rows = [
        "paper,judgement,grade",
        "a,holds,paper",
        "a,fails,paper",
        "a,holds,paper",
        "b,not judged,",
        "b,holds,by construction",
    ]
    (tmp_path / "claims.csv").write_text("\n".join(rows) + "\n")
    show_verdicts.main([str(tmp_path / "claims.csv")])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert lines == [["a", "paper", "2", "1", "0", "0"], ["b", "none", "0", "0", "0", "1"]]

"""Damaged records of Snakemake say nothing, and the others what they said."""

import json
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from lib.plan import snakemake_records
from lib.plan.snakemake_records import Origin, code_parameter, empty_damaged, origin
from scripts.keep_results import origins_of


def test_only_records_that_are_no_text_are_emptied(tmp_path):
    contents = {
        "metadata/sound": b'{"rule": "claims"}',
        "metadata/@long/er": b'{"ru\xb2e": "claims"}',
        "metadata/half": b'{"rule": "cl',
        "incomplete/sound": b"{}",
        "incomplete/not": b"\xff\xfe{}",
        "log/other": b"\xb2",
    }
    for name, content in contents.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    damaged = ["metadata/@long/er", "incomplete/not"]
    assert sorted(empty_damaged(tmp_path)) == sorted(tmp_path / name for name in damaged)
    found = {name: (tmp_path / name).read_bytes() for name in contents}
    assert found == contents | dict.fromkeys(damaged, b"{}")
    assert all(json.loads(found[name]) == {} for name in damaged)
    assert empty_damaged(tmp_path) == []


def test_before_the_first_run_there_are_none(tmp_path):
    assert empty_damaged(tmp_path / ".snakemake") == []


@pytest.fixture
def run(tmp_path):
    """A function that writes what Snakemake knows of a file, as it does, and the log of its job."""

    def made(path: str, *inputs: str, code: str | None, commit: str | None = None) -> None:
        log = tmp_path / f"{Path(path).name}.log"
        said = () if commit is None else ("0", commit)
        log.write_text("going on\n" + "".join(f"code: {'ab' * 32}, commit: {each}\n" for each in said))
        params = ["'--draws 1'", "7", repr("code")]
        params += [] if code is None else [repr(code_parameter(["scripts/x.py", "lib/y.py"][: len(code)], code))]
        words = urlsafe_b64encode(path.encode()).decode()
        place = tmp_path / "metadata" / (words if len(words) < 255 else f"@{words[:254]}/{words[254:]}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"input": list(inputs), "params": params, "log": [str(log)]}))

    return made


@pytest.mark.parametrize("name", ["t.csv", "long" * 60 + ".csv"])
def test_a_file_comes_from_its_job_and_from_all_before_it(tmp_path, run, name):
    run(name, "weights.npz", "claims.csv", code="b", commit="1234-dirty")
    run("weights.npz", "data.npz", code="ab", commit="99")
    run("data.npz", code="ab")
    assert origin(name, tmp_path) == Origin("1234-dirty", {"scripts/x.py": "b", "scripts/x.py lib/y.py": "ab"})


def test_where_one_job_before_it_did_not_say_its_code_that_is_unknown(tmp_path, run):
    run("t.csv", "weights.npz", code="b", commit="1")
    run("weights.npz", code=None)
    assert origin("t.csv", tmp_path) == Origin("1", None)
    (tmp_path / "metadata" / urlsafe_b64encode(b"weights.npz").decode()).write_text("{}")  # damaged
    assert origin("t.csv", tmp_path) == Origin("1", None)


def test_a_record_is_read_once_for_all_files_of_a_page(tmp_path, run, monkeypatch):
    run("a.csv", "weights.npz", code="b", commit="1")
    run("b.csv", "weights.npz", code="b", commit="2")
    run("weights.npz", "data.npz", code="ab")
    (tmp_path / ".snakemake").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    asked, read = [], snakemake_records._record
    monkeypatch.setattr(snakemake_records, "_record", lambda folder, path: asked.append(path) or read(folder, path))
    files = {"one": "a.csv", "two": "b.csv"}
    rows = origins_of(files, files, "preset", {})
    assert [row["commit"] for row in rows] == ["1", "2"] and rows[0]["code"] == rows[1]["code"]
    assert sorted(asked) == ["a.csv", "b.csv", "data.npz", "weights.npz"]


def test_what_no_job_made_comes_from_nowhere(tmp_path, run):
    assert origin("t.csv", tmp_path) == origin("t.csv", tmp_path / "nothing") == Origin("unknown", None)
    run("t.csv", code="b")
    assert origin("t.csv", tmp_path).commit == "unknown"  # its log does not say

"""Records say what was measured and with what, and nothing that differs from run to run."""

import copy
import hashlib
import json
import math
import os
import platform
from pathlib import Path

import jsonschema
import pytest
import yaml

from lib.core.errors import InputError
from lib.core.files import read_sealed_json, write_sealed_json
from lib.core.provenance import MECHANISM, provenance
from lib.core.records import record_of, write_record, write_records
from lib.reporting.records import read_record, read_records
from pate_accountant.statement import PrivacyStatement
from tests.sealed import sealed

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMA = yaml.safe_load((ROOT / "schemas" / "record.schema.yaml").read_text(encoding="utf-8"))
STATEMENT = PrivacyStatement(
    epsilon=1.97,
    delta=1e-5,
    accountant="rdp",
    conversion="classic",
    neighbouring="replace_one",
    data_dependent=True,
    sanitized=False,
    one_sided=True,
    proved_bound=True,
)
ENTRY = {
    "mechanism": "gnmax",
    "count": 10,
    "parameters": {"sigma": 4.0},
    "neighbouring": "replace_one",
    "dp_event": "GaussianDpEvent(noise_multiplier=2.8)",
}
FIELDS = {
    "job": ["aggregate", "digits_gnmax", "1"],
    "preset": "quick",
    "seed": 2018,
    "dataset": "digits",
    "code": "c0" * 32,
    "fingerprint": "0f" * 32,
    "parameters": {"sigma": 4.0, "student": None},
    "metrics": {"queries_made": 10, "accuracy": 97.5, "nothing": None},
    "private_metrics": {"order": 12.5},
    "privacy": {"epsilon": STATEMENT},
    "ledger": [ENTRY],
}


def written(tmp_path, **changes):
    path = tmp_path / "record.json"
    write_record(path, **FIELDS | changes)
    return path


def refusal(path) -> str:
    with pytest.raises(InputError) as caught:
        read_record(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ") and "\n" not in message
    return message


# ---------------------------------------------------------------- there and back


def test_a_record_comes_back_as_it_was(tmp_path):
    record = read_record(written(tmp_path))
    for name in FIELDS:
        assert record[name] == FIELDS[name], name
    assert isinstance(record["privacy"]["epsilon"], PrivacyStatement)
    assert record["device"] == "cpu"


def test_what_is_not_given_is_empty(tmp_path):
    path = tmp_path / "record.json"
    needed = ("job", "preset", "seed", "dataset", "code", "fingerprint", "parameters", "metrics")
    write_record(path, **{name: FIELDS[name] for name in needed})
    record = read_record(path)
    assert (record["privacy"], record["ledger"], record["private_metrics"]) == ({}, [], {})


def test_a_written_record_satisfies_its_schema(tmp_path):
    jsonschema.validate(read_sealed_json(written(tmp_path)), SCHEMA)


def test_private_numbers_are_marked_as_not_sanitised(tmp_path):
    raw = json.loads(written(tmp_path).read_text())
    assert raw["private_metrics"] == {"sanitized": False, "values": {"order": 12.5}}
    assert "order" not in raw["metrics"]


def test_versions_of_what_computed_it_are_named(tmp_path):
    versions = read_record(written(tmp_path))["versions"]
    assert versions["python"] == platform.python_version()
    assert {"numpy", "scipy", "dp-accounting"} <= set(versions)


# ---------------------------------------------------------------- nothing of this run


def test_nothing_differs_from_run_to_run(tmp_path, monkeypatch):
    first = written(tmp_path).read_bytes()
    monkeypatch.setattr("time.time", lambda: 2e9)
    monkeypatch.setattr("platform.node", lambda: "another-host")
    monkeypatch.setattr("socket.gethostname", lambda: "another-host")
    monkeypatch.setenv("USER", "somebody")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    second = written(tmp_path / "elsewhere").read_bytes()
    assert first == second


def test_nothing_but_the_named_fields_goes_in(tmp_path):
    path = written(tmp_path)
    record = read_sealed_json(path)
    assert (
        set(record)
        == set(SCHEMA["properties"]) - {"provenance"}  # where a release may be made of it
        == {
            "job",
            "code",
            "preset",
            "seed",
            "dataset",
            "fingerprint",
            "device",
            "versions",
            "parameters",
            "metrics",
            "private_metrics",
            "privacy",
            "ledger",
        }
    )
    assert not any(place in path.read_text() for place in (os.getcwd(), str(tmp_path)))


# ---------------------------------------------------------------- the schema


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("job", []),
        ("job", "aggregate"),
        ("job", ["aggregate", 1]),
        ("preset", None),
        ("seed", -1),
        ("seed", 1.5),
        ("seed", "1"),
        ("dataset", 5),
        ("fingerprint", "0f"),
        ("fingerprint", "0F" * 32),
        ("fingerprint", ""),
        ("parameters", []),
        ("metrics", {"accuracy": "high"}),
        ("metrics", {"accuracy": True}),
        ("metrics", {"accuracy": [1, 2]}),
        ("private_metrics", {"order": "low"}),
        ("device", "tpu"),
        ("ledger", [{name: value for name, value in ENTRY.items() if name != "count"}]),
        ("ledger", [ENTRY | {"count": -1}]),
        ("ledger", [ENTRY | {"neighbouring": "other"}]),
        ("ledger", [ENTRY | {"dependent": 1.0}]),
        ("ledger", [ENTRY | {"parameters": {"sigma": "4"}}]),
    ],
)
def test_a_bad_record_is_not_written(tmp_path, field, value):
    with pytest.raises(InputError, match=r"record\.json: not a result record") as caught:
        written(tmp_path, **{field: value})
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_number_that_is_not_finite_is_not_written(tmp_path, value):
    with pytest.raises(ValueError):
        written(tmp_path, metrics={"accuracy": value})
    assert os.listdir(tmp_path) == []


def test_a_bare_epsilon_is_not_written(tmp_path):
    with pytest.raises(AttributeError):
        written(tmp_path, privacy={"epsilon": 1.97})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("missing", sorted(SCHEMA["required"]))
def test_a_record_that_lacks_something_is_refused_by_name(tmp_path, missing):
    path = written(tmp_path)
    record = read_sealed_json(path)
    del record[missing]
    write_sealed_json(path, record)
    assert missing in refusal(path)


def test_other_content_is_refused_by_name(tmp_path):
    path = written(tmp_path)
    record = read_sealed_json(path)
    write_sealed_json(path, record | {"host": "here"})
    assert "host" in refusal(path)
    sanitised = copy.deepcopy(record)
    sanitised["private_metrics"]["sanitized"] = True
    write_sealed_json(path, sanitised)
    refusal(path)
    for field in STATEMENT.as_dict().keys() - {"proved_bound"}:  # older records lack it
        bare = copy.deepcopy(record)
        del bare["privacy"]["epsilon"][field]
        write_sealed_json(path, bare)
        assert field in refusal(path)
    path.write_text("[]")
    refusal(path)
    path.write_text("{")
    refusal(path)
    path.unlink()
    refusal(path)


@pytest.mark.parametrize("change", [{"epsilon": math.nan}, {"sanitized": True, "data_dependent": False}], ids=str)
def test_an_impossible_statement_is_refused_by_name(tmp_path, change):
    path = written(tmp_path)
    record = read_sealed_json(path)
    record["privacy"]["epsilon"] |= change
    path.write_text(json.dumps(sealed(record)))
    assert "not a result record" in refusal(path)


def test_an_altered_record_is_refused_by_name(tmp_path):
    path = written(tmp_path)
    text = path.read_text()
    path.write_text(text.replace("97.5", "98.5"))
    assert text != path.read_text() and "does not match the digest written with it" in refusal(path)


def test_provenance_says_what_was_read_and_written(tmp_path):
    for name in ("votes", "labels"):
        (tmp_path / name).write_text(name)
    made = provenance(MECHANISM, [tmp_path / "votes"], [tmp_path / "labels"])
    assert [entry["sha256"] for entry in made["read"]] == [hashlib.sha256(b"votes").hexdigest()]
    assert read_record(written(tmp_path, provenance=made))["provenance"] == made
    assert "provenance" not in read_record(written(tmp_path))
    with pytest.raises(InputError, match="none: not a readable whole file"):
        provenance(MECHANISM, [tmp_path / "none"], [])


# ---------------------------------------------------------------- several in one file


def several(tmp_path, **changes):
    path = tmp_path / "records.json"
    units = [FIELDS | {"job": ["aggregate_masks", unit, "1"]} for unit in ("ball", "clip")]
    units[1] |= changes
    write_records(path, [record_of(**unit) for unit in units])
    return path


def test_several_records_come_back_as_they_were_in_their_order(tmp_path):
    records = read_records(several(tmp_path, metrics={"sigma": 2.0}))
    assert [record["job"][1] for record in records] == ["ball", "clip"]
    one = read_record(written(tmp_path))
    assert records == [one | {"job": ["aggregate_masks", "ball", "1"]}, records[1]]
    assert records[1] == one | {"job": ["aggregate_masks", "clip", "1"], "metrics": {"sigma": 2.0}}
    assert isinstance(records[0]["privacy"]["epsilon"], PrivacyStatement)


def test_a_file_of_one_record_is_read_as_a_list_of_it(tmp_path):
    path = written(tmp_path)
    assert read_records(path) == [read_record(path)]
    write_records(path, [])
    assert read_records(path) == []


def test_several_records_are_no_single_one(tmp_path):
    assert "not a result record" in refusal(several(tmp_path))


def test_one_altered_of_several_records_is_refused(tmp_path):
    path = several(tmp_path, metrics={"sigma": 2.0})
    text = path.read_text()
    path.write_text(text.replace('"sigma": 2.0', '"sigma": 3.0'))
    assert text != path.read_text()
    with pytest.raises(InputError, match=r"records\.json: does not match the digest written with it"):
        read_records(path)


def test_one_bad_of_several_records_is_neither_written_nor_read(tmp_path):
    with pytest.raises(InputError, match=r"records\.json: not a result record"):
        several(tmp_path, seed=-1)
    assert os.listdir(tmp_path) == []
    path = several(tmp_path)
    content = read_sealed_json(path)
    content["records"][1] |= {"host": "here"}
    write_sealed_json(path, content)
    with pytest.raises(InputError, match=r"records\.json: not a result record .*host"):
        read_records(path)

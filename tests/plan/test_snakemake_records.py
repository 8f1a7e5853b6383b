"""Damaged records of Snakemake say nothing, and the others what they said."""

import json

from lib.plan.snakemake_records import empty_damaged


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

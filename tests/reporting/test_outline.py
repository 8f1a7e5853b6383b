"""Outlines of pages are read whole, or refused in a line."""

import pytest

from lib.core.errors import InputError
from lib.reporting.outline import load_outline


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("headlines: [{key: a, says: b c d}]", r"headlines: .* is too short"),
        ("headlines: [{key: a, says: b c d}, {}, {}]", r"headlines.0: 'where' is a required property"),
        ("promise: {}", r"promise: \{\} is not of type 'string'"),
        ("answer: {says: It does so, if: {a: perhaps}}", r"answer.if.a: 'perhaps' is not one of \['confirmed', "),
        ("tables: [{title: Table 1, header: [a, b], rows: [[c]]}]", r"tables.0: \['c'\] has 1 cells; 2 allowed"),
        ("tables: [{title: Table 1}]", r"tables.0: .* is not valid under any of the given schemas"),
        ("verdict: holds", r"the file: Additional properties are not allowed \('verdict' was unexpected\)"),
        ("headlines: [", r"not YAML \("),
    ],
)
def test_a_faulty_outline_is_refused_in_a_line(tmp_path, text, message):
    path = tmp_path / "paper.yaml"
    path.write_text(f"{text}\n")
    with pytest.raises(InputError, match=message) as raised:
        load_outline(path)
    assert str(path) in str(raised.value) and "\n" not in str(raised.value)


def test_what_an_outline_lacks_is_empty(tmp_path):
    (tmp_path / "paper.yaml").write_text("name: A paper\n")
    assert load_outline(tmp_path / "paper.yaml") == {
        "name": "A paper",
        "answer": {},
        "cites": "",
        "headlines": [],
        "overview": [],
        "promise": "",
        "tables": [],
        "figures": [],
        "reasons": [],
    }
    with pytest.raises(InputError, match=r"absent.yaml: cannot be read"):
        load_outline(tmp_path / "absent.yaml")

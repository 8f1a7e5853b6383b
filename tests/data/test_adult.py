"""The reader of Adult."""

import pytest

from lib.core.errors import InputError
from lib.data.sources import adult

RECORD = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, "
    "United-States, <=50K\n"
)


def test_records_with_a_byte_order_mark_are_read_as_without(tmp_path):
    found = {}
    for encoding in ("ascii", "utf-8-sig"):
        path = tmp_path / f"{encoding}.data"
        path.write_text(RECORD, encoding=encoding)
        x, y = adult.read_records(path)
        found[encoding] = x.tolist(), y.tolist()
    assert found["ascii"] == found["utf-8-sig"] and len(found["ascii"][0]) == 1


@pytest.mark.parametrize("value", ["9" * 5000, "9" * 30, "٣", "²", "-1", "1e3", ""])
def test_what_is_no_number_of_a_record_is_named_with_its_line(value, tmp_path):
    path = tmp_path / "adult.data"
    path.write_text(RECORD + RECORD.replace("77516", value), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        adult.read_records(path)
    assert str(caught.value).startswith(f"{path}: line 2: fnlwgt = {value[:60]!r}, expected a whole number")

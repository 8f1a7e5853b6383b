"""The reader of Adult."""

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

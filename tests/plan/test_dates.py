"""Files dated in the future are named before a job is started on them."""

import os

import pytest

from lib.core.errors import InputError
from lib.plan.dates import check_dates

NOW = 1_800_000_000.0


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.npy"
    path.write_text("")
    os.utime(path, (NOW, NOW))
    return path


def test_files_of_now_and_of_the_past_and_none_are_left_alone(file):
    check_dates([str(file), str(file.parent / "nowhere")], NOW)


def test_a_file_of_the_future_is_named_with_its_date(file, monkeypatch):
    os.utime(file, (NOW, NOW + 6 * 3600))
    with pytest.raises(InputError) as caught:
        check_dates([str(file)], NOW)
    assert str(caught.value).startswith(f"{file}: dated 20") and "in the future: " in str(caught.value)


def test_so_are_folders_and_links_and_how_many_there_are(file):
    link = file.with_name("b.npy")
    link.symlink_to(file)
    os.utime(link, (NOW, NOW + 1), follow_symlinks=False)
    os.utime(file.parent, (NOW, NOW + 1))
    with pytest.raises(InputError, match=r"in the future \(and 1 more\)"):
        check_dates([str(file), str(link), str(file.parent)], NOW)

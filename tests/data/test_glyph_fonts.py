"""Fonts are found by content, take part if they have the classes, and belong to one split."""

import shutil
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from fontTools import subset
from PIL import ImageFont

from lib.core.errors import InputError
from lib.data.glyph_classes import CLASSES
from lib.data.glyph_fonts import find_fonts, split_fonts
from lib.data.glyph_settings import SPLITS, GlyphSettings
from lib.data.glyph_shapes import shapes

BUNDLED = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def without(name: str, marks: str, target: Path) -> None:
    """One of matplotlib's fonts with all classes but `marks`."""
    subset.main([str(BUNDLED / name), f"--text={''.join(set(CLASSES) - set(marks))}", f"--output-file={target}"])


def only(folder: Path, **others) -> GlyphSettings:
    return GlyphSettings(bundled_fonts=False, font_folders=(str(folder),), **others)


@pytest.fixture
def folder(tmp_path) -> Path:
    """Three fonts, one of them twice and one without some classes."""
    folder = tmp_path / "fonts"
    (folder / "deep").mkdir(parents=True)
    shutil.copy(BUNDLED / "DejaVuSans.ttf", folder / "a.ttf")
    shutil.copy(BUNDLED / "DejaVuSans.ttf", folder / "deep" / "again.TTF")
    without("DejaVuSerif.ttf", "0Д,", folder / "deep" / "b.ttf")
    shutil.copy(BUNDLED / "STIXGeneral.ttf", folder / "c.otf")
    (folder / "readme.txt").write_text("no font")
    return folder


def test_the_fonts_of_matplotlib_are_found_in_the_order_of_their_digests():
    fonts = find_fonts(GlyphSettings())
    assert len(fonts) == 16
    assert {font.family for font in fonts} == {"DejaVu Sans", "DejaVu Sans Mono", "DejaVu Serif", "STIXGeneral"}
    assert [font.sha256 for font in fonts] == sorted(font.sha256 for font in fonts)


@pytest.mark.slow
def test_fonts_of_symbols_or_boxes_alone_take_no_part():
    assert (BUNDLED / "LastResortHE-Regular.ttf").is_file()
    everything = find_fonts(GlyphSettings(font_folders=(str(BUNDLED),)))
    assert everything == find_fonts(GlyphSettings())


@pytest.mark.slow
@pytest.mark.parametrize("split_by", ["file", "family"])
@pytest.mark.parametrize("seed", range(5))
def test_no_font_is_in_two_splits_and_no_family_if_so_set(seed, split_by):
    settings = GlyphSettings(seed=seed, split_by=split_by)
    fonts = find_fonts(settings)
    split = split_fonts(fonts, settings)
    assert tuple(split) == SPLITS
    files = [font.sha256 for members in split.values() for font in members]
    assert sorted(files) == [font.sha256 for font in fonts]
    families = [{font.family for font in members} for members in split.values()]
    assert len(split["private"]) >= max(len(split["public"]), len(split["test"])) >= 1
    if split_by == "family":
        assert sum(map(len, families)) == len(set.union(*families)) == 4


def test_shares_are_met_to_the_nearest_file():
    settings = GlyphSettings(shares=(0.5, 0.25, 0.25))
    split = split_fonts(find_fonts(settings), settings)
    assert [len(members) for members in split.values()] == [8, 4, 4]


def test_folders_are_searched_and_copies_left_out(folder):
    fonts = find_fonts(only(folder))
    assert sorted(font.path.name for font in fonts) in (["a.ttf", "b.ttf", "c.otf"], ["again.TTF", "b.ttf", "c.otf"])
    assert {font.path.name for font in find_fonts(only(folder, coverage=0.99))}.isdisjoint({"b.ttf"})


def test_hidden_files_are_no_fonts(folder):
    """As macOS writes them beside each file on a foreign disk; a damaged font is refused."""
    fonts = find_fonts(only(folder))
    for font in list(folder.rglob("*.ttf")):
        font.with_name(f"._{font.name}").write_bytes(b"no font")
    assert find_fonts(only(folder)) == fonts


def test_a_class_that_a_font_lacks_is_never_drawn_as_a_box(folder):
    lacking = next(font for font in find_fonts(only(folder)) if font.path.name == "b.ttf")
    assert {mark for mark, there in zip(CLASSES, lacking.has, strict=True) if not there} == set("0Д,")
    drawn = shapes(lacking)
    absent = [CLASSES.index(mark) for mark in "0Д,"]
    assert not drawn.fields[absent].any()
    assert (np.delete(drawn.fields, absent, axis=0).max(axis=(1, 2)) > 128).all()
    assert (np.delete(drawn.sides, absent) > 0).all()


def test_no_class_of_a_bundled_font_is_its_box():
    for font in find_fonts(GlyphSettings()):
        drawn = ImageFont.truetype(font.path, 48, layout_engine=ImageFont.Layout.BASIC)
        box = bytes(drawn.getmask("\U0010ffff"))
        present = [mark for mark, there in zip(CLASSES, font.has, strict=True) if there]
        assert all(bytes(drawn.getmask(mark)) != box for mark in present)


def test_a_class_without_a_font_in_a_split_is_refused(folder):
    settings = only(folder)
    with pytest.raises(InputError, match=r"no font of the split '\w+' has the classes 0 Д ,$"):
        split_fonts(find_fonts(settings), settings)


def test_too_few_fonts_are_refused(folder):
    settings = only(folder, coverage=0.99)
    with pytest.raises(InputError, match="2 fonts with at least 99% of the classes, expected 3 or more"):
        split_fonts(find_fonts(settings), settings)


def test_missing_folders_and_damaged_fonts_are_refused_by_name(tmp_path):
    with pytest.raises(InputError, match="nowhere is not there"):
        find_fonts(only(tmp_path / "nowhere"))
    whole = (BUNDLED / "STIXGeneral.ttf").read_bytes()
    for content in (b"", b"no font at all", whole[:1000], whole[: len(whole) // 2]):
        (tmp_path / "bad.ttf").write_bytes(content)
        with pytest.raises(InputError, match=r"bad\.ttf: not a readable font \(.") as caught:
            find_fonts(only(tmp_path))
        assert "\n" not in str(caught.value)

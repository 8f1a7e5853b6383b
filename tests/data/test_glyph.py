"""Open Glyph: every sample is a function of settings, split and index, and its shares are what the settings say."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from lib.core.errors import InputError
from lib.data.glyph import BLOCK, GlyphSamples, OpenGlyph
from lib.data.glyph_classes import CLASSES, LOOK_ALIKES, ROWS
from lib.data.glyph_fonts import find_fonts, split_fonts
from lib.data.glyph_settings import GlyphSettings

MANY = 24 * BLOCK


@pytest.fixture(scope="module")
def data() -> OpenGlyph:
    return OpenGlyph(GlyphSettings())


@pytest.fixture(scope="module")
def many(data) -> GlyphSamples:
    """Of the split with fewest fonts and one that lacks classes."""
    return data.samples("public", 0, MANY)


def same(first: GlyphSamples, second: GlyphSamples) -> bool:
    return all(np.array_equal(value, vars(second)[name]) for name, value in vars(first).items())


def part(samples: GlyphSamples, start: int, stop: int) -> GlyphSamples:
    return GlyphSamples(*(value[start:stop] for value in vars(samples).values()))


def alike() -> np.ndarray:
    """(classes, classes) bool: two different classes that look alike."""
    table = np.zeros((len(CLASSES), len(CLASSES)), bool)
    for group in LOOK_ALIKES:
        members = [CLASSES.index(mark) for mark in group]
        table[np.ix_(members, members)] = True
    np.fill_diagonal(table, False)
    return table


def test_classes_and_look_alikes_are_as_documented():
    assert len(CLASSES) == len(set(CLASSES)) == 150
    grouped = "".join(LOOK_ALIKES)
    assert len(grouped) == len(set(grouped))
    assert set(grouped) < set(CLASSES)
    assert all(len(group) > 1 for group in LOOK_ALIKES)
    sheet = (Path(__file__).parents[2] / "docs" / "open_glyph.md").read_text(encoding="utf-8")
    assert "".join(f"    {row}\n" for row in ROWS) in sheet
    assert f"{len(grouped)} of them look like another one" in sheet
    assert all(" ".join(f"`{mark}`" for mark in group) in sheet.replace("\\|", "|") for group in LOOK_ALIKES)


@pytest.mark.slow
def test_samples_have_the_documented_shapes(many):
    assert (many.x.shape, many.x.dtype) == ((MANY, 28, 28), np.uint8)
    for name in ("label", "true_label", "font"):
        assert (vars(many)[name].shape, vars(many)[name].dtype) == ((MANY,), np.int64)
    assert many.x.min() == 0
    assert many.x.max() == 255


@pytest.mark.slow
@pytest.mark.parametrize(("start", "stop"), [(0, 1), (5, 5), (1000, 1100), (1023, 1025), (1024, 2048), (100, 5000)])
def test_any_range_is_the_same_however_it_is_cut(data, many, start, stop):
    assert same(data.samples("public", start, stop), part(many, start, stop))


def test_samples_far_out_need_no_others(data):
    far = 65_000_000
    whole = data.samples("public", far - 3, far + 3)
    assert same(data.samples("public", far, far + 3), part(whole, 3, 6))


@pytest.mark.slow
def test_the_same_settings_give_the_same_samples_and_other_seeds_and_splits_others(data, many):
    again = OpenGlyph(GlyphSettings()).samples("public", 0, 2000)
    assert same(again, part(many, 0, 2000))
    assert not np.array_equal(data.samples("test", 0, 2000).true_label, again.true_label)
    other = OpenGlyph(GlyphSettings(seed=1))
    assert not np.array_equal(other.frequencies, data.frequencies)
    assert other.fingerprint("public") != data.fingerprint("public") == data.fingerprint("public", 1024)


def test_the_fingerprint_depends_on_samples_split_and_count(data):
    found = {data.fingerprint(split, count) for split in ("public", "test") for count in (0, 10, 11)}
    assert len(found) == 6


@pytest.mark.slow
def test_class_frequencies_span_the_imbalance_in_every_split(data, many):
    assert data.frequencies.sum() == pytest.approx(1)
    assert data.frequencies.max() / data.frequencies.min() == pytest.approx(5)
    for samples in (many, data.samples("test", 0, MANY)):
        counts = np.bincount(samples.true_label, minlength=150)
        expected = MANY * data.frequencies
        assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()
    assert np.allclose(OpenGlyph(GlyphSettings(imbalance=1)).frequencies, 1 / 150)


def test_wrong_labels_are_as_frequent_as_set(data, many):
    wrong = many.label != many.true_label
    expected = MANY * 0.04
    assert abs(wrong.sum() - expected) < 5 * np.sqrt(expected * 0.96)
    # of a class with look-alikes, half of the wrong labels are one, and of the others a few by chance
    table = alike()
    has = table.any(axis=1)[many.true_label] & wrong
    look_alike = table[many.true_label, many.label] & has
    share = 0.5 + 0.5 * (table.sum(axis=1)[many.true_label[has]] / 149).mean()
    assert abs(look_alike.sum() - share * has.sum()) < 5 * np.sqrt(share * (1 - share) * has.sum())
    assert set(np.unique(many.label)) == set(range(150))


def test_labels_are_right_where_no_errors_are_set():
    samples = OpenGlyph(GlyphSettings(wrong_labels=0.0)).samples("public", 0, 2 * BLOCK)
    assert np.array_equal(samples.label, samples.true_label)


def test_fonts_are_drawn_evenly_and_never_for_a_class_that_they_lack(data, many):
    fonts = data.fonts("public")
    italic = fonts.index("STIXGeneral Bold Italic")
    lacking = [CLASSES.index(mark) for mark in "\u2032∞√∫"]
    chosen = np.isin(many.true_label, lacking)
    assert chosen.sum() > 50
    assert italic not in many.font[chosen]
    counts = np.bincount(many.font[~chosen], minlength=len(fonts))
    expected = (~chosen).sum() / len(fonts)
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


def test_an_unchanged_glyph_is_the_glyph_of_the_font():
    plain = dict.fromkeys(("rotation", "shear", "stretch", "shift", "stroke", "background", "noise", "size_kept"), 0.0)
    settings = GlyphSettings(**plain, contrast=1.0, scale=(1.0, 1.0), blur=(1.0, 1.0))
    samples = OpenGlyph(settings).samples("test", 0, BLOCK)
    path = split_fonts(find_fonts(settings), settings)["test"][0].path
    for index in np.flatnonzero(samples.font == 0)[:100]:
        mark = CLASSES[samples.true_label[index]]
        large = Image.new("L", (400, 400))
        ImageDraw.Draw(large).text((100, 100), mark, fill=255, font=ImageFont.truetype(path, 160))
        large = large.crop(large.getbbox())
        side = max(large.size)
        square = Image.new("L", (28 * side // 20, 28 * side // 20))
        square.paste(large, ((square.width - large.width) // 2, (square.height - large.height) // 2))
        expected = np.asarray(square.resize((28, 28), Image.Resampling.BOX), float)
        assert np.abs(expected - samples.x[index]).mean() < 12, mark


@pytest.mark.parametrize(("split", "start", "stop"), [("train", 0, 1), ("test", -1, 1), ("test", 2, 1)])
def test_other_splits_and_ranges_are_refused(data, split, start, stop):
    with pytest.raises(InputError, match=r"expected 0 <= start <= stop|allowed: private, public, test"):
        data.samples(split, start, stop)


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ({"shares": [0.5, 0.4, 0.2]}, "shares = (0.5, 0.4, 0.2): allowed are 3 numbers with the sum 1"),
        ({"scale": [1.1, 0.9]}, "scale = (1.1, 0.9): allowed is the lower first"),
    ],
)
def test_settings_that_do_not_fit_are_refused_by_name(block, line):
    with pytest.raises(InputError) as caught:
        GlyphSettings.from_block(block)
    assert str(caught.value) == line


def test_lists_of_a_block_are_taken():
    assert GlyphSettings.from_block({"shares": [0.5, 0.25, 0.25]}) == GlyphSettings(shares=(0.5, 0.25, 0.25))

"""A figure, drawn again from the tables that its script wrote, and whether its legends hide what it shows."""

from collections.abc import Iterator
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.path import Path as Outline
from matplotlib.transforms import Bbox, BboxTransformTo

from lib.reporting.claims.cells import read_table


def assert_redrawn(script, png, *tables):
    """Check that the script's `draw` makes the same picture of its tables as the script did: nothing else is drawn."""
    again = Path(png).with_name("drawn_again.png")
    script.draw(*map(read_table, tables), again)
    assert again.read_bytes() == Path(png).read_bytes()


def hidden_by_legends(drawn: Figure) -> list[str]:
    """Return the first label of each legend of an axis that lies over a line, point, bar, area or text of the axis."""
    drawn.draw_without_rendering()
    legends = [(axis, axis.get_legend()) for axis in drawn.axes if axis.get_legend()]
    boxes = [(axis, legend, Bbox.intersection(legend.get_window_extent(), axis.bbox)) for axis, legend in legends]
    return [
        legend.get_texts()[0].get_text()
        for axis, legend, box in boxes
        if box and any(outline.intersects_bbox(box, filled=filled) for outline, filled in _outlines(axis))
    ]


def _outlines(axis: Axes) -> Iterator[tuple[Outline, bool]]:
    """Yield what an axis shows, in pixels, and whether it is filled; points that no line joins are each an outline."""
    for line in axis.lines:
        path = line.get_path().transformed(line.get_transform())
        alone = str(line.get_linestyle()) == "None"
        yield from ((Outline([point] * 2), False) for point in path.vertices) if alone else [(path, False)]
    for patch in axis.patches:
        yield patch.get_path().transformed(patch.get_transform()), True
    for collection in axis.collections:
        filled = bool(len(collection.get_facecolor()))
        for path in collection.get_paths():
            yield path.transformed(collection.get_transform()), filled
    for text in axis.texts:
        yield Outline.unit_rectangle().transformed(BboxTransformTo(text.get_window_extent())), True

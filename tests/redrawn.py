"""A figure, drawn again from the tables that its script wrote."""

from pathlib import Path

from lib.reporting.claims.cells import read_table


def assert_redrawn(script, png, *tables):
    """Check that the script's `draw` makes the same picture of its tables as the script did: nothing else is drawn."""
    again = Path(png).with_name("drawn_again.png")
    script.draw(*map(read_table, tables), again)
    assert again.read_bytes() == Path(png).read_bytes()

"""Markdown of readings and captions as HTML of a page that stands alone."""

import re
from pathlib import Path

import pytest

from lib.reporting.site import blocks, inline

READINGS = sorted((Path(__file__).parents[2] / "report").glob("*_readings.md"))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and *words* and `a*b*c`", "<strong>bold</strong> and <em>words</em> and <code>a*b*c</code>"),
        ("a < b & 2 * 3 * 4", "a &lt; b &amp; 2 * 3 * 4"),
        (
            "[page](https://a.b/c) [file](x.csv) [there](#t)",
            '<a href="https://a.b/c">page</a> file <a href="#t">there</a>',
        ),
        ("![a picture](x.png) and [**file** `x`](x.csv)", "a picture and <strong>file</strong> <code>x</code>"),
        ("**a `b*` c** d", "<strong>a <code>b*</code> c</strong> d"),
        ("`<script>`", "<code>&lt;script&gt;</code>"),
        ("<b onclick='x'>", "&lt;b onclick='x'&gt;"),
        # what a link leads to does not leave its attribute
        ('[a](https://b.c/"onclick="x)', '<a href="https://b.c/%22onclick=%22x">a</a>'),
        ("[a](javascript:x)", "[a](javascript:x)"),
    ],
)
def test_a_line(text, html):
    assert inline(text) == html


def test_blocks():
    assert blocks("One\ntwo.\n\n* a\n  b\n* c\n\n## Head\n\n---") == (
        "<p>One\ntwo.</p>\n<ul>\n<li>a\nb</li>\n<li>c</li>\n</ul>\n<h4>Head</h4>\n<hr />\n"
    )
    assert blocks("Two things:\n* a\n* b") == "<p>Two things:</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"
    assert blocks("<script>x</script>") == "<p>&lt;script&gt;x&lt;/script&gt;</p>\n"


@pytest.mark.parametrize("path", READINGS, ids=lambda path: path.stem)
def test_readings_lose_no_word_and_keep_no_mark(path):
    text = path.read_text(encoding="utf-8")
    html = blocks(text)
    words = re.sub(r"<[^>]+>", " ", html)
    bare = re.sub(r"\]\([^)]*\)", "]", text)
    assert re.findall(r"[A-Za-z]{2,}", re.sub(r"&\w+;", " ", words)) == re.findall(r"[A-Za-z]{2,}", bare)
    outside_code = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    assert "**" not in outside_code and "`" not in outside_code

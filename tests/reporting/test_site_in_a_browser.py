"""The site of the committed results in a real browser, where there is one: no wider than its window, tables sort and
filter, links open what is folded, nothing is fetched."""

import json
import re
import shutil
import subprocess

import pytest

from lib.plan.results import TITLES
from scripts import redraw

WIDEST = "residual_perturbation"  # most and longest tables
BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium here (on Debian: apt-get install chromium)"),
]
# what a person does, and what is seen then
TRIED = """<script>addEventListener("load", () => {
const box = document.documentElement, tables = [...document.querySelectorAll("main > .box table")];
const table = tables.sort((a, b) => b.rows.length - a.rows.length)[0];
const column = () => [...table.tBodies[0].rows].map(row => row.cells[COLUMN].textContent);
const seen = {width: [box.scrollWidth, box.clientWidth], before: column()};
table.tHead.rows[0].cells[COLUMN].click(); seen.rising = column();
table.tHead.rows[0].cells[COLUMN].click(); seen.falling = column();
seen.wide = tables.filter(one => one.parentElement.scrollWidth > one.parentElement.clientWidth).length;
const field = table.parentElement.previousElementSibling;
if (field && field.tagName === "INPUT") {
  field.value = "WORDS"; field.dispatchEvent(new Event("input"));
  seen.left = [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => row.textContent);
}
seen.folded = document.querySelectorAll("details[open]").length;
location.hash = "HASH";
setTimeout(() => { seen.open = document.querySelectorAll("details[open]").length;
  seen.errors = window.failed || 0; document.title = JSON.stringify(seen); }, 300);
}); addEventListener("error", () => { window.failed = (window.failed || 0) + 1; });</script></body>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    redraw.main(["--html", str(folder)])
    return folder


def tried(site, name: str, column: int = 0, words: str = "", target: str = "", width: int = 980) -> dict:
    """What the browser saw of a page."""
    script = TRIED.replace("COLUMN", str(column)).replace("WORDS", words).replace("HASH", target)
    copy = site / f"tried_{name}_{width}.html"
    copy.write_text((site / f"{name}.html").read_text(encoding="utf-8").replace("</body>", script), encoding="utf-8")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000")
    line = [BROWSER, *flags, f"--window-size={width},1400", "--dump-dom", copy.as_uri()]
    page = subprocess.run(line, capture_output=True, text=True, check=True, timeout=300).stdout
    return json.loads(re.search(r"<title>(.*?)</title>", page, re.DOTALL)[1].replace("&amp;", "&"))


@pytest.mark.parametrize(
    "name", ["index", *(pytest.param(name, marks=[pytest.mark.long] * (name != WIDEST)) for name in TITLES)]
)
def test_a_page_is_no_wider_than_its_window_and_fetches_nothing(site, name):
    seen = tried(site, name)
    assert seen["width"][0] <= seen["width"][1] == 980
    assert (seen["wide"], seen["errors"], seen["folded"]) == (0, 0, 0)
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#|[a-z_]+\.html["'])[^"']*""", text.partition("<main>")[0])
    assert not re.findall(r"""src=["'](?!data:)""", text)


def test_on_a_narrow_screen_tables_scroll_in_their_own_boxes(site):
    seen = tried(site, "scalable_pate", width=500)  # no window of the browser is narrower
    assert seen["width"][0] <= seen["width"][1]
    assert seen["wide"] > 0


def test_a_column_of_numbers_sorts_up_and_down(site):
    seen = tried(site, "leaderboard", column=3)
    numbers = [[float(cell.partition(" ")[0]) for cell in seen[way]] for way in ("before", "rising", "falling")]
    assert numbers[0] != numbers[1] == sorted(numbers[0])
    assert numbers[2] == sorted(numbers[0], reverse=True)


def test_cells_sort_by_our_number_and_words_find_their_rows(site):
    seen = tried(site, "residual_perturbation", column=4, words="mnist strategy")
    ours = [float(re.search(r"→ ([\d.]+)", cell)[1]) for cell in seen["rising"]]
    assert ours == sorted(ours) and len(set(ours)) > 5
    assert len(seen["left"]) == 1 and "MNIST" in seen["left"][0] and "Strategy I" in seen["left"][0]


def test_a_link_to_a_table_opens_what_it_is_folded_in(site):
    assert tried(site, "dp_mac", target="table1b")["open"] == 1

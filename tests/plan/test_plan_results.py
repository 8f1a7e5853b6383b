"""The register of results: what it names is there, and what a configuration switches on follows from it."""

import copy
import re
from types import SimpleNamespace

import pytest

from lib.core.errors import InputError
from lib.plan import dp_mac, residual_perturbation, segmentation
from lib.plan.config import ROOT, load, register
from lib.plan.results import NAMES, PAPERS, TITLES, Results
from lib.reporting.outline import load_outline
from tests.offenders import each

CONFIG, REGISTER = load(), register()  # with its defaults, as the rules have it
FACTS = dp_mac.facts(CONFIG) | residual_perturbation.facts(CONFIG) | segmentation.facts(CONFIG)


def results(**over):
    config = copy.deepcopy(CONFIG)
    config["scalable_pate"] |= over
    return Results(config, REGISTER, FACTS)


@each(REGISTER)
def test_every_row_is_whole(name):
    row = REGISTER[name]
    keys = {"paper", "item", "title", "shows", "when", "page", "judged", "columns", "numbers", "caption"}
    assert set(row) == keys and row["shows"] in ("table", "figure")
    assert row["caption"].strip() and row["title"]


def test_every_key_that_a_row_names_is_one_of_the_configuration():
    made = Results(CONFIG, REGISTER, FACTS)
    assert all(isinstance(made.is_on(name), bool) for name in REGISTER)
    assert not re.search(r"\{[\w.]+\}", "".join(made.captions().values()))


def test_a_caption_may_name_a_setting_of_what_is_not_made():
    off = CONFIG | {"residual_perturbation": CONFIG["residual_perturbation"] | {"recipes": None}}
    made = Results(off, REGISTER, FACTS)
    assert not made.is_on("residual_perturbation_recipes") and made.captions()["residual_perturbation_recipes"]


def test_what_is_switched_off_is_no_target_and_is_refused_by_name():
    on, off = results(), results(selection=[])
    assert "results/quick/scalable_pate/selection.csv" in on.targets("scalable_pate")
    assert "results/quick/scalable_pate/selection.csv" not in off.targets("scalable_pate")
    assert "selection" in dict(on.judged("scalable_pate")) and "selection" not in dict(off.judged("scalable_pate"))
    on.check("scalable_pate_selection")
    with pytest.raises(InputError, match=r"_selection: preset quick does not have it; set scalable_pate\.sel"):
        off.check("scalable_pate_selection")


def test_a_figure_and_a_table_have_their_files():
    made = results()
    assert made.target("scalable_pate_fig1") == "results/quick/scalable_pate/fig1.png"
    assert made.target("scalable_pate_table2") == "results/quick/scalable_pate/table2.csv"
    assert made.file("dp_mac_fig1", "_comparison.csv") == "results/quick/dp_mac/fig1_comparison.csv"


def test_the_page_of_a_paper_shows_its_tables_and_figures():
    page = results().page_of("dp_mac")
    assert page["title"] == PAPERS["dp_mac"] and page["preset"] == "quick"
    assert set(page["columns"]) == set(page["tables"]) and "table1a" in page["tables"]
    assert page["figures"]["fig1"] == "results/quick/dp_mac/fig1.png"
    asked = {path for kind in ("tables", "figures", "numbers", "drawn") for path in page[kind].values()}
    assert asked == set(results().page_files(SimpleNamespace(paper="dp_mac")))


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_of_a_paper_comes_with_every_table_that_its_verdicts_rest_on(paper):
    made = results()
    page = made.page_of(paper)
    assert page["tables"] | page["numbers"] | dict(made.judged(paper)) == page["tables"] | page["numbers"]
    assert len(page["tables"] | page["numbers"] | page["drawn"]) == sum(
        map(len, (page["tables"], page["numbers"], page["drawn"]))
    )


def test_a_table_behind_a_verdict_is_linked_below_its_figure():
    """Named by the item of a figure that the page shows, so that the page finds its place."""
    for row in REGISTER.values():
        behind = [table for table in row["judged"] if table not in row["columns"]]
        assert not behind or row["shows"] == "figure"
        assert all(table == row["item"] or table.startswith(f"{row['item']}_") for table in behind)


def test_the_page_of_the_leaderboard_waits_for_all_that_it_shows():
    files = results().page_files(SimpleNamespace(paper="leaderboard"))
    assert {f"results/quick/leaderboard/{name}" for name in ("leaderboard.csv", "leaderboard.png")} <= set(files)
    assert {"results/quick/audit/known.csv", "results/quick/audit/known.png"} <= set(files)


def test_claims_of_one_paper_are_judged_on_its_tables_alone():
    made = results()
    one, everything = made.judging(SimpleNamespace(paper="dp_mac")), made.judging(SimpleNamespace())
    assert one["papers"] == ["dp_mac"] and set(one["results"]) == {"dp_mac"}
    assert everything["papers"] == list(PAPERS) and everything["results"]["dp_mac"] == one["results"]["dp_mac"]


def test_a_menu_calls_papers_what_their_pages_do():
    called = {paper: load_outline(ROOT / "report" / f"{paper}.yaml")["name"] for paper in PAPERS}
    assert {paper: NAMES[paper] for paper in PAPERS} == called and list(NAMES) == list(TITLES)


def test_a_preset_of_one_paper_has_its_page_alone():
    config = copy.deepcopy(CONFIG) | {"papers": ["scalable_pate"]}
    made = Results(config, REGISTER, FACTS)
    assert made.pages() == ["scalable_pate"]
    assert made.links() == {"All papers": "index.html", "Scalable PATE": "scalable_pate.html"}
    assert results().pages() == list(TITLES)


@pytest.mark.slow
def test_what_configs_first_lines_say_leaves_out_all_that_may_be_left_out():
    lists = {key: [] for key in ("selection", "noiseless", "teachers", "fig3")}
    figures = {"search": {"runs": []}, "fig1": {"students": []}, "fig4": {"left": None}, "fig5": {"runs": []}}
    left = Results(load(overrides={"scalable_pate": lists | figures}), REGISTER, FACTS)
    always = {f"scalable_pate_{item}" for item in ("table1", "table2", "epsilon", "tails")}
    assert set(left.chosen("scalable_pate")) == always
    for item in ("table1", "table2", "epsilon"):
        with pytest.raises(InputError, match=rf"scalable_pate\.{item} = \[\]: allowed is a list of at least 1"):
            load(overrides={"scalable_pate": {item: []}})

"""A misspelt target is told which one was meant; nothing else is taken for a target."""

import pytest

from lib.core.errors import InputError
from lib.plan.targets import check_resources, check_targets, targets_among

RULES = ["all", "audit", "audit_code", "claims", "scalable_pate_table1", "scalable_pate_table2", "dp_mac_fig1"]
SNAKEMAKE = "bin/snakemake"


@pytest.mark.parametrize(
    "words",
    [
        ("--cores", "2", "scalable_pate_tabel1"),
        ("--cores", "2", "--configfile", "presets/real.yaml", "--config", "data_root=x", "--", "scalable_pate_tabel1"),
        ("-n", "scalable_pate_tabel1"),
        ("scalable_pate_tabel1",),
    ],
)
@pytest.mark.parametrize("called", [SNAKEMAKE, "site-packages/snakemake/__main__.py"])
def test_a_misspelt_target_is_told_which_one_was_meant(called, words):
    with pytest.raises(InputError, match="no target 'scalable_pate_tabel1'; did you mean scalable_pate_table1"):
        check_targets(targets_among([called, *words]), RULES, "quick")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("-n", "table2"), "no target 'table2'; did you mean scalable_pate_table2."),
        (
            ("--cores", "2", "results/real/dp_mac/fig1.csv"),
            "results/real/dp_mac/fig1.csv: a file of the preset 'real', and this run makes those of 'quick'",
        ),
    ],
)
def test_half_a_name_and_a_file_of_another_preset_are_told_what_is_missing(words, line):
    with pytest.raises(InputError, match=line):
        check_targets(targets_among([SNAKEMAKE, *words]), RULES, "quick")


@pytest.mark.parametrize(
    "words",
    [
        ("--cores", "2", "audit"),
        ("--directory", "audits"),  # an option's value
        ("results/quick/claims.csvv",),
        ("--report", "results/real/report.html"),
        ("--config", "preset=claim"),
        ("--rerun-triggers", "mtime", "code", "params"),  # more than one value of an option; `code` is in audit_code
        ("quite_another_thing",),  # Snakemake says that there is none
    ],
)
def test_what_is_no_misspelt_target_is_left_alone(words):
    check_targets(targets_among([SNAKEMAKE, *words]), RULES, "quick")


def test_words_of_other_programs_are_left_alone():
    assert targets_among(["pytest", "audits"]) == []
    assert targets_among([]) == []


def test_resources_are_of_rules_that_there_are():
    check_resources({"claims": {"mem_mb": 2000}}, RULES)
    with pytest.raises(InputError, match=r"resources\.claim: there is no such rule; allowed: claims"):
        check_resources({"claim": {"mem_mb": 2000}}, RULES)

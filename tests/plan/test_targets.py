"""A misspelt target is told which one was meant; resources of no rule and images without a digest are refused."""

import pytest

from lib.core.errors import InputError
from lib.plan.targets import check_image, check_resources, check_targets
from tests.offenders import each

RULES = ["all", "audit", "claims", "scalable_pate_table1", "scalable_pate_table2", "dp_mac_fig1"]


@pytest.mark.parametrize(
    ("targets", "line"),
    [
        (["scalable_pate_tabel1"], "no target 'scalable_pate_tabel1'; did you mean scalable_pate_table1"),
        (["claims", "dp_mac_fig2"], "no target 'dp_mac_fig2'; did you mean dp_mac_fig1"),
        (["Claims"], r"no target 'Claims'; did you mean claims\?"),
        (["SCALABLE_PATE_TABEL1"], "no target 'SCALABLE_PATE_TABEL1'; did you mean scalable_pate_table1"),
        (["Table2"], "no target 'Table2'; did you mean scalable_pate_table2."),
        (["table2"], "no target 'table2'; did you mean scalable_pate_table2."),
        (
            ["results/real/dp_mac/fig1.csv"],
            "results/real/dp_mac/fig1.csv: a file of the preset 'real', and this run makes those of 'quick'",
        ),
    ],
)
def test_a_target_that_there_is_not_is_told_what_was_meant(targets, line):
    with pytest.raises(InputError, match=line):
        check_targets(targets, RULES, "quick")


@pytest.mark.parametrize(
    "targets",
    [
        [],
        ["audit"],
        ["all", "dp_mac_fig1"],
        ["results/quick/claims.csvv"],
        ["README.md"],  # a file that is there
        ["quite_another_thing"],  # Snakemake says that there is none
    ],
)
def test_what_is_no_misspelt_target_is_left_alone(targets):
    check_targets(targets, RULES, "quick")


def test_resources_are_of_rules_that_there_are():
    check_resources({"claims": {"mem_mb": 2000}}, RULES)
    with pytest.raises(InputError, match=r"resources\.claim: there is no such rule; allowed: claims"):
        check_resources({"claim": {"mem_mb": 2000}}, RULES)


DIGEST = "0123456789abcdef" * 4


@each([f"python@sha256:{DIGEST}", f"registry.example.org:5000/own/image:1.0@sha256:{DIGEST}"])
def test_an_image_may_be_named_by_its_digest(image):
    check_image(image)


@each(
    [
        "python:3.11",
        "",
        "python@sha256:0123",
        f"a@sha256:{DIGEST.upper()}",
        f"@sha256:{DIGEST}",
        "python@sha256:...",
    ]
)
def test_an_image_without_a_digest_is_refused(image):
    with pytest.raises(InputError, match=r"^container-image: .* has no digest; allowed is NAME@sha256:.*docker push"):
        check_image(image)

"""The block dp_mac of the configuration: what a schema cannot refuse."""

import copy

import pytest

from lib.plan.config import check_config
from tests.plan.configurations import CONFIG, SCHEMA, changed, refusal

SERIES = "digits_dp_mac"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (f"series.{SERIES}.dataset", "digts", f"dp_mac.series.{SERIES}.dataset = 'digts'"),
        (f"series.{SERIES}.network", None, f"dp_mac.series.{SERIES}.network = None"),
        ("series.digits_dp_cdbn.network", "digits_classifier", "allowed is null"),
        (f"series.{SERIES}.dataset", "adult", "allowed is one whose classes are known"),
        (f"series.{SERIES}.preparation", {"centre": True}, "preparation.sigma_centre: missing"),
        (f"series.{SERIES}.preparation", {"components": 3}, "preparation.sigma_pca: missing"),
        (f"series.{SERIES}.preparation", {"sigma_pca": 3.0}, "nothing to hide"),
        ("series.digits_mac.preparation", {"centre": True, "sigma_centre": 3.0}, "nothing to hide"),
        ("series.digits_dp_cdbn.preparation", {"centre": True, "sigma_centre": 3.0}, "takes images as they are"),
        ("curves.0.series", "digts", "dp_mac.curves.0.series = 'digts'"),
        ("curves.0.noise", "printed", "trained by mac; allowed: none"),
        ("curves.2.noise", "none", "allowed: printed, needed"),
        ("curves.2.epsilon", [], "at least one"),
        ("curves.0.epsilon", [8], "no epsilon"),
        ("curves.2.epsilon", [8, 3], "the paper prints [8, 4, 2, 1]"),
        ("curves.1", {"series": "digits_mac", "noise": "none", "repetitions": 1}, "stands twice"),
        ("fig4.curves", [["digits_dp_mac", "needed_2"]], "is not trained"),
        ("fig4.curves", [["digits_dp_sgd", "printed_8"]], "side by side"),
        ("fig3.curves", [["digits_mac", "none"]], "allowed is binary_cross_entropy"),
        ("sensitivity", [{"series": "usps_mac", "bound": 1.0, "threshold": 1.0}], "is not trained"),
    ],
)
def test_what_cannot_be_trained_or_shown_is_refused(path, value, message):
    assert message in refusal(changed(f"dp_mac.{path}", value))


def test_figure_1_needs_two_levels():
    config = copy.deepcopy(CONFIG)
    config["dp_mac"] |= {"fig4": {"images": 1, "curves": []}}
    config["dp_mac"]["curves"] = [{"series": SERIES, "noise": "printed", "epsilon": [8], "repetitions": 3}]
    config["dp_mac"] |= {"fig3": {"labels": [0], "curves": []}, "sensitivity": []}
    assert "at least two" in refusal(config)
    config["dp_mac"]["curves"] = []
    check_config(config, SCHEMA)


@pytest.mark.parametrize("series", [SERIES, "digits_mac"])
def test_mac_is_refused_a_softmax_output(series):
    message = refusal(changed(f"dp_mac.series.{series}.network", "mnist_classifier_abadi"))
    assert (
        f"dp_mac.series.{series}.network = 'mnist_classifier_abadi': allowed is one of output squared_error" in message
    )

"""The block dp_mac of the configuration: what a schema cannot refuse."""

import copy
from pathlib import Path

import pytest
import yaml

from lib.core.errors import InputError
from lib.plan.dp_mac_checks import check_mac

CONFIG = yaml.safe_load((Path(__file__).parents[2] / "config.yaml").read_text())
SERIES = "digits_dp_mac"


def changed(path: str, value: object) -> dict:
    config = copy.deepcopy(CONFIG)
    *way, last = path.split(".")
    block = config["dp_mac"]
    for key in way:
        block = block[int(key) if key.isdigit() else key]
    block[int(last) if last.isdigit() else last] = value
    return config


def test_every_preset_is_allowed():
    check_mac(CONFIG)
    for preset in ("real", "paper"):
        over = yaml.safe_load((Path(__file__).parents[2] / "presets" / f"{preset}.yaml").read_text())["dp_mac"]
        config = copy.deepcopy(CONFIG)
        for key, value in over.items():
            config["dp_mac"][key] = config["dp_mac"][key] | value if isinstance(value, dict) else value
        check_mac(config)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (f"series.{SERIES}.dataset", "digts", f"dp_mac.series.{SERIES}.dataset = 'digts'"),
        (f"series.{SERIES}.network", None, f"dp_mac.series.{SERIES}.network = None"),
        ("series.digits_dp_cdbn.network", "digits_classifier", "allowed is null"),
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
    with pytest.raises(InputError) as caught:
        check_mac(changed(path, value))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_figure_1_needs_two_levels():
    config = copy.deepcopy(CONFIG)
    config["dp_mac"] |= {"fig4": {"images": 1, "curves": []}}
    config["dp_mac"]["curves"] = [{"series": SERIES, "noise": "printed", "epsilon": [8], "repetitions": 3}]
    config["dp_mac"] |= {"fig3": {"labels": [0], "curves": []}, "sensitivity": []}
    with pytest.raises(InputError, match="at least two"):
        check_mac(config)
    config["dp_mac"]["curves"] = []
    check_mac(config)

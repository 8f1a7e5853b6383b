"""The plan of DP-MAC: which curves there are, what each job is told, and what its results are made of."""

import copy
from types import SimpleNamespace

import pytest

from lib.core.errors import InputError
from lib.plan import dp_mac
from lib.plan.config import register
from lib.plan.dp_mac import Curve, DpMac
from lib.plan.results import Results
from tests.plan.configurations import CONFIG

REGISTER = register()
CURVES = "results/quick/dp_mac/curves"


def planned(**over) -> DpMac:
    config = copy.deepcopy(CONFIG)
    config["dp_mac"] |= over
    return DpMac(config, Results(config, REGISTER, dp_mac.facts(config)))


def job(series: str, level: str, part: str) -> SimpleNamespace:
    return SimpleNamespace(series=series, level=level, part=part)


def test_a_curve_is_a_job_a_level_and_where_not_side_by_side_a_repetition():
    curves = [
        {"series": "digits_dp_mac", "noise": "needed", "epsilon": [8, 0.5], "repetitions": 3},
        {"series": "digits_classifier_mac", "noise": "none", "repetitions": 2},
        {"series": "digits_dp_sgd", "noise": "printed", "epsilon": [1], "repetitions": 2},
    ]
    plan = planned(curves=curves)
    autoencoders = [Curve("digits_dp_mac", "needed_8", "all"), Curve("digits_dp_mac", "needed_0.5", "all")]
    autoencoders += [Curve("digits_dp_sgd", "printed_1", str(part)) for part in (1, 2)]
    assert plan.curves("dp_mac_table1b") == plan.curves("dp_mac_fig1") == autoencoders
    assert plan.curves("dp_mac_table1a") == [Curve("digits_classifier_mac", "none", "all")]
    curve = f"{CURVES}/digits_classifier_mac/none/all"
    assert plan.files("dp_mac_table1a", "records", "beside")(None) == {
        "records": [f"{curve}.json"],
        "beside": [f"{curve}.csv"],
    }
    assert plan.references(None) == "results/quick/dp_mac/references/digits_dp_mac.json"


def test_every_series_has_one_trainer():
    plan = planned()
    trained = [
        plan.series_trained_by(*methods)
        for methods in (("mac", "dp_mac"), ("backpropagation", "dp_sgd"), ("cdbn", "dp_cdbn", "dp_cdbn_published"))
    ]
    assert sorted(name for names in trained for name in names) == sorted(CONFIG["dp_mac"]["series"])


def test_draws_are_keyed_by_series_and_level():
    settings = planned().curve_settings(job("digits_dp_sgd", "printed_8", "2"))
    assert settings["job"] == ["digits_dp_sgd", "printed_8"] and settings["repetitions"] == [2]
    assert (settings["noise"], settings["epsilon"]) == ("printed", "8")
    assert settings["checkpoint"] == "results/quick/checkpoints/digits_dp_sgd/printed_8/2.npz"
    network = CONFIG["dp_mac"]["networks"]["digits_autoencoder"]
    expected = CONFIG["dp_mac"]["series"]["digits_dp_sgd"] | {"network": network, "classes": 10}
    for name in ("label", "title", "variant", "stands_for", "protocol", "side_by_side"):  # nothing computes with them
        del expected[name]
    assert settings["series"] == expected
    plain = planned().curve_settings(job("digits_mac", "none", "all"))
    assert (plain["noise"], plain["epsilon"], plain["repetitions"]) == ("none", None, [1, 2])
    lines = planned().reference_settings(SimpleNamespace(series="digits_mac"))
    images = {name: plain["series"][name] for name in ("train", "test", "largest")}
    assert lines["job"] == ["reference_lines", "digits_mac"] and lines["series"] == images


def test_a_belief_network_has_no_network_of_the_catalogue():
    assert planned().curve_settings(job("digits_dp_cdbn", "none", "1"))["series"]["network"] is None


@pytest.mark.parametrize("level", ["none", "printed_8", "needed_3"])
def test_all_repetitions_of_what_the_preset_does_not_have_are_refused(level):
    wanted = job("digits_dp_mac_fixed", level, "all")
    with pytest.raises(InputError, match=rf"^dp_mac\.curves: has none of digits_dp_mac_fixed with noise {level}$"):
        planned().data_of_curve(wanted)


def test_all_repetitions_of_what_is_trained_one_by_one_are_refused():
    with pytest.raises(InputError, match=r"^digits_dp_sgd: each repetition is a job of its own; allowed are 1, 2, "):
        planned().data_of_curve(job("digits_dp_sgd", "printed_1", "all"))


def test_figures_show_networks_that_are_trained_side_by_side():
    plan, weights = planned(), "results/quick/private/dp_mac/weights"
    pairs = [["digits_mac", "none"], ["digits_dp_mac", "needed_8"], ["digits_dp_mac", "needed_1"]]
    assert CONFIG["dp_mac"]["fig4"]["curves"] == pairs
    files = plan.files("dp_mac_fig4", "weights", "data")(None)
    assert files["weights"] == [f"{weights}/{series}/{level}/all.npz" for series, level in pairs]
    assert files["data"] == ["results/quick/private/data/digits.npz"]
    bounded = ("digits_mac", "digits_classifier_mac")
    files = plan.files("dp_mac_sensitivity", "records", "data")(None)
    assert files["records"] == [f"{CURVES}/{series}/none/all.json" for series in bounded]
    assert files["data"] == ["results/quick/private/data/digits.npz"] * 2
    assert plan.sensitivity_settings(None)["thresholds"] == [0.01, 0.1]


def only(series: str) -> dict:
    """A preset with one curve without noise."""
    return {"curves": [{"series": series, "noise": "none", "repetitions": 1}]}


@pytest.mark.parametrize(
    ("over", "off", "key"),
    [
        (only("digits_mac"), "dp_mac_table1a", "curves of classifiers"),
        (only("digits_classifier_mac"), "dp_mac_table1b", "curves of autoencoders"),
        ({"fig3": CONFIG["dp_mac"]["fig3"] | {"curves": []}}, "dp_mac_fig3", "fig3.curves"),
        ({"sensitivity": []}, "dp_mac_sensitivity", "sensitivity"),
    ],
)
def test_inputs_of_what_is_switched_off_are_refused_by_its_key(over, off, key):
    with pytest.raises(InputError, match=rf"^{off}: preset quick does not have it; set dp_mac\.{key}$"):
        planned(**over).files(off, "records")(None)

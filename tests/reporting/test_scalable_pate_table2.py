"""What Table 2 of Scalable PATE says of several repetitions."""

from pate_accountant.statement import PrivacyStatement
from scripts.scalable_pate_table2 import row

ENSEMBLE = {"label": "Own", "protocol": "reduced"}
RUN = {"ensemble": ENSEMBLE, "aggregator": "confident_gnmax", "delta": 1e-3, "name": "own"}


GUARANTEED = {"data_dependent": False, "one_sided": False, "proved_bound": True}


def stated(epsilon, **more):
    said = {"delta": 1e-3, "accountant": "rdp", "conversion": "classic", "neighbouring": "replace_one"}
    said |= {"data_dependent": True, "sanitized": False, "one_sided": True, "proved_bound": False}
    return PrivacyStatement(epsilon=epsilon, **said | more)


def test_what_is_said_to_be_released_is_one_draw_and_the_others_are_means():
    records = []
    for mean, drawn in ((4.0, 3.0), (5.0, 7.0)):
        privacy = {"epsilon": stated(mean), "sanitized_epsilon_fixed": stated(mean)}
        privacy["epsilon_caps_with_release"] = stated(6.0, **GUARANTEED)
        privacy["sanitized_epsilon_released"] = stated(drawn, sanitized=True)
        records.append({"dataset": "own", "fingerprint": "ab" * 32, "privacy": privacy, "private_metrics": {}})
    found = row(RUN, records)
    assert found["fixed_sanitized_epsilon_released"] == records[0]["privacy"]["sanitized_epsilon_released"]
    assert found["fixed_sanitized_epsilon_mean"].epsilon == 4.5 and found["seeds"] == 2
    assert found["epsilon_caps_with_release"] == stated(6.0, **GUARANTEED)
    assert [name for name, cell in found.items() if getattr(cell, "sanitized", False)] == [
        "fixed_sanitized_epsilon_released"
    ]

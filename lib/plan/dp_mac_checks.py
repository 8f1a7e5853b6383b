"""Check what no schema can of DP-MAC's configuration: levels that must be trained."""

from lib.core.errors import InputError
from lib.data import registry
from lib.plan.dp_mac_block import BELIEF, PLAIN


def check_mac(config: dict) -> None:
    """Raise InputError for the first fault in the block dp_mac: the key, its value, and what is allowed."""
    block = config["dp_mac"]
    series, networks = block["series"], block["networks"]
    for name, each in series.items():
        if (each["method"] in BELIEF) != (each["network"] is None):
            allowed = "null" if each["method"] in BELIEF else f"one of {', '.join(networks)}"
            raise InputError(
                f"dp_mac.series.{name}.network = {each['network']!r}: allowed is {allowed}, for its method"
            )
        dataset = each["dataset"]
        if registry.get(config["datasets"][dataset]["module"], dataset).classes is None:
            raise InputError(f"dp_mac.series.{name}.dataset = {dataset!r}: allowed is one whose classes are known")
        if each["method"] in ("mac", "dp_mac") and networks[each["network"]]["output"] == "softmax_cross_entropy":
            raise InputError(
                f"dp_mac.series.{name}.network = {each['network']!r}: allowed is one of output squared_error or "
                "binary_cross_entropy, whose units MAC expands one by one"
            )
    trained: set[tuple] = set()
    for place, curve in enumerate(block["curves"]):
        key, name, noise = f"dp_mac.curves.{place}", curve["series"], curve["noise"]
        if (series[name]["method"] in PLAIN) != (noise == "none"):
            allowed = "none" if series[name]["method"] in PLAIN else "printed, needed"
            raise InputError(
                f"{key}.noise = {noise!r}: {name} is trained by {series[name]['method']}; allowed: {allowed}"
            )
        levels = curve.get("epsilon", [])
        if bool(levels) == (noise == "none"):
            raise InputError(f"{key}.epsilon = {levels}: allowed is {'no epsilon' if levels else 'at least one'}")
        printed = [epsilon for epsilon, _ in series[name].get("printed", [])]
        for epsilon in levels if noise == "printed" else []:
            if epsilon not in printed:
                raise InputError(f"{key}.epsilon = {levels}: the paper prints {printed} for {name}; allowed are these")
        found = {(name, f"{noise}_{epsilon:g}") for epsilon in levels} or {(name, noise)}
        if found & trained:
            raise InputError(f"{key}: {name} at {sorted(found & trained)[0][1]} stands twice; allowed is once")
        trained |= found
    outputs = {
        name: networks[each["network"]]["output"] if each["network"] else "binary_cross_entropy"
        for name, each in series.items()
    }
    compared = [curve for curve in block["curves"] if outputs[curve["series"]] == "squared_error"]
    compared_main = [curve for curve in compared if series[curve["series"]]["variant"] == "main"]
    if compared and max((len(curve.get("epsilon", [])) for curve in compared_main), default=0) < 2:
        raise InputError(
            "dp_mac.curves: Figure 1 compares epsilons; allowed are at least two of one autoencoder's variant main"
        )
    for key, pairs in (
        ("fig3.curves", block["fig3"]["curves"]),
        ("fig4.curves", block["fig4"]["curves"]),
        ("sensitivity", [(entry["series"], "none") for entry in block["sensitivity"]]),
    ):
        for name, level in pairs:
            if (name, level) not in trained or not series[name]["side_by_side"]:
                raise InputError(
                    f"dp_mac.{key}: {name} at {level} is not trained; allowed are those of dp_mac.curves that are "
                    "trained side by side"
                )
    for key, output in (("fig3", "binary_cross_entropy"), ("fig4", "squared_error")):
        for name, _ in block[key]["curves"]:
            if outputs[name] != output:
                raise InputError(f"dp_mac.{key}.curves: {name} has another output; allowed is {output}")

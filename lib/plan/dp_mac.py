"""Jobs of DP-MAC: its curves and those beside them, and the results made of these."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lib.core.errors import InputError
from lib.data import registry
from lib.plan.layout import Layout, of_job
from lib.plan.results import Results
from lib.plan.words import without_words, words_of


class Curve(NamedTuple):
    """A job that trains repetitions of a series at a level of noise.

    level: the kind of noise and, unless it is none, the paper's epsilon (`needed_8`). part: a repetition, or `all`
    where they are trained side by side.
    """

    series: str
    level: str
    part: str


def facts(config: Mapping[str, Any]) -> dict[str, bool]:
    """Return the conditions of results that are no key of the configuration."""
    return {
        "dp_mac.curves of autoencoders": bool(chosen_curves(config, reconstruct=True)),
        "dp_mac.curves of classifiers": bool(chosen_curves(config, reconstruct=False)),
    }


def chosen_curves(config: Mapping[str, Any], reconstruct: bool) -> list[Curve]:
    """Return the curves that the preset chooses, of autoencoders, which reconstruct, or else of classifiers."""
    block, curves = config["dp_mac"], []
    for curve in block["curves"]:
        series = block["series"][curve["series"]]
        network = block["networks"].get(series["network"])
        if reconstruct != (network is not None and network["output"] == "squared_error"):
            continue
        parts = ["all"] if series["side_by_side"] else range(1, curve["repetitions"] + 1)
        levels = [f"{curve['noise']}_{epsilon:g}" for epsilon in curve.get("epsilon", [])] or [curve["noise"]]
        curves += [Curve(curve["series"], level, str(part)) for level in levels for part in parts]
    return curves


class DpMac:
    """Files and settings of every job of DP-MAC, as functions of a job's wildcards or of a result."""

    def __init__(self, config: Mapping[str, Any], results: Results) -> None:
        """config: the whole, checked configuration. results: which of them it switches on."""
        self.config, self.results = config, results
        self.layout = Layout(config["preset"])
        self.folder = self.layout.of("dp_mac")
        self.block = config["dp_mac"]
        self.device = self.block["device"] or config["device"]
        self.series = self.block["series"]

    def series_trained_by(self, *methods: str) -> list[str]:
        """Names of the series of some methods."""
        return [name for name, series in self.series.items() if series["method"] in methods]

    def trained(self, *methods: str) -> list[dict[str, str]]:
        """Wildcards of the curves of some methods that the preset chooses."""
        names = self.series_trained_by(*methods)
        chosen = [*chosen_curves(self.config, reconstruct=True), *chosen_curves(self.config, reconstruct=False)]
        return [curve._asdict() for curve in chosen if curve.series in names]

    # ------------------------------------------------------------ curves and reference lines

    def data(self, wildcards: Any) -> str:
        """Input: the prepared images of a series."""
        return self._data(wildcards.series)

    def data_of_curve(self, wildcards: Any) -> str:
        """Input: the same for a curve; InputError where the preset does not say how many repetitions it has."""
        self.repetitions(wildcards)
        return self.data(wildcards)

    def curve_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_mac`, `train_sgd` and `train_cdbn`."""
        kind, _, epsilon = wildcards.level.partition("_")
        return {
            **of_job(self.config, wildcards.series, wildcards.level, dataset=self.series[wildcards.series]["dataset"]),
            "series": self._trained(wildcards.series),
            "noise": kind,
            "epsilon": epsilon or None,
            "repetitions": self.repetitions(wildcards),
            "accounting": {"orders": self.config["accounting"]["orders"]},
            "device": self.device,
            "checkpoint": self.layout.checkpoint(wildcards.series, wildcards.level, wildcards.part),
        }

    def repetitions(self, wildcards: Any) -> list[int]:
        """Return a job's repetitions; InputError for all of what is not chosen, or is trained one by one."""
        if wildcards.part != "all":
            return [int(wildcards.part)]
        if not self.series[wildcards.series]["side_by_side"]:
            raise InputError(f"{wildcards.series}: each repetition is a job of its own; allowed are 1, 2, ..., not all")
        kind, _, epsilon = wildcards.level.partition("_")
        for curve in self.block["curves"]:
            if (curve["series"], curve["noise"]) == (wildcards.series, kind) and (
                not epsilon or float(epsilon) in curve["epsilon"]
            ):
                return list(range(1, curve["repetitions"] + 1))
        raise InputError(f"dp_mac.curves: has none of {wildcards.series} with noise {wildcards.level}")

    def _trained(self, series: str) -> dict[str, Any]:
        """How a series is trained, with its network's block in place of its name, and the classes of its dataset."""
        block = without_words(self.series[series], "side_by_side")
        dataset = block["dataset"]
        classes = registry.get(self.config["datasets"][dataset]["module"], dataset).classes
        return block | {"network": self.block["networks"].get(block["network"]), "classes": classes}

    def reference_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `reference_lines`."""
        series = self.series[wildcards.series]
        return of_job(self.config, "reference_lines", wildcards.series, dataset=series["dataset"]) | {
            "series": {name: series[name] for name in ("train", "test", "largest")},
            "components": self.block["components"],
        }

    # ------------------------------------------------------------ results: inputs, of which each checks that it is on

    def files(self, result: str, *kinds: str) -> Callable[[Any], dict[str, list[str]]]:
        """Input: of each curve of a result its record, its errors by epoch (`beside`) or its weights; and the images.

        data: those of each network whose sensitivity is measured; those that all networks of a figure share.
        """

        def of_job(wildcards: Any) -> dict[str, list[str]]:
            curves, weights = self.curves(result), f"{self.layout.private}/dp_mac/weights"
            known = {
                "records": [self._file(curve, ".json") for curve in curves],
                "beside": [self._file(curve, ".csv") for curve in curves],
                "weights": [f"{weights}/{'/'.join(curve)}.npz" for curve in curves],
                "data": [self._data(curve.series) for curve in curves][: None if result == "dp_mac_sensitivity" else 1],
            }
            return {kind: known[kind] for kind in kinds}

        return of_job

    def references(self, wildcards: Any) -> str:
        """Input: the reference lines, which are of the first autoencoder's data."""
        return f"{self.folder}/references/{self.curves('dp_mac_table1b')[0].series}.json"

    def curves(self, result: str) -> list[Curve]:
        """Return the curves that a result shows; InputError where it is switched off."""
        self.results.check(result)
        if result in ("dp_mac_fig3", "dp_mac_fig4"):
            pairs = self.block[self.results.item(result)]["curves"]
        elif result == "dp_mac_sensitivity":
            pairs = [(entry["series"], "none") for entry in self.block["sensitivity"]]
        else:
            return chosen_curves(self.config, reconstruct=result != "dp_mac_table1a")
        return [Curve(series, level, "all") for series, level in pairs]

    def _data(self, series: str) -> str:
        return self.layout.data(self.series[series]["dataset"])

    def _file(self, curve: Curve, suffix: str) -> str:
        return f"{self.folder}/curves/{'/'.join(curve)}{suffix}"

    # ------------------------------------------------------------ results: settings

    def budget_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `dp_mac_budget`."""
        return {"budget": self.block["budget"], "accounting": {"orders": self.config["accounting"]["orders"]}}

    def shown(self, result: str) -> Callable[[Any], dict[str, Any]]:
        """Return the settings of a result made of curves: what it says of each series, by name."""
        return lambda wildcards: {
            "series": {curve.series: words_of(self.series[curve.series]) for curve in self.curves(result)}
        }

    def sensitivity_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `dp_mac_sensitivity`."""
        bounded = self.block["sensitivity"]
        return self.shown("dp_mac_sensitivity")(wildcards) | {
            "seed": self.config["seed"],
            "bounds": [entry["bound"] for entry in bounded],
            "thresholds": [entry["threshold"] for entry in bounded],
        }

    def fig2_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `dp_mac_fig2`."""
        return {"seed": self.config["seed"]} | self.block["fig2"]

    def fig3_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `dp_mac_fig3`."""
        own = {"seed": self.config["seed"], "labels": self.block["fig3"]["labels"]}
        return self.shown("dp_mac_fig3")(wildcards) | own

    def fig4_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `dp_mac_fig4`."""
        own = {"seed": self.config["seed"], "images": self.block["fig4"]["images"]}
        return self.shown("dp_mac_fig4")(wildcards) | own

"""What the rules of DP-MAC share: its curves and their files."""

MAC = f"{RESULTS}/dp_mac"
SERIES = config["dp_mac"]["series"]


def curves_of(choose=lambda series: True):
    """The curves that the preset chooses, of some series: (series, level, part), a job each.

    A level is a kind of noise with the paper's epsilon; a part is a repetition, or `all` where they are trained
    side by side.
    """
    found = []
    for curve in config["dp_mac"]["curves"]:
        name, repetitions = curve["series"], curve["repetitions"]
        parts = ["all"] if SERIES[name]["side_by_side"] else range(1, repetitions + 1)
        levels = [f"{curve['noise']}_{epsilon:g}" for epsilon in curve.get("epsilon", [])] or [curve["noise"]]
        if choose(SERIES[name]):
            found += [(name, level, str(part)) for level in levels for part in parts]
    return found


def repetitions_of(wildcards):
    """The repetitions that one job trains."""
    if wildcards.part != "all":
        return wildcards.part
    kind, _, epsilon = wildcards.level.partition("_")
    for curve in config["dp_mac"]["curves"]:
        if (curve["series"], curve["noise"]) == (wildcards.series, kind) and (
            not epsilon or float(epsilon) in curve["epsilon"]
        ):
            return list(range(1, curve["repetitions"] + 1))
    refuse(f"dp_mac.curves: has none of {wildcards.series} with noise {wildcards.level}")


def level_options(level):
    """The options that tell a script of a level."""
    kind, _, epsilon = level.partition("_")
    return f"--noise {kind}" + (f" --epsilon {epsilon}" if epsilon else "")


def described_series(name):
    """A series' block with its network's in place of its name, as text."""
    return compact(SERIES[name] | {"network": config["dp_mac"]["networks"].get(SERIES[name]["network"])})


def records_of(curves):
    """The records of some curves; errors by epoch lie beside each as .csv."""
    return [f"{MAC}/curves/{series}/{level}/{part}.json" for series, level, part in curves]


def named_curves(pairs):
    """Curves that a figure names by series and level, which are trained side by side."""
    return [(series, level, "all") for series, level in pairs]


def weights_files(curves):
    return [f"{PRIVATE}/dp_mac/weights/{series}/{level}/{part}.npz" for series, level, part in curves]


def data_of(series):
    return f"{PRIVATE}/data/{SERIES[series]['dataset']}.npz"


def reconstructs(series):
    """Whether a series trains autoencoders; else it trains classifiers."""
    network = config["dp_mac"]["networks"].get(series["network"])
    return network is not None and network["output"] == "squared_error"


AUTOENCODERS, CLASSIFIERS = curves_of(reconstructs), curves_of(lambda series: not reconstructs(series))
# the reference lines are of the first autoencoder's data
REFERENCE = AUTOENCODERS[0][0] if AUTOENCODERS else None

"""What the rules of a release share: of which run it is, and where its parts lie."""

# Where its parts lie that are not in the folder itself.
RELEASE, PARTS, PUBLIC = config["release"], f"{RESULTS}/release_parts", f"{RESULTS}/public"
RELEASED = [name for name in [RELEASE["run"]] if name]
NETWORK_RELEASED, CLASSIFIER_RELEASED = by_network(RELEASED, lambda run: RUNS[run]["student"])


def released_run():
    """The run that a release is of; ends the workflow with one line if there is none."""
    if not RELEASE["run"]:
        refuse("release.run = None: there is nothing to release; allowed is the name of a run")
    return RELEASE["run"]


def public_of(run, repetition, suffix):
    """The public part of a run's data, or its record."""
    ensemble = RUNS[run]["ensemble"]
    return f"{PUBLIC}/{ensemble}/{drawn_of(ensemble, repetition)}.{suffix}"


def release_records(wildcards):
    """Records of every job whose work a release holds."""
    run, repetition = released_run(), RELEASE["repetition"]
    sanitized = f"{PATE}/sanitized/{run}/{drawn_of(RUNS[run]['ensemble'], repetition)}.json"
    return [
        f"{PARTS}/{run}/{repetition}.json",
        public_of(run, repetition, "json"),
        f"{PATE}/aggregated/{run}/{repetition}.json",
        *([sanitized] if RELEASE["sanitized"] else []),
    ]


def release_arrays(wildcards):
    """The public files that those jobs wrote, which are compared with what their records say of them."""
    run, repetition = released_run(), RELEASE["repetition"]
    return [public_of(run, repetition, "npz"), f"{PATE}/aggregated/{run}/{repetition}.npz"]

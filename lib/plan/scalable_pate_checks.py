"""Check what no schema can of ensembles, and of the runs, tables and figures of Scalable PATE; and of the release."""

from collections.abc import Collection

from lib.core.errors import InputError
from lib.core.model_kinds import NETWORKS, TEACHERS
from lib.data import registry
from lib.release.kinds import KINDS
from pate_accountant.discrete import is_discrete


def check_scalable_pate(config: dict, claims: Collection[str] = ()) -> None:
    """Raise InputError for the first fault in ensembles and scalable_pate: the key, its value, and what is allowed.

    claims: identifiers that a run may name; unchecked if there are none.
    """
    paper = config["scalable_pate"]
    _check_claims(paper["runs"], claims)
    _check_kinds(config)
    _check_aggregators(paper)
    _check_noise(paper)
    _check_figures(config)
    _check_rounds(config)
    _check_sizes(config)
    _check_deltas(config)


def check_release(config: dict) -> None:
    """Require votes that nobody has published, a mechanism with caps, and a student that can be kept."""
    release, runs = config["release"], config["scalable_pate"]["runs"]
    name = release["run"]
    if name is None:
        return
    allowed = [
        other
        for other, run in runs.items()
        if run["aggregator"] in ("gnmax", "confident_gnmax")
        and config["ensembles"][run["ensemble"]]["kind"] == "trained"
        and run.get("student")
        and config["models"][run["student"]]["kind"] in KINDS
    ]
    if name not in allowed:
        raise InputError(
            f"release.run = {name!r}: allowed are runs of gnmax and confident_gnmax on ensembles trained here, with a "
            f"student of kind {', '.join(KINDS)}: {', '.join(allowed) or 'there is none'}"
        )
    dataset = config["ensembles"][runs[name]["ensemble"]]["dataset"]
    if registry.get(config["datasets"][dataset]["module"], dataset).unordered:
        raise InputError(
            f"release.run = {name!r}: {dataset} is brought into an order that depends on all its records, so that "
            "another record would move others to other teachers; allowed are datasets in the order of their files"
        )
    repetitions = config.get("repetitions", release.get("repetition", 1))
    if release.get("repetition", 1) > repetitions:
        raise InputError(
            f"release.repetition = {release['repetition']}: allowed is at most repetitions = {repetitions}"
        )
    if release.get("sanitized") and (runs[name]["aggregator"] != "confident_gnmax" or is_discrete(runs[name])):
        raise InputError(
            f"release.sanitized = True: {name} has no data-dependent epsilon to release; allowed for a run of "
            "confident_gnmax with continuous noise"
        )


def _check_claims(runs: dict, claims: Collection[str]) -> None:
    for name, run in runs.items():
        for column, claim in run.get("claims", {}).items():
            if claims and claim not in claims:
                raise InputError(
                    f"scalable_pate.runs.{name}.claims.{column} = {claim!r}: "
                    "allowed is an id of claims.csv or checks.csv"
                )


def check_kind(config: dict, key: str, model: str, allowed: Collection[str], why: str) -> None:
    """Raise InputError where the model that a key names is of a kind that its role, in words `why`, does not take."""
    kind = config["models"][model]["kind"]
    if kind not in allowed:
        raise InputError(f"{key} = {model!r}: its kind is {kind}; {why}, allowed are {', '.join(allowed)}")


def _check_kinds(config: dict) -> None:
    """Teachers learn from labels alone; of samples that are made where they are used, networks learn alone."""
    alone = sorted(NETWORKS)

    def generated(ensemble: dict) -> bool:
        return config["datasets"][ensemble.get("samples", ensemble["dataset"])]["source"] == "generated"

    for name, ensemble in config["ensembles"].items():
        key, made = f"ensembles.{name}", generated(ensemble)
        if ensemble["kind"] == "trained":
            kinds = [kind for kind in TEACHERS if not made or kind in NETWORKS]
            of_whom = "for teachers" + " on generated samples" * made
            check_kind(config, f"{key}.model", ensemble["model"], kinds, of_whom)
        if made and "baseline_model" in ensemble:
            check_kind(config, f"{key}.baseline_model", ensemble["baseline_model"], alone, "on generated samples")
    for name, run in config["scalable_pate"]["runs"].items():
        if run.get("student") and generated(config["ensembles"][run["ensemble"]]):
            key = f"scalable_pate.runs.{name}.student"
            check_kind(config, key, run["student"], alone, "on generated samples")


def _check_aggregators(paper: dict) -> None:
    """Where a table or figure is about some mechanisms only, its runs must be of these, and have what it shows."""
    confident, both = ("confident_gnmax",), ("confident_gnmax", "interactive_gnmax")
    for key, names, allowed, needs_student in (
        ("table2", paper["table2"], confident, False),
        ("selection", paper["selection"], both, False),
        ("noiseless", paper["noiseless"], confident, True),
        ("search.runs", paper["search"]["runs"], confident, False),
        ("fig1.students", paper["fig1"]["students"], ("lnmax", "confident_gnmax"), True),
    ):
        for name in names:
            run = paper["runs"][name]
            if run["aggregator"] not in allowed or (needs_student and not run.get("student")):
                has = f"its aggregator is {run['aggregator']}" + f", its student {run.get('student')}" * needs_student
                raise InputError(
                    f"scalable_pate.{key} = {name!r}: {has}; "
                    f"allowed: runs of {' or '.join(allowed)}{' with a student' * needs_student}"
                )


def _check_noise(paper: dict) -> None:
    """Tables and figures show data-dependent costs, which discrete noise has none of."""
    shown = {key: paper[key] for key in ("table1", "table2", "epsilon", "selection", "noiseless")}
    fig1, fig5 = paper["fig1"], paper["fig5"]
    shown |= {"search.runs": paper["search"]["runs"], "fig5.runs": fig5["runs"]}
    if fig1["students"]:
        shown |= {
            "fig1.students": fig1["students"],
            "fig1.curves": fig1["curves"],
            "fig1.selection": [fig1["selection"]],
        }
    for key, names in shown.items():
        for name in names:
            if is_discrete(paper["runs"][name]):
                raise InputError(
                    f"scalable_pate.{key} = {name!r}: its noise is discrete; allowed are runs with continuous noise"
                )


def _check_figures(config: dict) -> None:
    """Figures 1 and 5 show runs by their role, all on one ensemble; of what is inspected the true labels are known."""
    paper, ensembles = config["scalable_pate"], config["ensembles"]
    fig1, fig5 = paper["fig1"], paper["fig5"]
    roles = {"fig1.curves": ("lnmax", "confident_gnmax"), "fig5.runs": ("lnmax", "confident_gnmax", "confident_gnmax")}
    shown = {"fig1.curves": fig1["curves"] if fig1["students"] else [], "fig5.runs": fig5["runs"]}
    for key, names in shown.items():
        if names and tuple(paper["runs"][name]["aggregator"] for name in names) != roles[key]:
            raise InputError(
                f"scalable_pate.{key} = {names}: allowed are runs of {', '.join(roles[key])}, in this order"
            )
    selection = fig1["selection"]
    if fig1["students"] and paper["runs"][selection]["aggregator"] != "confident_gnmax":
        raise InputError(f"scalable_pate.fig1.selection = {selection!r}: allowed is a run of confident_gnmax")
    together = {"fig1": [*fig1["students"], *shown["fig1.curves"], selection] if fig1["students"] else []}
    for key, names in (together | {"fig5.runs": fig5["runs"]}).items():
        used = sorted({paper["runs"][name]["ensemble"] for name in names})
        if len(used) > 1:
            raise InputError(f"scalable_pate.{key}: runs on {', '.join(used)}; allowed is one ensemble")
        _check_pool(config, key.partition(".")[0], used)
    if paper["fig4"]["left"] and paper["fig4"]["right"]:
        _check_pool(config, "fig4", [paper["fig4"]["left"], *paper["fig4"]["right"]])
    inspected = {key: paper[key] for key in ("selection", "noiseless")} | {"search.runs": paper["search"]["runs"]}
    inspected = {key: [(name, paper["runs"][name]["ensemble"]) for name in names] for key, names in inspected.items()}
    for key, pairs in (inspected | {"teachers": [(name, name) for name in paper["teachers"]]}).items():
        for name, ensemble in pairs:
            block = ensembles[ensemble]
            if block["kind"] == "published" and not {"samples", "labelled"} & set(block):
                raise InputError(
                    f"scalable_pate.{key} = {name!r}: ensemble {ensemble} has published votes, no samples and no "
                    "labels; allowed are those that have either"
                )


def _check_pool(config: dict, figure: str, ensembles: list[str]) -> None:
    """Require the queries of a figure to be there."""
    queries = config["scalable_pate"][figure]["queries"]
    for name in ensembles:
        public = config["ensembles"][name].get("public", queries)
        if queries > public:
            raise InputError(
                f"scalable_pate.{figure}.queries = {queries}: allowed is at most the public = {public} of {name}"
            )


def _check_rounds(config: dict) -> None:
    """Require a first round by Confident-GNMax with a student, on the same ensemble, which is trained here."""
    runs = config["scalable_pate"]["runs"]
    for name, run in runs.items():
        if "first_round" not in run:
            continue
        allowed = [
            other
            for other, block in runs.items()
            if block["aggregator"] == "confident_gnmax"
            and block.get("student")
            and block["ensemble"] == run["ensemble"]
            and config["ensembles"][block["ensemble"]]["kind"] == "trained"
        ]
        if run["first_round"] not in allowed:
            raise InputError(
                f"scalable_pate.runs.{name}.first_round = {run['first_round']!r}: allowed is a run of confident_gnmax "
                f"with a student, on an ensemble trained here, the same: {', '.join(allowed) or 'there is none'}"
            )


def _check_sizes(config: dict) -> None:
    """Require a pool for the queries."""
    ensembles = config["ensembles"]
    for name, run in config["scalable_pate"]["runs"].items():
        ensemble, queries = ensembles[run["ensemble"]], run["queries"]
        key = f"scalable_pate.runs.{name}"
        if run.get("student") and ensemble["kind"] == "published" and "samples" not in ensemble:
            raise InputError(
                f"{key}.student = {run['student']!r}: ensemble {run['ensemble']} has published votes and no samples "
                "to train on; allowed is null"
            )
        if ensemble["kind"] != "published" and run.get("labels"):
            raise InputError(f"{key}.labels = {run['labels']!r}: the ensemble is trained here; leave the key out")
        if isinstance(queries, str):
            if ensemble["kind"] != "published":
                raise InputError(f"{key}.queries = {queries!r}: the ensemble is trained here; allowed is a number")
        elif run.get("first", 0) + queries > ensemble.get("public", run.get("first", 0) + queries):
            raise InputError(
                f"{key}.queries = {queries!r}: from row {run.get('first', 0)} on, allowed is at most the ensemble's "
                f"public = {ensemble['public']}"
            )


def _check_deltas(config: dict) -> None:
    """Refuse a delta above one in all private records, which publishing one of them at random has."""
    for name, run in config["scalable_pate"]["runs"].items():
        private = config["ensembles"][run["ensemble"]].get("private")
        if private and run["delta"] * private > 1:
            raise InputError(
                f"scalable_pate.runs.{name}.delta = {run['delta']}: allowed is at most one in ensembles."
                f"{run['ensemble']}.private = {private}, {1 / private:.3g}"
            )

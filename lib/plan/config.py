"""The configuration, refused in one line before any job starts."""

import copy
import difflib
import math
import re
from collections.abc import Collection

import jsonschema

from lib.accounting.discrete import is_discrete
from lib.core.errors import InputError
from lib.plan.dp_mac_checks import check_mac
from lib.plan.leaderboard_checks import check_leaderboard
from lib.plan.residual_perturbation_checks import check_attacks
from lib.plan.segmentation_checks import check_segmentation
from lib.release.kinds import KINDS

_CLOSED = ("additionalProperties", "unevaluatedProperties")
# JSON takes 2.0 for an integer, and whatever counts things would not
_TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda checker, value: isinstance(value, int) and not isinstance(value, bool)
)
_Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=_TYPES)


def check_config(config: dict, schema: dict, claims: Collection[str] = ()) -> None:
    """Raise InputError for the first fault: the key, its value, and what is allowed, on one line.

    First the schema, then what a schema cannot say: numbers that are finite, text of one line, names that must exist,
    claims among the identifiers `claims` (unchecked if there are none), and sizes that must fit.
    """
    _check_scalars(config, ())
    validator = _Validator(schema)
    # The deepest fault first, and of those the key that should not be there: a misspelt key is also a missing one. Keys
    # count as unevaluated, too, where their block fails for another reason; those are not unknown.
    errors = [error for error in validator.iter_errors(config) if error.validator not in _CLOSED or _unknown(error)]
    errors.sort(key=lambda error: (-len(error.absolute_path), _rank(error), str(error.message)))
    if errors:
        raise InputError(_explain(errors[0]))
    _check_names(config)
    _check_claims(config, claims)
    check_mac(config)
    check_attacks(config)
    check_segmentation(config)
    check_leaderboard(config)
    _check_rounds(config)
    _check_release(config)
    _check_orders(config)
    _check_sizes(config)


def fill_defaults(config: dict, schema: dict) -> None:
    """Set, in place, every key of a checked `config` that is missing and has a default in the schema."""
    _fill(config, schema, schema["$defs"])


def _fill(block: object, schema: dict, definitions: dict) -> None:
    schema = definitions[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    if not isinstance(block, dict):
        return
    for name, part in schema.get("properties", {}).items():
        if name not in block and "default" in part:
            block[name] = copy.deepcopy(part["default"])
        if name in block:
            _fill(block[name], part, definitions)
    for part in schema.get("allOf", []):
        if "if" in part and jsonschema.Draft202012Validator(part["if"]).is_valid(block):
            _fill(block, part["then"], definitions)
    if isinstance(schema.get("additionalProperties"), dict):
        for name in set(block) - set(schema.get("properties", {})):
            _fill(block[name], schema["additionalProperties"], definitions)


def _explain(error: jsonschema.ValidationError) -> str:
    """One line for one schema error."""
    key = ".".join(str(part) for part in error.absolute_path) or "the configuration"
    value, rule = error.instance, error.validator_value
    if error.validator in _CLOSED:
        unknown = _unknown(error)[0]
        allowed = sorted(_allowed_keys(error.schema, value))
        near = difflib.get_close_matches(unknown, allowed, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return f"{key}: unknown key '{unknown}'{hint}; allowed: {', '.join(allowed)}"
    if error.validator == "required":
        missing = [name for name in rule if name not in value]
        return f"{key}: lacks the key '{missing[0]}'; required: {', '.join(rule)}"
    allowed = {
        "type": lambda: f"a value of type {' or '.join([rule] if isinstance(rule, str) else rule)}",
        "enum": lambda: "one of " + ", ".join(map(str, rule)),
        "const": lambda: str(rule),
        "oneOf": lambda: " or ".join(_describe(option) for option in rule),
        "minimum": lambda: f"at least {rule}",
        "maximum": lambda: f"at most {rule}",
        "exclusiveMinimum": lambda: f"greater than {rule}" + _upper(error.schema),
        "exclusiveMaximum": lambda: f"less than {rule}" + _lower(error.schema),
        "pattern": lambda: f"text matching {rule}",
        "minItems": lambda: _length(error.schema),
        "maxItems": lambda: _length(error.schema),
        "uniqueItems": lambda: "a list without repetitions",
    }.get(error.validator, lambda: error.message)()
    return f"{key} = {value!r}: allowed is {allowed}{_hint(value)}"


def _rank(error: jsonschema.ValidationError) -> int:
    """Which of a block's faults to name: that it does not say what kind it is, then unknown keys, then the others."""
    if error.validator == "required" and {"kind", "aggregator"} & (set(error.validator_value) - set(error.instance)):
        return 0
    return 1 if error.validator in _CLOSED else 2


def _unknown(error: jsonschema.ValidationError) -> list[str]:
    """The keys of a block that nothing allows there."""
    return sorted(set(error.instance) - _allowed_keys(error.schema, error.instance))


def _hint(value: object) -> str:
    """Why something that looks like a number is none."""
    if not isinstance(value, str):
        return ""
    if re.fullmatch(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+", value):
        return "; YAML reads this as text: write a decimal point and a signed exponent, as in 1.0e-5"
    if re.fullmatch(r"[-+]?\d+(\.\d*)?", value):
        return "; this is text: do not quote it, and set keys inside a block by --configfile, not by --config"
    return ""


def _allowed_keys(schema: dict, block: dict) -> set[str]:
    """Every key that a schema allows in this block: those it names, and those of the conditions the block meets."""
    keys = set(schema.get("properties", {}))
    for part in [schema, *schema.get("allOf", [])]:
        if "if" in part and jsonschema.Draft202012Validator(part["if"]).is_valid(block):
            keys |= set(part["then"].get("properties", {}))
    return keys


def _describe(option: dict) -> str:
    if "const" in option:
        return f"'{option['const']}'"
    if "minimum" in option:
        return f"{option['type']} >= {option['minimum']}"
    return str(option["type"])


def _length(schema: dict) -> str:
    """How long a list may be."""
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least == most:
        return f"a list of {least} numbers"
    return f"a list of at least {least}" if most is None else f"a list of at most {most}"


def _upper(schema: dict) -> str:
    return f" and less than {schema['exclusiveMaximum']}" if "exclusiveMaximum" in schema else ""


def _lower(schema: dict) -> str:
    return f" and greater than {schema['exclusiveMinimum']}" if "exclusiveMinimum" in schema else ""


def _check_scalars(block: object, path: tuple[str, ...]) -> None:
    """Refuse .nan and .inf, keys that are no text, and text that is not one line: no bound of a schema does."""
    if isinstance(block, float) and not math.isfinite(block):
        raise InputError(f"{'.'.join(path)} = {block!r}: allowed is a finite number")
    if isinstance(block, str) and not block.isprintable():
        raise InputError(f"{'.'.join(path)} = {block!r}: allowed is one line of printable text")
    for name in block if isinstance(block, dict) else ():
        if not (isinstance(name, str) and name.isprintable()):
            where = ".".join(path) or "the configuration"
            raise InputError(f"{where}: key {name!r}; allowed is one line of printable text")
    items = block.items() if isinstance(block, dict) else enumerate(block) if isinstance(block, list) else ()
    for name, part in items:
        _check_scalars(part, (*path, str(name)))


def _check_claims(config: dict, claims: Collection[str]) -> None:
    for name, run in config["scalable_pate"]["runs"].items():
        for column, claim in run.get("claims", {}).items():
            if claims and claim not in claims:
                raise InputError(
                    f"scalable_pate.runs.{name}.claims.{column} = {claim!r}: allowed is an id of claims.csv"
                )


def _check_names(config: dict) -> None:
    """Every name must be in the catalogue it refers to."""
    runs = config["scalable_pate"]["runs"]
    references = [
        (f"ensembles.{name}.dataset", ensemble["dataset"], "datasets", config["datasets"])
        for name, ensemble in config["ensembles"].items()
    ]
    references += [
        (f"scalable_pate.runs.{name}.ensemble", run["ensemble"], "ensembles", config["ensembles"])
        for name, run in runs.items()
    ]
    references += [
        (f"scalable_pate.{item}", name, "scalable_pate.runs", runs)
        for item in ("table1", "table2", "epsilon", "selection", "noiseless")
        for name in config["scalable_pate"][item]
    ]
    references += [
        (f"ensembles.{name}.model", ensemble["model"], "models", config["models"])
        for name, ensemble in config["ensembles"].items()
        if "model" in ensemble
    ]
    references += [
        (f"ensembles.{name}.baseline_model", ensemble["baseline_model"], "models", config["models"])
        for name, ensemble in config["ensembles"].items()
        if "baseline_model" in ensemble
    ]
    references += [
        (f"scalable_pate.runs.{name}.student", run["student"], "models", config["models"])
        for name, run in runs.items()
        if run.get("student")
    ]
    references += [
        (f"ensembles.{name}.samples", ensemble["samples"], "datasets", config["datasets"])
        for name, ensemble in config["ensembles"].items()
        if "samples" in ensemble
    ]
    references += [
        ("scalable_pate.fig3", name, "datasets", config["datasets"]) for name in config["scalable_pate"].get("fig3", [])
    ]
    audit = config["residual_perturbation"]["audit"]
    references += [
        ("residual_perturbation.audit.chosen", name, "residual_perturbation.audit.tasks", audit["tasks"])
        for name in audit["chosen"]
    ]
    for name, task in audit["tasks"].items():
        key = f"residual_perturbation.audit.tasks.{name}"
        references += [(f"{key}.dataset", task["dataset"], "datasets", config["datasets"])]
        references += [
            (f"{key}.stands_for", task["stands_for"], "residual_perturbation.audit.published", audit["published"])
        ]
    figure = config["scalable_pate"]["fig4"]
    references += [
        (f"scalable_pate.{key}", name, "ensembles", config["ensembles"])
        for key, names in (
            ("teachers", config["scalable_pate"]["teachers"]),
            ("fig4.left", [figure["left"]] if figure["left"] else []),
            ("fig4.right", figure["right"]),
        )
        for name in names
    ]
    fig1 = config["scalable_pate"]["fig1"]
    references += [
        (f"scalable_pate.{key}", name, "scalable_pate.runs", runs)
        for key, names in (
            ("fig1.students", fig1["students"]),
            ("fig1.curves", fig1["curves"] if fig1["students"] else []),
            ("fig1.selection", [fig1["selection"]] if fig1["students"] else []),
            ("fig5.runs", config["scalable_pate"]["fig5"]["runs"]),
            ("search.runs", config["scalable_pate"]["search"]["runs"]),
        )
        for name in names
    ]
    for key, name, catalogue, known in references:
        if name not in known:
            raise InputError(f"{key} = {name!r}: not in {catalogue}; allowed: {', '.join(sorted(known))}")
    _check_aggregators(config["scalable_pate"])
    _check_noise(config["scalable_pate"])
    _check_figures(config)


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


def _check_figures(config: dict) -> None:
    """Figures 1 and 5 show runs by their role, all on one ensemble; what is inspected has samples at hand."""
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
            if ensembles[ensemble]["kind"] == "published" and "samples" not in ensembles[ensemble]:
                raise InputError(
                    f"scalable_pate.{key} = {name!r}: ensemble {ensemble} has published votes and no samples; "
                    "allowed are those that have"
                )


def _check_pool(config: dict, figure: str, ensembles: list[str]) -> None:
    """A figure's queries must be there."""
    queries = config["scalable_pate"][figure]["queries"]
    for name in ensembles:
        public = config["ensembles"][name].get("public", queries)
        if queries > public:
            raise InputError(
                f"scalable_pate.{figure}.queries = {queries}: allowed is at most the public = {public} of {name}"
            )


def _check_rounds(config: dict) -> None:
    """A first round is a Confident-GNMax run with a student, on the same ensemble, which is trained here."""
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


def _check_release(config: dict) -> None:
    """A release is of votes that nobody has published, a mechanism with caps, and a student that can be kept."""
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


def _check_orders(config: dict) -> None:
    theory = config["residual_perturbation"]["theory"]
    for key, block in (("accounting", config["accounting"]), ("residual_perturbation.theory.dp_sgd", theory["dp_sgd"])):
        for name, (first, last, _) in block["orders"].items():
            if not first < last:
                raise InputError(f"{key}.orders.{name} = [{first}, {last}, ...]: allowed is first < last")
    grid = config["scalable_pate"].get("sanitize", {})
    if grid.get("first", 0.0) >= grid.get("last", 0.5):
        raise InputError(f"scalable_pate.sanitize.first = {grid['first']}: allowed is less than last = {grid['last']}")


def _check_sizes(config: dict) -> None:
    """Batches and teachers need samples, audits runs, and queries a pool."""
    for name, task in config["residual_perturbation"]["audit"]["tasks"].items():
        key, least = f"residual_perturbation.audit.tasks.{name}", 2 * config.get("repetitions", 1)
        batch, samples = task["sgd"]["recipe"]["batch"], task["samples"]
        if batch > samples:
            raise InputError(f"{key}.sgd.recipe.batch = {batch}: allowed is at most samples = {samples}")
        if task["runs"] < least:
            raise InputError(f"{key}.runs = {task['runs']}: allowed is at least two a repetition, {least}")
    ensembles = config["ensembles"]
    for name, ensemble in ensembles.items():
        if ensemble["teachers"] > ensemble.get("private", ensemble["teachers"]):
            raise InputError(
                f"ensembles.{name}.teachers = {ensemble['teachers']}: more teachers than private samples; "
                f"allowed is at most private = {ensemble['private']}"
            )
    for name, run in config["scalable_pate"]["runs"].items():
        ensemble, queries = ensembles[run["ensemble"]], run["queries"]
        key = f"scalable_pate.runs.{name}"
        if run.get("student") and ensemble["kind"] == "published" and "samples" not in ensemble:
            raise InputError(
                f"{key}.student = {run['student']!r}: ensemble {run['ensemble']} has published votes and no samples "
                "to train on; allowed is null"
            )
        if queries == "published":
            if ensemble["kind"] != "published":
                raise InputError(f"{key}.queries = 'published': the ensemble is trained here; allowed is a number")
        elif run.get("first", 0) + queries > ensemble.get("public", run.get("first", 0) + queries):
            raise InputError(
                f"{key}.queries = {queries!r}: from row {run.get('first', 0)} on, allowed is at most the ensemble's "
                f"public = {ensemble['public']}"
            )
        if isinstance(queries, int) and run.get("max_answered", 1) > queries:
            raise InputError(f"{key}.max_answered = {run['max_answered']}: allowed is at most queries = {queries}")

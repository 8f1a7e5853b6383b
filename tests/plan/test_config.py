"""A configuration is refused in one line, before any job, that names key, value and what is allowed."""

import copy
import math
from types import SimpleNamespace

import pytest
import yaml

from lib.core.errors import InputError
from lib.core.model_kinds import CLASSIFIERS, NETWORKS
from lib.encoders.build import ENCODERS
from lib.models.classifiers import make_classifier
from lib.pate.aggregators import AGGREGATORS
from lib.plan.config import ROOT, check_config, layered, load
from lib.plan.configfiles import preset_files
from lib.plan.dp_mac import DpMac
from lib.plan.schema import check_schema, fill_defaults
from lib.release.pricing import epsilons
from lib.release.statement import LARGEST_EPSILON, announced_draws
from pate_accountant.rdp import order_grid
from tests.offenders import each
from tests.plan.configurations import CONFIG, PRESETS, SCHEMA, changed, parent_of, refusal

RUNS = "scalable_pate.runs"
FOLDERS = ("private", "checkpoints", "logs", "benchmarks")  # of a preset's results


def walk(block: object, path: tuple = ()):
    """(path, value) of every leaf."""
    children = block.items() if isinstance(block, dict) else enumerate(block) if isinstance(block, list) else None
    if children is None:
        yield path, block
    else:
        for key, value in children:
            yield from walk(value, (*path, key))


def without(key: str, config: dict = CONFIG) -> dict:
    path, config = tuple(key.split(".")), copy.deepcopy(config)
    del parent_of(config, path)[path[-1]]
    return config


LEAVES = {".".join(map(str, path)): path for path, _ in walk(CONFIG)}


def catalogues(schema: dict = SCHEMA, above: tuple = ()) -> set[tuple]:
    """Paths of the mappings whose names are free, and whose entries share one schema."""
    found = {above} if isinstance(schema.get("additionalProperties"), dict) else set()
    return found.union(*(catalogues(below, (*above, key)) for key, below in schema.get("properties", {}).items()))


def place_in_schema(path: tuple, free: set[tuple]) -> tuple:
    """A leaf's path, with the kind of an entry of a catalogue for its name, and without places in lists."""
    place = []
    for depth, name in enumerate(path):
        block = parent_of(CONFIG, path[: depth + 1])
        place.append(("kind", block[name].get("kind")) if path[:depth] in free else ... if type(name) is int else name)
    return tuple(place)


def first_of_each_kind(paths: dict[str, tuple]) -> dict[str, tuple]:
    """One leaf for each place in the schema: entries of a catalogue, and of a list, are many and checked alike."""
    kinds = {place_in_schema(path, CATALOGUES): key for key, path in reversed(paths.items())}
    return {key: paths[key] for key in paths if key in set(kinds.values())}


CATALOGUES = catalogues()
NUMBERS = first_of_each_kind(
    {
        key: path
        for key, path in LEAVES.items()
        if type(parent_of(CONFIG, path)[path[-1]]) in (int, float) and key != "data_root"
    }
)
INTEGERS = {key: path for key, path in NUMBERS.items() if isinstance(parent_of(CONFIG, path)[path[-1]], int)}


# ---------------------------------------------------------------- what passes


def test_the_shipped_configuration_passes():
    check_config(CONFIG, SCHEMA)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_every_preset_laid_over_it_passes(preset):
    config = load(preset_files(preset.stem))
    assert config["preset"] == preset.stem
    check_config(config, SCHEMA)


def test_what_is_trained_takes_the_repetitions_of_all_where_it_has_none_of_its_own():
    curves = [{"series": "mnist_mac", "noise": "none"}]
    networks = [{"task": "digits", "method": method, "gammas": [0], "members": 1} for method in ("plain", "control")]
    networks[1]["repetitions"] = 1
    blocks = {
        "dp_mac": {"curves": curves, "fig3": {"curves": []}, "fig4": {"curves": []}, "sensitivity": []},
        "residual_perturbation": {
            "networks": networks,
            "tables": dict.fromkeys(CONFIG["residual_perturbation"]["tables"]),
            "figures": dict.fromkeys(CONFIG["residual_perturbation"]["figures"]),
            "tradeoff": None,
            "recipes": None,
        },
    }
    config = load(overrides=blocks | {"repetitions": 5})
    assert [entry["repetitions"] for entry in config["residual_perturbation"]["networks"]] == [5, 1]
    assert "repetitions" not in networks[0]  # what is laid over stays as it was
    plan = DpMac(config, results=None)
    assert plan.repetitions(SimpleNamespace(series="mnist_mac", level="none", part="all")) == [1, 2, 3, 4, 5]


def test_there_are_presets():
    assert {path.stem for path in PRESETS} >= {"paper", "real"}


def test_checking_changes_nothing():
    config = copy.deepcopy(CONFIG)
    check_config(config, SCHEMA)
    assert config == CONFIG


def test_names_in_the_schema_are_names_in_the_code():
    runs = SCHEMA["properties"]["scalable_pate"]["properties"]["runs"]["additionalProperties"]
    assert set(runs["properties"]["aggregator"]["enum"]) == set(AGGREGATORS)
    encoders = SCHEMA["properties"]["segmentation"]["properties"]["encoders"]["additionalProperties"]
    assert set(encoders["properties"]["kind"]["enum"]) == set(ENCODERS)
    classifiers = {"random_forest", "logistic_regression"}
    assert classifiers <= set(SCHEMA["properties"]["models"]["additionalProperties"]["properties"]["kind"]["enum"])
    shipped = [model for model in CONFIG["models"].values() if model["kind"] in classifiers]
    assert shipped
    for model in shipped:
        make_classifier(model, 1)


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("delta", [0, 1, 0.0, 1.0, -1e-5, 1.5])
def test_a_delta_outside_its_range(delta):
    message = refusal(changed(f"{RUNS}.digits_gnmax.delta", delta))
    assert message.startswith(f"{RUNS}.digits_gnmax.delta = {delta!r}: ")
    assert "greater than 0" in message and "less than 1" in message


@pytest.mark.parametrize("text", ["1e-5", "1E-5", "1.e-5", "+1e-5"])
def test_a_number_that_yaml_reads_as_text_comes_with_its_cure(text):
    message = refusal(changed(f"{RUNS}.digits_gnmax.delta", text))
    assert message.startswith(f"{RUNS}.digits_gnmax.delta = {text!r}: allowed is a number")
    assert "1.0e-5" in message


@pytest.mark.parametrize("text", ["300", "-3", "4.0"])
def test_a_quoted_number_comes_with_its_cure(text):
    message = refusal(changed(f"{RUNS}.digits_gnmax.sigma", text))
    assert message.startswith(f"{RUNS}.digits_gnmax.sigma = {text!r}: allowed is a number")
    assert "do not quote it" in message


def test_yaml_does_read_it_as_text_and_the_cure_as_a_number():
    assert yaml.safe_load("delta: 1e-5")["delta"] == "1e-5"
    assert yaml.safe_load("delta: 1.0e-5")["delta"] == 1e-5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("preset", "Quick", "text matching"),
        ("preset", "../results", "text matching"),
        *(("preset", name, "a name other than private, checkpoints, logs, benchmarks") for name in FOLDERS),
        ("preset", "", "text matching"),
        ("preset", None, "text"),
        ("seed", -1, "at least 0"),
        ("seed", 1.5, "a whole number"),
        ("seed", None, "a whole number"),
        ("repetitions", 0, "at least 1"),
        ("repetitions", "3", "a whole number"),
        ("data_root", 5, "text or null"),
        ("data_root", False, "text or null"),
        ("data_root", "", "text matching"),
        ("data_root", "/data/{run}", "text matching"),
        ("device", "gpu", "one of cpu, cuda"),
        ("gres", "gpu", "text matching"),
        ("gres", False, "text or null"),
        ("download.attempts", 0, "at least 1"),
        ("download.wait", -1, "at least 0"),
        ("datasets.digits", None, "a mapping"),
        ("datasets.digits.source", "web", "one of embedded, data_root, download"),
        ("datasets.digits.module", "../digits", "text matching"),
        ("ensembles.digits.kind", "train", "one of trained, published"),
        ("ensembles.digits.model", 5, "text"),
        ("ensembles.digits.classes", 1, "at least 2"),
        ("models.random_forest.kind", "forest", "one of random_forest, logistic_regression"),
        ("models.random_forest.trees", 0, "at least 1"),
        ("ensembles.digits.teachers", 1, "at least 2"),
        ("ensembles.digits.teachers", 0, "at least 2"),
        ("ensembles.digits.private", 1, "at least 2"),
        ("ensembles.digits.public", 0, "at least 1"),
        ("ensembles.digits.test", 0, "at least 1"),
        ("ensembles.digits.label", 5, "text"),
        ("accounting", [], "a mapping"),
        ("accounting.moments", 0, "at least 1"),
        ("accounting.curve_points", 1, "at least 2"),
        ("accounting.orders.linear", [2.0, 100.0], "a list of 3 numbers"),
        ("accounting.orders.linear", [], "a list of 3 numbers"),
        ("accounting.orders.linear", [2.0, 100.0, 0.5, 1.0], "a list of 3 numbers"),
        ("accounting.orders.linear", 2.0, "a list"),
        ("accounting.orders.logarithmic", [100.0, 500.0], "a list of 3 numbers"),
        (
            "residual_perturbation.tables.table1.rows.0",
            ["plain", 0],
            "a list of 3, [method, noise coefficient, members]",
        ),
        ("dp_mac.fig4.curves.0", ["usps_mac"], "a list of 2, [series, level]"),
        ("accounting.orders.linear.0", 1.0001, "at least 1.001"),
        ("accounting.orders.linear.2", 0, "greater than 0"),
        ("accounting.orders.logarithmic.2", 1, "at least 2"),
        ("accounting.orders.logarithmic.2", 2.5, "a whole number"),
        (f"{RUNS}.digits_gnmax.sigma", 0, "greater than 0"),
        (f"{RUNS}.digits_gnmax.sigma", -4.0, "greater than 0"),
        (f"{RUNS}.digits_gnmax.sigma", None, "a number"),
        (f"{RUNS}.digits_confident.sigma", 0, "greater than 0"),
        (f"{RUNS}.digits_confident.sigma_threshold", 0, "greater than 0"),
        (f"{RUNS}.digits_confident.threshold", "high", "a number"),
        (f"{RUNS}.digits_confident.max_answered", 0, "at least 1"),
        (f"{RUNS}.digits_confident.max_answered", 1.5, "a whole number"),
        (f"{RUNS}.digits_lnmax.laplace_scale", 0, "greater than 0"),
        (f"{RUNS}.mnist_lnmax_100.labels_laplace_scale", 0, "greater than 0"),
        (f"{RUNS}.digits_gnmax.queries", 0, "integer >= 1 or 'published' or 'authors_1000'"),
        (f"{RUNS}.digits_gnmax.queries", "publshed", "integer >= 1 or 'published' or 'authors_1000'"),
        (f"{RUNS}.digits_gnmax.aggregator", "gmax", "one of lnmax, gnmax, confident_gnmax"),
        (f"{RUNS}.digits_gnmax.student", 5, "text or null"),
        (f"{RUNS}.digits_gnmax.first", -1, "at least 0"),
        (f"{RUNS}.digits_interactive.confidence", 1.5, "at most 1"),
        (f"{RUNS}.digits_interactive.confidence", -0.1, "at least 0"),
        (f"{RUNS}.mnist_confident.claims.epsilon", 9, "text"),
        ("scalable_pate.table1", "digits_lnmax", "a list"),
        ("scalable_pate.table1", ["digits_lnmax", "digits_lnmax"], "a list without repetitions"),
        ("scalable_pate.sanitize.first", 0, "greater than 0 and less than 0.5"),
        ("scalable_pate.sanitize.last", 0.5, "less than 0.5 and greater than 0"),
        ("scalable_pate.sanitize.step", 0, "greater than 0"),
        ("scalable_pate.sanitize.fixed_beta", 0.5, "less than 0.5"),
        ("scalable_pate.sanitize.fixed_sigma_ss", 0, "greater than 0"),
    ],
)
def test_a_bad_value_is_refused_with_key_value_and_what_is_allowed(key, value, allowed):
    message = refusal(changed(key, value))
    assert message.startswith(f"{key} = {value!r}: ")
    assert allowed in message


@pytest.mark.parametrize("key", ["datasets", "ensembles", RUNS])
def test_names_in_catalogues_follow_their_pattern(key):
    name = next(iter(parent_of(CONFIG, (*key.split("."), "")).keys()))
    block = copy.deepcopy(parent_of(CONFIG, (*key.split("."), name))[name])
    message = refusal(changed(f"{key}.Big-Name", block))
    assert message.startswith(f"{key} = 'Big-Name': ") and "text matching" in message


@pytest.mark.parametrize("end", ["\n", "\r", "\0", "\u2028", "\x1b[2K"])
@pytest.mark.parametrize("key", ["preset", "data_root", "gres", "datasets.digits.module", "ensembles.digits.label"])
def test_text_of_more_than_one_line_is_refused(key, end):
    value = ("gpu:1" if key == "gres" else "digits") + end
    assert refusal(changed(key, value)) == f"{key} = {value!r}: allowed is one line of printable text"


@pytest.mark.parametrize("name", ["digits\n", "a\nb", 5, None, True, 1.5, ("a", "b")])
@pytest.mark.parametrize("key", ["", "datasets", "ensembles", RUNS, "leaderboard.methods"])
def test_keys_are_one_line_of_text(key, name):
    message = refusal(changed((*filter(None, key.split(".")), name), {}))
    assert message == f"{key or 'the configuration'}: key {name!r}; allowed is one line of printable text"


def patterns(block: object) -> list[str]:
    """Every pattern below a block of a schema."""
    parts = block.values() if isinstance(block, dict) else block if isinstance(block, list) else ()
    own = [block["pattern"]] if isinstance(block, dict) and isinstance(block.get("pattern"), str) else []
    return own + [pattern for part in parts for pattern in patterns(part)]


SCHEMAS = [SCHEMA, *(yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / "schemas").glob("*.yaml"))]


@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
def test_no_pattern_of_a_schema_ends_before_a_line_break(schema):
    found = patterns(schema)
    assert found
    for pattern in found:
        assert "$" not in pattern and r"\Z" in pattern, pattern


def test_every_catalogue_has_a_pattern_for_its_names():
    for path in catalogues():
        schema = SCHEMA
        for name in path:
            schema = schema["properties"][name]
        assert "propertyNames" in schema, path


@pytest.mark.parametrize("config", [None, [], "quick", 5])
def test_no_mapping_at_all(config):
    assert refusal(config).startswith(f"the configuration = {config!r}: allowed is a mapping")


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("ensembles", None, "ensembles = None: allowed is a mapping, as `name: {...}`; nothing stands below it"),
        ("ensembles", "digits", "ensembles = 'digits': allowed is a mapping, as `name: {...}`"),
        ("scalable_pate.teachers", 50, "scalable_pate.teachers = 50: allowed is a list, as [digits]"),
        ("compressed_pate.limits.teachers", 50, "compressed_pate.limits.teachers = 50: allowed is a list, as [50]"),
        ("dp_mac.curves", 50, "dp_mac.curves = 50: allowed is a list"),
        ("scalable_pate.fig4.right", None, "scalable_pate.fig4.right = None: allowed is a list, as [digits]"),
        ("repetitions", 2.5, "repetitions = 2.5: allowed is a whole number"),
        ("release.sanitized", "no", "release.sanitized = 'no': allowed is true or false"),
        ("data_root", 5, "data_root = 5: allowed is text or null"),
        ("download", "yes", "download = 'yes': allowed is true or false or a mapping, as `all: ...`"),
    ],
)
def test_types_are_said_in_words_of_yaml(key, value, line):
    assert refusal(changed(key, value)) == line


def alone(path: tuple, block: object = CONFIG, above: tuple = ()) -> object:
    """Quick's configuration without other blocks than a path's, and of catalogues its entry at most."""
    if not isinstance(block, dict):
        return block
    free = CATALOGUES | {()}
    names = set(path[:1]) if above in free else set(block)
    return {
        name: alone(path[1:] if name in path[:1] else (), block[name], (*above, name)) for name in names & set(block)
    }


def schema_refusal(path: tuple, value: object) -> str:
    """What the schema says of another value there; the blocks that the configuration is without are not missed."""
    with pytest.raises(InputError) as caught:
        check_schema(changed(path, value, alone(path)), SCHEMA | {"required": []})
    assert "\n" not in str(caught.value)
    return str(caught.value)


def may_be_null(key: str) -> bool:
    """Whether null is allowed for a number: there is none."""
    whole = key.startswith("residual_perturbation.tasks.") and key.endswith((".quarter", ".test"))
    whole |= (
        key.startswith("segmentation.tasks.")
        and key.endswith((".teachers", ".shard", ".repetitions"))
        and ".parts." not in key
    )
    whole |= key.startswith("dp_mac.") and (
        ".preparation." in key or key.endswith((".clip", ".quadratic", "decay_epochs", ".last_rate"))
    )
    return whole or key.endswith((".recipe.average", ".sigma_histogram", ".processes", "noise_seed"))


REPLACED = [(key, wrong) for key in NUMBERS for wrong in ("many", True, [1])]
REPLACED += [(key, None) for key in NUMBERS if not may_be_null(key)]


@pytest.mark.slow
@each(REPLACED)
def test_any_number_replaced_by_something_else_is_refused_by_its_key(key, wrong):
    assert schema_refusal(NUMBERS[key], wrong).startswith(f"{key} = {wrong!r}: allowed is ")


def test_the_numbers_above_are_all_numbers():
    assert len(NUMBERS) > 80
    assert {"seed", "accounting.orders.linear.0", f"{RUNS}.digits_lnmax.delta"} <= set(NUMBERS)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 10**5000], ids=["nan", "inf", "5001 digits"])
def test_any_number_that_is_not_finite_is_refused(wrong):
    for path in NUMBERS.values():
        schema_refusal(path, wrong)


# written as whole numbers in the configuration, though they need not be
REAL = {"wait", "threshold", "largest", "printed", "epsilon", "clip", "gammas"}


@pytest.mark.slow
def test_any_integer_written_as_a_fraction_is_refused():
    for path in INTEGERS.values():
        if REAL & {*path} or ("rows" in path and path[-1] == 1):  # a row's noise coefficient
            continue
        schema_refusal(path, float(parent_of(CONFIG, path)[path[-1]]))


# ---------------------------------------------------------------- keys

OPTIONAL = [
    ("repetitions", "repetition"),
    ("data_root", "dataroot"),
    ("device", "devise"),
    ("download", "downlaod"),
    ("download.attempts", "atempts"),
    ("ensembles.digits.protocol", "protocoll"),
    ("ensembles.digits.stands_for", "stand_for"),
    ("ensembles.mnist.protocol", "protokol"),
    ("accounting.moments", "moment"),
    ("accounting.curve_points", "curve_point"),
    ("scalable_pate.sanitize", "sanitise"),
    ("scalable_pate.sanitize.first", "frist"),
    (f"{RUNS}.digits_lnmax.student", "studnet"),
    (f"{RUNS}.mnist_lnmax_100.labels_laplace_scale", "label_laplace_scale"),
    (f"{RUNS}.mnist_confident.claims", "claim"),
    (f"{RUNS}.mnist_confident.claims.epsilon", "epsilonn"),
]
REQUIRED = [
    ("preset", "prest"),
    ("seed", "sed"),
    ("noise_seed", "noise_sed"),
    ("release", "realease"),
    ("accounting", "acounting"),
    ("datasets.digits.module", "modul"),
    ("datasets.digits.source", "sources"),
    ("ensembles.digits.teachers", "teacher"),
    ("ensembles.digits.model", "modle"),
    ("ensembles.mnist.label", "labels"),
    ("accounting.orders", "order"),
    ("accounting.orders.linear", "linaer"),
    ("scalable_pate.runs", "run"),
    ("scalable_pate.table1", "table_1"),
    (f"{RUNS}.digits_lnmax.laplace_scale", "laplace_scal"),
    (f"{RUNS}.digits_gnmax.sigma", "sigmma"),
    (f"{RUNS}.digits_confident.sigma_threshold", "sigma_treshold"),
    (f"{RUNS}.digits_confident.max_answered", "max_answerd"),
    (f"{RUNS}.digits_gnmax.delta", "dleta"),
]


def misspelt(key: str, wrong: str) -> tuple[dict, str, str]:
    """The configuration with the key renamed, where the key stands, and its right name."""
    *above, right = key.split(".")
    config = copy.deepcopy(CONFIG)
    block = parent_of(config, (*above, right))
    block[wrong] = block.pop(right)
    return config, ".".join(above) or "the configuration", right


def test_a_figure_that_there_is_not_is_an_unknown_key():
    line = refusal(changed("residual_perturbation.figures.fig8", {"tasks": ["shapes"], "method": "strategy1"}))
    assert line.startswith("residual_perturbation.figures: unknown key 'fig8' (did you mean fig9?); allowed: fig10, ")


@pytest.mark.parametrize(("key", "wrong"), OPTIONAL)
def test_a_misspelt_key_is_refused_with_the_nearest_right_one(key, wrong):
    config, where, right = misspelt(key, wrong)
    message = refusal(config)
    assert message.startswith(f"{where}: unknown key '{wrong}' (did you mean {right}?); allowed: ")
    assert right in message.split("allowed: ")[1].split(", ")


@pytest.mark.parametrize(("key", "wrong"), REQUIRED)
def test_a_misspelt_key_that_is_required_is_refused_by_its_place(key, wrong):
    config, where, right = misspelt(key, wrong)
    message = refusal(config)
    assert message.startswith(f"{where}: ") and right in message


@pytest.mark.parametrize(("key", "wrong"), REQUIRED)
def test_a_misspelt_key_that_is_required_is_named(key, wrong):
    config, _, _ = misspelt(key, wrong)
    assert f"'{wrong}'" in refusal(config)


@pytest.mark.parametrize(
    ("key", "allowed"),
    [
        ("surprise", "seed"),
        ("download.surprise", "attempts"),
        ("datasets.digits.surprise", "module"),
        ("ensembles.digits.surprise", "teachers"),
        ("ensembles.mnist.surprise", "teachers"),
        ("accounting.surprise", "moments"),
        ("accounting.orders.surprise", "linear"),
        ("scalable_pate.surprise", "table1"),
        ("scalable_pate.sanitize.surprise", "fixed_beta"),
        (f"{RUNS}.digits_lnmax.surprise", "laplace_scale"),
        (f"{RUNS}.digits_gnmax.surprise", "sigma"),
        (f"{RUNS}.digits_confident.surprise", "max_answered"),
        (f"{RUNS}.mnist_confident.claims.surprise", "epsilon"),
    ],
)
def test_an_unknown_key_is_refused_at_every_level(key, allowed):
    message = refusal(changed(key, 1))
    where = key.rpartition(".")[0] or "the configuration"
    assert message.startswith(f"{where}: unknown key 'surprise'") and allowed in message


@pytest.mark.parametrize(
    ("key", "model", "line"),
    [
        ("ensembles.digits.model", "digits_vat", "its kind is vat; for teachers, allowed are random_forest, "),
        ("ensembles.mnist_own.model", "mnist_gan", "its kind is gan; for teachers, allowed are random_forest, "),
        ("ensembles.glyph_small.model", "random_forest", "for teachers on generated samples, allowed are mlp, "),
        ("ensembles.glyph.baseline_model", "random_forest", "on generated samples, allowed are gan, mlp, "),
        (f"{RUNS}.glyph_lnmax.student", "random_forest", "on generated samples, allowed are gan, mlp, "),
        ("leaderboard.teachers.model", "mnist_gan", "its kind is gan; for teachers, allowed are random_forest, "),
    ],
)
def test_a_model_must_be_of_a_kind_that_its_role_takes(key, model, line):
    message = refusal(changed(key, model))
    assert message.startswith(f"{key} = {model!r}: its kind is ") and line in message


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("digits.source", "generated", "source = 'generated': of module digits, allowed: embedded"),
        ("open_glyph.source", "data_root", "source = 'data_root': of module glyph, allowed: generated"),
        ("mnist.settings", {"noise": 0.1}, "settings: module mnist has none; allowed for module glyph"),
        (
            "open_glyph.settings",
            {"fonts": 3},
            "settings: unknown key 'fonts' (did you mean contrast?); allowed: background, ",
        ),
        ("open_glyph.settings", {"noise": 2.0}, "settings.noise = 2.0: allowed is at most 1"),
    ],
)
def test_only_open_glyph_is_generated_and_has_settings(key, value, line):
    assert refusal(changed(f"datasets.{key}", value)).startswith(f"datasets.{key.partition('.')[0]}.{line}")


def test_the_kinds_of_roles_are_those_that_a_model_may_have():
    assert {*CLASSIFIERS, *NETWORKS} == set(
        SCHEMA["properties"]["models"]["additionalProperties"]["properties"]["kind"]["enum"]
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (f"{RUNS}.digits_gnmax.laplace_scale", 1.0),
        (f"{RUNS}.digits_gnmax.max_answered", 10),
        (f"{RUNS}.digits_lnmax.sigma", 4.0),
        ("ensembles.mnist.model", "random_forest"),
        ("ensembles.digits.samples", "digits"),
    ],
)
def test_a_key_of_another_kind_is_refused(key, value):
    where, _, name = key.rpartition(".")
    message = refusal(changed(key, value))
    assert message.startswith(f"{where}: unknown key '{name}'")
    assert name not in message.split("allowed: ")[1].split(", ")


@pytest.mark.parametrize(
    "key",
    [
        "preset",
        "seed",
        "noise_seed",
        "release",
        "release.run",
        "datasets",
        "ensembles",
        "accounting",
        "scalable_pate",
        "datasets.digits.module",
        "ensembles.digits.kind",
        "ensembles.digits.private",
        "ensembles.mnist.teachers",
        "accounting.orders.logarithmic",
        "scalable_pate.epsilon",
        f"{RUNS}.digits_gnmax.sigma",
        f"{RUNS}.digits_gnmax.delta",
        f"{RUNS}.digits_lnmax.laplace_scale",
        f"{RUNS}.digits_confident.max_answered",
        f"{RUNS}.digits_confident.threshold",
        "residual_perturbation.figures.fig4",
        "residual_perturbation.tables.table1",
    ],
)
def test_a_missing_key_is_named_with_its_place(key):
    where, _, name = key.rpartition(".")
    assert refusal(without(key)).startswith(f"{where or 'the configuration'}: lacks the key '{name}'; required: ")


# ---------------------------------------------------------------- names and sizes


@pytest.mark.parametrize(
    ("key", "value", "catalogue", "known"),
    [
        ("ensembles.digits.dataset", "digit", "datasets", "pate_votes_mnist"),
        ("ensembles.adult.samples", "adlt", "datasets", "adult"),
        ("ensembles.digits.model", "forest", "models", "random_forest"),
        (f"{RUNS}.digits_gnmax.student", "cnn", "models", "logistic_regression"),
        (f"{RUNS}.digits_gnmax.ensemble", "digts", "ensembles", "svhn"),
        ("scalable_pate.table1", ["digits_lnmx"], "scalable_pate.runs", "digits_lnmax"),
        ("scalable_pate.table2", ["digits_confidnt"], "scalable_pate.runs", "digits_confident"),
        ("scalable_pate.epsilon", ["digits_gnmax", "nothing"], "scalable_pate.runs", "digits_gnmax"),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(key, value, catalogue, known):
    message = refusal(changed(key, value))
    unknown = value[-1] if isinstance(value, list) else value
    assert message.startswith(f"{key} = {unknown!r}: not in {catalogue}; allowed: ") and known in message


def test_a_misspelt_name_is_told_which_one_was_meant():
    assert refusal(changed("scalable_pate.table2", ["digits_confidnt"])).endswith("; did you mean digits_confident?")
    line = refusal(changed("scalable_pate.runs.digits_confidnt", {"sigma": 20.0}))  # as a new entry it lacks all else
    assert "lacks the key 'ensemble'" in line and line.endswith("; or did you mean digits_confident?")


@pytest.mark.parametrize("run", ["digits_lnmax", "digits_gnmax"])
def test_only_confident_runs_are_sanitised(run):
    message = refusal(changed("scalable_pate.table2", ["digits_confident", run]))
    assert message.startswith(f"scalable_pate.table2 = '{run}': its aggregator is {run.removeprefix('digits_')}; ")
    assert "allowed: runs of confident_gnmax" in message


def test_more_teachers_than_private_samples():
    private = CONFIG["ensembles"]["digits"]["private"]
    check_config(changed("ensembles.digits.teachers", private), SCHEMA)
    message = refusal(changed("ensembles.digits.teachers", private + 1))
    assert message.startswith(f"ensembles.digits.teachers = {private + 1}: ") and f"private = {private}" in message


def test_more_queries_than_the_pool_holds():
    public = CONFIG["ensembles"]["digits"]["public"]
    check_config(changed(f"{RUNS}.digits_gnmax.queries", public), SCHEMA)
    message = refusal(changed(f"{RUNS}.digits_gnmax.queries", public + 1))
    assert message.startswith(f"{RUNS}.digits_gnmax.queries = {public + 1}: ")
    assert f"public = {public}" in message
    assert "public = 10" in refusal(changed("ensembles.digits.public", 10))
    message = refusal(changed(f"{RUNS}.digits_gnmax.first", 1))
    assert message.startswith(f"{RUNS}.digits_gnmax.queries = {public}: from row 1 on")


@pytest.mark.parametrize("queries", ["published", "authors_1000"])
def test_only_published_votes_have_the_authors_queries(queries):
    message = refusal(changed(f"{RUNS}.digits_gnmax.queries", queries))
    assert message.startswith(f"{RUNS}.digits_gnmax.queries = '{queries}': ")


def test_published_labels_are_of_published_votes_and_have_the_noise_that_is_charged():
    run = f"{RUNS}.mnist_lnmax_100"
    trained = CONFIG["scalable_pate"]["runs"]["mnist_lnmax_100"] | {"ensemble": "digits", "queries": 10}
    assert refusal(changed(run, trained)).startswith(f"{run}.labels = 'published': the ensemble is trained here")
    message = refusal(changed(f"{run}.labels_laplace_scale", 5.0))
    assert message.startswith(f"{run}.labels = 'published': the run would be charged for noise of laplace_scale = 10")
    assert "allowed where labels_laplace_scale is stated" in refusal(without(f"{run}.labels_laplace_scale"))


def test_more_answers_than_queries():
    queries = CONFIG["scalable_pate"]["runs"]["digits_confident"]["queries"]
    check_config(changed(f"{RUNS}.digits_confident.max_answered", queries), SCHEMA)
    message = refusal(changed(f"{RUNS}.digits_confident.max_answered", queries + 1))
    assert message == (f"{RUNS}.digits_confident.max_answered = {queries + 1}: allowed is at most queries = {queries}")


@pytest.mark.parametrize("run", ["svhn_gnmax", "svhn_lnmax_500", "svhn_confident"])
def test_published_votes_without_samples_train_no_student(run):
    check_config(changed(f"{RUNS}.{run}.student", None), SCHEMA)
    message = refusal(changed(f"{RUNS}.{run}.student", "random_forest"))
    assert message.startswith(f"{RUNS}.{run}.student = 'random_forest': ") and "allowed is null" in message


def test_the_size_of_a_pool_is_no_samples():
    config = changed("ensembles.svhn", CONFIG["ensembles"]["svhn"] | {"private": 9000, "public": 9000, "test": 1000})
    assert "student" in refusal(changed(f"{RUNS}.svhn_gnmax.student", "random_forest", config))


@pytest.mark.parametrize("missing", ["private", "public", "test"])
def test_samples_of_published_votes_come_with_their_sizes(missing):
    message = refusal(without(f"ensembles.adult.{missing}"))
    assert message.startswith("ensembles.adult") and f"'{missing}'" in message


@pytest.mark.parametrize("first_round", ["digits_gnmax", "adult_own_confident", "digits_interactive", "nothing"])
def test_a_first_round_is_a_confident_run_on_the_same_ensemble(first_round):
    message = refusal(changed(f"{RUNS}.digits_interactive.first_round", first_round))
    assert message.startswith(f"{RUNS}.digits_interactive.first_round = {first_round!r}: allowed is a run of ")
    assert "digits_round1" in message


@pytest.mark.parametrize("grid", ["linear", "logarithmic"])
@pytest.mark.parametrize("ends", [(100.0, 2.0), (50.0, 50.0)])
def test_a_grid_of_orders_that_does_not_rise(grid, ends):
    message = refusal(changed(f"accounting.orders.{grid}", [*ends, 5]))
    assert message.startswith(f"accounting.orders.{grid} = [{ends[0]}, {ends[1]}, ...]: allowed is first < last")


@pytest.mark.parametrize(("first", "last"), [(0.4, 0.3), (0.3, 0.3)])
def test_a_grid_of_smoothness_that_does_not_rise(first, last):
    config = changed("scalable_pate.sanitize.first", first)
    assert "sanitize" in refusal(changed("scalable_pate.sanitize.last", last, config))


# ---------------------------------------------------------------- defaults


def bare() -> dict:
    """The shipped configuration without any key that has a default."""
    config = copy.deepcopy(CONFIG)
    for name in ("repetitions", "data_root", "device", "gres", "download"):
        del config[name]
    del config["accounting"]["moments"], config["accounting"]["curve_points"], config["scalable_pate"]["sanitize"]
    for ensemble in config["ensembles"].values():
        del ensemble["protocol"]
    for run in config["scalable_pate"]["runs"].values():
        for name in ("student", "claims", "first"):
            run.pop(name, None)
    # a first round needs its student
    runs = config["scalable_pate"]["runs"]
    config["scalable_pate"]["runs"] = {name: run for name, run in runs.items() if "first_round" not in run}
    for item in ("table1", "epsilon", "selection"):
        config["scalable_pate"][item].remove("digits_interactive")
    config["scalable_pate"]["noiseless"] = config["scalable_pate"]["fig1"]["students"] = []
    config["release"]["run"] = None
    return config


@pytest.mark.parametrize(
    ("key", "names", "allowed"),
    [
        ("scalable_pate.selection", ["digits_lnmax"], "runs of confident_gnmax or interactive_gnmax"),
        ("scalable_pate.noiseless", ["digits_interactive"], "runs of confident_gnmax with a student"),
        ("scalable_pate.noiseless", ["svhn_confident"], "runs of confident_gnmax with a student"),
        ("scalable_pate.search.runs", ["digits_gnmax"], "runs of confident_gnmax"),
        ("scalable_pate.fig1.students", ["digits_gnmax"], "runs of lnmax or confident_gnmax with a student"),
    ],
)
def test_a_run_must_have_what_a_table_or_figure_shows(key, names, allowed):
    message = refusal(changed(key, names))
    assert message.startswith(f"{key} = '{names[0]}': ")
    assert message.endswith(f"allowed: {allowed}")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("scalable_pate.teachers", ["digts"]),
        ("scalable_pate.fig4.left", "digts"),
        ("scalable_pate.fig4.right", ["digts"]),
        ("scalable_pate.fig1.students", ["digts"]),
        ("scalable_pate.fig1.curves", ["digts", "digits_confident"]),
        ("scalable_pate.fig1.selection", "digts"),
        ("scalable_pate.search.runs", ["digts"]),
        ("scalable_pate.selection", ["digts"]),
    ],
)
def test_names_that_figures_refer_to_must_exist(key, value):
    assert refusal(changed(key, value)).startswith(f"{key} = 'digts': not in ")


def test_defaults_are_filled_at_every_level():
    config = bare()
    check_config(config, SCHEMA)
    fill_defaults(config, SCHEMA)
    assert [config[name] for name in ("repetitions", "data_root", "device", "gres")] == [3, None, "cpu", None]
    assert config["download"] == {"all": False, "attempts": 4, "wait": 2}
    assert (config["accounting"]["moments"], config["accounting"]["curve_points"]) == (8, 200)
    assert config["scalable_pate"]["sanitize"] == {
        "first": 0.3,
        "last": 0.495,
        "step": 0.01,
        "fixed_beta": 0.3,
        "fixed_sigma_ss": 5.0,
    }
    assert {ensemble["protocol"] for ensemble in config["ensembles"].values()} == {"own"}
    for run in config["scalable_pate"]["runs"].values():
        assert (run["student"], run["claims"], run["first"]) == (None, {}, 0)
    check_config(config, SCHEMA)


def test_ensembles_of_the_catalogue_say_their_protocol_themselves():
    assert [name for name, ensemble in CONFIG["ensembles"].items() if "protocol" not in ensemble] == []


def test_what_is_set_stays():
    config = bare()
    config["download"] = {"wait": 0}
    config["scalable_pate"]["sanitize"] = {"step": 0.1}
    config["data_root"] = "somewhere"
    expected = copy.deepcopy(config)
    fill_defaults(config, SCHEMA)
    assert config["download"] == {"all": False, "attempts": 4, "wait": 0}
    assert config["scalable_pate"]["sanitize"]["step"] == 0.1 and len(config["scalable_pate"]["sanitize"]) == 5
    assert config["data_root"] == "somewhere"
    for path, value in walk(expected):
        assert parent_of(config, path)[path[-1]] == value


def test_defaults_are_shared_with_nothing():
    schema = copy.deepcopy(SCHEMA)
    first, second = bare(), bare()
    fill_defaults(first, schema)
    fill_defaults(second, schema)
    runs = first["scalable_pate"]["runs"]
    runs["digits_lnmax"]["claims"]["epsilon"] = "changed"
    first["download"]["wait"] = first["scalable_pate"]["sanitize"]["step"] = 99
    assert runs["digits_gnmax"]["claims"] == {} == second["scalable_pate"]["runs"]["digits_lnmax"]["claims"]
    assert second["download"]["wait"] == 2 and second["scalable_pate"]["sanitize"]["step"] == 0.01
    assert schema == SCHEMA


def test_filling_twice_is_filling_once():
    config = bare()
    fill_defaults(config, SCHEMA)
    once = copy.deepcopy(config)
    fill_defaults(config, SCHEMA)
    assert config == once


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("scalable_pate.fig5.runs", ["digits_lnmax", "digits_lnmax_30", "digits_confident"], "in this order"),
        (
            "scalable_pate.fig5.runs",
            ["glyph_small_lnmax", "digits_confident", "glyph_small_aggressive"],
            "one ensemble",
        ),
        ("scalable_pate.fig1.curves", ["digits_confident", "digits_lnmax_300"], "in this order"),
        ("scalable_pate.fig1.selection", "digits_interactive", "a run of confident_gnmax"),
        ("scalable_pate.fig4.queries", 10**7, "at most the public"),
        ("scalable_pate.table2", [], "a list of at least 1"),
    ],
)
def test_what_a_figure_cannot_show_is_refused(key, value, what):
    assert what in refusal(changed(key, value))


INSPECTED = [("selection", ["svhn_confident"]), ("search.runs", ["svhn_confident"]), ("teachers", ["svhn"])]


@pytest.mark.parametrize(("key", "names"), INSPECTED, ids=[key for key, _ in INSPECTED])
def test_votes_are_inspected_where_their_true_labels_are_known(key, names):
    """Labels that came with the votes will do; votes with neither samples nor labels will not."""
    check_config(changed(f"scalable_pate.{key}", names), SCHEMA)
    unlabelled = without("ensembles.svhn.labelled", changed(f"scalable_pate.{key}", names))
    assert refusal(unlabelled).startswith(f"scalable_pate.{key} = {names[0]!r}: ensemble svhn has published votes, no")


def test_labels_are_of_the_votes_or_of_the_samples():
    assert refusal(changed("ensembles.mnist.labelled", True)).startswith("ensembles.mnist")
    assert refusal(changed("ensembles.digits.labelled", True)).startswith("ensembles.digits")


def test_figure_4_is_off_without_either_panel():
    for key, value in (("left", None), ("right", [])):
        check_config(changed(("scalable_pate", "fig4", key), value), SCHEMA)


# ---------------------------------------------------------------- noise and release


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"noise_seed": -1}, "noise_seed = -1: allowed is at least 0"),
        ({"noise_seed": "null"}, "noise_seed = 'null'"),
        ({"release.run": "none"}, "release.run = 'none': allowed are runs of gnmax and confident_gnmax"),
        ({"release.run": "digits_lnmax"}, "release.run = 'digits_lnmax': allowed are"),
        ({"release.run": "mnist_confident"}, "on ensembles trained here"),  # its votes have been published
        ({"release.run": "digits_confident_vat"}, "with a student of kind random_forest"),
        ({"release.run": "digits_interactive"}, "release.run = 'digits_interactive': allowed are"),
        ({"release.run": "notmnist_confident"}, "notmnist is brought into an order that depends on all its records"),
        ({"release.repetition": 3}, "release.repetition = 3: allowed is at most repetitions = 2"),
        (
            {"release.run": "digits_gnmax", "release.sanitized": True},
            "release.sanitized = True: digits_gnmax has no data-dependent epsilon",
        ),
        (
            {"release.run": "digits_confident_discrete", "release.sanitized": True},
            "release.sanitized = True: digits_confident_discrete",
        ),
        ({"release.licence": "[MIT](https://example.org)"}, "release.licence = '[MIT](https://example.org)'"),
        ({"release.largest_epsilon": 0}, "release.largest_epsilon = 0: allowed is greater than 0"),
        ({"scalable_pate.table1": ["digits_confident_discrete"]}, "its noise is discrete"),
        ({"scalable_pate.table2": ["digits_confident_discrete"]}, "its noise is discrete"),
        ({f"{RUNS}.digits_interactive.noise": "discrete"}, "unknown key 'noise'"),
        ({f"{RUNS}.digits_lnmax.noise": "discrete"}, "unknown key 'noise'"),
        ({f"{RUNS}.digits_gnmax.noise": "laplace"}, "one of continuous, discrete"),
    ],
)
def test_noise_and_releases_that_cannot_be_are_refused(changes, words):
    config = CONFIG
    for key, value in changes.items():
        config = changed(key, value, config)
    assert words in refusal(config)


@pytest.mark.parametrize(
    "block",
    [
        {"run": None},
        {"run": "digits_gnmax", "sanitized": False},
        {"run": "digits_confident_gan"},
        {"run": "digits_confident_discrete", "sanitized": False, "licence": "CC0"},
    ],
)
def test_releases_that_can_be_are_accepted(block):
    for seed in (0, None, 7):
        check_config(CONFIG | {"release": block, "noise_seed": seed}, SCHEMA)


@pytest.mark.parametrize("preset", [None, *PRESETS], ids=lambda path: path.stem if path else "quick")
def test_no_preset_publishes_an_epsilon_that_the_data_decide(preset):
    assert layered([preset] if preset else [])["release"]["sanitized"] is False
    assert SCHEMA["properties"]["release"]["properties"]["sanitized"]["default"] is False


@pytest.mark.parametrize("preset", [None, *PRESETS], ids=lambda path: path.stem if path else "quick")
def test_what_every_preset_releases_is_no_larger_than_it_says(preset):
    config = layered(preset_files(preset.stem) if preset else [])
    name, largest = config["release"]["run"], config["release"]["largest_epsilon"]
    assert largest == SCHEMA["properties"]["release"]["properties"]["largest_epsilon"]["default"] == LARGEST_EPSILON
    if name:
        run, orders = config["scalable_pate"]["runs"][name], order_grid(**config["accounting"]["orders"]).tolist()
        epsilon = max(epsilons(orders, announced_draws(run, []), run["delta"]))
        assert epsilon < largest


def test_the_shipped_noise_is_that_of_the_seed():
    """So results of before `noise_seed` stay what they are."""
    for files in ([], *([preset] for preset in PRESETS if len(preset_files(preset.stem)) == 1)):
        config = layered(files)
        assert config["noise_seed"] == config["seed"] == 2018

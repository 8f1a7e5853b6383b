"""Blocks of the configuration that are classes: their schema, what they refuse, and what is written into none."""

import copy
import json
import re
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Le, Len
from jsonschema import Draft202012Validator

from lib.core.keywords import AS_GIVEN, Count, Name, Positive, among
from lib.plan import blocks
from lib.plan.config import check_config, load
from tests.plan.configurations import CONFIG, SCHEMA, changed, parent_of, path_of, refusal


@dataclass(frozen=True, kw_only=True)
class Round:
    """A round thing. It has no corner."""

    kind: Literal["round", "oval"]
    size: Annotated[Positive | None, "Across."] = None


@dataclass(frozen=True, kw_only=True)
class Square:
    """A thing with corners."""

    kind: Literal["square"]
    size: Annotated[Positive | None, "Across."] = None
    corners: Count


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (
            Annotated[float, Ge(0), Le(1), "A share."],
            {"type": "number", "minimum": 0, "maximum": 1, "description": "A share."},
        ),
        (Count | None, {"type": ["integer", "null"], "minimum": 1}),
        (Literal["a"] | None, {"enum": ["a", None]}),
        (Annotated[str, among("datasets")], {"type": "string", "in": "datasets"}),
        (
            Annotated[tuple[bool, ...], Len(1, 4)],
            {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 4},
        ),
        (tuple[int, int], {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
        (
            tuple[int, str],
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
        ),
        (
            dict[Name, bool],
            {
                "type": "object",
                "propertyNames": {"type": "string", "pattern": r"^[a-z][a-z0-9_]*\Z"},
                "additionalProperties": {"type": "boolean"},
            },
        ),
        (
            Annotated[Square, AS_GIVEN],
            {
                "type": "object",
                "properties": {
                    "kind": {"enum": ["square"]},
                    "size": {
                        "type": ["number", "null"],
                        "exclusiveMinimum": 0,
                        "description": "Across.",
                        "default": None,
                    },
                    "corners": {"type": "integer", "minimum": 1},
                },
                "required": ["kind", "corners"],
                "description": "A thing with corners.",
                "additionalProperties": False,
                "as_given": True,
            },
        ),
    ],
    ids=str,
)
def test_the_schema_of_a_type(kind, schema):
    assert blocks._schema(kind) == schema


@pytest.mark.parametrize(
    ("block", "right"),
    [
        ({"kind": "oval"}, True),
        ({"kind": "square", "corners": 4, "size": 1.0}, True),
        ({"kind": "square"}, False),
        ({"kind": "round", "corners": 4}, False),
        ({"kind": "flat"}, False),
        ({"corners": 4}, False),
    ],
)
def test_the_schema_of_classes_that_a_field_tells_apart(block, right):
    assert Draft202012Validator(blocks._schema(Round | Square)).is_valid(block) == right


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("glyph_vat.method", "mixup", "one of supervised, vat, vat_entropy"),
        ("glyph_vat.blocks.1", [], "a list of at least 1"),
        ("glyph_vat.labelled_batch", True, "a whole number"),
        ("glyph_vat.power_iterations", 0, "at least 1"),
        ("glyph_vat.dropout", 1.0, "less than 1"),
        ("glyph_vat.momentum", 2.0, "at most 1"),
        ("mnist_gan.generator.0", 0, "at least 1"),
        ("mnist_gan.labelled_batch", 2.5, "a whole number"),
        ("mnist_gan.unlabelled_batch", 1, "at least 2"),
        ("mnist_gan.average_decay", -0.1, "at least 0"),
        ("mnist_gan.decay_start", 1.5, "at most 1"),
        ("mnist_cnn.recipe.average", 1.5, "at most 1"),
        ("mnist_cnn.recipe.scaling", "none", "one of centred, whitened"),
        ("mnist_cnn.convolutions", [64], "a list of 2 numbers"),
    ],
)
def test_ranges_of_models_are_refused(key, value, line):
    assert refusal(changed(f"models.{key}", value)).startswith(f"models.{key} = {value!r}: allowed is {line}")


RESIDUAL = "residual_perturbation"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("tasks.digits.recipe.epochs", 0, "at least 1"),
        ("tasks.digits.recipe.batch", 1, "at least 2"),
        ("tasks.digits.recipe.rate", 0.0, "greater than 0"),
        ("tasks.digits.recipe.momentum", -0.1, "at least 0"),
        ("tasks.digits.recipe.scale", "bytes", "one of standardised, unit, pixels"),
        ("tasks.digits.widths", [8, 16], "a list of 3 numbers"),
        ("tasks.digits.dp_sgd.optimizer", "adam", "one of sgd"),
        ("tasks.digits.dp_sgd.clip", None, "a number"),
        ("methods.strategy1.form.strategy", "III", "one of additive, multiplicative"),
        ("methods.strategy1_std.form.scaling", "max", "one of unscaled, std"),
        ("methods.strategy1_stem.form.start", "head", "one of image, stem"),
        ("methods.strategy2.form", {"strategy": "multiplicative", "floor": -1.0}, "at least 0"),
        ("methods.plain_4.recipe.epochs", 0, "at least 1"),
        ("methods.dp_sgd_no_momentum.recipe.momentum", 1, "less than 1"),
        ("attack.rates", [0.1, 0.0], "greater than 0"),
        ("attack.batch", 0, "at least 1"),
        ("tables.table1.rows.0", ["plain", 0], "a list of 3, [method, noise coefficient, members]"),
        ("theory.rademacher.power", 1.0, "less than 1 and greater than 0"),
    ],
)
def test_ranges_of_residual_perturbation_are_refused(key, value, line):
    message = refusal(changed(f"{RESIDUAL}.{key}", value))
    assert message.startswith(f"{RESIDUAL}.{key}") and f"allowed is {line}" in message


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("methods.strategy1_std.form.strategy", "multiplicative", "scaling = 'std': allowed is unscaled"),
        ("tasks.digits.dp_sgd.last_rate", 0.1, "last_rate = 0.1: the line needs decay_epochs, and a decay of 1"),
        ("audit.tasks.shapes_slots.canaries", 97, "canaries = 97: allowed is at most samples = 96"),
        ("audit.tasks.shapes_small.draws", 4, "canaries = None: allowed are canaries, guesses and draws, or none"),
        ("audit.tasks.shapes_small.sgd.recipe.batch", 5, "sgd.recipe.batch = 5: allowed is at most samples = 4"),
        ("audit.tasks.shapes_small.shard", 15, "shard = 15: allowed are multiples of together = 10"),
        ("theory.dp_sgd.orders.linear", [9.0, 2.0, 1.0], "linear = [9.0, 2.0, ...]: allowed is first < last"),
    ],
)
def test_settings_of_residual_perturbation_that_do_not_fit_together_are_refused(key, value, line):
    block = f"{RESIDUAL}.{key}".rpartition(".")[0].removesuffix(".sgd.recipe")
    assert refusal(changed(f"{RESIDUAL}.{key}", value)).startswith(f"{block}.{line}")


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("tables", "unknown key 'fig3'; allowed: readings, skip, table1, table2, table3, table4, table5"),
        ("tasks.digits.dp_sgd", "unknown key 'fig3'; allowed: batch, clip, decay, decay_epochs, decay_every, delta"),
        ("methods.strategy1_mnist.recipe", "unknown key 'fig3'; allowed: batch, drop, epochs, milestones, momentum"),
        ("methods.dp_sgd_no_momentum.recipe", "unknown key 'fig3'; allowed: batch, clip, decay, decay_epochs"),
    ],
)
def test_keys_of_residual_perturbation_that_nothing_reads_are_refused(key, line):
    assert refusal(changed(f"{RESIDUAL}.{key}.fig3", None)).startswith(f"{RESIDUAL}.{key}: {line}")


def test_a_clip_of_dp_sgd_is_named():
    recipe = {name: value for name, value in CONFIG[RESIDUAL]["tasks"]["digits"]["dp_sgd"].items() if name != "clip"}
    line = refusal(changed(f"{RESIDUAL}.tasks.digits.dp_sgd", recipe))
    assert line.startswith(f"{RESIDUAL}.tasks.digits.dp_sgd: lacks the key 'clip'")


def test_every_table_of_residual_perturbation_is_named():
    tables = {name: None for name in CONFIG[RESIDUAL]["tables"] if name != "skip"}
    assert refusal(changed(f"{RESIDUAL}.tables", tables)).startswith(f"{RESIDUAL}.tables: lacks the key 'skip'")


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("attack", {"hidden": 32}),
        ("methods.dp_sgd", {"groups": 4}),
        ("audit.tasks.shapes_small", {"widths": [8, 16, 32]}),
        ("methods.strategy1.form", {"pi_share": 0.25}),
        ("audit.tasks.shapes_small.recipe", {"momentum": 0.0, "weight_decay": 0.0, "scale": "unit"}),
        ("tasks.digits.dp_sgd", {"momentum": 0.5, "decay_epochs": 3}),
        ("methods.dp_sgd_no_momentum.recipe", {"clip": 0.5, "sigma": 2.0, "delta": 1e-6}),
    ],
)
def test_every_setting_of_residual_perturbation_can_be_configured(key, settings):
    config = copy.deepcopy(CONFIG)
    parent_of(config, path_of(f"{RESIDUAL}.{key}.x")).update(settings)
    check_config(config, SCHEMA)


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("segmentation.tasks.phantom.teacher.steps", 0, "at least 1"),
        ("segmentation.tasks.phantom.teacher.rate", 0.0, "greater than 0"),
        ("segmentation.tasks.phantom.student.warm_up", -1, "at least 0"),
        ("segmentation.tasks.phantom.student.foreground", 1.1, "at most 1"),
        ("segmentation.tasks.phantom.student.augmented", -0.1, "at least 0"),
        ("segmentation.tasks.phantom.student.loss", "dice", "one of cross_entropy, dice_and_cross_entropy"),
        ("segmentation.tasks.phantom.student.patch", [32, 32], "a list of 3 numbers"),
        ("segmentation.tasks.phantom.classes", 1.0, "a whole number"),
        ("segmentation.tasks.phantom.protocol", "smaller", r"text matching ^(paper\Z|reduced: )"),
        ("segmentation.tasks.hippocampus.dp_sgd.clipping", "flat", "one of layers, joint"),
        ("segmentation.encoders.ball.bound", "cube", "one of ball, clip"),
        ("segmentation.encoders.ball.dimensions", 1, "one of 2, 3"),
        ("segmentation.encoders.ball.widths", [], "a list of at least 1"),
        ("segmentation.encoders.ball.recipe.sigma", -1.0, "number >= 0 or 'budget'"),
        ("segmentation.encoders.ball.recipe.rate", 0.0, "greater than 0"),
        ("segmentation.encoders.pca.radius", "ball", "number or 'cube'"),
        ("segmentation.encoders.pca.block", [8, 8], "a list of 3 numbers"),
        ("segmentation.volumes.phantom_small.shape", [0, 4, 4], "at least 1"),
        ("segmentation.volumes.phantom_small.shape", [4, 4], "a list of 3 numbers"),
        ("segmentation.volumes.phantom_small.crop", [4, -1, 4], "at least 1"),
        ("segmentation.volumes.phantom_small.label_mode", "mean", "one of nearest, majority"),
        ("segmentation.volumes.phantom_small.settings.images", 3, "text or a mapping, as `name: {...}`"),
        ("autoencoded_pate.results.route", "pld", "one of rdp, analytic"),
        ("autoencoded_pate.results.dp_sgd.noises", ["none"], "one of printed, budget, clipped"),
        ("compressed_pate.fig1.sigmas", [0.1, 0.1], "a list without repetitions"),
    ],
)
def test_ranges_of_segmentation_are_refused(key, value, line):
    message = refusal(changed(key, value))
    assert message.startswith(key) and f": allowed is {line}" in message


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("segmentation.encoders.ball.recipe", {"longest": 0.1, "warm_up": [0.2, 0.4]}),
        ("segmentation.encoders.ball.recipe", {"sigma": "budget"}),
        ("autoencoded_pate.results.dp_sgd.recipe", {"optimizer": "sgd", "momentum": 0.9, "decay": 0.5}),
    ],
)
def test_every_setting_of_segmentation_can_be_configured(key, settings):
    config = copy.deepcopy(CONFIG)
    parent_of(config, path_of(f"{key}.x")).update(settings)
    check_config(config, SCHEMA)


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("seed", -1, "at least 0"),
        ("seed", 1.5, "a whole number"),
        ("bundled_fonts", 1, "true or false"),
        ("font_folders", "fonts", "a list, as [fonts]"),
        ("coverage", 1.1, "at most 1"),
        ("split_by", "style", "one of family, file"),
        ("shares", [0.5, 0.5], "a list of 3 numbers"),
        ("shares", [1, 0, 0], "greater than 0"),
        ("imbalance", 0.5, "at least 1"),
        ("wrong_labels", 0.6, "at most 0.5"),
        ("look_alike_labels", float("nan"), "a finite number"),
        ("rotation", "8", "a number; this is text"),
        ("blur", 2, "a list"),
        ("noise", -0.1, "at least 0"),
        ("size_kept", True, "a number"),
        ("blur", [2.5, 1.0], "the lower first"),
        ("shares", [0.5, 0.4, 0.2], "3 numbers with the sum 1"),
    ],
)
def test_ranges_of_open_glyph_are_refused(name, value, line):
    message = refusal(changed("datasets.open_glyph.settings", {name: value}))
    assert message.startswith(f"datasets.open_glyph.settings.{name}")
    assert re.search(rf" = .*: allowed (is|are) {re.escape(line)}", message)


SERIES = "dp_mac.series"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("digits_dp_sgd.recipe.clip", None, "allowed is a number, with dp_sgd"),
        ("digits_dp_sgd.recipe.last_rate", 0.1, "the line needs decay_epochs, and a decay of 1"),
        ("digits_dp_mac.recipe.expansion", "exact", "not private; allowed are first, second"),
        ("digits_dp_mac.thresholds.quadratic", 0.1, "allowed is a number with expansion second alone"),
        ("digits_dp_cdbn.recipe.shares", [0.5, 0.5, 0.5, 0.5], "allowed are positive numbers with the sum 1"),
        ("digits_dp_cdbn.recipe.sizes", [3], "allowed are 2 numbers, for 2 hidden layers"),
        ("digits_dp_cdbn.recipe.filters", [10, 4], "orthogonal; allowed are at most the squares of (3, 3)"),
    ],
)
def test_what_does_not_fit_together_is_refused_before_any_job(key, value, line):
    message = refusal(changed(f"{SERIES}.{key}", value))
    shown = tuple(value) if isinstance(value, list) else value
    assert message == f"{SERIES}.{key} = {shown!r}: {line}"


def test_a_form_that_does_not_fit_is_refused_before_any_job():
    line = "dp_mac.networks.digits_classifier.linear_output = True: allowed is false with output binary_cross_entropy"
    assert refusal(changed("dp_mac.networks.digits_classifier.linear_output", True)) == line


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("digits_mac.recipe.expansion", "third", "one of first, second, exact"),
        ("digits_mac.recipe.batches", "shuffled", "one of poisson, in_order"),
        ("digits_mac.recipe.mu", 0.0, "greater than 0"),
        ("digits_mac.recipe.decay_epochs", 0, "at least 1"),
        ("digits_dp_mac.learning.sigma", 0.0, "greater than 0"),
        ("digits_dp_sgd.recipe.optimizer", "lbfgs", "one of sgd, adam"),
        ("digits_dp_sgd.recipe.momentum", 1.0, "less than 1"),
        ("usps_dp_mac_run.preparation.eigenvalues", "none", "one of magnitude, value"),
        ("digits_dp_cdbn.recipe.filters", [13, 4], "at most 12"),
        ("digits_dp_cdbn.recipe.clips", [0.3, 0.1, 2.0], "at most 1"),
        ("mnist_dp_cdbn_published.recipe.pretraining_rate", 0.0, "greater than 0"),
    ],
)
def test_ranges_of_recipes_are_refused(key, value, line):
    message = refusal(changed(f"{SERIES}.{key}", value))
    assert message.startswith(f"{SERIES}.{key}") and line in message


@pytest.mark.parametrize(
    ("series", "settings"),
    [
        ("digits_mac", {"mu": 2.0, "expansion": "exact", "batches": "in_order", "decay_epochs": None}),
        ("digits_dp_sgd", {"momentum": 0.5}),
        ("digits_dp_cdbn", {"hidden_steps": 10, "hidden_rate": 0.1, "ridge": 0.0, "gain": 1.0, "threshold": -1.0}),
        ("mnist_dp_cdbn_published", {"size": 3, "units": 30, "pretraining_rate": 0.1}),
    ],
)
def test_every_setting_of_a_recipe_can_be_configured(series, settings):
    config = copy.deepcopy(CONFIG)
    config["dp_mac"]["series"][series]["recipe"] |= settings
    check_config(config, SCHEMA)


def test_the_schema_is_one_that_editors_read():
    schema = json.loads(json.dumps(SCHEMA))
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid(CONFIG) and schema == SCHEMA


def test_defaults_of_classes_that_jobs_make_are_not_written_into_the_configuration():
    """So that a new setting with a default changes no command line, and no key of a checkpoint."""
    before, after = CONFIG["dp_mac"], load(overrides={"release": {"run": None}})["dp_mac"]
    assert after["series"] == before["series"]
    assert after["networks"]["digits_classifier"]["initial"] == "glorot"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("ensembles.digits.teachers", 1201, "more teachers than private samples; allowed is at most private = 1200"),
        ("ensembles.mnist.labelled", True, "allowed without samples, which have labels"),
        ("scalable_pate.sanitize.first", 0.495, "allowed is less than last = 0.495"),
    ],
)
def test_votes_that_do_not_fit_together_are_refused(key, value, line):
    assert refusal(changed(key, value)) == f"{key} = {value!r}: {line}"


def test_of_two_blocks_that_do_not_fit_the_first_is_refused():
    both = changed("scalable_pate.sanitize.first", 0.495, changed("ensembles.digits.teachers", 1201))
    assert refusal(both).startswith("ensembles.digits.teachers = 1201: more teachers than private samples")

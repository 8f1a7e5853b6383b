"""The files that make up the configuration and its schema: each key in one place, every key described."""

import math
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from snakemake.utils import update_config

from lib.core.errors import InputError
from lib.data import registry
from lib.plan.config import BLOCKS, ROOT, catalogue, default_preset, layered, load, merged
from lib.plan.configfiles import check_overlays, preset_files
from lib.plan.schema import at, check_schema, references
from tests.plan.configurations import CONFIG, PRESETS, SCHEMA

LAYERS = [*(ROOT / "catalogue" / f"{block}.yaml" for block in BLOCKS), ROOT / "config.yaml"]


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def leaves(block: object, above: tuple = ()):
    """The path of every value that is no mapping, or an empty one."""
    if isinstance(block, dict) and block:
        for key, value in block.items():
            yield from leaves(value, (*above, key))
    else:
        yield above


# ---------------------------------------------------------------- files


def test_the_overlays_of_the_page_on_own_images_fit_the_preset(tmp_path):
    page = (ROOT / "docs" / "own_images.md").read_text(encoding="utf-8")
    overlays = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(overlays) == 2
    for number, overlay in enumerate(overlays):
        file = tmp_path / f"{number}.yaml"
        file.write_text(overlay, encoding="utf-8")
        config = load([ROOT / "presets" / "own_images.yaml", file], {"data_root": "DIR"})
        ensemble, run = (
            config["ensembles"]["own_images"],
            config["scalable_pate"]["runs"]["own_images_confident"],
        )
        assert run["queries"] <= ensemble["public"] and run["threshold"] <= ensemble["teachers"]
        assert run["delta"] < 1 / ensemble["private"]


def test_the_configuration_of_the_page_on_own_volumes_trains_teachers(tmp_path):
    """An epsilon for which nobody's patients were taught would protect nobody."""
    page = (ROOT / "docs" / "own_votes.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    config = load([tmp_path / "mine.yaml"], {"data_root": "data"})
    (target,) = set(re.findall(r"--configfile mine\.yaml --config data_root=data -- (\w+)$", page, re.MULTILINE))
    assert target == "autoencoded_pate_results"
    for name in config["autoencoded_pate"]["results"]["tasks"]:
        task = config["segmentation"]["tasks"][name]
        assert task["volumes"] == "mine" and 0 < task["teachers"] <= task["parts"]["teachers"] and task["apart"] == 1
        assert f"/private/segmentation/masks/{name}/1/0\n" in page


def test_what_a_person_sets_stays_a_page():
    assert len((ROOT / "config.yaml").read_text().splitlines()) <= 60


def test_every_value_is_written_in_one_file():
    found: dict[tuple, str] = {}
    for file in LAYERS:
        for leaf in leaves(read(file)):
            assert leaf not in found, f"{'.'.join(leaf)} is in {found[leaf]} and in {file.name}"
            found[leaf] = file.name
    assert len(found) > 2000


@pytest.mark.slow
@pytest.mark.parametrize("preset", [None, *PRESETS], ids=lambda path: path.stem if path else "quick")
def test_files_are_laid_over_one_another_as_snakemake_does_it(preset):
    overlays, overrides = [preset] if preset else [], {"data_root": "there", "datasets": {"digits": {"source": "x"}}}
    expected: dict = {}
    for layer in [*map(read, LAYERS), *map(read, overlays), overrides]:
        update_config(expected, layer)
    assert layered(overlays, overrides) == expected


@pytest.mark.parametrize(
    ("below", "above", "result"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"a": {"b": 1, "c": 3}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({"a": None}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({}, {"a": {}}, {"a": {}}),
    ],
)
def test_mappings_are_merged_and_all_else_replaced(below, above, result):
    assert merged(below, above) == result


def test_nothing_of_the_configuration_is_another_part_of_it():
    """As YAML's anchors would make it: a change at one place would change others."""
    seen: set[int] = set()

    def visit(block):
        if isinstance(block, dict | list):
            assert id(block) not in seen
            seen.add(id(block))
            for part in block.values() if isinstance(block, dict) else block:
                visit(part)

    visit(catalogue())
    assert seen


def test_defaults_are_filled_in():
    config = load(overrides={"release": {"run": None}})
    assert config["residual_perturbation"]["audit"]["tasks"]["tissue"]["together"] == 10
    assert config["scalable_pate"]["runs"]["mnist_gnmax"]["student"] is None


def test_a_dataset_that_needs_its_folder_names_the_key():
    needed = [(name, entry) for name, entry in catalogue()["datasets"].items() if entry["source"] == "data_root"]
    assert needed
    for name, entry in needed:
        with pytest.raises(InputError, match=r"needs 'data_root'.*not set"):
            registry.required_files(name, entry["module"], entry["source"], None)


# ---------------------------------------------------------------- the schema


def undescribed(block: object, schema: dict, where: str) -> list[str]:
    """Keys of the configuration without a description in the schema; fails for a key that it does not know."""
    if not isinstance(block, dict):
        return []
    conditional = [part for part in [schema, *schema.get("allOf", [])] if "then" in part]
    parts = [schema] + [part["then"] for part in conditional if Draft202012Validator(part["if"]).is_valid(block)]
    known = {name: key for part in parts for name, key in part.get("properties", {}).items()}
    found = []
    for name, value in block.items():
        below = known.get(name, schema.get("additionalProperties"))
        assert isinstance(below, dict), f"{where}{name} is not in the schema"
        if name in known and not below.get("description"):
            found.append(f"{where}{name}")
        found += undescribed(value, below, f"{where}{name if name in known else '*'}.")
    return sorted(set(found))


def test_every_key_of_the_configuration_is_described_in_the_schema():
    assert undescribed(CONFIG, SCHEMA, "") == []


def test_every_reference_is_to_something_that_is_there():
    found = set(references(SCHEMA))
    assert len(found) > 10
    assert [path for path in found if at(CONFIG, path) is None] == []


REFERRING = {
    "additionalProperties": False,
    "required": ["one"],
    "properties": {
        "one": {"type": ["string", "null"], "in": "many.kinds"},
        "some": {"items": {"in": "many.listed"}},
        "many": {"type": "object"},
    },
}
MANY = {"kinds": {"b": 1, "a": 2}, "listed": ["c", "d"]}


@pytest.mark.parametrize(
    "config",
    [
        {"one": "a", "some": ["d", "c"], "many": MANY},
        {"one": None, "some": [], "many": MANY},
        {"one": "a"},  # without its catalogue, a name is not what is wrong
        {"one": "a", "many": {"kinds": None}},
    ],
)
def test_a_name_may_be_a_key_of_its_catalogue_or_an_item_of_its_list(config):
    check_schema(config, REFERRING)


@pytest.mark.parametrize(
    ("config", "line"),
    [
        ({"one": "c", "many": MANY}, "one = 'c': not in many.kinds; allowed: a, b"),
        ({"one": "a", "some": ["c", "a"], "many": MANY}, "some = 'a': not in many.listed; allowed: c, d"),
        ({"one": "a", "many": {"kinds": {}}}, "one = 'a': not in many.kinds; allowed: "),
        ({"one": "c", "many": MANY, "two": 1}, "the configuration: unknown key 'two'; allowed: many, one, some"),
    ],
)
def test_another_name_is_refused_after_what_else_is_wrong(config, line):
    with pytest.raises(InputError) as caught:
        check_schema(config, REFERRING)
    assert str(caught.value) == line


@pytest.mark.parametrize("value", [math.nan, -math.inf])
def test_numbers_are_finite_in_lists_too(value):
    with pytest.raises(InputError, match=r"^some\.1 = .*: allowed is a finite number$"):
        check_schema({"one": "a", "some": [1.0, value]}, REFERRING)


# ---------------------------------------------------------------- overlays


def overlay(folder: Path, name: str, **keys) -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(keys))
    return path


def test_overlays_have_a_preset_of_their_own(tmp_path):
    own, other = overlay(tmp_path, "own", preset="own"), overlay(tmp_path, "other", repetitions=2)
    check_overlays([], {}, "quick")
    check_overlays([], {"repetitions": 2}, "quick")
    check_overlays([own], {}, "quick")
    check_overlays([own, other], {}, "quick")
    check_overlays([other, own], {}, "quick")
    check_overlays([other], {"preset": "other"}, "quick")
    check_overlays([other], {"preset": "quick"}, "quick")
    for preset in PRESETS:
        check_overlays(preset_files(preset.stem), {"data_root": "there", "device": "cuda"}, default_preset())
        check_overlays([*preset_files(preset.stem), own], {}, default_preset())


def test_presets_of_the_project_are_called_as_their_files_are():
    assert {preset.stem: read(preset)["preset"] for preset in PRESETS} == {
        preset.stem: preset.stem for preset in PRESETS
    }


REAL = ROOT / "presets" / "real.yaml"


def test_results_of_other_settings_go_among_those_of_no_preset_of_the_project(tmp_path):
    own, other = overlay(tmp_path, "own", preset="own"), overlay(tmp_path, "other", repetitions=2)
    same, copied = overlay(tmp_path, "same", preset="quick"), overlay(tmp_path, "real", preset="real", repetitions=2)
    for files, file, why, name in (
        ([REAL, other], other, "sets no preset of its own", "real"),
        ([other, REAL], other, "sets no preset of its own", "real"),
        ([copied], copied, "sets a name that a preset of the project has", "real"),
        ([REAL, copied], copied, "sets a name that a preset of the project has", "real"),
        ([REAL, same], same, "sets a name that a preset of the project has", "quick"),
        ([same], same, "sets a name that a preset of the project has", "quick"),
        ([own, REAL], own, "has a preset of the project laid over it", "real"),
    ):
        with pytest.raises(InputError) as caught:
            check_overlays(files, {"data_root": "there"}, "quick")
        line = f"{file}: {why}, so that its results would go among those of {name!r}; "
        assert str(caught.value).startswith(line) and "\n" not in str(caught.value)


def test_a_name_on_the_command_line_is_ones_own_or_that_of_the_preset_below(tmp_path):
    other = overlay(tmp_path, "other", repetitions=2)
    for files, name in (
        ([], "mine"),
        ([], "quick"),
        ([REAL], "real"),
        ([REAL, other], "real"),
        ([REAL, other], "mine"),
    ):
        check_overlays(files, {"preset": name}, "quick")
    for files, name, base in (([], "real", "quick"), ([other], "real", "quick"), ([REAL], "votes", "real")):
        with pytest.raises(InputError, match=rf"^--config preset={name}: names another .* than '{base}', over which"):
            check_overlays(files, {"preset": name}, "quick")
    with pytest.raises(InputError, match=r"give --configfile presets/votes\.yaml"):
        check_overlays([REAL], {"preset": "votes"}, "quick")


def test_what_lies_over_a_preset_needs_it_below(tmp_path):
    below, above = overlay(tmp_path, "below", preset="below"), overlay(tmp_path, "above", preset="above", over="below")
    between = overlay(tmp_path, "between", preset="between")
    for files in ([below, above], [below, between, above], [below, above, between]):
        check_overlays(files, {}, "quick")
    for files in ([above], [above, below], [between, above]):
        with pytest.raises(InputError) as caught:
            check_overlays(files, {}, "quick")
        assert str(caught.value) == f"{above}: lies over the preset 'below'; give presets/below.yaml before it"


def test_overlays_without_one_are_refused_with_the_file_and_what_to_add(tmp_path):
    same, other = overlay(tmp_path, "same", preset="quick"), overlay(tmp_path, "other", repetitions=2)
    own = overlay(tmp_path, "own", preset="own")
    for files in ([other], [same], [same, other], [own, same]):
        with pytest.raises(InputError) as caught:
            check_overlays(files, {"data_root": "there"}, "quick")
        message = str(caught.value)
        assert message.startswith(f"{files[-1]}: ") and "`preset: NAME`" in message and "'quick'" in message
        assert "\n" not in message

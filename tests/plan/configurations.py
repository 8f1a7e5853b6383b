"""Configurations to break in one place, and the line with which they are refused."""

import copy

import pytest

from lib.core.errors import InputError
from lib.plan.config import ROOT, check_config, layered, load_schema

CONFIG, SCHEMA = layered(), load_schema()
PRESETS = sorted((ROOT / "presets").glob("*.yaml"))


def parent_of(config: dict, path: tuple) -> object:
    """The mapping or list in which the last key of a path stands."""
    for key in path[:-1]:
        config = config[key]
    return config


def path_of(key: str | tuple) -> tuple:
    """A key as it is written in a refusal, in parts."""
    return key if isinstance(key, tuple) else tuple(int(part) if part.isdigit() else part for part in key.split("."))


def changed(key: str | tuple, value: object, config: dict = CONFIG) -> dict:
    """A configuration, quick's where none is given, with another value at one key."""
    path, config = path_of(key), copy.deepcopy(config)
    parent_of(config, path)[path[-1]] = copy.deepcopy(value)
    return config


def refusal(config: object) -> str:
    """The line with which a configuration is refused; blocks that are quick's are not put to the schema again."""
    schema = SCHEMA
    if isinstance(config, dict):
        same = {key: True for key in SCHEMA["properties"] if key in config and config[key] == CONFIG[key]}
        schema = SCHEMA | {"properties": SCHEMA["properties"] | same}
    with pytest.raises(InputError) as caught:
        check_config(config, schema)
    message = str(caught.value)
    assert "\n" not in message and message
    return message

"""The configuration as a class: the schema made of it, and what its blocks refuse themselves."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from lib.core.errors import InputError
from lib.core.keywords import Keywords, Name
from lib.plan.accounting_block import Accounting
from lib.plan.audit_block import Audit
from lib.plan.dp_mac_block import DpMac
from lib.plan.leaderboard_block import Leaderboard
from lib.plan.models_block import Model
from lib.plan.residual_perturbation_block import ResidualPerturbation
from lib.plan.run_block import Run
from lib.plan.scalable_pate_block import AnyEnsemble, ScalablePate
from lib.plan.segmentation_block import AutoencodedPate, CompressedPate, Segmentation

_SCALARS = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object"}
_BOUNDS = {  # of annotated_types
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "min_length": "minItems",
    "max_length": "maxItems",
}


@dataclass(frozen=True, kw_only=True)
class Configuration(Run):
    """Settings of private deep learning; config.yaml and catalogue/ have them."""

    models: Annotated[dict[Name, Model], "Catalogue of models by name, with their hyperparameters."]
    accounting: Accounting
    ensembles: Annotated[dict[Name, AnyEnsemble], "Catalogue of teacher ensembles by name."]
    scalable_pate: ScalablePate
    dp_mac: DpMac
    residual_perturbation: ResidualPerturbation
    segmentation: Segmentation
    autoencoded_pate: AutoencodedPate
    compressed_pate: CompressedPate
    audit: Audit
    leaderboard: Leaderboard


def check_blocks(config: Mapping[str, Any]) -> None:
    """Raise InputError where a class refuses what its schema allows: settings that do not fit together."""
    try:
        _adapter().validate_python(config)
    except ValidationError as error:
        fault = next(each for each in error.errors() if each["type"] == "value_error")  # not of another kind of class
        place: Any = config
        key: list[str] = []
        part: Any
        for part in fault["loc"]:  # keys, and names of classes
            if isinstance(place, list) or (isinstance(place, dict) and part in place):
                place, key = place[part], [*key, str(part)]
        raise InputError(f"{'.'.join(key)}.{fault['ctx']['error']}") from error


@cache
def _adapter() -> TypeAdapter:
    return TypeAdapter(Configuration)


@cache
def load_schema() -> dict:
    """Return the schema of the whole configuration."""
    return _schema(Configuration)


def _schema(kind: Any) -> dict[str, Any]:
    """Return the schema of a type."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if origin is None and kind in _SCALARS:
        return {"type": _SCALARS[kind]}
    if is_dataclass(kind):
        return _object(kind) | {"description": str(kind.__doc__).splitlines()[0], "additionalProperties": False}
    if origin is Annotated:
        return _schema(parts[0]) | {key: value for word in parts[1:] for key, value in _words(word).items()}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, types.UnionType):
        if parts[-1] is not types.NoneType and is_dataclass(parts[0]):
            return _one_of(parts)
        if parts[-1] is not types.NoneType:  # a number or one of some words
            return {"oneOf": [_schema(parts[0]), *({"const": word} for word in get_args(parts[1]))]}
        made = _schema(parts[0])
        return made | ({"enum": [*made["enum"], None]} if "enum" in made else {"type": [made["type"], "null"]})
    if origin is dict:
        names = _schema(parts[0])
        required = {"required": names["enum"]} if "enum" in names else {}
        return {"type": "object", "propertyNames": names, **required, "additionalProperties": _schema(parts[1])}
    if parts[-1] is ...:
        return {"type": "array", "items": _schema(parts[0])}
    each = [_schema(part) for part in parts]
    items = {"items": each[0]} if each[1:] == each[:-1] else {"prefixItems": each}
    return {"type": "array", **items, "minItems": len(parts), "maxItems": len(parts)}


def _words(word: Any) -> dict[str, Any]:
    """Return the keywords that an annotation adds to a schema."""
    if isinstance(word, str):
        return {"description": word}
    return (
        word if isinstance(word, Keywords) else {_BOUNDS[key]: at for key, at in asdict(word).items() if at is not None}
    )


def _object(kind: Any) -> dict:
    """Make the schema of a class's fields. A default of None where null is not allowed is ABSENT, and not in it."""
    hints = get_type_hints(kind, include_extras=True)
    properties, required = {field.name: _schema(hints[field.name]) for field in fields(kind)}, []
    for field in fields(kind):
        default, part = field.default, properties[field.name]
        if field.default_factory is not MISSING:
            default = field.default_factory()
        if default is MISSING:
            required.append(field.name)
        elif default is not None or "null" in part.get("type", ()) or None in part.get("enum", ()):
            # those of a class are filled in one by one
            part["default"] = {} if is_dataclass(default) else [*default] if isinstance(default, tuple) else default
    return {"type": "object", "properties": properties, "required": required}


def _one_of(kinds: tuple[type, ...]) -> dict:
    """Return the schema of classes that a field distinguishes: what all share, and what each has beside it."""
    made = [_object(kind) for kind in kinds]
    first, *others = (each["properties"] for each in made)
    shared = {name: part for name, part in first.items() if all(other.get(name) == part for other in others)}
    tag = next(name for name, part in first.items() if "enum" in part and name not in shared)
    required = [name for name in made[0]["required"] if all(name in each["required"] for each in made)]
    cases = [
        {
            "if": {"properties": {tag: each["properties"][tag]}, "required": [tag]},
            "then": {
                "properties": {name: part for name, part in each["properties"].items() if name not in {tag, *shared}},
                "required": [name for name in each["required"] if name not in required],
            },
        }
        for each in made
    ]
    names = {"enum": [name for each in made for name in each["properties"][tag]["enum"]]}
    every = {"properties": {tag: first[tag] | names, **shared}, "required": required}
    return {"type": "object", **every, "allOf": cases, "unevaluatedProperties": False}

"""The schema of the configuration: what it refuses, in one line, and defaults."""

import copy
import difflib
import math
import re
import sys
from collections.abc import Iterator
from typing import Any

import jsonschema

from lib.core.errors import InputError

_CLOSED = ("additionalProperties", "unevaluatedProperties")
_SCALARS = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "null": "null",
}
# JSON takes 2.0 for an integer, and whatever counts things would not
_TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda checker, value: isinstance(value, int) and not isinstance(value, bool)
)


def validator_of(config: object, schema: dict) -> jsonschema.protocols.Validator:
    """Return the validator of a configuration.

    Beside what JSON Schema has, text with the keyword `in: PATH` must be a key of the catalogue, or an item of the
    list, that stands at this path of the whole configuration.
    """
    return jsonschema.validators.extend(
        jsonschema.Draft202012Validator, {"in": _reference(config)}, type_checker=_TYPES
    )(schema)


def check_schema(config: object, schema: dict) -> None:
    """Raise InputError for the first fault: the key, its value, and what is allowed, on one line.

    Beside what `validator_of` refuses, numbers must be finite.
    """
    _check_scalars(config, ())
    # The deepest fault first, and of those the key that should not be there: a misspelt key is also a missing one. Keys
    # count as unevaluated, too, where their block fails for another reason; those are not unknown. References last, for
    # a catalogue may lack a name because something is wrong with the catalogue.
    errors = [
        error
        for error in validator_of(config, schema).iter_errors(config)
        if error.validator not in _CLOSED or _unknown(error)
    ]
    errors.sort(key=lambda error: (error.validator == "in", -len(error.absolute_path), _rank(error), error.message))
    if errors:
        raise InputError(_explain(errors[0], config))


def fill_defaults(config: dict, schema: dict) -> None:
    """Set, in place, every key of a checked `config` that is missing and has a default in the schema."""
    _fill(config, schema)


def references(schema: Any) -> Iterator[str]:
    """Every path that the keyword `in` names somewhere in a schema."""
    for key, part in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if key == "in" and isinstance(part, str):
            yield part
        elif isinstance(part, dict | list):
            yield from references(part)


def at(config: object, path: str) -> dict | list | None:
    """Return the catalogue or list at a path of the configuration, keys joined by dots; None where there is none."""
    for key in path.split("."):
        config = config.get(key) if isinstance(config, dict) else None
    return config if isinstance(config, dict | list) else None


def _reference(config: object):
    """Check the keyword `in` for one configuration."""

    def check(validator, path: str, name: object, schema: dict):
        names = at(config, path)
        if isinstance(name, str) and names is not None and name not in names:
            allowed, near = sorted(map(str, names)), difflib.get_close_matches(name, map(str, names), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield jsonschema.ValidationError(f"not in {path}; allowed: {', '.join(allowed)}{hint}")

    return check


def _fill(block: object, schema: dict) -> None:
    if not isinstance(block, dict) or schema.get("as_given"):
        return
    for name, part in schema.get("properties", {}).items():
        if name not in block and "default" in part:
            block[name] = copy.deepcopy(part["default"])
        if name in block:
            _fill(block[name], part)
    for part in schema.get("allOf", []):
        if "if" in part and jsonschema.Draft202012Validator(part["if"]).is_valid(block):
            _fill(block, part["then"])
    if isinstance(schema.get("additionalProperties"), dict):
        for name in set(block) - set(schema.get("properties", {})):
            _fill(block[name], schema["additionalProperties"])


def _explain(error: jsonschema.ValidationError, config: object) -> str:
    """One line for one schema error of a configuration."""
    path = list(error.absolute_path)
    value, rule = error.instance, error.validator_value
    if error.validator == "in":
        while isinstance(path[-1], int):  # a name in a list says itself where it stands
            path.pop()
        return f"{'.'.join(map(str, path))} = {value!r}: {error.message}"
    key = ".".join(map(str, path)) or "the configuration"
    of_a_name = list(error.absolute_schema_path)[-2:] == ["propertyNames", "enum"]  # the fault is a key, not its value
    if of_a_name or error.validator in _CLOSED:
        unknown = value if of_a_name else _unknown(error)[0]
        allowed = sorted(rule if of_a_name else _allowed_keys(error.schema, value))
        near = difflib.get_close_matches(unknown, allowed, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return f"{key}: unknown key '{unknown}'{hint}; allowed: {', '.join(allowed)}"
    if error.validator == "required":
        missing = [name for name in rule if name not in value]
        others = [name for name in at(config, ".".join(map(str, path[:-1]))) or () if name != path[-1]] if path else []
        near = difflib.get_close_matches(str(path[-1]), map(str, others), n=1) if others else []
        hint = f"; or did you mean {near[0]}?" if near else ""  # a misspelt name is a new entry, which lacks all
        return f"{key}: lacks the key '{missing[0]}'; required: {', '.join(rule)}{hint}"
    described = {
        "type": lambda: " or ".join(_kind(kind, error, config) for kind in ([rule] if isinstance(rule, str) else rule)),
        "not": lambda: f"a name other than {', '.join(rule['enum'])}" if "enum" in rule else error.message,
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
    return f"{key} = {value!r}: allowed is {described}{_hint(value)}"


def _kind(kind: str, error: jsonschema.ValidationError, config: object) -> str:
    """Return a type of JSON Schema as whoever writes YAML knows it, with an example of a list or mapping."""
    if kind == "array":
        items = error.schema.get("items", {})
        if names := at(config, items.get("in", "")):
            return f"a list, as [{next(iter(names))}]"
        one = isinstance(error.instance, str | int | float) and not isinstance(error.instance, bool)
        return (
            f"a list, as [{error.instance}]" if one and ("enum" in items or items.get("type") in _SCALARS) else "a list"
        )
    if kind == "object":
        known = next(iter(error.schema.get("properties", {})), "")
        example = f"a mapping, as `{known}: ...`" if known else "a mapping, as `name: {...}`"
        return example + "; nothing stands below it" * (error.instance is None)
    return _SCALARS[kind]


def _rank(error: jsonschema.ValidationError) -> int:
    """Which of a block's faults to name: that it does not say what kind it is, then unknown keys, then the others."""
    if error.validator == "required" and {"kind", "aggregator"} & (set(error.validator_value) - set(error.instance)):
        return 0
    return 1 if error.validator in _CLOSED else 2


def _unknown(error: jsonschema.ValidationError) -> list[str]:
    """Return the keys of a block that nothing allows there."""
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
    if parts := [part["title"] for part in schema.get("prefixItems", []) if "title" in part]:
        return f"a list of {len(parts)}, [{', '.join(parts)}]"
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
    if isinstance(block, int) and abs(block) > sys.float_info.max:  # Python may refuse to print it, too
        raise InputError(f"{'.'.join(path)}: an integer of over 308 digits; allowed is a number below 1.8e308")
    if isinstance(block, str) and not block.isprintable():
        raise InputError(f"{'.'.join(path)} = {block!r}: allowed is one line of printable text")
    for name in block if isinstance(block, dict) else ():
        if not (isinstance(name, str) and name.isprintable()):
            where = ".".join(path) or "the configuration"
            raise InputError(f"{where}: key {name!r}; allowed is one line of printable text")
    items = block.items() if isinstance(block, dict) else enumerate(block) if isinstance(block, list) else ()
    for name, part in items:
        _check_scalars(part, (*path, str(name)))

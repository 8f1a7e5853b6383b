"""The reference of the configuration as a page: every key of its schema, with its type, range, default and meaning."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import yaml

HEAD = """# Configuration

`make docs` writes this page from the schema that every run is checked by. A key that is not here is
refused. `NAME` is a name of your choice, and `[]` an item of a list. A unit stands in the description. The value of a
required key is in `config.yaml` or in a file of `catalogue/`; `--configfile` lays a file of your own over these.
"""
_COMPARED = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


class Row(NamedTuple):
    """One key: its path with dots, what it may be, its default, and what it means."""

    key: str
    kind: str
    default: str
    meaning: str


def settings_page(schema: dict) -> str:
    """Return the page in Markdown: the keys of a run first, then a section for each block."""
    blocks = {name: part for name, part in schema["properties"].items() if _is_block(part)}
    alone = {name: part for name, part in schema["properties"].items() if name not in blocks}
    text = [HEAD, "## The run", *_table(rows(schema | {"properties": alone}))]
    for name, part in blocks.items():
        text += [f"## {name}", part.get("description", ""), *_table(rows(part, name))]
    return "\n\n".join(filter(None, text)) + "\n"


def rows(part: dict, path: str = "", when: str = "") -> Iterator[Row]:
    """Yield the keys of a block of a schema, and of all blocks in it, in their order there.

    part: the block. path: its key. when: the condition under which these keys count.
    """
    for name, found in part.get("properties", {}).items():
        key = f"{path}.{name}" if path else name
        default = _shown(found["default"]) if "default" in found else "required" * (name in part.get("required", []))
        yield Row(key, _kind(found), default, " ".join([when, *found.get("description", "").split()]).strip())
        yield from _inside(found, key)
    for condition in part.get("allOf", []):
        if "if" in condition:
            yield from rows(condition["then"], path, _condition(condition["if"]))


def _inside(part: dict, key: str) -> Iterator[Row]:
    """Yield the keys of the blocks that a value may be or hold."""
    yield from rows(part, key)
    for held, end in ((part.get("additionalProperties"), ".NAME"), (part.get("items"), "[]")):
        if isinstance(held, dict):
            yield from _inside(held, key + end)


def _table(found: Iterator[Row]) -> list[str]:
    lines = ["| key | type and range | default | meaning |", "| --- | --- | --- | --- |"]
    for row in found:
        kind, default, meaning = (text.replace("|", "\\|") for text in row[1:])
        lines.append(f"| <code>{row.key.replace('.', '.<wbr>')}</code> | {kind} | {default} | {meaning} |")
    return ["\n".join(lines)]


def _is_block(part: dict) -> bool:
    return part.get("type") == "object"


def _kind(part: dict) -> str:
    """Say in words which values are allowed."""
    if "const" in part:
        return f"`{part['const']}`"
    if "enum" in part:
        return " or ".join(_shown(value) for value in part["enum"])
    if "oneOf" in part:
        return ", or ".join(_kind(option) for option in part["oneOf"])
    kinds = [part.get("type", "any")] if isinstance(part.get("type", "any"), str) else part["type"]
    words = [{"array": _list(part), "object": "block", "null": "`null`"}.get(kind, kind) for kind in kinds]
    compared = [f"{sign} {part[key]:g}" for key, sign in _COMPARED.items() if key in part]
    named = [f"a name in `{part['in']}`"] if "in" in part else []
    return ", ".join([" or ".join(words), *compared, *named])


def _list(part: dict) -> str:
    """Return a list of what, and how long."""
    least, most = part.get("minItems", 0), part.get("maxItems")
    items = part.get("items", {})
    many = f"{least} " if least == most else f"{least} or more " if least > 1 and most is None else ""
    if titles := [each["title"] for each in part.get("prefixItems", []) if "title" in each]:
        return f"list [{', '.join(titles)}]"
    return f"list of {many}({_kind(items)})" if items else f"list of {many}".strip()


def _condition(part: dict) -> str:
    """When the keys of a condition count."""
    said = []
    for name, value in part.get("properties", {}).items():
        allowed = [value["const"]] if "const" in value else value.get("enum", [])
        said.append(f"{name} {' or '.join(_shown(each) for each in allowed)}")
    return f"With {' and '.join(said)}:" if said else "In some cases:"


def _shown(value: object) -> str:
    """Return a value as a file of YAML has it on one line."""
    return f"`{yaml.safe_dump(value, default_flow_style=True, width=math.inf).splitlines()[0]}`"

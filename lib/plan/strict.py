"""Configuration files read strictly: no key that stands twice, of which Snakemake takes the last, and no loop."""

import json
from collections.abc import Iterable
from pathlib import Path

import yaml

from lib.core.errors import InputError

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def check_files(paths: Iterable[str | Path]) -> None:
    """Raise InputError, naming file and key, for a mapping in which a key stands twice, or that holds itself.

    paths: files of JSON or YAML, which Snakemake tries in this order. A key that a merge (<<) brings, too, stands once.
    """
    for path in map(Path, paths):
        text = path.read_text(encoding="utf-8")
        try:
            json.loads(text, object_pairs_hook=lambda pairs, path=path: _check_pairs(path, pairs))
        except json.JSONDecodeError:
            _check_yaml(path, text)


def _check_pairs(path: Path, pairs: list[tuple[str, object]]) -> None:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            raise InputError(f"{path}: the key {key!r} stands twice in one mapping; allowed is once")
        seen.add(key)


def _check_yaml(path: Path, text: str) -> None:
    try:
        root = yaml.compose(text, _Loader)
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not readable as YAML: {' '.join(str(error).split())}") from error
    if root is not None:
        _check_node(path, root, (), {}, set())


def _check_node(path: Path, node: yaml.Node, place: tuple[str, ...], above: dict[int, str], seen: set[int]) -> None:
    """Check a node and all below it; above: where the nodes stand that it is in; seen: nodes that are checked."""
    where = ".".join(place) or "the configuration"
    if id(node) in above:
        raise InputError(f"{path}: {where} is an alias of {above[id(node)]}, which it is in; allowed is no loop")
    if id(node) in seen or isinstance(node, yaml.ScalarNode):  # an alias is the same node again
        return
    seen.add(id(node))
    above = above | {id(node): where}
    if isinstance(node, yaml.SequenceNode):
        parts = [(str(number), part) for number, part in enumerate(node.value)]
    else:
        _check_keys(path, node, place)
        parts = [(str(key.value), part) for key, part in node.value]
    for name, part in parts:
        _check_node(path, part, (*place, name), above, seen)


def _check_keys(path: Path, mapping: yaml.MappingNode, place: tuple[str, ...]) -> None:
    lines: dict[tuple[str, str], int] = {}
    for key, _ in mapping.value:
        line, name = key.start_mark.line + 1, (key.tag, str(key.value))
        if name in lines:
            where = ".".join(place) or "the configuration"
            raise InputError(
                f"{path}: the key {key.value!r} stands twice in {where}, in lines {lines[name]} and {line}; "
                "allowed is once"
            )
        lines[name] = line

"""Configuration files read strictly: a key that stands twice, of which Snakemake takes the last, is refused."""

import json
from collections.abc import Iterable
from pathlib import Path

import yaml

from lib.core.errors import InputError

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def check_files(paths: Iterable[str | Path]) -> None:
    """Raise InputError, naming file and key, for the first mapping in which a key stands twice.

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
    seen, waiting = set(), [(root, ())]
    while waiting:
        node, place = waiting.pop()
        if id(node) in seen:  # an alias is the same node again
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += [(part, (*place, str(number))) for number, part in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            _check_keys(path, node, place)
            waiting += [(part, (*place, str(key.value))) for key, part in node.value]


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

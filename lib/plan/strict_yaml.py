"""A configuration read strictly: in a file no key twice, of which Snakemake takes the last, and no loop.

Of the command line no value that Snakemake makes something else of.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import yaml

from lib.core.errors import InputError

# characters around a value that Snakemake strips
_QUOTES = "'\""
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


def read_given(words: Iterable[str]) -> dict[str, object]:
    """Read KEY=VALUE of --config as Snakemake does; raise InputError where a value arrives as another than was typed.

    Snakemake strips quotes and reads a value as YAML, in which ` #2` is a comment: `Scans #2` would be `Scans`.
    """
    found: dict[str, object] = {}
    for word in words:
        key, equals, typed = word.partition("=")
        if not equals:
            raise InputError(
                f"--config {word}: allowed is KEY=VALUE, like data_root=DIR (a target needs ` -- ` before it)"
            )
        bare = typed[1:-1] if len(typed) > 1 and typed[0] == typed[-1] and typed[0] in _QUOTES else typed
        found[key] = arrived = _as_snakemake(typed.strip(_QUOTES))
        if not _is_same(bare, arrived):
            said = "nothing" if arrived is None else repr(arrived)
            raise InputError(
                f"--config {key}={typed!r}: arrives as {said}, since Snakemake reads a value as YAML; say it in a file "
                f"for --configfile, text in quotes: `{key}: {json.dumps(bare, ensure_ascii=False)}`"
            )
    return found


def _as_snakemake(text: str) -> object:
    """A value of --config as `snakemake.cli.parse_config` reads it, which a test compares."""
    if not text:
        return None
    if text in ("True", "False"):
        return text == "True"
    for parse in (int, float, lambda text: yaml.load(text, yaml.BaseLoader)):
        try:
            return parse(text)
        except (ValueError, RecursionError, yaml.YAMLError):
            pass
    return text


def _is_same(typed: str, arrived: object) -> bool:
    """Whether a value of the command line arrived as it was typed; a list or mapping is typed with its brackets."""
    if arrived is None:
        return typed == ""
    if isinstance(arrived, float):
        return "_" not in typed
    if isinstance(arrived, str | int):
        return str(arrived) == typed
    return typed.lstrip()[:1] in ("[", "{") and yaml.compose(typed, _Loader).end_mark.index == len(typed.rstrip())


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

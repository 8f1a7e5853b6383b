"""A configuration read strictly, before Snakemake reads it: in a file no key twice, of which Snakemake takes the last.

No loop, no tag, no Python, and no more than any configuration needs. Of the command line no value that Snakemake makes
something else of.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import yaml

from lib.core.errors import InputError

MOST_BYTES = 2**21  # of a file; the whole catalogue has a tenth of that
MOST_VALUES = 200_000  # of a file, aliases written out
DEEPEST = 50  # lists and mappings in each other
LONGEST_NUMBER = 1_000  # digits
PRESETS = Path("presets")
# characters around a value that Snakemake strips
_QUOTES = "'\""
_KEY = re.compile(r"[a-zA-Z_][\w-]*\w")  # of --config, as Snakemake has it
_PLAIN = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "seq", "map")}
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def refuse_early(argv: Sequence[str]) -> None:
    """End with one line where --config or --configfile of Snakemake's command line cannot be read.

    argv: the program and its words. The profiles call this, since Snakemake reads both before the Snakefile, and ends
    in a traceback. Jobs are left alone: their words are Snakemake's own.
    """
    program = Path(argv[0])
    if "snakemake" not in (program.name, program.parent.name) or "--mode" in argv:
        return
    try:
        read_given(_values(argv[1:], ("--config", "-C")))
        for word in _values(argv[1:], ("--configfile", "--configfiles")):
            if not Path(word).exists():
                known = PRESETS / f"{word}.yaml"
                meant = f"is {known} meant?" if known.is_file() else "a target needs ` -- ` before it"
                raise InputError(f"--configfile {word}: there is no such file; {meant}")
            check_files([word])
    except InputError as error:
        sys.exit(f"error: {error}")


def _values(words: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    """Yield the values of an option that takes several; after a word `--` there are none."""
    within = False
    for word in words:
        if word == "--":
            return
        name, equals, value = word.partition("=")
        if word.startswith("-"):
            within = name in options
            if within and equals:
                yield value
        elif within:
            yield word


def check_files(paths: Iterable[str | Path]) -> None:
    """Raise InputError, naming file and place, for what is no mapping of settings, or needs more than one ever does.

    A mapping in which a key stands twice, or that holds itself, is none. paths: files of JSON or YAML, which Snakemake
    tries in this order. A key that a merge (<<) brings, too, stands once.
    """
    for path in map(Path, paths):
        text = _text(path)
        try:
            found = json.loads(
                text,
                object_pairs_hook=partial(_check_pairs, path),
                parse_int=partial(_check_number, str(path)),
            )
        except json.JSONDecodeError:
            _check_events(path, text)
            _check_yaml(path, text)
        except RecursionError:
            raise _too_deep(str(path)) from None
        else:
            _check_parts(path, found)


def _text(path: Path) -> str:
    """Return the text of a file of at most MOST_BYTES, which is UTF-8."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        raise InputError(
            f"{path}: {getattr(error, 'strerror', error)}; allowed is a file of YAML (a target needs ` -- ` before it)"
        ) from error
    if len(content) > MOST_BYTES:
        raise InputError(f"{path}: more than {MOST_BYTES} bytes; allowed is a configuration")
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{path}: its text is UTF-16; allowed is UTF-8")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}: line {line}: the byte {content[error.start]:#x} is no UTF-8; allowed is UTF-8"
        ) from None


def _too_deep(where: str) -> InputError:
    return InputError(f"{where}: more than {DEEPEST} lists and mappings in each other; allowed are {DEEPEST}")


def _check_number(where: str, digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise InputError(f"{where}: a number of {len(digits)} digits; allowed are {LONGEST_NUMBER}")
    return int(digits)


def _check_parts(path: Path, found: object) -> None:
    """Raise InputError unless what a file of JSON holds is a mapping that is not nested too deep."""
    if not isinstance(found, dict):
        raise InputError(f"{path}: holds no mapping; allowed are settings, KEY: VALUE")
    level: list[object] = [found]
    for _ in range(DEEPEST):
        inner = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        level = [value for values in inner for value in values]
    if level:
        raise _too_deep(str(path))


def _check_events(path: Path, text: str) -> None:
    """Raise InputError for what takes Snakemake's reader long, or makes it run something; nothing is built of the text.

    A list of aliases of lists of aliases ("billion laughs") is small, and has any number of values.
    """
    counts = [0]
    anchors: list[str | None] = [""]
    sizes: dict[str | None, int] = {}
    try:
        for event in yaml.parse(text, _Loader):
            where = f"{path}: line {event.start_mark.line + 1 if event.start_mark else 0}"
            tag = getattr(event, "tag", None)
            if tag is not None and tag not in _PLAIN:
                raise InputError(f"{where}: the tag {tag.replace('tag:yaml.org,2002:', '!!')}; allowed is none")
            if isinstance(event, yaml.CollectionStartEvent):
                counts.append(1)
                anchors.append(event.anchor)
                if len(counts) > DEEPEST + 1:
                    raise _too_deep(where)
            elif isinstance(event, yaml.CollectionEndEvent):
                size, anchor = counts.pop(), anchors.pop()
                sizes[anchor] = size
                counts[-1] += size
            elif isinstance(event, yaml.AliasEvent):
                counts[-1] += sizes.get(event.anchor, 1)
            elif isinstance(event, yaml.ScalarEvent):
                counts[-1] += 1
                if re.fullmatch(r"[-+]?[0-9_]+", event.value):
                    _check_number(where, event.value)
            if counts[-1] > MOST_VALUES:
                raise InputError(f"{where}: more than {MOST_VALUES} values, aliases written out; allowed are so many")
    except yaml.YAMLError as error:
        raise _unreadable(path, error) from error


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
        if not _KEY.fullmatch(key):
            outer, dot, inner = key.partition(".")
            how = f"a file for --configfile sets what is in a block, `{outer}: {{{inner}: {typed}}}`" if dot else ""
            raise InputError(f"--config {word}: {key!r} is no key; {how or 'allowed is KEY=VALUE, like data_root=DIR'}")
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
    """Return a value of --config as `snakemake.cli.parse_config` reads it, which a test compares."""
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
    node = yaml.compose(typed, _Loader)
    return typed.lstrip()[:1] in ("[", "{") and node is not None and node.end_mark.index == len(typed.rstrip())


def _check_pairs(path: Path, pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"{path}: the key {key!r} stands twice in one mapping; allowed is once")
        found[key] = value
    return found


def _unreadable(path: Path, error: yaml.YAMLError) -> InputError:
    mark = getattr(error, "problem_mark", None)  # of characters that YAML does not allow there is none
    where = f": line {mark.line + 1}" if mark else ""
    said = getattr(error, "problem", None) or " ".join(str(error).split())
    return InputError(f"{path}{where}: not readable as YAML: {said}; allowed is YAML, indented with spaces")


def _check_yaml(path: Path, text: str) -> None:
    """Raise InputError for what Snakemake's reader cannot read, or runs, and for keys that stand twice."""
    try:
        root = yaml.compose(text, _Loader)
        yaml.load(text, _Loader)
    except (ValueError, TypeError) as error:  # of a date or number that is none
        raise InputError(f"{path}: {error}; allowed is YAML, text in quotes") from error
    except yaml.YAMLError as error:
        raise _unreadable(path, error) from error
    if not isinstance(root, yaml.MappingNode):
        raise InputError(f"{path}: holds no mapping; allowed are settings, KEY: VALUE")
    for key, _ in root.value:
        if key.value == "__use_yte__":
            raise InputError(f"{path}: line {key.start_mark.line + 1}: __use_yte__ runs Python; allowed are settings")
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
    elif isinstance(node, yaml.MappingNode):
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

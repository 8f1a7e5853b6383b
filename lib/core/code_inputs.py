"""Which files of this project a script is made of, and what identifies their code and the project's commit.

Rules depend on the digest, so that a result is stale exactly when code it ran has changed in meaning.
"""

import ast
import contextlib
import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

ROOT = Path(__file__).resolve().parent.parent.parent
# what was read of modules, by the SHA-256 of their bytes: to parse all is a second, and every job of a training asks
KEPT = Path(__file__).parent / "__pycache__" / "code_inputs.json"
MOST_KEPT = 5000  # versions of modules; beyond that it begins anew
COMMIT = "PROJECT_COMMIT"  # the variable of the environment that hands a job its commit
NO_CAUSE = (":!docs", ":!tests", ":!bench", ":!*.md")  # what changes no result, and pages, which a run itself writes
_NO_CODE = ("ctx", "type_comment", "kind")  # of a parsed module: how a name is used follows from where it stands
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Content(NamedTuple):
    """Contents of a file.

    meaning: SHA-256 (hex) of a module parsed, without comments, docstrings, places, the types of parameters, and what
        annotates a type; of any other file, its bytes.
    imports: for each import its level (0: absolute) and dotted name. data: files named in `DATA_FILES`.
    """

    meaning: str
    imports: list[tuple[int, str]]
    data: list[str]


def code_files(script: str | Path, root: Path = ROOT) -> list[Path]:
    """Return the script and every module below `root` that it imports, directly or not, sorted; paths are absolute.

    Absolute and relative imports, `from package import module`, and each package's `__init__.py` on the way count;
    what stands below `if TYPE_CHECKING:` is never imported. A module may name files that belong to it (schemas,
    styles) in a literal `DATA_FILES`, relative to itself. Raises FileNotFoundError for a file that is not there.
    """
    script = Path(script)
    start = script if script.is_absolute() else root / script
    start, root = start.resolve(), root.resolve()
    # running a script as a module runs the packages that it lies in, too
    own = [folder / "__init__.py" for folder in start.parents if folder.is_relative_to(root)]
    found, waiting = set(), [start, *(path for path in own if path.is_file())]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(_needs(path, root))
    _keep()
    return sorted(found)


@cache
def digest(*scripts: str | Path, root: Path = ROOT) -> str:
    """SHA-256 (hex) of the code of all `code_files` of the scripts: names and meanings, see `Content`."""
    root = root.resolve()
    total = hashlib.sha256()
    for path in sorted({path for script in scripts for path in code_files(script, root)}):
        total.update(f"{path.relative_to(root).as_posix()}\0{content(path).meaning}\0".encode())
    return total.hexdigest()


@cache
def commit(root: Path = ROOT) -> str:
    """Return the project's commit, with `-dirty` where files that may change a result differ from it; else `unknown`.

    The workflow hands it to its jobs: they name the commit with which the run began.
    """
    if handed := os.environ.get(COMMIT):
        return handed
    try:
        top, name = _git(root, "rev-parse", "--show-toplevel", "--short=12", "HEAD").split()
        if Path(top).resolve() != root.resolve():  # the project lies in a repository that is not its own
            return "unknown"
        changed = _git(root, "status", "--porcelain", "--", ".", *NO_CAUSE)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name}-dirty" if changed else name


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@cache
def content(path: Path) -> Content:
    """Return the contents of a file; a process reads each once. Raises FileNotFoundError if it is not there."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is imported or declared but not there")
    data = path.read_bytes()
    key = hashlib.sha256(data).hexdigest()
    if path.suffix != ".py":
        return Content(key, [], [])
    if key not in _kept():
        _kept()[key] = _parsed(data, str(path))
        _new.append(key)
    return _kept()[key]


def _parsed(data: bytes, name: str) -> Content:
    module = ast.parse(data, filename=name)
    imports, named = [], []
    for node in _statements(module):
        if isinstance(node, ast.Import):
            imports += [(0, name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            prefix = f"{node.module}." if node.module else ""
            imports += [(node.level, f"{prefix}{name.name}") for name in node.names]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value and "DATA_FILES" in _assigned(node):
            named += ast.literal_eval(node.value)
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:
            _forget_types(node)
    words: list[str] = []
    _spell(module, words)
    return Content(hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest(), imports, named)


def _spell(node: Any, words: list[str], within: type | None = None) -> None:
    """Add to `words` a parsed module, by names of nodes and fields.

    Fields that are empty are left out, since later versions of Python have more of them; so are empty parts of an
    f-string, which Python 3.12 alone has.
    """
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Annotated":
        kind, *_ = cast(ast.Tuple, node.slice).elts  # no job reads what a setting means, or its range
        _spell(kind, words)
    elif isinstance(node, ast.AST):
        words.append(type(node).__name__)
        for field in node._fields:
            value = getattr(node, field, None)
            if value is not None and value != [] and field not in _NO_CODE:
                words.append(field)
                _spell(value, words, type(node))
        words.append(")")
    elif isinstance(node, list):
        for part in node:
            empty = isinstance(part, ast.Constant) and part.value == "" and within is ast.JoinedStr
            typing = isinstance(part, ast.If) and _checks_types(part.test) and not part.orelse
            if not (empty or typing):
                _spell(part, words)
        words.append("]")
    else:
        words.append(repr(node))


def _statements(module: ast.Module) -> Iterator[ast.AST]:
    """All statements of a module that may run, those within others too; most of a tree is expressions, without any."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            if not (field == "body" and isinstance(node, ast.If) and _checks_types(node.test)):
                waiting.extend(getattr(node, field, ()))


def _forget_types(node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Remove the annotations of a function; a decorator may read them, as `command` does, so call it on no other."""
    node.returns = None
    every = node.args
    for each in (*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg):
        if each is not None:
            each.annotation = None


def _checks_types(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _assigned(node: ast.Assign | ast.AnnAssign) -> set[str]:
    """Return the plain names that a statement assigns to."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}


@cache
def _needs(path: Path, root: Path) -> tuple[Path, ...]:
    """Files that one file needs directly."""
    said = content(path)
    needs = {(path.parent / name).resolve() for name in said.data}
    for level, name in said.imports:
        package = path.parents[level - 1].relative_to(root).parts if level else ()
        needs |= module_files((*package, *name.split(".")), root)
    return tuple(sorted(needs))


@cache
def module_files(parts: tuple[str, ...], root: Path) -> frozenset[Path]:
    """Files that importing the dotted name runs: each `__init__.py` on the way, and the module if there is one."""
    if not parts:
        return frozenset()
    stem = root.joinpath(*parts)
    files = {path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file()}
    return module_files(parts[:-1], root) | files


# ---------------------------------------------------------------- kept from one process to the next

_new: list[str] = []  # parsed by this process and not written yet


@cache
def _reader() -> str:
    """Return what the kept contents were read by: another version of this module reads anew."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


@cache
def _kept() -> dict[str, Content]:
    try:
        kept = json.loads(KEPT.read_bytes())
        return {key: Content(*said) for key, said in kept["files"].items()} if kept["reader"] == _reader() else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # none yet, or damaged
        return {}


def _keep() -> None:
    """Write what was parsed; nothing depends on it, so that a folder that cannot be written to is no failure."""
    if not _new:
        return
    kept = _kept() if len(_kept()) <= MOST_KEPT else {key: _kept()[key] for key in _new}
    _new.clear()
    temporary = KEPT.with_name(f"{KEPT.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        KEPT.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps({"reader": _reader(), "files": kept}))
        temporary.replace(KEPT)

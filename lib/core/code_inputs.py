"""Which files of this project a script is made of, found by reading imports.

Rules declare these files as inputs, so that a result is stale exactly when code it ran has changed.
"""

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# an import that begins a line, over several where it has brackets
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+[.\w]+[ \t]+import[ \t]*(?:\([^)]*\)[^\n]*|[^\n(]*)|import[ \t]+[^\n(]*)$", re.MULTILINE
)
_WORD = re.compile(rb"\bimport\b")


def code_files(script: str | Path, root: Path = ROOT) -> list[Path]:
    """The script and every module below `root` that it imports, directly or not, sorted; paths are absolute.

    Absolute and relative imports, `from package import module`, and each package's `__init__.py` on the way count.
    A module may name files that belong to it (schemas, styles) in a literal `DATA_FILES`, relative to itself.
    Raises FileNotFoundError for a script or data file that is not there.
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
    return sorted(found)


def digest(script: str | Path) -> str:
    """SHA-256 (hex) of the contents of all `code_files`: what a checkpoint of half-done work depends on."""
    total = hashlib.sha256()
    for path in code_files(script):
        total.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


@cache
def _needs(path: Path, root: Path) -> tuple[Path, ...]:
    """Files that one file needs directly."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is imported or declared but not there")
    if path.suffix != ".py":
        return ()
    needs: set[Path] = set()
    for node in _statements(_imports(path.read_bytes(), str(path))):
        if isinstance(node, ast.Import):
            for name in node.names:
                needs |= module_files(tuple(name.name.split(".")), root)
        elif isinstance(node, ast.ImportFrom):
            prefix = node.module.split(".") if node.module else []
            if node.level:
                package = path.parents[node.level - 1].relative_to(root).parts
                prefix = [*package, *prefix]
            for name in node.names:
                needs |= module_files((*prefix, name.name), root)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and "DATA_FILES" in _assigned(node):
            needs |= {(path.parent / name).resolve() for name in ast.literal_eval(node.value)}
    return tuple(sorted(needs))


def _imports(content: bytes, name: str) -> ast.Module:
    """The imports of a module, and `DATA_FILES` if it has any; other statements may be missing.

    To parse all of every module would be a sixth of the time in which the workflow is planned.
    """
    found = b"\n".join(match.group().strip() for match in _IMPORT.finditer(content))
    if b"DATA_FILES" not in content and len(_WORD.findall(content)) == len(_WORD.findall(found)):
        try:
            return ast.parse(found, filename=name)
        except SyntaxError:  # words of a text, say, that begin like an import
            pass
    return ast.parse(content, filename=name)


def _statements(module: ast.Module) -> Iterator[ast.AST]:
    """All statements of a module, those within others too; most of a tree is expressions, in which none can be."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            waiting.extend(getattr(node, field, ()))


def _assigned(node: ast.Assign | ast.AnnAssign) -> set[str]:
    """The plain names that a statement assigns to."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}


@cache
def module_files(parts: tuple[str, ...], root: Path) -> frozenset[Path]:
    """Files that importing the dotted name runs: each `__init__.py` on the way, and the module if there is one."""
    if not parts:
        return frozenset()
    stem = root.joinpath(*parts)
    files = {path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file()}
    return module_files(parts[:-1], root) | files

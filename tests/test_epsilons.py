"""An epsilon that a person sees is rounded up in one way: no format of Python's own, which rounds to the nearest."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.offenders import each

ROOT = Path(__file__).resolve().parent.parent
FILES = [path for folder in ("lib", "pate_accountant", "scripts") for path in sorted((ROOT / folder).rglob("*.py"))]
EPSILON = re.compile(r"epsilon|budget", re.IGNORECASE)
SAID = re.compile(r"(epsilon|ε|costs?)\W*$")  # of a text just before a number; also of TeX, "$\\varepsilon$ = "
ROUNDS_UP = {"shown", "rounded_up", "rounded_down", "_up"}
ROUNDS = {"round", "rounded", "as_read", "format", "_six"}
NUMERIC = re.compile(r"[\d.#,+-]*[eEfFgGn%]$")
# Names of files and of settings, which are no statement: they are compared, letter by letter.
NAMES = {
    "lib/plan/dp_mac.py",
    "lib/plan/dp_mac_checks.py",
    "lib/plan/leaderboard.py",
    "lib/plan/leaderboard_checks.py",
    "lib/plan/segmentation.py",
    "lib/plan/segmentation_checks.py",
}


def name_of(call: ast.AST) -> str:
    """The name of a called function, without that of its module."""
    return ast.unparse(call.func).rpartition(".")[2] if isinstance(call, ast.Call) else ""


def unsafe(value: ast.AST) -> bool:
    """Whether an expression is of an epsilon, and not of one that was rounded up."""
    return bool(EPSILON.search(ast.unparse(value))) and name_of(value) not in ROUNDS_UP


def formatted(code: str) -> Iterator[tuple[int, str]]:
    """Line and expression of every epsilon that is formatted in Python's own way."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.JoinedStr):
            before = ""
            for part in node.values:
                if isinstance(part, ast.Constant):
                    before = part.value
                    continue
                spec = ast.unparse(part.format_spec)[2:-1] if part.format_spec else ""
                said = SAID.search(before) and name_of(part.value) not in ROUNDS_UP
                if NUMERIC.search(spec) and (unsafe(part.value) or said):
                    yield part.lineno, ast.unparse(part.value)
                before = ""
        elif isinstance(node, ast.Call) and name_of(node) in ROUNDS:
            yield from ((node.lineno, ast.unparse(node)) for value in node.args if unsafe(value))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            if isinstance(node.left.value, str) and unsafe(node.right):
                yield node.lineno, ast.unparse(node)


@pytest.mark.parametrize(
    "line",
    [
        "label += f\", costs {last['epsilon']:.3g}\"",
        'f"{epsilon:g}"',
        'rf"$\\varepsilon$ = {level:g}"',
        'f"ε = {level:.2f}"',
        'f"epsilon {statement:.4g}"',
        'f"even sigma {largest} costs {cost(largest):.4g}"',
        "round(statement.epsilon, 2)",
        "rounded(row['epsilon'])",
        "'%.3g' % epsilon",
        "'{:.3g}'.format(epsilon)",
        "format(budget, '.3g')",
    ],
)
def test_what_rounds_to_the_nearest_is_found(line):
    assert list(formatted(line))


@pytest.mark.parametrize(
    "line",
    [
        'f"epsilon {shown(epsilon)} at delta {delta:g}"',
        'f"{shown(epsilon):<10}"',
        'f"epsilon {epsilon}: allowed is a positive number"',
        'f"{rounded_up(epsilon, 4):.4g}"',
    ],
)
def test_what_rounds_up_or_not_at_all_is_left_alone(line):
    assert not list(formatted(line))


@each(path for path in FILES if path.relative_to(ROOT).as_posix() not in NAMES)
def test_no_epsilon_is_formatted_otherwise(path):
    assert not list(formatted(path.read_text(encoding="utf-8")))

"""Words of STYLE.md: no private words of the project, no long sentences, docstrings that say what is returned.

Only words that mean one thing here are looked for, in documentation that a person wrote and in public docstrings.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
# what is not written: what to write
WORDS = {
    "stand-ins?|stands? in for": "substitute data; replaces",
    "by construction": "not testable (true by definition)",
    "in no total": "not counted",
    "no signal": "the attack finds nothing even without noise",
    "undecided": "more repetitions needed; not decidable at this tolerance; depends on how the paper is read",
    "is told|are told|told by|told on": "receives; described by",
    "hallways?|house(?! numbers)": "workflow layer; layout",
    "lets? pass|leaves of": "accepts; retains",
}
# these are names in the code, too: looked for in documentation alone
NAMES = {
    "one-sided|two-sided": "bounds one direction only; differential privacy in the usual sense",
    "announced?|announces": "fixed before the run",
    "worlds?": "private sets; shadow models",
    "slots?": "say what it is",
    "boards?": "leaderboard",
}
WRITTEN_BY_PROGRAMS = {"cost.md", "faults.md", "paper_preset.md"}
LONGEST = 35  # words of a sentence
PAGES = ["README.md", "CONTRIBUTING.md", "results/README.md", "pate_accountant/README.md"]
PAGES += [
    f"{path.parent.name}/{path.name}" for name in ("docs", "report") for path in sorted((ROOT / name).glob("*.md"))
]
PAGES = [page for page in PAGES if Path(page).name not in WRITTEN_BY_PROGRAMS]
MODULES = [
    str(path.relative_to(ROOT))
    for folder in ("lib", "scripts", "bench", "documentation", "docs")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def prose(text: str) -> str:
    """The text without code, addresses, comments and placeholders of numbers."""
    text = re.sub(r"<!-- verdicts -->.*<!-- end of verdicts -->", "", text, flags=re.DOTALL)  # written by a program
    text = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"(?m)^::: .*$", "", text)  # names a module to document
    text = re.sub(r"`[^`]*`", "CODE", text)
    return re.sub(r"\{[^{}]*\}", "NUMBER", re.sub(r"\]\([^)]*\)", "]", text))


def sentences(text: str) -> list[str]:
    """The sentences of Markdown; not of tables, headings and indented blocks."""
    parts = re.split(r"\n\s*\n|\n(?=\s*[*-] |\d+\. |\||#)", re.sub(r"^ {4,}.*$", "", prose(text), flags=re.MULTILINE))
    parts = [part for part in parts if not part.lstrip().startswith(("|", "#"))]
    parts = [" ".join(re.sub(r"^\s*([*-]|\d+\.) ", "", part).split()) for part in parts]
    return [sentence for part in parts for sentence in re.split(r"(?<=[.?!])\s+|(?<=[.?!]\*\*)\s+", part)]


def private_words(text: str, words: dict[str, str]) -> list[str]:
    """Find the words in a text, each with what to write instead."""
    flat = " ".join(prose(text).split())
    return [
        f"{match[0]!r} in '{flat[max(0, match.start() - 30) : match.end() + 30]}': write {instead}"
        for word, instead in words.items()
        for match in re.finditer(rf"(?<![\w-])(?:{word})(?![\w-])", flat, re.IGNORECASE)
    ]


def docstrings(module: str) -> dict[str, str]:
    """The docstrings of a module, and of its public classes and functions, by name."""
    found = {}
    for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
        name = getattr(node, "name", "the module")
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text and (isinstance(node, ast.Module) or not name.startswith("_")):
                found[f"{name}, line {getattr(node, 'lineno', 1)}"] = text
    return found


@pytest.mark.parametrize("page", PAGES)
def test_documentation_has_no_private_words_and_no_long_sentences(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not private_words(text, WORDS | NAMES)
    assert not [sentence for sentence in sentences(text) if len(sentence.split()) > LONGEST]


def captions_and_outlines() -> dict[str, str]:
    """Texts of captions and of the outlines of pages, by file and name."""
    results = yaml.safe_load((ROOT / "catalogue" / "results.yaml").read_text(encoding="utf-8"))["results"]
    found = {f"results.yaml, {name}": f"{row['title']}.\n\n{row['caption']}" for name, row in results.items()}
    for path in sorted((ROOT / "report").glob("*.yaml")):
        found[path.name] = "\n\n".join(_strings(yaml.safe_load(path.read_text(encoding="utf-8"))))
    # the leaderboard's captions describe settings that are called worlds and slots
    return {name: text for name, text in found.items() if "leaderboard" not in name}


def _strings(node: object) -> Iterator[str]:
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _strings(child)
    if isinstance(node, str):
        yield node


def test_captions_and_outlines_have_no_private_words():
    found = {
        name: private_words(text.replace("``", "`"), WORDS | NAMES) for name, text in captions_and_outlines().items()
    }
    assert not {name: faults for name, faults in found.items() if faults}


def test_docstrings_have_no_private_words_and_begin_with_what_is_done_or_returned():
    faults = []
    for module in MODULES:
        for name, text in docstrings(module).items():
            faults += [f"{module}, {name}: {fault}" for fault in private_words(text, WORDS)]
            if re.match(r"(The same|What|Whose)\b", text):
                faults.append(f"{module}, {name}: begins with {text.split()[0]!r}: say what it does or returns")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("A stand-in for data.", 1),
        ("It is undecided, and counts in no total.", 2),
        ("The code `undecided` and [a link](house.md) are names, and so is {table.undecided}.", 0),
        ("Worldly houses are not meant; the house is.", 1),
    ],
)
def test_the_lint_finds_words_in_prose_alone(text, faults):
    assert len(private_words(text, WORDS)) == faults


def test_the_lint_finds_long_sentences_alone():
    short, long = " ".join(["word"] * 35) + ".", " ".join(["word"] * 36) + "."
    found = sentences(f"# {long}\n\n{short} {long}\n\n* {short}\n* {long}\n\n| {long} |\n\n    {long}\n")
    assert [len(sentence.split()) for sentence in found if len(sentence.split()) > 35] == [36, 36]

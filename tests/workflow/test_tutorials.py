"""Tutorials run as written, in a fresh copy of the project: what a page shows is what its commands print.

A block of Python or YAML whose first line is `# NAME` is a file of that name. In a block `console`, a line that begins
with `$ ` is a command, and the lines below it are what it prints, `...` any number of lines. What goes to standard
error is not shown.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflow.running import LIMIT, ROOT, Project, environment

# of each page how many answers it leads to
PAGES = {"own_votes.md": 2, "own_images.md": 2, "leaderboard.md": 1, "mechanism_audit.md": 1}
UNTIL_THE_RUN = ("own_votes.md", "own_images.md")  # 3D networks for a minute and a half; forests for a minute
LONG = (*UNTIL_THE_RUN, "leaderboard.md")  # half a minute of attacks and audits


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[tuple[str, str]]:
    """Kind and text of each block of code."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL)


def files(page: str) -> dict[str, str]:
    """Files by name, as the page says to write them."""
    found = [text for kind, text in blocks(page) if kind in ("python", "yaml")]
    return {name[1]: text for text in found if (name := re.match(r"# (\w+\.(?:py|yaml))\n", text))}


def commands(page: str) -> list[tuple[str, str]]:
    """Each command, and what it prints."""
    texts = [text for kind, text in blocks(page) if kind == "console"]
    found = [re.split(r"^\$ ", text, flags=re.MULTILINE) for text in texts]
    assert all(not before for before, *_ in found), f"{page}: a line before the first command"
    return [tuple(step.split("\n", 1)) for _, *steps in found for step in steps]


def pattern(shown: str) -> str:
    """A regular expression of what a page shows."""
    return "".join(r"(?:.*\n)*" if line == "...\n" else re.escape(line) for line in shown.splitlines(keepends=True))


@pytest.fixture
def clone(tmp_path) -> Path:
    """A copy of the project, in which `python` and `snakemake` are those of its environment."""
    project = Project.copy(tmp_path / "project")
    project.edit("profiles/default/config.yaml", "1000/5s", "1000/1s")  # a run ends up to a timespan later
    return project.root


@pytest.mark.parametrize("page", [pytest.param(page, marks=[pytest.mark.long] * (page in LONG)) for page in PAGES])
def test_a_page_shows_what_its_commands_print(page, clone):
    follow(page, commands(page), clone)


@pytest.mark.parametrize("page", UNTIL_THE_RUN)
def test_a_page_shows_what_its_commands_print_until_the_workflow_runs(page, clone):
    steps = commands(page)
    (run,) = (number for number, (command, _) in enumerate(steps) if command.startswith("snakemake "))
    follow(page, steps[:run], clone)


def follow(page: str, steps: list[tuple[str, str]], clone: Path) -> None:
    """Write the files of a page, and compare what some of its commands print with what it shows."""
    for name, text in files(page).items():
        (clone / name).write_text(text, encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{environment()['PATH']}"
    given = {"cwd": clone, "env": environment(PATH=path, OMP_NUM_THREADS="1"), "timeout": LIMIT, "text": True}
    assert len(steps) > 1
    for command, shown in steps:
        done = subprocess.run(["bash", "-c", command], **given, capture_output=True, check=False)
        assert shown or done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert re.fullmatch(pattern(shown), done.stdout), f"{command}\n{done.stdout}{done.stderr[-3000:]}"


@pytest.mark.parametrize("page", PAGES)
def test_a_tutorial_says_what_is_guaranteed_to_whom_and_what_is_not(page):
    said = re.findall(r"\*\*(What is guaranteed|To whom|What is not):\*\*", text_of(page))
    assert said == ["What is guaranteed", "To whom", "What is not"] * PAGES[page]

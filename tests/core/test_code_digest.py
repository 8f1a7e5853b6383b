"""What identifies the code of a script: what it does, and no comment, docstring or place of a line."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from lib.core import code_inputs
from lib.core.code_inputs import ROOT, code_files, commit, digest

FILES = {
    "scripts/__init__.py": "",
    "scripts/go.py": '"""Go."""\n\nfrom lib import a\n\n\ndef main():\n    """Do it."""\n    return a.LIMIT\n',
    "scripts/other.py": "import lib.b\n",
    "lib/__init__.py": "",
    "lib/a.py": 'DATA_FILES = ("style.txt",)\nLIMIT = 1\n',
    "lib/b.py": "",
    "lib/style.txt": "# wide\n",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A function that writes the files in a new folder, some changed, and returns the digest of a script."""
    monkeypatch.setattr(code_inputs, "KEPT", tmp_path / "kept" / "kept.json")
    code_inputs._kept.cache_clear()

    def found(changed=None, script="scripts/go.py"):
        root = tmp_path / f"tree {len(list(tmp_path.iterdir()))}"
        for name, text in (FILES | (changed or {})).items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return digest(script, root=root)

    yield found
    code_inputs._kept.cache_clear()
    code_inputs._new.clear()


@pytest.mark.parametrize(
    "text",
    [
        FILES["scripts/go.py"] + "\n# a comment\n",
        FILES["scripts/go.py"].replace('"""Go."""', '"""Go.\n\nAnd more.\n"""\n\n'),
        FILES["scripts/go.py"].replace('    """Do it."""\n', ""),
        FILES["scripts/go.py"].replace("return a.LIMIT", "return (\n        a.LIMIT  # the limit\n    )"),
        FILES["scripts/go.py"].replace("def main():", "def main() -> int:"),
        FILES["scripts/go.py"].replace("\n\n\ndef main", "\n\nif TYPE_CHECKING:\n    from x import y\n\n\ndef main"),
    ],
    ids=["comment", "docstring of the module", "no docstring of a function", "brackets", "type", "import of a type"],
)
def test_what_changes_no_meaning_changes_no_digest(tree, text):
    assert tree({"scripts/go.py": text}) == tree()


def test_what_a_setting_means_and_its_range_are_no_code(tree):
    found = {
        tree({"lib/a.py": f"LIMIT: {annotation} = 1\n"})
        for annotation in ("Annotated[int, Gt(0), 'A limit.']", "Annotated[int, Ge(1), 'Of x.']", "int")
    }
    assert len(found) == 1 and tree({"lib/a.py": "LIMIT: Annotated[float, Gt(0)] = 1\n"}) not in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lib/a.py", FILES["lib/a.py"].replace("LIMIT = 1", "LIMIT = 2")),
        ("lib/a.py", FILES["lib/a.py"].replace("LIMIT = 1", "LIMIT = 1.0")),
        ("lib/a.py", FILES["lib/a.py"].replace("LIMIT = 1", "LIMIT = True")),
        ("lib/a.py", FILES["lib/a.py"].replace("LIMIT = 1", 'LIMIT = "1"')),
        ("lib/a.py", FILES["lib/a.py"] + 'TEXT = """no docstring"""\n'),
        ("lib/a.py", FILES["lib/a.py"] + "del LIMIT\n"),
        ("lib/__init__.py", "X = 1\n"),
        ("lib/style.txt", "# narrow\n"),
        ("scripts/go.py", FILES["scripts/go.py"].replace("import a", "import a, b")),
        ("scripts/go.py", FILES["scripts/go.py"] + "\nif x:\n    y\nz\n"),
        ("scripts/go.py", FILES["scripts/go.py"] + "\nif x:\n    y\n    z\n"),
    ],
)
def test_what_changes_the_meaning_changes_the_digest(tree, name, text):
    seen = {tree(), tree({name: text})}
    assert len(seen) == 2
    assert (tree(script="scripts/other.py") == tree({name: text}, "scripts/other.py")) == (name != "lib/__init__.py")


def test_where_a_statement_stands_counts(tree):
    within, after = ("\nif x:\n    y\n    z\n", "\nif x:\n    y\nz\n")
    assert tree({"lib/a.py": FILES["lib/a.py"] + within}) != tree({"lib/a.py": FILES["lib/a.py"] + after})


def test_what_is_imported_for_annotations_alone_is_no_code_of_a_script(tmp_path):
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import lib.b\nelse:\n    import lib.a\n"
    for name, content in (FILES | {"scripts/go.py": text}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    found = {path.relative_to(tmp_path).as_posix() for path in code_files("scripts/go.py", tmp_path)}
    assert "lib/a.py" in found and "lib/b.py" not in found


@pytest.mark.parametrize("damaged", ["", "[]", '{"reader": 1}', "\0", '{"reader": "other", "files": {"x": []}}'])
def test_what_is_kept_is_never_needed(tree, damaged):
    first = tree()
    kept = json.loads(code_inputs.KEPT.read_text())
    assert len(kept["files"]) == 3  # modules alone; two are empty
    code_inputs.KEPT.write_text(damaged)
    code_inputs._kept.cache_clear()
    assert tree() == first


def test_what_is_kept_is_of_the_bytes_read(tree):
    first, other = tree(), tree({"lib/a.py": "LIMIT = 2\n"})
    code_inputs._kept.cache_clear()
    assert (tree(), tree({"lib/a.py": "LIMIT = 2\n"})) == (first, other)


def test_a_folder_that_takes_no_file_is_no_failure(tree, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(code_inputs, "KEPT", tmp_path / "file" / "kept.json")
    assert tree() == tree()


OTHERS = [f"python3.{minor}" for minor in range(11, 16) if minor != sys.version_info.minor]


@pytest.mark.parametrize("name", OTHERS)
def test_other_versions_of_python_find_the_same_digest(name):
    program = shutil.which(name)
    if program is None or subprocess.run([program, "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"there is no {name}")
    line = "from lib.core.code_inputs import digest; print(digest('scripts/train_mac.py'))"
    found = subprocess.run(
        [program, "-c", line], cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == digest("scripts/train_mac.py")


def git(folder, *words):
    """One git command in a folder."""
    own = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


def test_a_commit_is_named_with_what_may_change_a_result(tmp_path, monkeypatch):
    monkeypatch.delenv(code_inputs.COMMIT, raising=False)
    (tmp_path / "lib").mkdir()
    (tmp_path / "docs").mkdir()

    def now(folder=tmp_path):
        commit.cache_clear()
        return commit(folder)

    assert now() == "unknown"
    git(tmp_path, "init", "--quiet")
    assert now() == "unknown"  # there is no commit yet
    (tmp_path / "lib" / "a.py").write_text("x = 1\n")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "All")
    assert len(first := now()) == 12
    for page in ("README.md", "docs/page.csv"):
        (tmp_path / page).touch()
    assert now() == first and now(tmp_path / "lib") == "unknown"
    (tmp_path / "lib" / "b.py").touch()
    assert now() == f"{first}-dirty"
    monkeypatch.setenv(code_inputs.COMMIT, "of the run")
    assert now() == "of the run"
    commit.cache_clear()

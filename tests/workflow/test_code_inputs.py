"""Which files a script is made of: by reading imports, and by what jobs really load."""

import ast
import json
import re
import subprocess
import sys
from functools import cache

import pytest

from lib.core.code_inputs import code_files
from lib.plan.rule_texts import script_of
from tests.offenders import each
from tests.workflow.running import ROOT, environment

SCRIPTS = sorted(path.stem for path in (ROOT / "scripts").glob("*.py") if path.stem not in ("__init__", "cli"))


@pytest.fixture
def tree(tmp_path):
    """A function that writes files below a new root and says what a script is made of, as paths relative to it."""

    def found(files: dict[str, str], script="scripts/go.py") -> list[str]:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return [path.relative_to(tmp_path).as_posix() for path in code_files(script, tmp_path)]

    return found


LIB = {"lib/__init__.py": "", "lib/a.py": "", "lib/b.py": "", "lib/deep/__init__.py": "", "lib/deep/c.py": ""}
SCRIPT = "scripts/go.py"


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import lib.a", ["lib/__init__.py", "lib/a.py"]),
        ("import lib.a as other", ["lib/__init__.py", "lib/a.py"]),
        ("import lib.a, lib.b", ["lib/__init__.py", "lib/a.py", "lib/b.py"]),
        ("import lib.deep.c", ["lib/__init__.py", "lib/deep/__init__.py", "lib/deep/c.py"]),
        ("import lib", ["lib/__init__.py"]),
        ("from lib import a", ["lib/__init__.py", "lib/a.py"]),
        ("from lib import a, b", ["lib/__init__.py", "lib/a.py", "lib/b.py"]),
        ("from lib.a import something", ["lib/__init__.py", "lib/a.py"]),
        ("from lib.deep import c", ["lib/__init__.py", "lib/deep/__init__.py", "lib/deep/c.py"]),
        ("from lib.deep.c import x", ["lib/__init__.py", "lib/deep/__init__.py", "lib/deep/c.py"]),
        ("from lib.deep import something", ["lib/__init__.py", "lib/deep/__init__.py"]),
        ("import numpy.linalg\nfrom json import dumps", []),
    ],
)
def test_absolute_imports(tree, text, modules):
    assert tree({**LIB, SCRIPT: text}) == sorted([*modules, SCRIPT])


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("from . import helper", ["scripts/helper.py"]),
        ("from .helper import x", ["scripts/helper.py"]),
        ("from .. import lib", ["lib/__init__.py"]),
        ("from ..lib import a", ["lib/__init__.py", "lib/a.py"]),
        ("from ..lib.deep.c import x", ["lib/__init__.py", "lib/deep/__init__.py", "lib/deep/c.py"]),
    ],
)
def test_relative_imports(tree, text, modules):
    found = tree({**LIB, "scripts/__init__.py": "", "scripts/helper.py": "", SCRIPT: text})
    assert set(found) - {"scripts/__init__.py"} == {*modules, SCRIPT}


def test_relative_imports_in_a_package(tree):
    files = {**LIB, "lib/deep/__init__.py": "from .c import x", "lib/deep/c.py": "from ..b import y", SCRIPT: ""}
    assert tree({**files, SCRIPT: "import lib.deep"}) == sorted(
        ["lib/__init__.py", "lib/b.py", "lib/deep/__init__.py", "lib/deep/c.py", SCRIPT]
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    import lib.a",
        "class A:\n    def f(self):\n        from lib import a",
        "if True:\n    from lib.a import x",
        "try:\n    import numpy\nexcept ImportError:\n    from lib.a import x",
        "try:\n    pass\nexcept* OSError:\n    import lib.a",
        "try:\n    pass\nfinally:\n    import lib.a",
        "try:\n    pass\nexcept OSError:\n    pass\nelse:\n    import lib.a",
        "if False:\n    pass\nelif True:\n    import lib.a",
        "for _ in ():\n    pass\nelse:\n    import lib.a",
        "while True:\n    import lib.a",
        "with open('x'):\n    import lib.a",
        "match 1:\n    case 1:\n        import lib.a",
        "async def f():\n    async with x:\n        async for y in x:\n            import lib.a",
    ],
)
def test_imports_anywhere_count(tree, text):
    assert tree({**LIB, SCRIPT: text}) == ["lib/__init__.py", "lib/a.py", SCRIPT]


def test_imports_of_imports_and_of_packages_on_the_way_count(tree):
    files = {
        **LIB,
        "lib/__init__.py": "from lib import b",
        "lib/a.py": "from lib.deep import c",
        SCRIPT: "import lib.a",
    }
    assert tree(files) == sorted([*LIB, SCRIPT])


def test_circular_imports_end(tree):
    files = {**LIB, "lib/a.py": "import lib.b", "lib/b.py": "import lib.a", SCRIPT: "import lib.a"}
    assert tree(files) == ["lib/__init__.py", "lib/a.py", "lib/b.py", SCRIPT]


def test_a_package_without_an_init_counts(tree):
    assert tree({"lib/a.py": "", SCRIPT: "from lib import a"}) == ["lib/a.py", SCRIPT]


def test_declared_data_files_count_relative_to_their_module(tree):
    files = {**LIB, "lib/a.py": 'DATA_FILES = ("../schemas/s.yaml", "style.txt")', SCRIPT: "import lib.a"}
    found = tree({**files, "schemas/s.yaml": "", "lib/style.txt": "import nothing"})
    assert found == ["lib/__init__.py", "lib/a.py", "lib/style.txt", "schemas/s.yaml", SCRIPT]


def test_annotated_data_files_count(tree):
    files = {"lib/a.py": 'DATA_FILES: tuple[str, ...] = ("style.txt",)', "lib/style.txt": "", SCRIPT: "import lib.a"}
    assert "lib/style.txt" in tree(files)


def test_a_missing_data_file_is_named(tree):
    with pytest.raises(FileNotFoundError, match=re.escape("nothing.txt")):
        tree({SCRIPT: 'DATA_FILES = ("nothing.txt",)'})


def test_a_missing_script_is_named(tree):
    with pytest.raises(FileNotFoundError, match=re.escape("scripts/nothing.py")):
        tree({}, "scripts/nothing.py")


HARD = {
    "in brackets with a comment": "from lib import (\n    a,  # one (of two)\n    b,\n)\n",
    "over a backslash": "from lib import a, \\\n    b\n",
    "two in a line": "import lib.a; import lib.b\n",
    "after another statement": "x = 1; from lib import a, b\n",
    "in a line with its condition": "if True: import lib.a\nelse: from lib import b\n",
    "beside words of a text": '"""One.\n\nimport is a word here,\nimport of things\n"""\nfrom lib import a, b\n',
    "beside a text that has one": 'text = "import lib.deep.c"\nimport lib.a\nimport lib.b\n',
    "before what is no import": "import lib.a\nimport lib.b\nnumber = (1\n + 2)\n",
    "with the ends of lines of another system": "from lib import a\r\nimport lib.b\r\n",
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
def test_imports_count_however_they_are_written(tree, text):
    assert tree({**LIB, SCRIPT: text}) == ["lib/__init__.py", "lib/a.py", "lib/b.py", SCRIPT]


@each(SCRIPTS)
def test_every_script_can_be_read(script):
    found = code_files(f"scripts/{script}.py")
    assert ROOT / "scripts" / f"{script}.py" in found
    # all but two that are no jobs
    assert (ROOT / "lib" / "core" / "command.py" in found) == (script not in ("audit_mechanism", "show_help"))
    assert ROOT / "scripts" / "__init__.py" in found
    assert found == sorted(set(found))


# Other packages are imported once, and with them what scripts need of them; each script is then imported in a process
# that inherits them.
LOADED = """
import importlib, json, os, sys
sys.path[0] = os.devnull  # nothing of the project yet
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
sys.path[0] = os.getcwd()
root = os.getcwd() + os.sep
for script in sys.argv[2:]:
    sys.stdout.flush()
    child = os.fork()
    if not child:
        importlib.import_module(f"scripts.{script}")
        files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
        print(script, *sorted(file[len(root):] for file in files if
                              file.startswith((root + "lib", root + "pate_accountant", root + "scripts"))), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def packages(scripts: list[str]) -> list[str]:
    """Modules of other packages that the scripts' modules import as they are loaded."""
    files = {file for script in scripts for file in code_files(f"scripts/{script}.py") if file.suffix == ".py"}
    found = set()
    for node in (node for file in files for node in ast.parse(file.read_text()).body):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
    return sorted(
        name for name in found if name.partition(".")[0] not in ("lib", "pate_accountant", "scripts", "__future__")
    )


def test_importing_a_script_loads_no_other_file(recorded):
    """Of scripts that ran, see `test_no_job_uses_a_file_that_it_does_not_declare`."""
    scripts = sorted({*SCRIPTS} - {script_of(job.rule) for job in recorded.jobs})
    done = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(packages(scripts)), *scripts],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.split()[0]: set(line.split()[1:]) for line in done.stdout.splitlines()}
    assert set(loaded) == set(scripts)
    for script, files in loaded.items():
        declared = {path.relative_to(ROOT).as_posix() for path in code_files(f"scripts/{script}.py")}
        assert f"scripts/{script}.py" in files
        assert files <= declared, f"{script} loads {sorted(files - declared)} unseen"


def test_jobs_import_what_takes_long_only_where_they_use_it(recorded):
    users = {name: {job.rule for job in recorded.jobs if name in job.packages} for name in ("monai", "opacus")}
    # no network of volumes is trained in this preset, and what is measured of masks is Dice alone
    assert users["monai"] == {"prepare_volumes"}
    assert users["opacus"] == {"train_sgd", "train_residual_dp_sgd", "audit_code", "audit_releases"}
    assert not {"count_votes", "train_student", "release_student"} & {
        job.rule for job in recorded.jobs if {"torch", "dp_accounting"} & job.packages
    }


SOURCES = sorted((ROOT / "lib" / "data" / "sources").glob("*.py"))  # the dataset's, by a computed import


@cache
def code_of(rule: str) -> frozenset[str]:
    """The files of the code that a rule runs."""
    script = script_of(rule)
    more = SOURCES if script in ("prepare_data", "download_data", "list_datasets") else []
    files = {file for start in (f"scripts/{script}.py", *more) for file in code_files(start)}
    return frozenset(file.relative_to(ROOT).as_posix() for file in files)


def test_no_job_uses_a_file_that_it_does_not_declare(recorded):
    rules = {job.rule for job in recorded.jobs}
    assert {"prepare_data", "account", "scalable_pate_epsilon", "claims", "site"} <= rules
    for job in recorded.jobs:
        assert {"lib/__init__.py", "lib/core/command.py"} <= job.modules
        # prepared volumes are declared by their index, which has the digests of the files beside it
        indexed = {path for path in job.opened if f"{path.rpartition('/')[0]}/index.json" in job.inputs}
        undeclared = (job.modules | job.opened) - code_of(job.rule) - job.inputs - job.outputs - indexed
        assert not undeclared, f"{job.rule} uses {sorted(undeclared)}"

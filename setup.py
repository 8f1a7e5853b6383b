"""Builds the accountant: what `lib` is to this project is `pate_accountant` to those who install it (pyproject.toml).

Inside the project modules import each other as `lib.ROOM`, so that what a job runs is found by reading; a package of
that name would be in the way of others, so each such import is renamed as its module is copied.
"""

import re
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class Renamed(build_py):
    """Copies modules with `from lib.` as `from pate_accountant.`, in code and in examples."""

    def build_module(self, module: str, module_file: str, package: str) -> tuple[str, bool]:
        """Copy one module."""
        made, copied = super().build_module(module, module_file, package)
        text = Path(made).read_text(encoding="utf-8")
        Path(made).write_text(
            re.sub(r"(?m)^(\s*(?:>>> )?)from lib\.", r"\1from pate_accountant.", text), encoding="utf-8"
        )
        return made, copied


setup(cmdclass={"build_py": Renamed})

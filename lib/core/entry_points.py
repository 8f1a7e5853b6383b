"""Import an object that is named on the command line as `module:attribute`."""

import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any

from lib.core.errors import InputError

WHERE = "it must lie in the working folder or on PYTHONPATH, or be installed"


def named(name: str) -> Any:
    """Return the attribute of a module that can be imported; raises InputError where there is none."""
    module, attribute = _parts(name)
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"{name}: no module {error.name}; {WHERE}") from error
    if not hasattr(found, attribute):
        raise InputError(f"{name}: module {module} has no {attribute}")
    return getattr(found, attribute)


def module_files(name: str) -> list[str]:
    """Return the files of `module:attribute` without importing the module: it, or all of the package that it lies in.

    Raises InputError where there is no such module, where it is part of Python and has no file, or where its file does
    not as much as mention the attribute.
    """
    module, attribute = _parts(name)
    try:
        found = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # a package on the way to it
        found = None
    if found is None or found.origin is None:
        raise InputError(f"{name}: no module {module}; {WHERE}")
    if not found.has_location:
        raise InputError(f"{name}: the module {module} is part of Python; allowed is one of your own, or installed")
    source = (
        Path(found.origin).read_text(encoding="utf-8", errors="replace") if found.origin.endswith(".py") else attribute
    )
    if not re.search(rf"\b{re.escape(attribute)}\b", source) and "import *" not in source:
        raise InputError(f"{name}: module {module} has no {attribute}")
    if "." not in module and found.submodule_search_locations is None:
        return [found.origin]
    package = importlib.util.find_spec(module.partition(".")[0])
    folders = map(Path, (package and package.submodule_search_locations) or ())
    return sorted(str(file) for folder in folders for file in folder.rglob("*.py"))


def _parts(name: str) -> tuple[str, str]:
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise InputError(f"{name!r}: allowed is MODULE:NAME, as in mypackage:mechanism")
    return module, attribute

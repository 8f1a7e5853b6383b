"""What a person names on the command line: `module:attribute`."""

import importlib
from typing import Any

from lib.core.errors import InputError


def named(name: str) -> Any:
    """The attribute of a module that can be imported; raises InputError where there is none."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise InputError(f"{name!r}: allowed is MODULE:NAME, as in mypackage:mechanism")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(
            f"{name}: no module {error.name}; it must lie in the working folder or be installed"
        ) from error
    if not hasattr(found, attribute):
        raise InputError(f"{name}: module {module} has no {attribute}")
    return getattr(found, attribute)

"""Names in the configuration that must be in one of its catalogues."""

from collections.abc import Collection

from lib.core.errors import InputError


def known(key: str, name: str, catalogue: Collection[str]) -> None:
    """Raise InputError, with the key and what is allowed, where a name is not in a catalogue."""
    if name not in catalogue:
        raise InputError(f"{key} = {name!r}: allowed: {', '.join(sorted(catalogue))}")

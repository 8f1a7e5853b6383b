"""Records and other blocks that tests write by hand."""

import hashlib
import json
import sys


def sealed(content: object) -> object:
    """The content with the digest that makes it whole, also where no record may have such content."""
    if not isinstance(content, dict):
        return content
    kept = {name: value for name, value in content.items() if name != "sha256"}
    return kept | {"sha256": hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()}


def places(block, path=()):
    """The path of every value below `block`."""
    items = block.items() if isinstance(block, dict) else enumerate(block) if isinstance(block, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def text_of(block) -> str:
    """JSON text, of numbers of any length."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(block)
    finally:
        sys.set_int_max_str_digits(limit)

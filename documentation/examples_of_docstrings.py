"""Show examples in docstrings as code on the site, also where no heading says that they are examples."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^ *>>>.*\n?)(?:^ *\S.*\n?)*", re.MULTILINE)


class Examples(griffe.Extension):
    """Fence each example of a docstring, which Markdown would take for quotations of quotations."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of a module, class or function once it is read."""
        if obj.docstring and ">>>" in obj.docstring.value:
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )

"""The one exception for mistakes of whoever supplies the input."""


class InputError(ValueError):
    """Bad input: the message is one line that names what is wrong, where, and what is allowed."""

    def __str__(self) -> str:
        """Keep the message; line breaks of a file's name, or of what is in a file, are written as \\n."""
        return "\\n".join(super().__str__().splitlines())

"""The one exception for mistakes of whoever supplies the input."""


class InputError(ValueError):
    """Bad input: the message is one line that names what is wrong, where, and what is allowed."""

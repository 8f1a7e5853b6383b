"""How many digits the numbers of a text have."""

from lib.reporting import digits


def longest(text: str) -> int:
    """The most significant digits that a number in a text has, years aside."""
    return max(
        (digits.significant(n) for n in digits._NUMBER.findall(text) if not digits._YEAR.fullmatch(n)), default=0
    )

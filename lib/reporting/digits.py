"""Numbers as a person reads them: three significant digits, a spread to one."""

import math
import re

_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"(?<![\w.,^])(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?!\w)")


def significant(number: str) -> int:
    """How many digits of a printed number count: 1,000 has one, 0.0329 three, 2.00 three."""
    mantissa = number.replace(",", "").partition("e")[0]
    digits = mantissa.replace(".", "").lstrip("0")
    return len(digits if "." in mantissa else digits.rstrip("0"))


def rounded(value: float, digits: int = 3) -> str:
    """Return a number to so many significant digits, without zeros at its end: 2969.1 is 2,970, 1.803e7 is 1.8e7."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    value = float(f"{value:.{digits - 1}e}")
    magnitude = math.floor(math.log10(abs(value)))
    if not -4 <= magnitude < 6:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return f"{_trimmed(mantissa)}e{int(exponent)}"
    return _trimmed(f"{value:,.{max(0, digits - 1 - magnitude)}f}")


def padded(here: str, paper: str) -> str:
    """Our number with zeros up to the decimals of the paper's, as far as three digits go: 2 beside 1.97 is 2.00."""
    if "e" in here or not re.fullmatch(r"[\d,]+(\.\d+)?", paper):
        return here
    while len(here.partition(".")[2]) < len(paper.partition(".")[2]):
        longer = here + ("0" if "." in here else ".0")
        if significant(longer) > 3 or float(here) == 0:
            break
        here = longer
    return here


def as_read(text: str, years: bool = False) -> str:
    """Return a text in which every number has three significant digits at most; those that have stay as written.

    years: whether 1900 to 2099 are years in it, and stay too.
    """

    def short(found: re.Match) -> str:
        number = found.group()
        if years and _YEAR.fullmatch(number):
            return number
        whole = number.isdigit() and len(number) > 3
        return rounded(float(number.replace(",", ""))) if significant(number) > 3 or whole else number

    return _NUMBER.sub(short, text)


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number

"""Bounds as a person reads them: an epsilon is rounded up, a lower bound down."""

from decimal import ROUND_CEILING, Context, Decimal


def rounded_up(epsilon: float, digits: int) -> float:
    """Return an epsilon to so many significant digits, never below what it is.

    It is the number that Python prints: 1.3, not the nearest double, which lies 4e-17 above it.

    >>> rounded_up(3.24949, 4), rounded_up(1.9999, 4), rounded_up(1.3, 4), rounded_up(math.inf, 4)
    (3.25, 2.0, 1.3, inf)
    """
    return float(Context(prec=digits, rounding=ROUND_CEILING).plus(Decimal(repr(float(epsilon)))))


def rounded_down(bound: float, digits: int) -> float:
    """Return a lower bound to so many significant digits, never above what it is; zero has no sign.

    >>> rounded_down(0.12349, 3), rounded_down(-0.12341, 3), rounded_down(0.0, 3), rounded_down(-0.0, 3)
    (0.123, -0.124, 0.0, 0.0)
    """
    return 0.0 - rounded_up(-bound, digits)


def shown(epsilon: float, digits: int = 3) -> str:
    """Return an epsilon as a person reads it: so many significant digits, rounded up.

    >>> shown(2.0711), shown(20.83), shown(8.0), shown(3.24949, 4)
    ('2.08', '20.9', '8', '3.25')
    """
    return f"{rounded_up(epsilon, digits):.{digits}g}"

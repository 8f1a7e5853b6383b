"""The 150 classes of Open Glyph, and which of them look alike: data, not code."""

_ROWS = (
    "0123456789",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "abcdefghijklmnopqrstuvwxyz",
    "ΓΔΘΛΞΟΠΣΦΩ" + "αβγδεζηθλμξπρσφχψω",  # noqa: RUF001
    "БДЖЗИЙЛОУФЦЧШЩЬЭЮЯ" + "бд",  # noqa: RUF001
    ".,'′\"!?:;-–−|/\\()[]{}<>+×÷=*#%&@$€£°∞√∫•",  # noqa: RUF001
)

CLASSES: tuple[str, ...] = tuple("".join(_ROWS))

# Disjoint groups; that a class is in none means that it is told from every other by its shape. Glyphs are centred and
# their size is mostly taken out, so that where a mark stands on the line, and whether a letter is upper or lower case,
# is lost where the shape is the same: this is the ambiguity that the paper shows of comma and apostrophe.
LOOK_ALIKES: tuple[str, ...] = (
    "0OoΟО°",  # noqa: RUF001  digit, Latin upper and lower case, Greek, Cyrillic, degree
    "1lI|",
    ".•",
    ",'′",  # noqa: RUF001  comma, apostrophe, prime
    "-–−",  # noqa: RUF001  hyphen, en dash, minus
    "3З",  # noqa: RUF001  digit, Cyrillic Ze
    "6б",  # noqa: RUF001  digit, Cyrillic be
    "aα",  # noqa: RUF001
    "bЬ",  # Latin b, Cyrillic soft sign
    "Cc",
    "Kk",
    "nη",  # noqa: RUF001
    "Ppρ",  # noqa: RUF001  Latin upper and lower case, Greek rho
    "Ss",
    "Uuμ",
    "Vv",
    "Ww",
    "Xx×χ",  # noqa: RUF001  Latin upper and lower case, multiplication sign, Greek chi
    "YyУγ",  # noqa: RUF001  Latin upper and lower case, Cyrillic U, Greek gamma
    "Zz",
    "Θθ",  # noqa: RUF001
    "ΛЛ",  # Greek Lambda, Cyrillic El
    "Ππ",
    "ΦФφ",  # Greek upper case, Cyrillic Ef, Greek lower case
    "ШЩ",
)

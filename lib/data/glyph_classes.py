"""The 150 classes of Open Glyph, and which of them look alike: data, not code."""
# ruff: noqa: RUF001 (characters that look alike are the point)

ROWS: tuple[str, ...] = (
    "0123456789",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "abcdefghijklmnopqrstuvwxyz",
    "ΓΔΘΛΞΟΠΣΦΩαβγδεζηθλμξπρσφχψω",
    "БДЖЗИЙЛОУФЦЧШЩЬЭЮЯбд",
    ".,'’′\"!?:;-–−|/\\()[]{}<>+×÷=*#%&@$€£∞√∫•",
)

CLASSES: tuple[str, ...] = tuple("".join(ROWS))

# Disjoint groups; that a class is in none means that it is told from every other by its shape. Glyphs are centred and
# their size is taken out in part: where a mark stands on the line is lost, and the case of a letter is uncertain, where
# the shape is the same. This is the ambiguity that the paper shows of comma and apostrophe.
LOOK_ALIKES: tuple[str, ...] = (
    "0OoΟО",  # digit, Latin upper and lower case, Greek, Cyrillic
    "1lI|",
    ".•",
    ",'’′",  # comma, straight and curly apostrophe, prime
    "-–−",  # hyphen, en dash, minus
    "3З",  # digit, Cyrillic Ze
    "6б",  # digit, Cyrillic be
    "aα",
    "bЬ",  # Latin b, Cyrillic soft sign
    "Cc",
    "Kk",
    "nη",
    "Ppρ",  # Latin upper and lower case, Greek rho
    "Ss",
    "Uuμ",
    "Vv",
    "Ww",
    "Xx×χ",  # Latin upper and lower case, multiplication sign, Greek chi
    "YyУγ",  # Latin upper and lower case, Cyrillic U, Greek gamma
    "Zz",
    "Θθ",
    "ΛЛ",  # Greek Lambda, Cyrillic El
    "Ππ",
    "ΦФφ",  # Greek upper case, Cyrillic Ef, Greek lower case
    "ШЩ",
)

"""The rules as they are written, for who must know of them without starting Snakemake."""

import re
from dataclasses import dataclass
from functools import cache

from lib.plan.config import ROOT

_RULE = re.compile(r"^(?:use rule (\w+) as |rule )(\w+)(?: with)?:\n(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class RuleText:
    """One rule: the rule that it is a variant of ("" for none), its file, and what it says itself."""

    like: str
    file: str
    text: str

    @property
    def meaning(self) -> str:
        """The first line of the docstring; empty where there is none."""
        return "".join(re.findall(r'\A +"""(.*?)(?:"""|\n)', self.text))

    @property
    def scripts(self) -> list[str]:
        """The scripts that its commands call."""
        return re.findall(r"-m scripts\.(\w+)", self.text)


@cache
def rule_texts() -> dict[str, RuleText]:
    """Return all rules by name, in the order of their files."""
    found = {}
    for path in [ROOT / "Snakefile", *sorted((ROOT / "rules").rglob("*.smk"))]:
        file = path.relative_to(ROOT).as_posix()
        for like, name, text in _RULE.findall(path.read_text(encoding="utf-8")):
            found[name] = RuleText(like, file, text)
    return found


def script_of(rule: str) -> str:
    """Return the script that a rule runs, its own or that of the rule of which it is a variant; "" for none."""
    told = rule_texts()[rule]
    if told.scripts:
        return told.scripts[0]
    return script_of(told.like) if told.like else ""

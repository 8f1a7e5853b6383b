"""Jobs of the audits of mechanisms whose epsilon is known, and of the project's own."""

from collections.abc import Mapping
from typing import Any

from lib.plan.layout import Layout


class Audit:
    """Settings of the audits, as functions of a job's wildcards."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        """config: the whole, checked configuration."""
        self.config = config
        self.folder = Layout(config["preset"]).of("audit")

    def known_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `audit_known`."""
        audit = {name: value for name, value in self.config["audit"].items() if name != "code"}
        return {"seed": self.config["seed"], "audit": audit}

    def code_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `audit_code`."""
        block = self.config["audit"]["code"]
        settings = {name: value for name, value in block.items() if name != "parts"}
        return {"seed": self.config["seed"], "settings": settings, "part": [int(wildcards.part), block["parts"]]}

    def code_parts(self, end: str) -> list[str]:
        """Input of `audit_mechanisms`: the tables of all parts, in the order of the mechanisms."""
        return [f"{self.folder}/code/{part}{end}" for part in range(self.config["audit"]["code"]["parts"])]

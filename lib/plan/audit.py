"""What runs for the audits of mechanisms whose epsilon is known, and of the project's own."""

from collections.abc import Mapping
from typing import Any


class Audit:
    """Settings of the audits, as functions of a job's wildcards."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        """config: the whole, checked configuration."""
        self.config = config

    def known_settings(self, wildcards: Any) -> dict[str, Any]:
        """Settings of `audit_known`."""
        audit = {name: value for name, value in self.config["audit"].items() if name != "code"}
        return {"seed": self.config["seed"], "audit": audit}

    def mechanisms_settings(self, wildcards: Any) -> dict[str, Any]:
        """Settings of `audit_mechanisms`."""
        return {"seed": self.config["seed"], "settings": self.config["audit"]["code"]}

"""What runs for the audits of mechanisms whose epsilon is known."""

from collections.abc import Mapping
from typing import Any


class Audit:
    """Settings of the audits, as functions of a job's wildcards."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        """config: the whole, checked configuration."""
        self.config = config

    def known_settings(self, wildcards: Any) -> dict[str, Any]:
        """Settings of `audit_known`."""
        return {"seed": self.config["seed"], "audit": self.config["audit"]}

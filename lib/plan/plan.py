"""All that the rules ask of the configuration, paper by paper."""

from collections.abc import Mapping
from typing import Any

from lib.plan import dp_mac, residual_perturbation, segmentation
from lib.plan.audit import Audit
from lib.plan.data import Data
from lib.plan.dp_mac import DpMac
from lib.plan.layout import Layout
from lib.plan.leaderboard import Leaderboard
from lib.plan.release import Release
from lib.plan.residual_perturbation import ResidualPerturbation
from lib.plan.results import Results
from lib.plan.scalable_pate import ScalablePate
from lib.plan.segmentation import Segmentation


class Plan:
    """All jobs as functions of the configuration; rules call it, and it knows nothing of them."""

    def __init__(self, config: Mapping[str, Any], register: Mapping[str, Any]) -> None:
        """config: the whole, checked configuration. register: the block `results` of catalogue/results.yaml."""
        self.layout = Layout(config["preset"])
        facts = dp_mac.facts(config) | residual_perturbation.facts(config) | segmentation.facts(config)
        self.results = Results(config, register, facts)
        self.data = Data(config)
        self.scalable_pate = ScalablePate(config, self.results)
        self.dp_mac = DpMac(config, self.results)
        self.residual_perturbation = ResidualPerturbation(config, self.results)
        self.segmentation = Segmentation(config, self.results)
        self.leaderboard = Leaderboard(config)
        self.audit = Audit(config)
        self.release = Release(config, self.scalable_pate)

"""All that the rules ask of the configuration, paper by paper."""

from collections.abc import Mapping
from typing import Any

from lib.plan.data import Data
from lib.plan.layout import Layout
from lib.plan.release import Release
from lib.plan.results import Results
from lib.plan.scalable_pate import ScalablePate


class Plan:
    """What runs, as functions of the configuration; rules call it, and it knows nothing of them."""

    def __init__(self, config: Mapping[str, Any], register: Mapping[str, Any]) -> None:
        """config: the whole, checked configuration. register: the block `results` of catalogue/results.yaml."""
        self.layout = Layout(config["preset"])
        self.results = Results(config, register, {"dp_mac.autoencoders": True, "dp_mac.classifiers": True})
        self.data = Data(config)
        self.scalable_pate = ScalablePate(config, self.results)
        self.release = Release(config, self.scalable_pate)

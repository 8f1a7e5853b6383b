"""What runs for Scalable PATE: ensembles, votes, runs of an aggregator on them, and their students."""

from collections.abc import Mapping
from typing import Any

from lib.plan.layout import Layout

# kinds of models that are networks; the others are classifiers of scikit-learn
NETWORKS = ("mlp", "teacher_cnn", "teacher_resnet", "gan", "vat")


class ScalablePate:
    """Files and settings of every job of Scalable PATE, as functions of a job's wildcards.

    Votes are drawn several times (draw 1 to `draws`); published votes are draw 0. Repetitions use the draws in turn.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """config: the whole, checked configuration."""
        self.config = config
        self.layout = Layout(config["preset"])
        self.folder = self.layout.of("scalable_pate")
        self.block = config["scalable_pate"]
        self.runs, self.ensembles, self.models = self.block["runs"], config["ensembles"], config["models"]
        self.repetitions = range(1, config["repetitions"] + 1)

    # ------------------------------------------------------------ names that wildcards take

    def ensembles_of_networks(self) -> list[str]:
        """Ensembles whose teachers are networks."""
        return [name for name in self._trained() if self.is_network(self.ensembles[name]["model"])]

    def ensembles_of_classifiers(self) -> list[str]:
        """Ensembles whose teachers are classifiers of scikit-learn."""
        return [name for name in self._trained() if not self.is_network(self.ensembles[name]["model"])]

    def is_network(self, model: str) -> bool:
        """Whether a model is a network."""
        return self.models[model]["kind"] in NETWORKS

    def _trained(self) -> list[str]:
        return [name for name, ensemble in self.ensembles.items() if ensemble["kind"] == "trained"]

    # ------------------------------------------------------------ teachers and votes

    def samples(self, ensemble: str) -> str:
        """The prepared samples of an ensemble: its own, or those that published votes are about."""
        block = self.ensembles[ensemble]
        return self.layout.data(block.get("samples", block["dataset"]))

    def samples_of_ensemble(self, wildcards: Any) -> str:
        """Input: the prepared samples of the ensemble."""
        return self.samples(wildcards.ensemble)

    def split_settings(self, wildcards: Any) -> dict[str, Any]:
        """Settings of `split_data`."""
        block = self.ensembles[wildcards.ensemble]
        return {
            "job": ["split_data", wildcards.ensemble, wildcards.repetition],
            "seed": self.config["seed"],
            "sizes": {name: block[name] for name in ("private", "public", "test", "teachers")},
        }

    def shards(self, ensemble: str) -> list[tuple[int, int]]:
        """(first teacher, the one after the last) of each shard."""
        teachers = self.ensembles[ensemble]["teachers"]
        size = self.ensembles[ensemble].get("shard", teachers)
        return [(first, min(first + size, teachers)) for first in range(0, teachers, size)]

    def teacher_settings(self, wildcards: Any) -> dict[str, Any]:
        """Settings of `train_teachers`."""
        return {
            "job": ["train_teachers", wildcards.ensemble, wildcards.repetition],
            "seed": self.config["seed"],
            "model": self.models[self.ensembles[wildcards.ensemble]["model"]],
            "teachers": list(self.shards(wildcards.ensemble)[int(wildcards.shard)]),
        }

    def network_teacher_settings(self, wildcards: Any) -> dict[str, Any]:
        """Settings of `train_network_teachers`."""
        return self.teacher_settings(wildcards) | {
            "classes": self.ensembles[wildcards.ensemble]["classes"],
            "device": self.config["device"],
            "checkpoint": self.layout.checkpoint("train_network_teachers", *wildcards),
        }

    def labels_or_votes(self, wildcards: Any) -> list[str]:
        """Input of `count_votes`: shards of teachers' labels, or the dataset that holds published votes."""
        block = self.ensembles[wildcards.ensemble]
        if block["kind"] == "published":
            return [self.layout.data(block["dataset"])]
        folder = f"{self.layout.private}/teacher_labels/{wildcards.ensemble}/{wildcards.drawn}"
        return [f"{folder}/{shard}.npz" for shard in range(len(self.shards(wildcards.ensemble)))]

    def count_settings(self, wildcards: Any) -> dict[str, Any]:
        """Settings of `count_votes`."""
        return {name: self.ensembles[wildcards.ensemble][name] for name in ("teachers", "classes")}

"""Datasets: what each is read from, and how it comes there."""

from collections.abc import Mapping
from typing import Any

from lib.data import registry
from lib.plan.layout import Layout


class Data:
    """Files and settings of the jobs that fetch, read and generate datasets, as functions of a job's wildcards."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        """config: the whole, checked configuration."""
        self.config = config
        self.layout = Layout(config["preset"])
        self.datasets = config["datasets"]

    def downloaded(self) -> list[str]:
        """Datasets that are fetched."""
        return [name for name, block in self.datasets.items() if block["source"] == "download"]

    def generated(self) -> list[str]:
        """Datasets whose samples are generated where they are used."""
        return [name for name, block in self.datasets.items() if block["source"] == "generated"]

    def read(self) -> list[str]:
        """Datasets that are read: from files, or from a package."""
        return [name for name, block in self.datasets.items() if block["source"] != "generated"]

    def module(self, wildcards: Any) -> str:
        """Return the file that knows the dataset; scripts import it by a computed name."""
        return f"lib/data/sources/{self.datasets[wildcards.dataset]['module']}.py"

    def modules(self) -> list[str]:
        """Return the files that know datasets, all of them."""
        return [f"lib/data/sources/{name}.py" for name in registry.modules()]

    def folder(self, dataset: str) -> str | None:
        """Return the folder below which a dataset's files lie; None where it has none."""
        source = self.datasets[dataset]["source"]
        if source == "download":
            return f"{self.layout.of('downloads')}/{dataset}"
        return self.config["data_root"] if source == "data_root" else None

    def files(self, wildcards: Any) -> list[str]:
        """Input of `prepare_data`: the files of a dataset, or the folder that they are fetched to.

        Raises InputError if they are not there and are not fetched either, or the dataset has no such source.
        """
        name = wildcards.dataset
        block, folder = self.datasets[name], self.folder(wildcards.dataset)
        files = registry.required_files(name, block["module"], block["source"], folder)
        return [str(folder)] if block["source"] == "download" else list(map(str, registry.watched(files)))

    def prepare_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `prepare_data`."""
        name = wildcards.dataset
        block = self.datasets[name]
        return {
            "dataset": name,
            "module": block["module"],
            "source": block["source"],
            "data_root": self.folder(name),
        }

    def download_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `download_data`."""
        return {
            "dataset": wildcards.dataset,
            "module": self.datasets[wildcards.dataset]["module"],
            "attempts": self.config["download"]["attempts"],
            "wait": self.config["download"]["wait"],
        }

    def glyph_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `prepare_glyph`."""
        return {"settings": self.datasets[wildcards.dataset].get("settings", {})}

    def list_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `datasets`."""
        return {"datasets": self.datasets}

"""The release: of which run it is, and where its parts lie."""

from collections.abc import Mapping
from typing import Any

from lib.core.errors import InputError
from lib.plan.layout import Layout, of_job
from lib.plan.scalable_pate import ScalablePate
from lib.release.files import CONTENT, SUMS


class Release:
    """Files and settings of the jobs that make the folder that can be published."""

    def __init__(self, config: Mapping[str, Any], scalable_pate: ScalablePate) -> None:
        """config: the whole, checked configuration. scalable_pate: what is known of its runs."""
        self.config, self.scalable_pate = config, scalable_pate
        self.layout = Layout(config["preset"])
        self.block = config["release"]
        self.folder = self.layout.of("release")
        # what is not in the folder itself: the student as it was trained, and the public part of the data
        self.parts, self.public = self.layout.of("release_parts"), self.layout.of("public")

    def run(self) -> str:
        """Return the run that is released; InputError if there is none."""
        if not self.block["run"]:
            raise InputError("release.run = None: there is nothing to release; allowed is the name of a run")
        return self.block["run"]

    def runs_with_networks(self) -> list[str]:
        """Return the run that is released, if its student is a network."""
        return [run for run in self.scalable_pate.runs_with_networks() if run == self.block["run"]]

    def runs_with_classifiers(self) -> list[str]:
        """Return the run that is released, if its student is a classifier of scikit-learn."""
        return [run for run in self.scalable_pate.runs_with_classifiers() if run == self.block["run"]]

    def files(self) -> list[str]:
        """Return the files of the release."""
        return [f"{self.folder}/{name}" for name in [*CONTENT, SUMS]]

    def report(self) -> str:
        """Return the report of verifying the release."""
        return self.layout.of("release_verified.json")

    def target(self) -> list[str]:
        """Return the release and its verification, where the configuration asks for one."""
        return [*self.files(), self.report()] if self.block["run"] else []

    # ------------------------------------------------------------ the public part and the student

    def public_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `public_part`."""
        words = ("public_part", wildcards.ensemble, wildcards.repetition)
        return of_job(self.config, *words, dataset=self.scalable_pate.samples_name(wildcards.ensemble))

    def public_samples(self, wildcards: Any) -> str:
        """Input: the public part of the data that a repetition of the run uses."""
        return self._public(wildcards.run, wildcards.repetition, "npz")

    def student_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `release_student`."""
        job = ["release_student", wildcards.run, wildcards.repetition]
        return self.scalable_pate.student_settings(wildcards) | {"job": job}

    def network_student_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `release_network_student`."""
        checkpoint = self.layout.checkpoint("release_network_student", wildcards.run, wildcards.repetition)
        training = {"device": self.config["device"], "checkpoint": checkpoint}
        return self.student_settings(wildcards) | self.scalable_pate.white(wildcards.run) | training

    def _public(self, run: str, repetition: str | int, suffix: str) -> str:
        ensemble = self.scalable_pate.runs[run]["ensemble"]
        return f"{self.public}/{ensemble}/{self.scalable_pate.draw(ensemble, repetition)}.{suffix}"

    # ------------------------------------------------------------ the folder

    def records(self, wildcards: Any) -> list[str]:
        """Input of `release`: records of every job whose work it holds."""
        run, repetition = self.run(), self.block["repetition"]
        folder, ensemble = self.scalable_pate.folder, self.scalable_pate.runs[run]["ensemble"]
        sanitized = f"{folder}/sanitized/{run}/{self.scalable_pate.draw(ensemble, repetition)}.json"
        return [
            f"{self.parts}/{run}/{repetition}.json",
            self._public(run, repetition, "json"),
            f"{folder}/aggregated/{run}/{repetition}.json",
            *([sanitized] if self.block["sanitized"] else []),
        ]

    def arrays(self, wildcards: Any) -> list[str]:
        """Input of `release`: the files that those jobs wrote, compared with what their records say of them."""
        run, repetition = self.run(), self.block["repetition"]
        labels = f"{self.scalable_pate.folder}/aggregated/{run}/{repetition}.npz"
        return [f"{self.parts}/{run}/{repetition}.safetensors", self.samples(wildcards), labels]

    def samples(self, wildcards: Any) -> str:
        """Input of `verify_release`: the public samples that the student was trained and tested on."""
        return self._public(self.run(), self.block["repetition"], "npz")

    def verified(self, wildcards: Any) -> list[str]:
        """Input of `verify_release`: the release, and what it is put together from again."""
        split = self.scalable_pate.split(self.scalable_pate.runs[self.run()]["ensemble"], self.block["repetition"])
        return [*self.files(), *self.records(wildcards), *self.arrays(wildcards), split]

    def settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `release`."""
        ensemble = self.scalable_pate.ensemble(self.run())
        return {
            "ensemble": {name: ensemble[name] for name in ("label", "teachers", "private") if name in ensemble},
            "accounting": {"orders": self.config["accounting"]["orders"]},
            "licence": self.block["licence"],
            "largest_epsilon": self.block["largest_epsilon"],
            "folder": self.folder,
        }

    def verify_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `verify_release`: the run's files lie below the working folder."""
        return {"folder": self.folder, "run": ".", "largest_epsilon": self.block["largest_epsilon"]}

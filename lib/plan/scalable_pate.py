"""Jobs of Scalable PATE: ensembles, votes, runs of an aggregator on them, and their students."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lib.core.model_kinds import NETWORKS
from lib.plan.layout import Layout, of_job
from lib.plan.results import Results
from lib.plan.words import without_words, words_of


class ScalablePate:
    """Files and settings of every job of Scalable PATE, as functions of a job's wildcards.

    Votes are drawn several times (draw 1 to `draws`); published votes are draw 0. Repetitions use the draws in turn.
    What a run costs depends on its votes alone, so that its account is made once a draw and not once a repetition; but
    where a student takes part (`first_round`), it differs from repetition to repetition.
    """

    def __init__(self, config: Mapping[str, Any], results: Results) -> None:
        """config: the whole, checked configuration. results: the register of results."""
        self.config, self.results = config, results
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

    def networks(self) -> list[str]:
        """Models that are networks."""
        return [name for name in self.models if self.is_network(name)]

    def classifiers(self) -> list[str]:
        """Models that are classifiers of scikit-learn."""
        return [name for name in self.models if not self.is_network(name)]

    def runs_with_networks(self) -> list[str]:
        """Return the runs whose student is a network."""
        return [name for name, run in self.runs.items() if run["student"] and self.is_network(run["student"])]

    def runs_with_classifiers(self) -> list[str]:
        """Return the runs whose student is a classifier of scikit-learn."""
        return [name for name, run in self.runs.items() if run["student"] and not self.is_network(run["student"])]

    def _trained(self) -> list[str]:
        return [name for name, ensemble in self.ensembles.items() if ensemble["kind"] == "trained"]

    # ------------------------------------------------------------ teachers and votes

    def samples_name(self, ensemble: str) -> str:
        """Return the dataset of an ensemble's samples: its own, or the one that published votes are about."""
        block = self.ensembles[ensemble]
        return block.get("samples", block["dataset"])

    def samples(self, ensemble: str) -> str:
        """Return the prepared samples of an ensemble."""
        return self.layout.data(self.samples_name(ensemble))

    def samples_of_ensemble(self, wildcards: Any) -> str:
        """Input: the prepared samples of the ensemble."""
        return self.samples(wildcards.ensemble)

    def split_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `split_data`."""
        block = self.ensembles[wildcards.ensemble]
        return {
            "job": ["split_data", wildcards.ensemble, wildcards.repetition],
            "seed": self.config["seed"],
            "sizes": {name: block[name] for name in ("private", "public", "test", "teachers")},
        }

    def baseline_split_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `split_baseline`."""
        settings = self.split_settings(wildcards)
        sizes = settings["sizes"]
        return settings | {"sizes": sizes | {"public": 0, "test": sizes["public"] + sizes["test"]}}

    def shards(self, ensemble: str) -> list[tuple[int, int]]:
        """(first teacher, the one after the last) of each shard."""
        teachers = self.ensembles[ensemble]["teachers"]
        size = self.ensembles[ensemble].get("shard", teachers)
        return [(first, min(first + size, teachers)) for first in range(0, teachers, size)]

    def teacher_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_teachers`."""
        return {
            "job": ["train_teachers", wildcards.ensemble, wildcards.repetition],
            "seed": self.config["seed"],
            "model": self.models[self.ensembles[wildcards.ensemble]["model"]],
            "teachers": list(self.shards(wildcards.ensemble)[int(wildcards.shard)]),
        }

    def network_teacher_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_network_teachers`."""
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
        """Return the settings of `count_votes`."""
        settings = {name: self.ensembles[wildcards.ensemble][name] for name in ("teachers", "classes")}
        return {"ensemble": wildcards.ensemble} | settings

    def draw(self, ensemble: str, repetition: str | int) -> int:
        """Return the draw of an ensemble that a repetition uses."""
        block = self.ensembles[ensemble]
        if block["kind"] == "published":
            return 0
        return (int(repetition) - 1) % block.get("draws", len(self.repetitions)) + 1

    def draws(self, ensemble: str) -> list[int]:
        """All draws of an ensemble that the repetitions use."""
        return sorted({self.draw(ensemble, repetition) for repetition in self.repetitions})

    def votes(self, ensemble: str) -> list[str]:
        """Every draw of an ensemble's votes."""
        return [f"{self.layout.private}/votes/{ensemble}/{draw}.npz" for draw in self.draws(ensemble)]

    def split(self, ensemble: str, repetition: str | int) -> str:
        """Return the split that a repetition uses: the one its teachers were trained on, if they were."""
        return f"{self.layout.private}/splits/{ensemble}/{self.draw(ensemble, repetition) or repetition}.npz"

    def _splits(self, uses: Iterable[tuple[str, int]]) -> list[str]:
        """Return the splits of (ensemble, draw or repetition), without those whose labels come with their votes."""
        return [self.split(name, number or 1) for name, number in uses if not self.ensembles[name].get("labelled")]

    # ------------------------------------------------------------ runs: an aggregator on an ensemble's votes

    def ensemble(self, run: str) -> Mapping[str, Any]:
        """Return the block of the ensemble whose votes a run aggregates."""
        return self.ensembles[self.runs[run]["ensemble"]]

    def votes_of_run(self, wildcards: Any) -> str:
        """Input: the votes that one repetition of the run aggregates."""
        name = self.runs[wildcards.run]["ensemble"]
        return f"{self.layout.private}/votes/{name}/{self.draw(name, wildcards.repetition)}.npz"

    def samples_of_run(self, wildcards: Any) -> str:
        """Input: the prepared samples that the run's votes are about."""
        return self.samples(self.runs[wildcards.run]["ensemble"])

    def split_of_run(self, wildcards: Any) -> list[str]:
        """Input: the split that one repetition of the run uses; nothing where labels come with the votes."""
        return self._splits([(self.runs[wildcards.run]["ensemble"], int(wildcards.repetition))])

    def rounds(self, run: str) -> list[str]:
        """Return a run and, before it, the run that is its first round."""
        first = self.runs[run].get("first_round")
        return ([first] if first else []) + [run]

    def released_labels(self, wildcards: Any) -> list[str]:
        """Input: the labels that a run released in one repetition, a file a round."""
        return [f"{self.folder}/aggregated/{run}/{wildcards.repetition}.npz" for run in self.rounds(wildcards.run)]

    def first_round(self, stage: str) -> Callable[[Any], list[str]]:
        """Input: arrays of the first round, of its student's scores or released labels; nothing where there is none."""
        return lambda wildcards: [
            f"{self.folder}/{stage}/{run}/{wildcards.repetition}.npz" for run in self.rounds(wildcards.run)[:-1]
        ]

    def account_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `account`."""
        return self._run_settings("account", wildcards, "moments", "curve_points")

    def aggregate_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `aggregate`."""
        more = {"noise_seed": self.config["noise_seed"]}
        return self._run_settings("aggregate", wildcards, "moments") | more

    def inspect_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `inspect_selection`."""
        return self._run_settings("inspect_selection", wildcards)

    def sanitize_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `sanitize_epsilon`."""
        more = {"noise_seed": self.config["noise_seed"], "sanitize": self.block["sanitize"]}
        return self._run_settings("sanitize_epsilon", wildcards, "moments") | more

    def _accounting(self, *names: str) -> dict[str, Any]:
        """Return the orders of the accounting, and more of its block."""
        return {name: self.config["accounting"][name] for name in ("orders", *names)}

    def _run_settings(self, rule: str, wildcards: Any, *accounting: str) -> dict[str, Any]:
        """Return the mechanism of a run and of its first round, facts about votes, and the accounting; no student."""
        *first, last = (
            without_words(self.runs[run], "student", "ensemble", "first_round") for run in self.rounds(wildcards.run)
        )
        ensemble = self.ensemble(wildcards.run)
        return of_job(self.config, rule, wildcards.run, wildcards.repetition, dataset=ensemble["dataset"]) | {
            "run": last | ({"first_round": first[0]} if first else {}),
            "teachers": ensemble["teachers"],
            "accounting": self._accounting(*accounting),
        }

    # ------------------------------------------------------------ students and baselines

    def student_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_student`."""
        return self._student("train_student", wildcards)

    def noiseless_student_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_noiseless_student`."""
        return self._student("train_noiseless_student", wildcards) | {"noiseless": True}

    def network_student_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_network_student`."""
        names = (wildcards.run, wildcards.repetition)
        return (
            self.student_settings(wildcards)
            | self.white(wildcards.run)
            | self._training("train_network_student", *names)
        )

    def noiseless_network_student_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_noiseless_network_student`."""
        names = (wildcards.run, wildcards.repetition)
        training = self._training("train_noiseless_network_student", *names)
        return self.noiseless_student_settings(wildcards) | self.white(wildcards.run) | training

    def white(self, run: str) -> dict[str, Any]:
        """Return the pixel value that becomes 1 for networks that learn a run's samples."""
        return {"largest": _largest(self.ensemble(run))}

    def baseline(self, run: str) -> str:
        """Return the model of the non-private baseline beside a run's student."""
        return self.ensemble(run).get("baseline_model", self.runs[run]["student"])

    def baseline_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_baseline`."""
        words = ("train_baseline", wildcards.ensemble, wildcards.model, wildcards.repetition)
        job = of_job(self.config, *words, dataset=self.samples_name(wildcards.ensemble))
        return job | {"model": self.models[wildcards.model]}

    def network_baseline_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_network_baseline`; its draws are keyed as those of `train_baseline`."""
        block = self.ensembles[wildcards.ensemble]
        names = (wildcards.ensemble, wildcards.model, wildcards.repetition)
        return (
            self.baseline_settings(wildcards)
            | {"classes": block["classes"], "largest": _largest(block)}
            | {"private": block.get("baseline_samples", block["private"])}
            | self._training("train_network_baseline", *names)
        )

    def _student(self, word: str, wildcards: Any) -> dict[str, Any]:
        run = self.runs[wildcards.run]
        job = of_job(self.config, word, wildcards.run, wildcards.repetition, dataset=self.samples_name(run["ensemble"]))
        return job | {"model": self.models[run["student"]], "classes": self.ensemble(wildcards.run)["classes"]}

    def _training(self, rule: str, *names: str) -> dict[str, Any]:
        return {"device": self.config["device"], "checkpoint": self.layout.checkpoint(rule, *names)}

    # ------------------------------------------------------------ records of many jobs

    def accounted(self, run: str) -> list[int]:
        """Return all repetitions in which a run's cost differs: those of its votes, or of a student in it."""
        return list(self.repetitions) if "first_round" in self.runs[run] else self.draws(self.runs[run]["ensemble"])

    def accounted_runs(self) -> list[dict[str, str]]:
        """Wildcards of all accounts that the preset's results read."""
        runs = dict.fromkeys([*self._made("table1", "selection", "epsilon"), *self.block["fig1"]["curves"]])
        return [{"run": run, "repetition": str(number)} for run in runs for number in self.accounted(run)]

    def network_students(self) -> list[dict[str, str]]:
        """Wildcards of all students of the preset's results that are networks."""
        runs = [run for run in self._made("table1", "selection") if run in self.runs_with_networks()]
        return [{"run": run, "repetition": str(number)} for run in runs for number in self.repetitions]

    def _made(self, *items: str) -> list[str]:
        """Return the runs of some results and of Figure 1's students, each once."""
        lists = [*map(self.block.get, items), self.block["fig1"]["students"]]
        return list(dict.fromkeys(run for runs in lists for run in runs))

    def accounts(self, runs: Iterable[str], suffix: str = "json") -> list[str]:
        """Return the records of `account` for some runs, or with suffix npz their curves."""
        return [
            f"{self.folder}/accounts/{run}/{repetition}.{suffix}" for run in runs for repetition in self.accounted(run)
        ]

    def every_repetition(self, folder: str, runs: Iterable[str]) -> list[str]:
        """Return the records of every repetition of some runs in a folder."""
        return [f"{folder}/{run}/{repetition}.json" for run in runs for repetition in self.repetitions]

    def described(self, runs: Iterable[str]) -> list[dict[str, Any]]:
        """Return the blocks of some runs with all that a table says: name, ensemble, moments, student and baseline.

        The ensemble has its number of test samples where the paper reports on others, or on more of them.
        """
        blocks = []
        for name in runs:
            run = self.runs[name]
            test = () if self.ensemble(name).get("same_test") else ("test",)
            more: dict[str, Any] = {
                "name": name,
                "ensemble": self._said(run["ensemble"], "dataset", "teachers", "labelled", *test),
                "moments": self.config["accounting"]["moments"],
                "baseline": self.baseline(name),
            }
            if run["student"]:
                model = self.models[run["student"]]
                dense = model["kind"] == "vat" and not model["blocks"]
                more["student_kind"] = "vat_dense" if dense else model["kind"]
            blocks.append(run | more)
        return blocks

    def runs_of(self, item: str) -> Callable[[Any], dict[str, Any]]:
        """Return the settings of a result about runs alone, which its block names."""
        return lambda wildcards: {"runs": self.described(self.block[item])}

    def _said(self, ensemble: str, *more: str) -> dict[str, Any]:
        """Return what tables show of an ensemble, with its name, and other keys of its block that it may have."""
        return words_of(self.ensembles[ensemble], *more) | {"name": ensemble}

    # ------------------------------------------------------------ tables

    def table1_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of Table 1: its runs, with the number of samples that test each one's baseline.

        It is left out where the paper reports on the same.
        """
        runs = self.described(self.block["table1"])
        for run in runs:
            block = self.ensembles[run["ensemble"]["name"]]
            if "test" in run["ensemble"] and "test" in block:
                run["baseline_test"] = block["public"] + block["test"]
        return {"runs": runs}

    def table1_records(self, wildcards: Any) -> list[str]:
        """Input of Table 1: records of every stage of its runs."""
        runs = self.block["table1"]
        records = self.accounts(runs) + self.every_repetition(f"{self.folder}/aggregated", runs)
        for run in runs:
            if self.runs[run]["student"]:
                name = self.runs[run]["ensemble"]
                published = self.ensembles[name]["kind"] == "published"
                splits = self.repetitions if published else self.draws(name)
                records += self.every_repetition(f"{self.folder}/students", [run])
                records += [f"{self.folder}/baselines/{name}/{self.baseline(run)}/{split}.json" for split in splits]
        return sorted(set(records))

    def table2_records(self, wildcards: Any) -> list[str]:
        """Input of Table 2: records of `sanitize_epsilon`."""
        return [
            f"{self.folder}/sanitized/{run}/{draw}.json"
            for run in self.block["table2"]
            for draw in self.draws(self.runs[run]["ensemble"])
        ]

    def selection_records(self, wildcards: Any) -> list[str]:
        """Input of the table of selection: records of every stage of its runs."""
        self.results.check("scalable_pate_selection")
        runs = self.block["selection"]
        students = [run for run in runs if self.runs[run]["student"]]
        return [
            *self.accounts(runs),
            *self.every_repetition(f"{self.folder}/students", students),
            *self.every_repetition(f"{self.layout.private}/selection", runs),
            *self.every_repetition(f"{self.layout.private}/noiseless_students", self.block["noiseless"]),
        ]

    def tails_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the table of the noise's tails."""
        return self.block["tails"]

    def teachers_files(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of the table of teachers: all votes of its ensembles, and their samples and splits."""
        self.results.check("scalable_pate_teachers")
        return {
            "votes": [path for name in self.block["teachers"] for path in self.votes(name)],
            "data": [self.samples(name) for name, _ in self._teachers()],
            "splits": self._splits(self._teachers()),
        }

    def teachers_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the table of teachers: the ensemble of each of its votes."""
        read = ("dataset", "teachers", "private", "labelled")
        return {"ensembles": [self._said(name, *read) for name, _ in self._teachers()]}

    def _teachers(self) -> list[tuple[str, int]]:
        """(ensemble, draw) of all votes in the table of teachers."""
        return [(name, draw) for name in self.block["teachers"] for draw in self.draws(name)]

    def search_files(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of the search for parameters: the first votes of each run, and the samples and splits of these."""
        self.results.check("scalable_pate_search")
        names = [self.runs[run]["ensemble"] for run in self.block["search"]["runs"]]
        return {
            "votes": [self.votes(name)[0] for name in names],
            "data": [self.samples(name) for name in names],
            "splits": self._splits([(name, self.draws(name)[0]) for name in names]),
        }

    def search_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the search for parameters."""
        return {
            "runs": self.described(self.block["search"]["runs"]),
            "search": self.block["search"],
            "accounting": self._accounting(),
        }

    # ------------------------------------------------------------ figures

    def epsilon_files(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of the figure of epsilon: records of `account`, and their curves."""
        runs = self.block["epsilon"]
        return {"records": self.accounts(runs), "curves": self.accounts(runs, "npz")}

    def fig1_files(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of Figure 1: records of its students' runs, accounts of the middle panel, votes of the right one."""
        self.results.check("scalable_pate_fig1")
        block = self.block["fig1"]
        stages = [f"{self.folder}/{stage}" for stage in ("aggregated", "students")]
        records = [path for folder in stages for path in self.every_repetition(folder, block["students"])]
        return {
            "records": self.accounts(block["students"]) + records,
            "curve_records": self.accounts(block["curves"]),
            "curves": self.accounts(block["curves"], "npz"),
            "votes": self.votes(self.runs[block["selection"]]["ensemble"]),
        }

    def fig1_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of Figure 1."""
        block = self.block["fig1"]
        return {
            "runs": self.described(block["students"]),
            "figure": block | {"selection": self.runs[block["selection"]]},
        }

    def fig3_data(self, wildcards: Any) -> str:
        """Input of Figure 3: the dataset whose samples it shows."""
        self.results.check("scalable_pate_fig3")
        return self.layout.data(self.block["fig3"][0])

    def fig4_tradeoffs(self, wildcards: Any) -> list[str]:
        """Input of Figure 4: tables of `label_tradeoff`."""
        self.results.check("scalable_pate_fig4")
        return [f"{self.folder}/tradeoffs/{name}/{draw}.csv" for name, draw in self._traded()]

    def fig4_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of Figure 4: the ensemble of each of its tables, and those of each panel."""
        return {
            "ensembles": [self._said(name, "teachers", "private") for name, _ in self._traded()],
            "figure": {panel: self.block["fig4"][panel] for panel in ("left", "right")},
        }

    def tradeoff_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `label_tradeoff`."""
        block = self.ensembles[wildcards.ensemble]
        return of_job(self.config, "label_tradeoff", wildcards.ensemble, wildcards.drawn, dataset=block["dataset"]) | {
            "teachers": block["teachers"],
            "tradeoff": {name: value for name, value in self.block["fig4"].items() if name not in ("left", "right")},
            "accounting": self._accounting("moments"),
            "repetitions": self.config["repetitions"],
        }

    def _traded(self) -> list[tuple[str, int]]:
        """(ensemble, draw) of all votes in Figure 4."""
        names = dict.fromkeys([self.block["fig4"]["left"], *self.block["fig4"]["right"]])
        return [(name, draw) for name in names for draw in self.draws(name)]

    def fig5_votes(self, wildcards: Any) -> list[str]:
        """Input of Figure 5: every draw of the votes of its runs, which share an ensemble."""
        self.results.check("scalable_pate_fig5")
        return self.votes(self.runs[self.block["fig5"]["runs"][0]]["ensemble"])

    def fig5_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of Figure 5, its runs by role."""
        block = self.block["fig5"]
        runs = dict(zip(("lnmax", "moderate", "aggressive"), map(self.runs.get, block["runs"]), strict=True))
        return {
            "ensemble": self._said(self.runs[block["runs"][0]]["ensemble"], "dataset", "teachers"),
            "figure": block | {"runs": runs},
            "accounting": self._accounting("moments", "curve_points"),
        }


def _largest(ensemble: Mapping[str, Any]) -> int:
    """Return the pixel value of an ensemble's samples that becomes 1."""
    return ensemble.get("largest", 255)

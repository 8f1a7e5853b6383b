"""Jobs of PATE for segmentation masks, of both papers: who asks whom for which labels, and where files lie.

Work comes in units: an encoder, the labellings released through one encoder, the students taught by them. A job does
the units of a shard: one each, or all of a task together where starting takes longer than the work.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from lib.core.errors import InputError
from lib.data.volumes import registry as volumes
from lib.plan.data_needs import without_data
from lib.plan.layout import Layout, of_job
from lib.plan.results import Results
from lib.plan.segmentation_checks import BUDGET, check_patients, encoders_used, keeps_classes
from lib.plan.words import words_of
from pate_accountant.encoded_mean import calibrated

DIVISION = ("parts", "apart", "classes")  # of a task: which volumes a part has, and what their masks show
NETWORK = ("widths", "window")
Unit = tuple[str, ...]  # (encoder,), or (source, encoder): teachers' answers, or true labels in their place


def facts(config: Mapping[str, Any]) -> dict[str, bool]:
    """Return whether any volumes of the results are generated, so that pictures show no patient."""
    tasks = config["autoencoded_pate"]["results"]["tasks"]
    return {"autoencoded_pate.nobodys_volumes": not tasks or bool(_generated(config))}


def _generated(config: Mapping[str, Any]) -> list[str]:
    """Tasks of Autoencoded PATE's results whose volumes are generated."""
    block, names = config["segmentation"], config["autoencoded_pate"]["results"]["tasks"]
    used = {name: block["volumes"][block["tasks"][name]["volumes"]] for name in names}
    return [name for name, each in used.items() if volumes.spec(each["name"], each["settings"]).folder is None]


class Segmentation:
    """Files and settings of every job on volumes, as functions of a job's wildcards."""

    def __init__(self, config: Mapping[str, Any], results: Results) -> None:
        """config: the whole, checked configuration. results: the register, which says what is switched on."""
        self._register = results
        self.config, self.layout = config, Layout(config["preset"])
        self.block = config["segmentation"]
        self.autoencoded, self.compressed = config["autoencoded_pate"], config["compressed_pate"]
        self.folder = self.layout.of("segmentation")
        self.private = f"{self.layout.private}/segmentation"
        self.repetitions = range(1, config["repetitions"] + 1)
        # how the work is cut into jobs, and how often it is done, changes no result, and so no record
        self.tasks = {
            name: {key: value for key, value in task.items() if key not in ("together", "repetitions")}
            for name, task in self.block["tasks"].items()
        }
        self._patients: dict[str, int] = {}  # of volumes in files, counted where they are asked for
        self._trained: dict[tuple[str, str], dict[str, Any]] = {}  # encoders of a budget, by task and name
        self.labellings = self._labellings()
        self.encoder_units: dict[str, list[Unit]] = {}
        asked = [(task, encoder) for task, source, encoder in self.labellings if source == "teachers"]
        asked += [(task, encoder) for key, task, encoder in encoders_used(config) if key.startswith("compressed_pate")]
        for task, encoder in asked:
            units = self.encoder_units.setdefault(task, [])
            if (encoder,) not in units:
                units.append((encoder,))
        self.code_units = _by_task(self.labellings)
        self._taught = self.labellings | self._references()
        self.student_units = _by_task(self._taught)
        self.fig2_units = {task: self._of(self.compressed["fig2"]) for task in self.compressed["fig2"]["tasks"]}
        self.limit_units = {task: self._of(self.compressed["limits"]) for task in self.compressed["limits"]["tasks"]}

    @staticmethod
    def _of(block: Mapping[str, Any]) -> list[Unit]:
        return [(name,) for name in block["encoders"]]

    # ------------------------------------------------------------ what is asked for

    def _labellings(self) -> dict[Unit, dict[str, dict]]:
        """Labellings by (task, source, encoder) and name, in the order in which they are released."""
        found: dict[Unit, dict[str, dict]] = {}
        block = self.autoencoded["results"]
        for task in block["tasks"]:
            teachers, queries = self.tasks[task]["teachers"], self.tasks[task]["parts"]["student"]
            for place, encoder in enumerate(block["encoders"]):
                if not keeps_classes(self.block["encoders"][encoder], self.tasks[task]):
                    continue
                further = block["further"] if place == 0 else []
                for epsilon in (block["epsilon"], *further, None):
                    own = labelling("teachers", teachers, queries, epsilon, block["delta"], block["route"])
                    found.setdefault((task, "teachers", self._for(task, encoder, own)), {})[own["name"]] = own
        block = self.compressed["fig3"]
        curves = [(curve["encoder"], curve["teachers"], curve["epsilon"]) for curve in block["curves"]]
        for task in block["tasks"]:
            for queries in block["queries"]:
                free = [(block["noiseless"], 1, None)] if queries == block["queries"][-1] else []
                for encoder, teachers, epsilon in [*curves, *free]:
                    own = labelling("labels", teachers, queries, epsilon, block["delta"], block["route"])
                    found.setdefault((task, "labels", encoder), {})[own["name"]] = own
        return found

    def _for(self, task: str, encoder: str, labelling: Mapping[str, Any]) -> str:
        """Return the name of the encoder of a labelling: where it is trained with the noise of its use, one a budget.

        The noise follows from the budget and the bound on a code, not from what is fitted.
        """
        settings = self.block["encoders"][encoder]
        if settings.get("recipe", {}).get("sigma") != BUDGET:
            return encoder
        asked = {name: labelling[name] for name in ("queries", "teachers", "epsilon", "delta", "route")}
        free = labelling["epsilon"] is None
        sigma = 0.0 if free else calibrated(radius=settings["radius"] or 1.0, **asked).sigma
        name = f"{encoder}-{'noiseless' if free else format(labelling['epsilon'], 'g')}"
        self._trained[task, name] = settings | {"recipe": settings["recipe"] | {"sigma": sigma}}
        return name

    def _settings(self, task: str, encoder: str) -> dict[str, Any] | None:
        """Return the settings of an encoder, with the noise that it is trained with; None for true labels."""
        return self._trained.get((task, encoder)) or self.block["encoders"].get(encoder)

    def _references(self) -> dict[Unit, dict[str, dict]]:
        """Return the labels of students on true labels or the mean public mask: the most labels of each figure."""
        results, figure = self.autoencoded["results"]["tasks"], self.compressed["fig3"]
        found: dict[Unit, dict[str, dict]] = {}
        for tasks, queries, sources in (
            (results, None, ("truth", "mean_mask")),
            (figure["tasks"], figure["queries"][-1] if figure["queries"] else None, ("truth",)),
        ):
            for task in tasks:
                count = queries or self.tasks[task]["parts"]["student"]
                own = {"name": f"n{count}", "queries": count, "epsilon": None, "private": False}
                for source in sources:
                    found.setdefault((task, source, "none"), {})[own["name"]] = own
        return found

    # ------------------------------------------------------------ shards

    def _shards(self, task: str, units: list[Unit]) -> list[list[Unit]]:
        """Return the units of each job: all together, or one each, as the task says."""
        return [units] if self.block["tasks"][task]["together"] else [[unit] for unit in units]

    def _shard_of(self, task: str, units: list[Unit], wanted: Unit) -> int:
        """Return the job that does a unit."""
        return next(number for number, shard in enumerate(self._shards(task, units)) if wanted in shard)

    def _files(self, folder: str, task: str, units: list[Unit], wanted: Iterable[Unit], repetition: Any) -> list[str]:
        """Return the files, without their ends, of the jobs that do the wanted units, each once."""
        numbers = dict.fromkeys(self._shard_of(task, units, unit) for unit in wanted)
        return [f"{folder}/{task}/{repetition}/{number}" for number in numbers]

    def _units(self, all_units: Mapping[str, list[Unit]], wildcards: Any) -> list[Unit]:
        return self._shards(wildcards.task, all_units[wildcards.task])[int(wildcards.shard)]

    # ------------------------------------------------------------ settings that many jobs share

    def _read(self, task: str, *names: str) -> dict[str, Any]:
        """Return the settings that a job reads of a task's block, with its name, which keys the draws of patients."""
        return {"name": task} | {name: self.tasks[task][name] for name in (*DIVISION, *names)}

    def _shown_task(self, task: str, *more: str) -> dict[str, Any]:
        """Return what tables show of a task and its volumes, and other keys of its block."""
        return words_of(self.tasks[task], "volumes", *more)

    def _job(self, rule: str, task: str, *names: str, reads: Iterable[str] = (), device: str = "cpu") -> dict[str, Any]:
        """Return the settings of every job on a task's volumes; the last name is the repetition, or a shard of it.

        reads: keys of the task's block that it computes with, besides those that divide the volumes.
        """
        own = of_job(self.config, rule, task, *names, dataset=self.tasks[task]["volumes"])
        return own | {"task": self._read(task, *reads), "device": device}

    def _of_shard(self, rule: str, wildcards: Any, *reads: str, device: str = "cpu") -> dict[str, Any]:
        """Return the settings of every job of a shard whose masks are encoded; the script names the units."""
        own = self._job(rule, wildcards.task, reads=("coded_classes", *reads), device=device)
        return own | {"repetition": wildcards.repetition}

    def _training(self, rule: str, *names: str) -> dict[str, Any]:
        """Return the settings of a job that trains networks."""
        return {"device": self.config["device"], "checkpoint": self.layout.checkpoint(rule, *names)}

    # ------------------------------------------------------------ volumes

    def prepared(self, task: str) -> str:
        """Return the prepared volumes of a task; InputError where they are of fewer patients than it needs."""
        self._check_patients(task)
        return f"{self.layout.private}/volumes/{self.tasks[task]['volumes']}/index.json"

    def volumes(self, wildcards: Any) -> str:
        """Input: the prepared volumes of the task."""
        return self.prepared(wildcards.task)

    def _check_patients(self, task: str) -> None:
        """Raise InputError, naming the task, where its files are of fewer patients than it needs.

        Nothing is said of files that are not there, which `volume_files` names.
        """
        name, root = self.tasks[task]["volumes"], self.config["data_root"]
        block = self.block["volumes"][name]
        if root is None or without_data(root) or volumes.spec(block["name"], block["settings"]).folder is None:
            return
        if name not in self._patients:
            try:
                volumes.required_files(block["name"], root, block["settings"])
            except InputError:
                return
            try:
                self._patients[name] = len(volumes.get(block["name"], block["settings"], root).subjects())
            except InputError as error:
                raise InputError(f"segmentation.volumes.{name}: {error}") from error
        check_patients(f"segmentation.tasks.{task}", self.tasks[task], self._patients[name])

    def volume_files(self, wildcards: Any) -> list[str]:
        """Input: the files that volumes are prepared from; InputError if they are not there."""
        from lib.data.registry import watched

        block = self.block["volumes"][wildcards.volumes]
        try:
            files = volumes.required_files(block["name"], self.config["data_root"], block["settings"])
        except InputError as error:
            raise InputError(f"segmentation.volumes.{wildcards.volumes}: {error}") from error
        return list(map(str, watched(files)))

    def preparing(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `prepare_volumes`; what is generated does not go stale when data move."""
        block = self.block["volumes"][wildcards.volumes]
        root = self.config["data_root"] if volumes.spec(block["name"], block["settings"]).folder else None
        return {"name": block["name"], "block": block, "root": root}

    # ------------------------------------------------------------ encoders

    def fitted_shards(self) -> list[dict[str, str]]:
        """Wildcards of all shards of encoders."""
        return [
            {"task": task, "repetition": str(repetition), "shard": str(shard)}
            for task, units in self.encoder_units.items()
            for repetition in self._repetitions(task)
            for shard in range(len(self._shards(task, units)))
        ]

    def encoders(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_mask_encoder`."""
        return {
            **self._of_shard("train_mask_encoder", wildcards, "encoder_part"),
            **self._training("train_mask_encoder", wildcards.task, wildcards.repetition, wildcards.shard),
            "encoders": self._blocks(wildcards.task, self._units(self.encoder_units, wildcards)),
        }

    def _blocks(self, task: str, units: Iterable[Unit]) -> list[list[Any]]:
        # no mapping, which loses its order on a command line: rows of tables would depend on how the work is cut
        return [[unit[-1], self._settings(task, unit[-1])] for unit in units]

    def fitted(self, task: str, units: Iterable[Unit], repetition: Any) -> list[str]:
        """Return the files fitted for the encoders of some units."""
        wanted = [(unit[-1],) for unit in units if unit[-1] != "none"]
        files = self._files(f"{self.folder}/encoders", task, self.encoder_units.get(task, []), wanted, repetition)
        return [f"{file}.npz" for file in files]

    # ------------------------------------------------------------ teachers

    def tasks_of_teachers(self) -> list[str]:
        """Tasks that train teachers."""
        return [name for name, task in self.tasks.items() if task["teachers"]]

    def teacher_shards(self, task: str) -> list[tuple[int, int]]:
        """(first teacher, the one after the last) of each job."""
        count, size = self.tasks[task]["teachers"], self.tasks[task]["shard"]
        return [(first, min(first + size, count)) for first in range(0, count, size)]

    def teachers(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_mask_teachers`."""
        names = (wildcards.task, wildcards.repetition, wildcards.shard)
        first, last = self.teacher_shards(wildcards.task)[int(wildcards.shard)]
        return {
            **self._job("train_mask_teachers", *names, reads=("teachers", "teacher", *NETWORK)),
            **self._training("train_mask_teachers", *names),
            "repetition": wildcards.repetition,
            "first": first,
            "last": last,
        }

    def answers(self, wildcards: Any) -> list[str]:
        """Input: what all teachers of the task say."""
        return self._answers(wildcards.task, wildcards.repetition)

    def _answers(self, task: str, repetition: Any) -> list[str]:
        shards = range(len(self.teacher_shards(task)))
        return [f"{self.private}/answers/{task}/{repetition}/{shard}.npz" for shard in shards]

    def measured_teachers(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `measure_mask_teachers`."""
        names = (wildcards.task, wildcards.repetition)
        own = self._job("measure_mask_teachers", *names, reads=("encoder_part",))
        return own | {"repetition": wildcards.repetition}

    # ------------------------------------------------------------ codes

    def files_for_codes(self, wildcards: Any) -> dict[str, str | list[str]]:
        """Input of `aggregate_masks`: volumes, fitted encoders, and teachers' answers where a unit asks them."""
        task, units = wildcards.task, self._units(self.code_units, wildcards)
        asked = any(source == "teachers" for source, _ in units)
        return {
            "volumes": self.prepared(task),
            "fitted": self.fitted(task, units, wildcards.repetition),
            "answers": self._answers(task, wildcards.repetition) if asked else [],
        }

    def codes(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `aggregate_masks`."""
        own = self._of_shard("aggregate_masks", wildcards, "encoder_part")
        units = self._described_units(wildcards.task, self._units(self.code_units, wildcards))
        return own | {"units": units, "accounting": {"orders": self.config["accounting"]["orders"]}}

    def _described_units(self, task: str, units: Iterable[Unit]) -> list[dict[str, Any]]:
        """Source, encoder, the encoder's settings (none for true labels) and the labellings of some units."""
        return [
            {
                "source": source,
                "encoder": encoder,
                "settings": self._settings(task, encoder),
                "labellings": list(self._taught[task, source, encoder].values()),
            }
            for source, encoder in units
        ]

    def released(self, task: str, units: Iterable[Unit], repetition: Any) -> list[str]:
        """Return the codes that students of some units learn from."""
        wanted = [unit for unit in units if unit[-1] != "none"]
        files = self._files(f"{self.private}/codes", task, self.code_units.get(task, []), wanted, repetition)
        return [f"{file}.npz" for file in files]

    def _repetitions(self, task: str) -> range:
        """All repetitions, or the first ones, as many as the task allows."""
        return self.repetitions[: self.block["tasks"][task].get("repetitions")]

    def _records(
        self, stage: str, units: Mapping[str, list[Unit]], tasks: Iterable[str], sources: Iterable[str]
    ) -> list[str]:
        return [
            f"{file}.json"
            for task in tasks
            for repetition in self._repetitions(task)
            for file in self._files(
                f"{self.folder}/{stage}",
                task,
                units.get(task, []),
                [unit for unit in units.get(task, []) if unit[0] in sources],
                repetition,
            )
        ]

    # ------------------------------------------------------------ students

    def files_for_students(self, wildcards: Any) -> dict[str, str | list[str]]:
        """Input of `train_mask_students`: volumes, the encoders that decode, and the codes that students learn from."""
        task, units = wildcards.task, self._units(self.student_units, wildcards)
        return {
            "volumes": self.prepared(task),
            "fitted": self.fitted(task, units, wildcards.repetition),
            "codes": self.released(task, units, wildcards.repetition),
        }

    def students(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_mask_students`."""
        return {
            **self._of_shard("train_mask_students", wildcards, "encoder_part", "student", "tries", *NETWORK),
            **self._training("train_mask_students", wildcards.task, wildcards.repetition, wildcards.shard),
            "units": self._described_units(wildcards.task, self._units(self.student_units, wildcards)),
        }

    def written(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `write_masks`."""
        units = self._described_units(wildcards.task, self._units(self.student_units, wildcards))
        own = self._of_shard("write_masks", wildcards, *NETWORK, device=self.config["device"])
        return own | {"units": units}

    def student_records(self, tasks: Iterable[str], sources: Iterable[str]) -> list[str]:
        """Return the records of some tasks' students, those on true labels or the mean mask included."""
        return self._records("students", self.student_units, tasks, (*sources, "truth", "mean_mask"))

    def _weights(self, task: str, units: Iterable[Unit], repetition: Any) -> list[str]:
        """Weights of the students of some units."""
        files = self._files(f"{self.private}/students", task, self.student_units[task], units, repetition)
        return [f"{file}.npz" for file in files]

    def trained_by_dp_sgd(self) -> list[dict[str, str]]:
        """Wildcards of all baselines."""
        block = self.autoencoded["results"]
        return [
            {"task": task, "noise": noise, "repetition": str(number)}
            for task in block["tasks"]
            for noise in block["dp_sgd"]["noises"]
            for number in self._repetitions(task)
        ]

    def dp_sgd(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_mask_dp_sgd`; noise: as printed, or as the budget needs."""
        block, names = self.autoencoded["results"], (wildcards.task, wildcards.noise, wildcards.repetition)
        recipe = self.tasks[wildcards.task].get("dp_sgd", block["dp_sgd"]["recipe"])
        return {
            **self._job("train_mask_dp_sgd", *names, reads=("encoder_part", *NETWORK)),
            **self._training("train_mask_dp_sgd", *names),
            "repetition": wildcards.repetition,
            "sgd": {name: block["dp_sgd"][name] for name in ("sigma", "delta")} | {"recipe": recipe},
            "noise": wildcards.noise,
            "epsilon": block["epsilon"],
            "accounting": {"orders": self.config["accounting"]["orders"]},
        }

    # ------------------------------------------------------------ measurements

    def fitted_for_reconstruction(self, wildcards: Any) -> list[str]:
        """Input: what was fitted for the encoders of a shard."""
        return self.fitted(wildcards.task, self._units(self.fig2_units, wildcards), wildcards.repetition)

    def fitted_for_limits(self, wildcards: Any) -> list[str]:
        """Input: what was fitted for the encoders of a shard."""
        return self.fitted(wildcards.task, self._units(self.limit_units, wildcards), wildcards.repetition)

    def reconstruction(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `measure_reconstruction`."""
        settings = {name: self.compressed["fig1"][name] for name in ("sigmas", "shown")}
        return self._measure("measure_reconstruction", wildcards, self.fig2_units, settings)

    def limits(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `measure_limits`."""
        names = ("teachers", "epsilons", "queries", "delta", "route")
        settings = {name: self.compressed["limits"][name] for name in names}
        return self._measure("measure_limits", wildcards, self.limit_units, settings)

    def _measure(
        self, rule: str, wildcards: Any, units: Mapping[str, list[Unit]], settings: dict[str, Any]
    ) -> dict[str, Any]:
        own = self._of_shard(rule, wildcards, "encoder_part")
        return own | {"encoders": self._blocks(wildcards.task, self._units(units, wildcards)), "settings": settings}

    def components(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `measure_components`."""
        settings = {name: self.compressed["fig1"][name] for name in ("block", "sigmas", "shown", "fixed")}
        names = (wildcards.task, wildcards.repetition)
        own = self._job("measure_components", *names, reads=("encoder_part",))
        return own | {"repetition": wildcards.repetition, "settings": settings}

    def component_sweeps(self, tasks: list[str], end: str = ".csv") -> list[str]:
        """Tables of components of every repetition of some tasks."""
        return [
            f"{self.folder}/measure_components/{task}/{repetition}{end}"
            for task in tasks
            for repetition in self._repetitions(task)
        ]

    def _sweeps(self, measure: str, units: Mapping[str, list[Unit]]) -> list[tuple[str, str]]:
        """(task, table) of every shard and repetition of a measurement, shard by shard."""
        return [
            (task, f"{self.folder}/{measure}/{task}/{repetition}/{shard}.csv")
            for task in units
            for shard in range(len(self._shards(task, units[task])))
            for repetition in self._repetitions(task)
        ]

    # ------------------------------------------------------------ Autoencoded PATE

    def logistic(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `autoencoded_pate_fig1`."""
        return {name: self.autoencoded["fig1"][name] for name in ("largest", "points")}

    def disc(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `autoencoded_pate_fig2`."""
        settings = {name: self.autoencoded["fig2"][name] for name in ("samples", "bins")}
        return settings | {"seed": self.config["seed"], "repetitions": len(self.repetitions)}

    def sensitivity_volumes(self, wildcards: Any) -> list[str]:
        """Input of `autoencoded_pate_sensitivity`."""
        self._register.check("autoencoded_pate_sensitivity")
        return [self.prepared(task) for task in self.autoencoded["sensitivity"]["tasks"]]

    def sensitivity(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `autoencoded_pate_sensitivity`."""
        block = self.autoencoded["sensitivity"]
        return {
            "tasks": [self._read(task, "encoder_part") | self._shown_task(task) for task in block["tasks"]],
            "settings": {name: block[name] for name in ("components", "starts")},
            "repetitions": len(self.repetitions),
            "seed": self.config["seed"],
        }

    def result_files(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of `autoencoded_pate_results`: records of all that is compared, and what each test patient gets."""
        self._register.check("autoencoded_pate_results")
        block = self.autoencoded["results"]
        places = [(task, number) for task in block["tasks"] for number in self._repetitions(task)]
        students = self.student_records(block["tasks"], ("teachers",))
        baselines = [f"{self.folder}/baselines/{task}/{number}.json" for task, number in places]
        sgd = [
            "{}/dp_sgd/{task}/{noise}/{repetition}.json".format(self.folder, **job) for job in self.trained_by_dp_sgd()
        ]
        measured = [record.removeprefix(self.folder).removesuffix("json") for record in students + baselines + sgd]
        return {
            "students": students,
            "codes": self._records("codes", self.code_units, block["tasks"], ("teachers",)),
            "baselines": baselines,
            "sgd": sgd,
            "patients": [f"{self.private}{place}csv" for place in measured],
        }

    def results_table(self, wildcards: Any) -> str:
        """Input of `autoencoded_pate_noise`: the table of results."""
        self._register.check("autoencoded_pate_noise")
        return self._register.file("autoencoded_pate_results", ".csv")

    def noise_figure(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `autoencoded_pate_noise`."""
        block = self.autoencoded["results"]
        return {"teachers": block["shown_teachers"], "route": block["route"]}

    def _shown(self) -> tuple[str, Unit]:
        """Task and unit of the figure of masks: the first of the results whose volumes are generated."""
        task = _generated(self.config)[0]
        return task, self._main(task)

    def _main(self, task: str) -> Unit:
        """Return the unit of a task's main encoder at the budget that claims are about."""
        block = self.autoencoded["results"]
        names = (self.tasks[task]["teachers"], self.tasks[task]["parts"]["student"], block["epsilon"])
        own = labelling("teachers", *names, block["delta"], block["route"])
        return ("teachers", self._for(task, block["encoders"][0], own))

    def shown_files(self, wildcards: Any) -> dict[str, str | list[str]]:
        """Input of `autoencoded_pate_masks`: all that becomes of a mask, and the student on true labels."""
        self._register.check("autoencoded_pate_masks")
        task, unit = self._shown()
        return {
            "volumes": self.prepared(task),
            "fitted": self.fitted(task, [unit], 1),
            "answers": self._answers(task, 1),
            "codes": self.released(task, [unit], 1),
            "students": self._weights(task, [unit, ("truth", "none")], 1),
        }

    def shown_masks(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `autoencoded_pate_masks`."""
        block, (task, unit) = self.autoencoded["results"], self._shown()
        described = self._described_units(task, [unit])[0]
        budget = block["epsilon"]
        return {
            **self._job("autoencoded_pate_masks", task, reads=("coded_classes", "label", *NETWORK)),
            "repetition": 1,
            "unit": {name: described[name] for name in ("source", "encoder", "settings")},
            "labelling": next(each["name"] for each in described["labellings"] if each["epsilon"] == budget),
            "truth": next(iter(self._taught[task, "truth", "none"])),
            "shown": block["shown"],
        }

    def curve_files(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of `autoencoded_pate_curves`: curves of teachers, of students and of their references."""
        self._register.check("autoencoded_pate_curves")
        task, unit = self._shown()
        shards = range(len(self.teacher_shards(task)))
        students = self._weights(task, [unit, ("truth", "none"), ("mean_mask", "none")], 1)
        return {
            "teachers": [f"{self.private}/teachers/{task}/1/{shard}_curves.csv" for shard in shards],
            "students": [f"{file.removesuffix('.npz')}_curves.csv" for file in students],
        }

    def curves(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `autoencoded_pate_curves`."""
        return {"label": self.tasks[self._shown()[0]]["label"]}

    def results(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `autoencoded_pate_results`."""
        block = self.autoencoded["results"]
        return {
            "tasks": {task: self._shown_task(task, "classes", "coded_classes", "teachers") for task in block["tasks"]},
            "published": block["published"],
            "judged": {"encoder": block["encoders"][0] if block["encoders"] else "", "epsilon": block["epsilon"]},
            "seed": self.config["seed"],
        }

    def formula_of_test_masks(self, wildcards: Any) -> list[str]:
        """Input of `autoencoded_pate_pca`."""
        self._register.check("autoencoded_pate_pca")
        return self.component_sweeps(self.autoencoded["pca"]["tasks"])

    def formula_with_what_is_lost(self, wildcards: Any) -> list[str]:
        """Input of `compressed_pate_theorem4`."""
        self._register.check("compressed_pate_theorem4")
        return self.component_sweeps(self.compressed["fig1"]["tasks"], "_formula.csv")

    def pca(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `autoencoded_pate_pca`."""
        return {"tasks": self._component_tasks(self.autoencoded["pca"]["tasks"]), "key": ["sigma"]}

    def theorem4(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `compressed_pate_theorem4`."""
        return {"tasks": self._component_tasks(self.compressed["fig1"]["tasks"]), "key": ["sigma", "kept"]}

    def _component_tasks(self, names: list[str]) -> list[dict[str, Any]]:
        return [self._shown_task(task) for task in names for _ in self._repetitions(task)]

    # ------------------------------------------------------------ Compressed PATE

    def fig1_sweeps(self, wildcards: Any) -> list[str]:
        """Input of `compressed_pate_fig1`."""
        self._register.check("compressed_pate_fig1")
        return self.component_sweeps(self.compressed["fig1"]["tasks"])

    def fig1(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `compressed_pate_fig1`."""
        return {"tasks": self._component_tasks(self.compressed["fig1"]["tasks"])}

    def _fig2(self) -> list[tuple[str, str]]:
        """(task, table) of every encoder of Figure 2, and of principal components."""
        return self._sweeps("measure_reconstruction", self.fig2_units) + [
            (task, f"{self.folder}/measure_components/{task}/{repetition}_errors.csv")
            for task in self.compressed["fig2"]["tasks"]
            for repetition in self._repetitions(task)
        ]

    def fig2_sweeps(self, wildcards: Any) -> list[str]:
        """Input of `compressed_pate_fig2`."""
        self._register.check("compressed_pate_fig2")
        return [table for _, table in self._fig2()]

    def fig2(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `compressed_pate_fig2`."""
        encoders = {name: self.block["encoders"][name] for name in self.compressed["fig2"]["encoders"]}
        return {"tasks": [self._shown_task(task) for task, _ in self._fig2()], "encoders": encoders}

    def fig3_files(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of `compressed_pate_fig3`: records of students, and of what was released to them."""
        self._register.check("compressed_pate_fig3")
        tasks, sources = self.compressed["fig3"]["tasks"], ("labels",)
        codes = self._records("codes", self.code_units, tasks, sources)
        return {"students": self.student_records(tasks, sources), "codes": codes}

    def fig3(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `compressed_pate_fig3`."""
        tasks = {task: self._shown_task(task) for task in self.compressed["fig3"]["tasks"]}
        return {"tasks": tasks, "sources": ["labels", "truth"]}

    def limit_files(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of `compressed_pate_limits`: tables of encoders, and records of students of the same tasks."""
        self._register.check("compressed_pate_limits")
        tasks = self.compressed["limits"]["tasks"]
        return {
            "sweeps": [table for _, table in self._sweeps("measure_limits", self.limit_units)],
            "students": self._records("students", self.student_units, tasks, ("labels",)),
        }

    def limits_figure(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `compressed_pate_limits`."""
        shown = [task for task, _ in self._sweeps("measure_limits", self.limit_units)]
        return {
            "tasks": [self._shown_task(task) | {"name": task} for task in shown],
            "settings": {name: self.compressed["limits"][name] for name in ("queries", "delta", "route")},
        }

    # ------------------------------------------------------------ volumes of another collection

    def external_files(self, wildcards: Any) -> dict[str, str | list[str]]:
        """Input of `measure_external`: both collections, the encoder without noise, and weights of the students."""
        self._register.check("compressed_pate_external")
        block, number = self.compressed["external"], wildcards.repetition
        return {
            "volumes": self.prepared(block["task"]),
            "external": f"{self.layout.private}/volumes/{block['volumes']}/index.json",
            "fitted": self.fitted(block["task"], [(self.compressed["fig3"]["noiseless"],)], number),
            "students": self._weights(block["task"], [unit for unit, _ in self._external().values()], number),
        }

    def _external(self) -> dict[str, tuple[Unit, str]]:
        """Return the unit and labelling of each student with the most labels, by what it learned from."""
        block = self.compressed["fig3"]
        most, curve = block["queries"][-1], block["curves"][-1]
        noisy = labelling("labels", curve["teachers"], most, curve["epsilon"], None, None)["name"]
        return {
            "true labels": (("truth", "none"), f"n{most}"),
            "masks decoded without noise": (("labels", block["noiseless"]), f"noiseless-n{most}"),
            f"masks of {noisy}": (("labels", curve["encoder"]), noisy),
        }

    def external(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `measure_external`."""
        block, encoder = self.compressed["external"], self.compressed["fig3"]["noiseless"]
        own = self._job("measure_external", block["task"], wildcards.repetition, reads=NETWORK)
        return own | {
            "job": ["measure_external", wildcards.repetition],
            "dataset": block["volumes"],
            "repetition": wildcards.repetition,
            "encoder": encoder,
            "settings": self.block["encoders"][encoder],
            "learned": [[what, "/".join(unit), name] for what, (unit, name) in self._external().items()],
        }

    def external_sweeps(self, wildcards: Any) -> list[str]:
        """Input of `compressed_pate_external`."""
        self._register.check("compressed_pate_external")
        return [
            f"{self.folder}/measure_external/{repetition}.csv"
            for repetition in self._repetitions(self.compressed["external"]["task"])
        ]

    def external_table(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `compressed_pate_external`."""
        block = self.compressed["external"]
        return {"volumes": block["volumes"], "stands_for": self.tasks[block["task"]]["stands_for"]}


def labelling(
    source: str, teachers: int | None, queries: int, epsilon: float | None, delta: float | None, route: str | None
) -> dict[str, Any]:
    """Describe how a student's volumes are labelled; epsilon None: without noise. private: by a mechanism."""
    name = f"noiseless-n{queries}" if epsilon is None else f"k{teachers}-n{queries}-e{epsilon:g}"
    return {
        "name": name,
        "teachers": teachers,
        "queries": queries,
        "epsilon": epsilon,
        "delta": delta,
        "route": route,
        "private": epsilon is not None and source == "teachers",
    }


def _by_task(labellings: Iterable[Unit]) -> dict[str, list[Unit]]:
    """(source, encoder) of each task, in their order."""
    found: dict[str, list[Unit]] = {}
    for task, *unit in labellings:
        found.setdefault(task, []).append(tuple(unit))
    return found

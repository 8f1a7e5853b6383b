"""Jobs of residual perturbation: networks with and without noise, attacks on them, audits, and results."""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from lib.attacks.sides import SIDES
from lib.core.errors import InputError
from lib.plan.layout import Layout, of_job
from lib.plan.residual_perturbation_checks import shows_patients
from lib.plan.results import Results
from lib.plan.words import without_words, words_of


def facts(config: Mapping[str, Any]) -> dict[str, bool]:
    """Return the conditions of the paper's page that are no key of the configuration."""
    return {"residual_perturbation.nobodys_patches": not shows_patients(config)}


def entry_of(networks: Iterable[Mapping[str, Any]], task: str, method: str, gamma: str | float) -> Mapping[str, Any]:
    """Find the entry of `networks` that trains a method on a task at a noise coefficient; InputError without one."""
    for entry in networks:
        if (entry["task"], entry["method"]) == (task, method) and float(gamma) in map(float, entry["gammas"]):
            return entry
    raise InputError(
        f"residual_perturbation.networks: has none of task {task}, method {method}, gamma {float(gamma):g}"
    )


class ResidualPerturbation:
    """Files and settings of every job of residual perturbation, as functions of a job's wildcards.

    Networks are named by task, method and gamma, the noise coefficient; audits by task and mechanism.
    """

    def __init__(self, config: Mapping[str, Any], results: Results) -> None:
        """config: the whole, checked configuration. results: the register, which says what the preset has."""
        self.config, self.results = config, results
        self.layout = Layout(config["preset"])
        self.folder = self.layout.of("residual_perturbation")
        self.private = f"{self.layout.private}/residual_perturbation"
        self.block = config["residual_perturbation"]
        self.methods, self.networks = self.block["methods"], self.block["networks"]
        self.tasks = {
            name: task | {"stands_for": task.get("stands_for", task["label"])}
            for name, task in self.block["tasks"].items()
        }
        self.theory, self.audit = self.block["theory"], self.block["audit"]
        networks, audits = "{task}/{method}/{gamma}", "{task}/{mechanism}"
        # where a rule writes what other rules read, by the wildcards of its jobs
        self.files = {
            "draws": f"{self.private}/draws/{{task}}.npz",
            "drawn": f"{self.folder}/draws/{{task}}.json",
            "weights": f"{self.private}/weights/{networks}/{{repetition}}/{{side}}.npz",
            "networks": f"{self.folder}/networks/{networks}.json",
            "predictions": f"{self.private}/predictions/{networks}.npz",
            "attacks": f"{self.folder}/attacks/{networks}.json",
            "audited": f"{self.private}/audited/{audits}/{{shard}}.npz",
            "audits": f"{self.folder}/audits/{audits}.json",
            "statistics": f"{self.private}/audits/{audits}.csv",
        }

    def methods_of_kind(self, kind: str) -> list[str]:
        """Methods that are trained in one way: residual or dp_sgd."""
        return [name for name, method in self.methods.items() if method["kind"] == kind]

    def trained(self, *kinds: str) -> list[dict[str, str]]:
        """Wildcards of the networks that the preset trains in some ways."""
        methods = [name for kind in kinds for name in self.methods_of_kind(kind)]
        return [
            {"task": entry["task"], "method": entry["method"], "gamma": f"{float(gamma):g}"}
            for entry in self.networks
            if entry["method"] in methods
            for gamma in entry["gammas"]
        ]

    def trained_sides(self, kind: str) -> list[dict[str, str]]:
        """Wildcards of each side in each repetition, whose networks the preset trains in one way."""
        return [
            each | {"repetition": str(repetition), "side": side}
            for each in self.trained(kind)
            for repetition, side in self._places(*each.values())
        ]

    def _places(self, task: str, method: str, gamma: str) -> list[tuple[int, str]]:
        """Repetition and side of the networks of each training."""
        entry = entry_of(self.networks, task, method, gamma)
        sides = SIDES if entry.get("shadow", True) else SIDES[:1]
        return list(product(range(1, entry["repetitions"] + 1), sides))

    # ------------------------------------------------------------ data and networks

    def drawn_tasks(self) -> list[dict[str, str]]:
        """Wildcards of all draws that the preset's networks are trained on."""
        return [{"task": task} for task in dict.fromkeys(entry["task"] for entry in self.networks)]

    def samples_of_task(self, wildcards: Any) -> str:
        """Input of `draw_task`: the prepared samples of the task; InputError where no networks are trained on it."""
        self._draws(wildcards.task)
        return self.layout.data(self.tasks[wildcards.task]["dataset"])

    def draw_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `draw_task`: as many draws as any of the task's networks is trained on."""
        task = self.tasks[wildcards.task]
        draws = self._draws(wildcards.task)
        drawn = {name: task[name] for name in ("classes", "quarter", "test", "largest", "patients") if name in task}
        return of_job(self.config, wildcards.task, dataset=task["dataset"]) | {"task": drawn, "repetitions": draws}

    def _draws(self, task: str) -> int:
        counts = [entry["repetitions"] for entry in self.networks if entry["task"] == task]
        if not counts:
            raise InputError(f"residual_perturbation.networks: has none of task {task}")
        return max(counts)

    def draws_of_networks(self, wildcards: Any) -> str:
        """Input of both trainings: the draws of the task; InputError where the preset has no such networks."""
        entry_of(self.networks, wildcards.task, wildcards.method, wildcards.gamma)
        return self.files["draws"].format(task=wildcards.task)

    def trained_networks(self, wildcards: Any) -> list[str]:
        """Input of both predictions: the target's networks and its shadow's, repetition by repetition."""
        words = {name: getattr(wildcards, name) for name in ("task", "method", "gamma")}
        places = self._places(*words.values())
        return [self.files["weights"].format(**words, repetition=number, side=side) for number, side in places]

    def network_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return settings of `train_residual`: those of one side in one repetition, and the members of its ensemble."""
        entry = entry_of(self.networks, wildcards.task, wildcards.method, wildcards.gamma)
        return self.dp_sgd_network_settings(wildcards) | {"gamma": wildcards.gamma, "members": entry["members"]}

    def prediction_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return settings of `predict_residual`: the networks, their number, and ensembles of up to as many members."""
        words = (wildcards.task, wildcards.method, wildcards.gamma)
        entry = entry_of(self.networks, *words)
        return self._design(*words) | {
            "gamma": wildcards.gamma,
            "members": entry["members"],
            "sizes": [size for size in self.block["sizes"] if size <= entry["members"]],
            "repetitions": entry["repetitions"],
            "alone": not entry.get("shadow", True),
        }

    def dp_sgd_prediction_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `predict_residual_dp_sgd`: the same, and of the accounting."""
        return self.prediction_settings(wildcards) | {"orders": self.config["accounting"]["orders"]}

    def dp_sgd_network_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return settings of `train_residual_dp_sgd`: a side in a repetition, which key its draws with the method."""
        words = (wildcards.task, wildcards.method, wildcards.gamma)
        own = (wildcards.repetition, wildcards.side)
        return self._design(*words) | {
            "repetition": wildcards.repetition,
            "side": wildcards.side,
            "checkpoint": self.layout.checkpoint(*words, *own),
        }

    def _design(self, task: str, method: str, gamma: str) -> dict[str, Any]:
        """Return the settings of networks that trainings and predictions receive."""
        recipe = "dp_sgd" if self.methods[method]["kind"] == "dp_sgd" else "recipe"
        return of_job(self.config, task, method, gamma, dataset=self.tasks[task]["dataset"]) | {
            "task": {name: self.tasks[task][name] for name in ("classes", "largest", "widths", recipe)},
            "method": without_words(self.methods[method], "kind"),
            "device": self.config["device"],
        }

    # ------------------------------------------------------------ attacks

    def plain_predictions(self, wildcards: Any) -> str | list[str]:
        """Input of `attack_residual`: what the networks without noise say; nothing for networks without shadows."""
        alone = self.prediction_settings(wildcards)["alone"]
        return [] if alone else self.files["predictions"].format(task=wildcards.task, method="plain", gamma=0)

    def attack_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `attack_residual`."""
        task = self.tasks[wildcards.task]
        words = ("attack", wildcards.task, wildcards.method, wildcards.gamma)
        job = of_job(self.config, *words, dataset=task["dataset"])
        return job | {"attack": self.block["attack"] | {"top": task["top"]}}

    def attack(self, task: str, method: str, gamma: float) -> str:
        """Return the record of the attack on some networks; InputError where they are not trained."""
        entry_of(self.networks, task, method, gamma)
        return self.files["attacks"].format(task=task, method=method, gamma=f"{float(gamma):g}")

    def attacks_over_noise(self, task: str, method: str) -> list[str]:
        """Return records of the attacks on a method at every coefficient that is trained, the plain network's first."""
        gammas = [
            gamma
            for entry in self.networks
            if (entry["task"], entry["method"]) == (task, method)
            for gamma in entry["gammas"]
        ]
        if not gammas:
            raise InputError(f"residual_perturbation.figures: method {method} is not trained on task {task}")
        return [self.attack(task, "plain", 0), *(self.attack(task, method, gamma) for gamma in sorted(gammas))]

    def positive_control(self, task: str) -> str:
        """Return the record of the attack on what was learned by heart, which any attack on the task must find."""
        return self.attack(task, "control", 0)

    def attacks_in_table(self, item: str) -> Callable[[Any], dict[str, Any]]:
        """Input of a table of attacks: their records, the positive control, what was drawn, and what lies beside."""

        def files(wildcards: Any) -> dict[str, Any]:
            self.results.check(f"residual_perturbation_{item}")
            task, rows = (self.block["tables"][item][name] for name in ("task", "rows"))
            records = list(dict.fromkeys(self.attack(task, method, gamma) for method, gamma, _ in rows))
            control = self.positive_control(task)
            return {
                "records": records,
                "control": control,
                "draws": self.files["drawn"].format(task=task),
                "beside": _beside([*records, control]),
            }

        return files

    def rows_of_table(self, item: str) -> Callable[[Any], dict[str, Any]]:
        """Return the settings of a table of attacks: its rows, and what it says of its task and methods."""

        def settings(wildcards: Any) -> dict[str, Any]:
            block = self.block["tables"][item]
            rows = [[self.methods[name]["title"], float(gamma), members] for name, gamma, members in block["rows"]]
            return self._said([block["task"]], [name for name, _, _ in block["rows"]]) | {"rows": rows}

        return settings

    def attacks_in_tradeoff(self, wildcards: Any) -> dict[str, Any]:
        """Input of the trade-off: records of the attacks on its networks, the positive control, and Table III."""
        self.results.check("residual_perturbation_tradeoff")
        block = self.block["tradeoff"]
        records = [
            self.attack(block["task"], name, each["gamma"]) for each in block["curves"] for name in each["methods"]
        ]
        control = self.positive_control(block["task"])
        table3 = self.results.file("residual_perturbation_table3", ".csv")
        return {"records": records, "control": control, "table3": table3, "beside": _beside([*records, control])}

    def settings_of_tradeoff(self, wildcards: Any) -> dict[str, Any]:
        """Return settings of the trade-off: curves by the titles of their networks, and the lengths of their ends."""
        block, table3 = self.block["tradeoff"], self.block["tables"]["table3"]
        curves = []
        for each in block["curves"]:
            curve = {"title": each["title"], "gamma": float(each["gamma"])}
            curve["networks"] = [self.methods[name]["title"] for name in each["methods"]]
            if end := each["end"]:
                recipe = self.tasks[table3["task"]]["recipe"] | self.methods[end].get("recipe", {})
                curve |= {"end": self.methods[end]["title"], "end_epochs": recipe["epochs"]}
            curves.append(curve)
        names = [name for each in block["curves"] for name in each["methods"]]
        return self._said([block["task"]], names) | {"curves": curves}

    def _of_recipes(self) -> list[tuple[str, float]]:
        """Methods and noise coefficients of networks on the task of the recipes, that a point of the paper has."""
        block = self.block["recipes"]
        trained = {
            (entry["method"], float(gamma))
            for entry in self.networks
            if entry["task"] == block["task"]
            for gamma in entry["gammas"]
        }
        wanted = product(block["methods"], [float(point["gamma"]) for point in block["points"]])
        return [each for each in wanted if each in trained]

    def attacks_in_recipes(self, wildcards: Any) -> dict[str, Any]:
        """Input of the recipes: records of the attacks on their networks, the positive control, and Table III if on."""
        self.results.check("residual_perturbation_recipes")
        task = self.block["recipes"]["task"]
        records = [self.attack(task, *each) for each in self._of_recipes()]
        control = self.positive_control(task)
        found = {"records": records, "control": control, "beside": _beside([*records, control])}
        if self.block["tables"]["table3"]:
            found["table3"] = self.results.file("residual_perturbation_table3", ".csv")
        return found

    def settings_of_recipes(self, wildcards: Any) -> dict[str, Any]:
        """Return settings of the recipes: the paper's points, the rule, and how each row was trained."""
        block, table3 = self.block["recipes"], self.block["tables"]["table3"]
        trained, recipes = self._of_recipes(), []
        rows = [[name, float(gamma), members] for name, gamma, members in table3["rows"]] if table3 else []
        for name, point in product(block["methods"], block["points"]):
            if (name, float(point["gamma"])) in trained:
                on = block["task"]
            elif table3 and [name, float(point["gamma"]), 1] in rows:
                on = table3["task"]
            else:
                continue
            method, task = self.methods[name], self.tasks[on]
            words = {"title": method["title"], "gamma": float(point["gamma"]), "largest": task["largest"]}
            recipes.append(words | {"recipe": task["recipe"] | method.get("recipe", {}), "form": method["form"]})
        rule = {key: block[key] for key in ("points", "tolerance", "floors")}
        return self._said([block["task"]], block["methods"]) | rule | {"recipes": recipes}

    def _said(self, tasks: Iterable[str], methods: Iterable[str]) -> dict[str, Any]:
        """Return what results show of some tasks and methods, and of the positive control."""
        return {
            "tasks": {name: words_of(self.tasks[name], "quarter", "passes", "fitted") for name in tasks},
            "methods": {name: words_of(self.methods[name], "kind") for name in {*methods, "control"}},
        }

    def attacks_in_figure(self, item: str) -> Callable[[Any], dict[str, Any]]:
        """Input of a figure of attacks: their records, the positive controls, and what lies beside both."""

        def files(wildcards: Any) -> dict[str, Any]:
            self.results.check(f"residual_perturbation_{item}")
            tasks, method = (self.block["figures"][item][name] for name in ("tasks", "method"))
            records = [record for task in tasks for record in self.attacks_over_noise(task, method)]
            controls = [self.positive_control(task) for task in tasks]
            return {"records": records, "controls": controls, "beside": _beside(records + controls)}

        return files

    def said_in_figure(self, item: str) -> Callable[[Any], dict[str, Any]]:
        """Return the settings of a figure of attacks: what it says of its tasks and methods."""

        def settings(wildcards: Any) -> dict[str, Any]:
            block = self.block["figures"][item]
            return self._said(block["tasks"], ["plain", block["method"]])

        return settings

    def settings_of_fig6(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of Figure 6: a line for each size of ensembles."""
        return self.said_in_figure("fig6")(wildcards) | {"by_size": True}

    # ------------------------------------------------------------ pictures, and what an epoch costs

    def samples_of_fig2(self, wildcards: Any) -> str:
        """Input of Figure 2: the patches that it shows."""
        return self.layout.data(self.block["patches"])

    def settings_of_fig2(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of Figure 2."""
        settings = {"seed": self.config["seed"], "dataset": self.block["patches"]}
        return settings | {"patients": shows_patients(self.config)}

    def flow(self, strategy: str) -> Callable[[Any], dict[str, Any]]:
        """Return the settings of Figures 1 and 8, with the noise of a strategy."""
        return lambda wildcards: self._simulation(self.block["sde"]) | {"strategy": strategy}

    def _simulation(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {"seed": self.config["seed"], "repetitions": self.config["repetitions"], "settings": settings}

    def files_of_cost(self, wildcards: Any) -> list[str]:
        """Input of the table of costs: nothing but that the preset has it."""
        self.results.check("residual_perturbation_cost")
        return []

    def cost_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the table of costs."""
        return {"settings": self.block["cost"], "device": self.config["device"]}

    # ------------------------------------------------------------ theorems and audits

    def theory_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the table of Theorems 1 and 2."""
        return {"theory": {name: self.theory[name] for name in ("delta", "strategy1", "strategy2")}}

    def dp_sgd_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the table of what DP-SGD costs as printed."""
        return {"settings": self.theory["dp_sgd"]}

    def rademacher_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the table of Theorem 3."""
        return self._simulation(self.theory["rademacher"])

    def audited(self) -> list[dict[str, str]]:
        """Wildcards of the audits that the preset chooses."""
        return [
            {"task": task, "mechanism": mechanism}
            for task in self.audit["chosen"]
            for mechanism in self.audit["tasks"][task].get("mechanisms", self.audit["mechanisms"])
        ]

    def audited_shards(self) -> list[dict[str, str]]:
        """Wildcards of all shards of their runs."""
        return [
            each | {"shard": str(shard)} for each in self.audited() for shard in range(len(self._shards(each["task"])))
        ]

    def _shards(self, task: str) -> list[list[int]]:
        """Return the first run of each shard, of either kind, and the one after the last."""
        block = self.audit["tasks"][task]
        runs = block["runs"]
        size = 1 if "canaries" in block else block.get("shard", runs)  # a run with slots is a long one
        return [[first, min(first + size, runs)] for first in range(0, runs, size)]

    def samples_of_audit(self, wildcards: Any) -> str:
        """Input of `train_audited`: the prepared samples of its task."""
        return self.layout.data(self.audit["tasks"][wildcards.task]["dataset"])

    def audited_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `train_audited`; its draws are keyed by the audit and the number of the run."""
        return self._audit(wildcards) | {
            "runs": self._shards(wildcards.task)[int(wildcards.shard)],
            "checkpoint": self.layout.checkpoint("train_audited", wildcards.task, wildcards.mechanism, wildcards.shard),
        }

    def runs_of_audit(self, wildcards: Any) -> list[str]:
        """Input of `audit_residual`: what its runs showed, every shard."""
        words = {"task": wildcards.task, "mechanism": wildcards.mechanism}
        shards = range(len(self._shards(wildcards.task)))
        return [self.files["audited"].format(**words, shard=shard) for shard in shards]

    def audit_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of `audit_residual`."""
        own = self._audit(wildcards)
        if guesses := self.audit["tasks"][wildcards.task].get("guesses"):
            own["task"] |= {"guesses": guesses}
        return own | {
            "orders": self.theory["dp_sgd"]["orders"],
            "delta": self.theory["delta"],
            "level": self.audit["level"],
        }

    def _audit(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of both jobs of an audit: not how runs are cut into jobs, nor other audits."""
        task, mechanism = self.audit["tasks"][wildcards.task], wildcards.mechanism
        # of a task: what trains by other mechanisms, what only the table says, and what is audited
        others = {"dp_sgd": ("recipe", "gamma"), "plain": ("sgd", "gamma")}.get(mechanism, ("sgd",))
        return of_job(self.config, "audit_residual", wildcards.task, mechanism, dataset=task["dataset"]) | {
            "mechanism": mechanism,
            "task": without_words(task, "dataset", "shard", "mechanisms", "runs", "guesses", *others),
            "device": self.config["device"],
        }

    def audits(self, wildcards: Any) -> dict[str, list[str]]:
        """Input of the table of lower bounds: every audit's record, and what its runs showed."""
        self.results.check("residual_perturbation_budget")
        named = {"records": self.files["audits"], "statistics": self.files["statistics"]}
        return {name: [path.format(**each) for each in self.audited()] for name, path in named.items()}

    def budget_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the table of lower bounds."""
        tasks = {name: words_of(self.audit["tasks"][name], "runs") for name in self.audit["chosen"]}
        return {
            "tasks": tasks,
            "theory": {name: self.theory[name] for name in ("strategy1", "dp_sgd")},
            "published": self.audit["published"],
            "repetitions": self.config["repetitions"],
        }


def _beside(records: Iterable[str]) -> list[str]:
    """Return the scores and curves that lie beside records of attacks."""
    return [record.removesuffix("json") + end for record in records for end in ("csv", "roc.csv")]

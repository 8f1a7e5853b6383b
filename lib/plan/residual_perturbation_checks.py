"""Check what no schema can of residual perturbation: networks that are trained, and sizes that must fit."""

from collections.abc import Mapping
from typing import Any

from lib.core.errors import InputError

ROC = ("fig7", "fig12")  # figures with a column a task; the others show one


def shows_patients(config: Mapping[str, Any]) -> bool:
    """Whether Figure 2 shows patches of patients, which no committed page does."""
    return config["datasets"][config["residual_perturbation"]["patches"]]["module"] == "idc"


def check_attacks(config: dict) -> None:
    """Raise InputError for the first fault in the block residual_perturbation: key, value, and what is allowed."""
    block = config["residual_perturbation"]
    for name, task in block["tasks"].items():
        if task["top"] > task["classes"]:
            raise InputError(f"{_key(f'tasks.{name}.top')} = {task['top']}: allowed is at most classes")
        if task["quarter"] and task["dp_sgd"]["batch"] > task["quarter"]:
            raise InputError(
                f"{_key(f'tasks.{name}.dp_sgd.batch')} = {task['dp_sgd']['batch']}: allowed is at most "
                f"tasks.{name}.quarter = {task['quarter']}"
            )
        if task["quarter"] and task["dp_sgd"]["delta"] * task["quarter"] >= 1:
            raise InputError(
                f"{_key(f'tasks.{name}.dp_sgd.delta')} = {task['dp_sgd']['delta']}: allowed is less than one in "
                f"tasks.{name}.quarter = {task['quarter']}, {1 / task['quarter']:.3g}; lower either"
            )
        if (task["protocol"] == "shorter") != ("passes" in task):
            key, value = _key(f"tasks.{name}.passes"), task.get("passes")
            raise InputError(f"{key} = {value}: allowed with protocol shorter, and needed there")
    for name, method in block["methods"].items():
        if (method["kind"] == "dp_sgd") != (method.get("norm") == "group") or ("form" in method and "norm" in method):
            raise InputError(f"{_key(f'methods.{name}')}: allowed is norm group for DP-SGD and, without it, no norm")
    trained = _trained(block)
    for entry in block["networks"]:
        _check_recipe(entry["task"], block["tasks"][entry["task"]], entry["method"], block["methods"][entry["method"]])
    repetitions = {entry["task"]: entry["repetitions"] for entry in block["networks"] if entry["method"] == "plain"}
    for place, entry in enumerate(block["networks"]):
        most = repetitions.get(entry["task"], 0)
        if entry.get("shadow", True) and entry["repetitions"] > most:
            raise InputError(
                f"{_key(f'networks.{place}.repetitions')} = {entry['repetitions']}: attacks with a plain shadow need "
                f"as many of plain on {entry['task']}, which has {most}"
            )
    for name, table in block["tables"].items():
        for place, row in enumerate(table["rows"] if table else ()):
            _check_row(f"tables.{name}.rows.{place}", (table["task"], *row), trained, block["sizes"])
        if table:
            _check_row(f"tables.{name}", (table["task"], "control", 0, 1), trained, block["sizes"])
            _check_titles(f"tables.{name}.rows", table["rows"], block["methods"])
    if block["tradeoff"]:
        _check_tradeoff(block, trained)
    if block["recipes"]:
        _check_recipes(block, trained)
    for name, figure in block["figures"].items():
        if figure and name not in ROC and len(figure["tasks"]) != 1:
            raise InputError(f"{_key(f'figures.{name}.tasks')} = {figure['tasks']}: allowed is one")
        labels = [block["tasks"][task]["label"] for task in figure["tasks"]] if figure else []
        if len(set(labels)) < len(labels):
            key = _key(f"figures.{name}.tasks")
            raise InputError(f"{key} = {figure['tasks']}: their labels are {labels}; allowed are labels that differ")
        for task in figure["tasks"] if figure else ():
            _check_row(f"figures.{name}", (task, "plain", 0, 1), trained, block["sizes"])
            noisy = sorted({each[1] for each in trained if each[0] == task and each[2] > 0})
            if figure["method"] not in noisy:
                raise InputError(
                    f"{_key(f'figures.{name}.method')} = {figure['method']!r}: {_key('networks')} trains no network of "
                    f"it with noise on {task}; allowed is {' or '.join(noisy) or 'none, until an entry does'}"
                )
    _check_audit(block["audit"], config.get("repetitions", 1))


def _check_audit(audit: dict, repetitions: int) -> None:
    """Every repetition needs two runs or a canary."""
    for name, task in audit["tasks"].items():
        key, least = _key(f"audit.tasks.{name}"), 2 * repetitions
        if task.get("canaries", repetitions) < repetitions:
            raise InputError(f"{key}.canaries = {task['canaries']}: allowed is at least one a repetition")
        if "canaries" not in task and task["runs"] < least:
            raise InputError(f"{key}.runs = {task['runs']}: allowed is at least two a repetition, {least}")


def _check_recipe(task: str, of_task: dict, method: str, of_method: dict) -> None:
    """How networks are trained, by their task and what their method changes: the rate falls within the epochs."""
    kind, changed = "dp_sgd" if of_method["kind"] == "dp_sgd" else "recipe", of_method.get("recipe", {})
    recipe = of_task[kind] | changed

    def refuse(name: str, allowed: str) -> None:
        where = f"methods.{method}.recipe" if name in changed else f"tasks.{task}.{kind}"
        raise InputError(f"{_key(where)}.{name} = {recipe[name]}: of {method} on {task}, allowed {allowed}")

    milestones = recipe.get("milestones", [])
    if milestones != sorted({*milestones}) or any(epoch >= recipe["epochs"] for epoch in milestones):
        refuse("milestones", f"are epochs that rise, below epochs = {recipe['epochs']}")
    if kind == "dp_sgd" and of_task["quarter"] and recipe["batch"] > of_task["quarter"]:
        refuse("batch", f"is at most quarter = {of_task['quarter']}")
    if kind == "dp_sgd" and of_task["quarter"] and recipe["delta"] * of_task["quarter"] >= 1:
        refuse("delta", f"is less than one in quarter = {of_task['quarter']}")


def _trained(block: dict) -> dict[tuple[str, str, float], int]:
    """Members by task, method and noise coefficient."""
    trained = {}
    for place, entry in enumerate(block["networks"]):
        key = f"networks.{place}"
        method = block["methods"][entry["method"]]
        if method["kind"] == "dp_sgd" and entry["members"] != 1:
            raise InputError(f"{_key(f'{key}.members')} = {entry['members']}: allowed is 1 for DP-SGD")
        for gamma in entry["gammas"]:
            if (gamma > 0) != ("form" in method):
                allowed = "above 0" if "form" in method else "0"
                raise InputError(f"{_key(f'{key}.gammas')} = {entry['gammas']}: allowed is {allowed} for its method")
            cell = (entry["task"], entry["method"], float(gamma))
            if cell in trained:
                raise InputError(f"{_key(key)}: {cell[1]} at {gamma:g} on {cell[0]} stands twice; allowed is once")
            trained[cell] = entry["members"]
    return trained


def _check_row(key: str, row: tuple[str, str, float, int], trained: dict, sizes: list[int]) -> None:
    """Refuse what is shown and not trained, also `plain` and `control`, which all attacks on a task need."""
    task, method, gamma, members = row
    most = trained.get((task, method, float(gamma)), 0)
    if not most:
        there = [f"{other[1]} at {other[2]:g}" for other in trained if other[0] == task]
        needed = ", which attacks on every task need" if method in ("plain", "control") else ""
        raise InputError(
            f"{_key(key)}: {_key('networks')} trains no {method} at {float(gamma):g} on {task}{needed}; "
            f"there: {', '.join(there) or 'nothing'}"
        )
    if members > most or (members > 1 and members not in sizes):
        held = [size for size in sizes if size <= most]
        raise InputError(
            f"{_key(key)}: {members} members of {method} at {float(gamma):g} on {task}; allowed are "
            f"{', '.join(map(str, held))}, as {_key('networks')} has {most} and {_key('sizes')} says"
        )


def _check_titles(key: str, rows: list[tuple[str, float, int]], methods: dict) -> None:
    """Refuse rows that a table could not tell apart, or of which it could not tell which networks are meant."""
    shown: dict[tuple[str, float], str] = {}
    for place, (method, gamma, members) in enumerate(rows):
        title = methods[method]["title"]
        other = shown.setdefault((title, float(gamma)), method)
        if other != method:
            raise InputError(
                f"{_key(f'{key}.{place}')}: {other} and {method} have one title, {title!r}, and both are shown at "
                f"{gamma:g}; allowed are titles that differ"
            )
        if [method, gamma, members] in rows[:place]:
            raise InputError(f"{_key(f'{key}.{place}')} = {[method, gamma, members]}: stands twice; allowed is once")


def _check_tradeoff(block: dict, trained: dict) -> None:
    """Curves are of networks that are trained, by rising length, and end in a longer trained row of Table III."""
    task, table3 = block["tradeoff"]["task"], block["tables"]["table3"]
    _check_row("tradeoff", (task, "control", 0, 1), trained, block["sizes"])
    if not table3:
        raise InputError(f"{_key('tradeoff')}: {_key('tables.table3')} is null; it is needed, for its row of DP-SGD")
    for place, curve in enumerate(block["tradeoff"]["curves"]):
        key, epochs = f"tradeoff.curves.{place}", []
        for name in curve["methods"]:
            _check_row(f"{key}.methods", (task, name, curve["gamma"], 1), trained, block["sizes"])
            epochs.append((block["tasks"][task]["recipe"] | block["methods"][name].get("recipe", {}))["epochs"])
        if end := curve["end"]:
            there = [method for method, gamma, members in table3["rows"] if (gamma, members) == (curve["gamma"], 1)]
            if end not in there:
                allowed = " or ".join(there) or "null"
                raise InputError(f"{_key(f'{key}.end')} = {end!r}: Table III has no such row; allowed is {allowed}")
            own = block["tasks"][table3["task"]]["recipe"] | block["methods"][end].get("recipe", {})
            epochs.append(own["epochs"])
        if epochs != sorted({*epochs}):
            raise InputError(f"{_key(f'{key}.methods')}: trained for {epochs} epochs; allowed are epochs that rise")


def _check_recipes(block: dict, trained: dict) -> None:
    """Every method is trained at the noise of a point, on the task or in a row of Table III; points are in order."""
    own, table3 = block["recipes"], block["tables"]["table3"] or {"rows": []}
    gammas = [float(point["gamma"]) for point in own["points"]]
    if gammas != sorted({*gammas}):
        raise InputError(f"{_key('recipes.points')}: gamma = {gammas}; allowed are noise coefficients that rise")
    _check_row("recipes", (own["task"], "control", 0, 1), trained, block["sizes"])
    rows = {(method, float(gamma)) for method, gamma, members in table3["rows"] if members == 1}
    for place, method in enumerate(own["methods"]):
        if not any((own["task"], method, gamma) in trained or (method, gamma) in rows for gamma in gammas):
            raise InputError(
                f"{_key(f'recipes.methods.{place}')} = {method!r}: {_key('networks')} trains none on {own['task']} at "
                f"{' or '.join(f'{gamma:g}' for gamma in gammas)}, nor has Table III one"
            )


def _key(key: str) -> str:
    return f"residual_perturbation.{key}"

"""What the rules of residual perturbation's attacks share: what is trained, and where its files lie."""

RESIDUAL = config["residual_perturbation"]
TASKS, METHODS, TRAININGS = RESIDUAL["tasks"], RESIDUAL["methods"], RESIDUAL["networks"]
ATTACK_TABLES, ATTACK_FIGURES = (
    {item: chosen for item, chosen in RESIDUAL[kind].items() if chosen} for kind in ("tables", "figures")
)
ROC_FIGURES = ("fig7", "fig12")


def training_of(task, method, gamma):
    """The entry of `networks` that trains a method on a task at a noise coefficient (text or a number)."""
    for entry in TRAININGS:
        if (entry["task"], entry["method"]) == (task, method) and float(gamma) in map(float, entry["gammas"]):
            return entry
    refuse(f"residual_perturbation.networks: has none of task {task}, method {method}, gamma {float(gamma):g}")


def ensemble_sizes(wildcards):
    """Members of the ensembles that are predicted with."""
    members = training_of(wildcards.task, wildcards.method, wildcards.gamma)["members"]
    return [size for size in RESIDUAL["sizes"] if size <= members]


def attack_record(task, method, gamma):
    training_of(task, method, gamma)
    return f"{PERTURBATION}/attacks/{task}/{method}/{float(gamma):g}.json"


def beside(records):
    """The tables that lie beside records of attacks."""
    return [record.removesuffix("json") + name for record in records for name in ("csv", "roc.csv")]


def control_of(task):
    """The attack on what was learned by heart, the positive control of all attacks on a task."""
    return attack_record(task, "control", 0)


def over_noise(task, method):
    """Records of the attacks on a method at every noise coefficient that is trained, the plain network's first."""
    gammas = [
        gamma for entry in TRAININGS if (entry["task"], entry["method"]) == (task, method) for gamma in entry["gammas"]
    ]
    if not gammas:
        refuse(f"residual_perturbation.figures: method {method} is not trained on task {task}")
    return [attack_record(task, "plain", 0), *(attack_record(task, method, gamma) for gamma in sorted(gammas))]


def figure_records(item):
    """Records of all attacks in a figure."""
    chosen = ATTACK_FIGURES[item]
    return [record for task in chosen["tasks"] for record in over_noise(task, chosen["method"])]


def table_records(item):
    """Records of the attacks in a table."""
    chosen = ATTACK_TABLES[item]
    return list(dict.fromkeys(attack_record(chosen["task"], method, gamma) for method, gamma, _ in chosen["rows"]))


def draws_of(task):
    """How often a task's data are drawn."""
    return max(entry["repetitions"] for entry in TRAININGS if entry["task"] == task)


def titled_rows(item):
    """The rows of a table with methods' titles in place of their names, as text."""
    rows = ATTACK_TABLES[item]["rows"]
    return compact([[METHODS[method]["title"], float(gamma), members] for method, gamma, members in rows])

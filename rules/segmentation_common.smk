"""What the rules of PATE for segmentation masks share: who asks whom for which labels, and where files lie."""

from lib.data.volumes import registry as volumes
from lib.plan.segmentation_checks import encoders_used

SEGMENTATION = config["segmentation"]
SEG = f"{RESULTS}/segmentation"
PRIVATE_SEG = f"{PRIVATE}/segmentation"
ENCODERS = SEGMENTATION["encoders"]
TOGETHER = [name for name, task in SEGMENTATION["tasks"].items() if task["together"]]
# how the work is cut into jobs changes no result, and so no record
SEG_TASKS = {
    name: {key: value for key, value in task.items() if key != "together"}
    for name, task in SEGMENTATION["tasks"].items()
}
ALONE = [name for name in SEG_TASKS if name not in TOGETHER]
AUTOENCODED, COMPRESSED = config["autoencoded_pate"], config["compressed_pate"]
EXTERNAL = COMPRESSED["external"]
SOURCES = ("teachers", "labels")  # of what a student learns: teachers' answers, or true labels in their place


def labelling(source, teachers, queries, epsilon, delta, route):
    """A way to label a student's volumes; epsilon None: without noise. private: whether a mechanism releases it."""
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


def labellings_wanted():
    """Labellings by (task, source, encoder), those of one codes file together."""
    found = {}
    block = AUTOENCODED["results"]
    for task in block["tasks"]:
        teachers, queries = SEG_TASKS[task]["teachers"], SEG_TASKS[task]["parts"]["student"]
        for encoder in block["encoders"]:
            for epsilon in (block["epsilon"], None):
                made = labelling("teachers", teachers, queries, epsilon, block["delta"], block["route"])
                found.setdefault((task, "teachers", encoder), {})[made["name"]] = made
    block = COMPRESSED["fig3"]
    curves = [(curve["encoder"], curve["teachers"], curve["epsilon"]) for curve in block["curves"]]
    for task in block["tasks"]:
        for queries in block["queries"]:
            for encoder, teachers, epsilon in [*curves, (block["noiseless"], 1, None)]:
                made = labelling("labels", teachers, queries, epsilon, block["delta"], block["route"])
                found.setdefault((task, "labels", encoder), {})[made["name"]] = made
    return found


LABELLINGS = labellings_wanted()


def truths_wanted():
    """What students learn who are told the truth, by task: most labels of each figure."""
    found = {task: SEG_TASKS[task]["parts"]["student"] for task in AUTOENCODED["results"]["tasks"]}
    found |= {task: COMPRESSED["fig3"]["queries"][-1] for task in COMPRESSED["fig3"]["tasks"]}
    return {
        (task, "truth", "none"): {
            f"n{queries}": {"name": f"n{queries}", "queries": queries, "epsilon": None, "private": False}
        }
        for task, queries in found.items()
    }


TAUGHT = LABELLINGS | truths_wanted()
FITTED = list(dict.fromkeys((task, encoder) for _, task, encoder in encoders_used(config)))
# (task, encoder) of what a figure shows, a table of measurements for each repetition
RECONSTRUCTED = [(task, name) for task in COMPRESSED["fig2"]["tasks"] for name in COMPRESSED["fig2"]["encoders"]]
LIMIT_SWEEPS = [(task, name) for task in COMPRESSED["limits"]["tasks"] for name in COMPRESSED["limits"]["encoders"]]


def shapes(place, wanted):
    """Ways to cut a rule's work: what is added to the rule's name, where logs lie, and the places that a job fills.

    place: of one thing in paths, with wildcards. wanted: the names that such places are filled with, the task first. A
    task whose jobs run together has one of its own, with one job a repetition for all that is wanted of the task.
    """
    found = [("", place, [place])]
    for task in TOGETHER:
        if places := ["/".join(names) for names in wanted if names[0] == task]:
            found.append((f"_{task}", task, places))
    return found


def task_of(places, wildcards):
    """The task of a job, which all its places have in common."""
    return filled(places, wildcards)[0][0]


def student_records(tasks, sources):
    """Records of all students of some tasks."""
    return [
        f"{SEG}/students/{task}/{source}/{encoder}/{repetition}.json"
        for task, source, encoder in TAUGHT
        if task in tasks and source in (*sources, "truth")
        for repetition in REPETITIONS
    ]


def codes_records(tasks, sources):
    """Records of what was released to the students of some tasks."""
    return [
        f"{SEG}/codes/{task}/{source}/{encoder}/{repetition}.json"
        for (task, source, encoder) in LABELLINGS
        if task in tasks and source in sources
        for repetition in REPETITIONS
    ]


def teacher_shards(task):
    """(first teacher, the one after the last) of each job."""
    count, size = SEG_TASKS[task]["teachers"], SEG_TASKS[task]["shard"]
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def volumes_of(task):
    """The prepared volumes of a task."""
    return f"{PRIVATE}/volumes/{SEG_TASKS[task]['volumes']}/index.json"


def volume_files(prepared):
    """The files that a set of volumes is prepared from; ends the workflow with one line if they are not there."""
    try:
        name = SEGMENTATION["volumes"][prepared]["name"]
        return list(map(str, registry.watched(volumes.required_files(name, config["data_root"]))))
    except InputError as error:
        refuse(error)


def described_task(task):
    """A task's block with its name, as text; the patients of a part are drawn by it."""
    return compact(SEG_TASKS[task] | {"name": task})


def encoder_file(task, encoder, repetition):
    """What was fitted for an encoder of a task."""
    return f"{SEG}/encoders/{task}/{encoder}/{repetition}.npz"


def answer_files(task, repetition):
    """What all teachers of a task say."""
    return [f"{PRIVATE_SEG}/answers/{task}/{repetition}/{shard}.npz" for shard in range(len(teacher_shards(task)))]


def released(task, source, encoder, repetition):
    """What students on codes need, by option: the codes, and what was fitted for their encoder."""
    if source == "truth":
        return {}
    codes = f"{PRIVATE_SEG}/codes/{task}/{source}/{encoder}/{repetition}.npz"
    return {"--codes": codes, "--fitted": encoder_file(task, encoder, repetition)}


def external_students(repetition):
    """What each student of Figure 3 with most labels learned from, and its weights: a file and a name in it."""
    task, block = EXTERNAL["task"], COMPRESSED["fig3"]
    most, curve = block["queries"][-1], block["curves"][-1]
    noisy = labelling("labels", curve["teachers"], most, curve["epsilon"], None, None)["name"]
    where = {
        "true labels": ("truth/none", f"n{most}"),
        "masks decoded without noise": (f"labels/{block['noiseless']}", f"noiseless-n{most}"),
        f"masks of {noisy}": (f"labels/{curve['encoder']}", noisy),
    }
    return {
        what: (f"{PRIVATE_SEG}/students/{task}/{folder}/{repetition}.npz", name)
        for what, (folder, name) in where.items()
    }

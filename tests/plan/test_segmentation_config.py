"""The blocks of PATE for segmentation masks in the configuration: what a schema cannot refuse."""

import pytest

from lib.plan.config import check_config
from tests.plan import configurations
from tests.plan.configurations import CONFIG, SCHEMA, refusal

ENCODERS = CONFIG["segmentation"]["encoders"]
# lists that the cases below are about, whatever the shipped ones are
CHOSEN = {
    "autoencoded_pate.results.encoders": ["ball", "pca"],
    "compressed_pate.fig2.encoders": ["naive", "clip"],
    "compressed_pate.limits.encoders": ["clip_2", "clip"],
    "compressed_pate.fig3.curves": [{"teachers": 100, "epsilon": 1.0, "encoder": "clip"}],
    "compressed_pate.fig3.noiseless": "clip_0",
    "segmentation.tasks.phantom.parts": {"teachers": 16, "student": 10, "test": 10},
    "segmentation.tasks.phantom.encoder_part": "student",
    "segmentation.tasks.phantom.apart": 3,
    "segmentation.tasks.phantom_whole.parts": {"public": 14, "student": 12, "test": 10},
    "segmentation.volumes.phantom_small.settings": {"shape": [32, 32, 32], "seed": 1, "subjects": 108},
}
TWICE = 2 * CHOSEN["compressed_pate.fig3.curves"]


def changed(*changes: tuple[str, object]) -> dict:
    """The configuration with other values at some keys; a key may be new."""
    config = CONFIG
    for key, value in (*CHOSEN.items(), *changes):
        config = configurations.changed(key, value, config)
    return config


NOTHING = [
    ("autoencoded_pate.results.tasks", []),
    ("autoencoded_pate.sensitivity.tasks", []),
    *((f"compressed_pate.{item}.tasks", []) for item in ("fig1", "fig2", "fig3", "limits")),
]


@pytest.mark.parametrize("left_out", [*([change] for change in NOTHING), NOTHING], ids=str)
def test_every_part_may_be_left_out(left_out):
    check_config(changed(*left_out), SCHEMA)


def test_what_is_not_used_needs_nothing_but_names():
    """Without tasks, their lists of encoders, queries and teachers may be empty, and an encoder fit no volume."""
    lists = [("compressed_pate.fig2.encoders", []), ("compressed_pate.fig3.queries", [4, 2])]
    check_config(changed(*NOTHING, *lists, ("segmentation.encoders.pca.components", 1000)), SCHEMA)


def used(key: str, names: list[str]) -> tuple[tuple[str, object], ...]:
    """A list of tasks, and no others, so that what is wrong is of these."""
    return (*(change for change in NOTHING if change[0] != key), (key, names))


def external(**keys: str) -> tuple[str, object]:
    """Students of the phantoms tried on the very same."""
    return "compressed_pate.external", {"task": "phantom_whole", "volumes": "phantom_small"} | keys


RESULTS, FIG1, FIG2, FIG3, LIMITS = (
    "autoencoded_pate.results.tasks",
    *(f"compressed_pate.{item}.tasks" for item in ("fig1", "fig2", "fig3", "limits")),
)
SENSITIVITY = "autoencoded_pate.sensitivity.tasks"
PHANTOM, WHOLE, VOLUMES = ("segmentation.tasks.phantom", "segmentation.tasks.phantom_whole", "segmentation.volumes")
SGD = CONFIG["autoencoded_pate"]["results"]["dp_sgd"]["recipe"]
BUDGET = ENCODERS["slices"]["recipe"] | {"sigma": "budget"}
FULL_RESULTS = {"teachers": 16, "test": 10, "public": 10}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        # names
        ([(f"{VOLUMES}.phantom_small.name", "phantom")], "segmentation.volumes.phantom_small.name = 'phantom': allow"),
        (
            [(f"{PHANTOM}.volumes", "small")],
            "segmentation.tasks.phantom.volumes = 'small': not in segmentation.volumes; allowed: brats",
        ),
        ([(RESULTS, ["ghost"])], "autoencoded_pate.results.tasks = 'ghost': not in segmentation.tasks; allowed: "),
        (
            [("autoencoded_pate.results.encoders", ["bal"])],
            "autoencoded_pate.results.encoders = 'bal': not in segmentation.encoders; allowed: ball",
        ),
        ([(SENSITIVITY, ["ghost"])], "autoencoded_pate.sensitivity.tasks = 'ghost'"),
        ([(FIG1, ["ghost"])], "compressed_pate.fig1.tasks = 'ghost'"),
        ([("compressed_pate.fig2.encoders", ["naive", "x"])], "compressed_pate.fig2.encoders = 'x'"),
        ([("compressed_pate.fig3.noiseless", "x")], "compressed_pate.fig3.noiseless = 'x'"),
        (
            [("compressed_pate.fig3.curves", [{"teachers": 1, "epsilon": 1.0, "encoder": "x"}])],
            "compressed_pate.fig3.curves.0.encoder = 'x'",
        ),
        ([("compressed_pate.limits.encoders", ["x"])], "compressed_pate.limits.encoders = 'x'"),
        ([("segmentation.encoders.none", ENCODERS["ball"])], "segmentation.encoders.none: allowed are other names"),
        ([("segmentation.encoders.components", ENCODERS["pca"])], "segmentation.encoders.components: allowed are"),
        (used(FIG1, ["phantom_whole", "phantom"]), "compressed_pate.fig1.tasks = ['phantom_whole', 'phantom']"),
        # volumes
        ([(f"{VOLUMES}.phantom_small.settings", {"shape": [32, 32, 32], "seed": 1})], "lacks the key 'subjects'"),
        (
            [(f"{VOLUMES}.lgg.settings", {"seed": 1})],
            "segmentation.volumes.lgg.settings: unknown key 'seed'; allowed: ",
        ),
        # parts
        ([(f"{PHANTOM}.encoder_part", "public")], "phantom.encoder_part = 'public': allowed: student, teachers, test"),
        ([(f"{PHANTOM}.teachers", 17)], "phantom.teachers = 17: allowed is at most parts.teachers = 16"),
        ([(f"{WHOLE}.teachers", 2)], "phantom_whole.teachers = 2: allowed is at most parts.teachers = 0"),
        ([(f"{PHANTOM}.shard", None)], "phantom.shard = None: allowed is a number"),
        (
            [(f"{PHANTOM}.parts.test", 11)],
            "phantom.parts = {'teachers': 16, 'student': 10, 'test': 11} and segmentation.tasks.phantom.apart = 3: 37 "
            "patients in each of so many repetitions that share none; segmentation.volumes.phantom_small has 108 "
            "patients, allowed are 36 in",
        ),
        ([(f"{VOLUMES}.phantom_small.shift", 1)], "volumes.phantom_small.shift: needs crop, the box in which"),
        ([("segmentation.tasks.lgg.classes", 3)], "lgg.classes = 3: the labels of lgg_mri allow 1"),
        (
            [("segmentation.tasks.hippocampus.classes", 3)],
            "hippocampus.classes = 3: the labels of msd_hippocampus allo",
        ),
        # what networks need
        (used(RESULTS, ["phantom_whole"]), "results.tasks = 'phantom_whole': allowed are tasks with teachers"),
        (
            [*used(RESULTS, ["phantom"]), (f"{PHANTOM}.parts", FULL_RESULTS), (f"{PHANTOM}.encoder_part", "public")],
            "results.tasks = 'phantom': allowed are tasks with a part student",
        ),
        ([(f"{VOLUMES}.phantom_small.images", False)], "allowed are tasks whose volumes have images: true"),
        (used(FIG3, ["phantom_full"]), "fig3.tasks = 'phantom_full': networks are trained; allowed are tasks whose"),
        (
            [*used(FIG3, ["phantom_full"]), (f"{VOLUMES}.phantom_masks.images", True)],
            "fig3.tasks = 'phantom_full': allowed are tasks with a part student",
        ),
        ([("autoencoded_pate.results.dp_sgd.recipe.batch", 27)], "recipe.batch = 27: phantom allows 26"),
        (
            [(f"{PHANTOM}.dp_sgd", SGD | {"batch": 27})],
            "segmentation.tasks.phantom.dp_sgd.batch = 27: phantom allows 26",
        ),
        ([("autoencoded_pate.results.encoders", [])], "results.encoders = []: allowed is at least one"),
        # noise in training
        (
            [("segmentation.encoders.clip.recipe.sigma", "budget")],
            "clip.recipe.sigma = budget: compressed_pate.fig2.encoders with phantom_whole allows a number; budget is",
        ),
        (
            [("segmentation.encoders.ball", ENCODERS["slices"] | {"recipe": BUDGET})],
            "ball.recipe.sigma = budget: autoencoded_pate.results.encoders with phantom allows a number; budget is",
        ),
        # figure 3 and limits
        ([("compressed_pate.fig3.queries", [4, 13])], "fig3.queries = [4, 13]: phantom_whole allows 12"),
        ([("compressed_pate.fig3.queries", [4, 4])], "fig3.queries = [4, 4]: allowed are numbers that rise"),
        ([("compressed_pate.fig3.queries", [])], "fig3.queries = []: allowed is at least one"),
        ([("compressed_pate.fig3.curves", [])], "fig3.curves = []: allowed is at least one"),
        ([("compressed_pate.fig3.curves", TWICE)], ": allowed is each number of teachers once a budget"),
        ([("compressed_pate.limits.epsilons", [8.0, 1.0])], "limits.epsilons = [8.0, 1.0]: allowed are numbers that"),
        # figure 2
        ([("compressed_pate.fig2.encoders", ["clip"])], "allowed is exactly one of kind identity, which has 0"),
        (
            [
                ("segmentation.encoders.naive_1", ENCODERS["naive"] | {"radius": 1.0}),
                ("compressed_pate.fig2.encoders", ["naive", "naive_1"]),
            ],
            "allowed is exactly one of kind identity, which has 2",
        ),
        ([("compressed_pate.fig2.encoders", ["naive", "pca"])], "allowed are other names than pca"),
        # other volumes
        ([external(task="lgg")], "external.task = 'lgg': not in compressed_pate.fig3.tasks; allowed: phantom_whole"),
        ([external(volumes="x")], "external.volumes = 'x': not in segmentation.volumes; allowed: brats2013, "),
        ([external(volumes="phantom_reduced")], "external.volumes = 'phantom_reduced': allowed are volumes with"),
        ([external(), (f"{WHOLE}.classes", 3)], "external.task = 'phantom_whole': allowed is a task of one class"),
        # classes and sizes of encoders
        (
            [("segmentation.encoders.ball.coded_classes", 2)],
            "ball.coded_classes = 2: autoencoded_pate.results.encoders with phantom allows 1 or 3",
        ),
        ([("segmentation.encoders.ball.grid", [32, 33, 32])], "ball.grid = [32, 33, 32]: autoencoded_pate.results.enc"),
        ([("segmentation.encoders.clip.grid", [33, 8, 8])], "clip.grid = [33, 8, 8]: compressed_pate.fig2.encoders w"),
        ([("segmentation.encoders.clip_2.grid", [33, 8, 8])], "clip_2.grid = [33, 8, 8]: compressed_pate.limits.enco"),
        (
            [*used(FIG3, ["phantom_whole"]), ("segmentation.encoders.clip.grid", [33, 8, 8])],
            "clip.grid = [33, 8, 8]: compressed_pate.fig3.curves.0.encoder with phantom_whole allows at most [32",
        ),
        ([("segmentation.encoders.pca.components", 10)], "pca.components = 10: autoencoded_pate.results.encoders wit"),
        ([("segmentation.encoders.pca.block", [8, 8, 33])], "pca.block = [8, 8, 33]: autoencoded_pate.results.encode"),
        (
            [("segmentation.encoders.pca", ENCODERS["pca"] | {"block": [1, 1, 8], "components": 9})],
            "pca.components = 9: autoencoded_pate.results.encoders with phantom allows 8, the numbers of a block",
        ),
        ([("autoencoded_pate.sensitivity.components", [10])], "sensitivity.components = [10]: phantom allows 9"),
        ([("autoencoded_pate.sensitivity.components", [])], "sensitivity.components = []: phantom allows 9"),
        ([("compressed_pate.fig1.block", [8, 33, 8])], "fig1.block = [8, 33, 8]: phantom_whole allows at most [32, 3"),
        ([*used(FIG2, ["phantom_whole"]), ("compressed_pate.fig1.block", [33, 8, 8])], "fig1.block = [33, 8, 8]"),
        ([("compressed_pate.fig1.fixed", 513)], "fig1.fixed = 513: phantom_whole allows 512, the numbers of a block"),
    ],
)
def test_what_is_not_there_or_does_not_fit_is_refused(changes, message):
    line = refusal(changed(*changes))
    assert message in line
    assert line.startswith(("segmentation.", "autoencoded_pate.", "compressed_pate."))


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        [(f"{PHANTOM}.teachers", 16)],
        [("segmentation.encoders.pca.components", 9)],
        [("segmentation.encoders.pca", ENCODERS["pca"] | {"block": [1, 1, 8], "components": 8})],
        [("segmentation.encoders.ball.grid", [32, 32, 16])],
        [("compressed_pate.fig1.block", [32, 32, 16]), ("compressed_pate.fig1.fixed", 32 * 32 * 16)],
        [("compressed_pate.fig3.queries", [1, 12])],
        [("autoencoded_pate.results.dp_sgd.recipe.batch", 26)],
        [("autoencoded_pate.results.dp_sgd.recipe.batch", 27), (f"{PHANTOM}.dp_sgd", SGD)],
        [("segmentation.encoders.ball.recipe.sigma", "budget")],
        [("segmentation.tasks.hippocampus.classes", 2), ("segmentation.tasks.hippocampus.coded_classes", 2)],
        [("autoencoded_pate.sensitivity.components", [9, 100])],
        used(LIMITS, ["phantom_full"]),
        used(FIG1, ["phantom_full"]),
        [external()],
    ],
    ids=str,
)
def test_what_just_fits_is_allowed(changes):
    check_config(changed(*changes), SCHEMA)

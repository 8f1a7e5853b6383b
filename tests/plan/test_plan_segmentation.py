"""What is planned for PATE of masks: which job does which unit, what it reads, what it is told, and what is refused."""

import copy
import json
import shlex
from types import SimpleNamespace

import pytest

from lib.core.errors import InputError
from lib.plan.command_line import command_line
from lib.plan.config import register
from lib.plan.data_needs import mark_without_data
from lib.plan.plan import Plan
from lib.plan.segmentation import facts
from pate_accountant.encoded_mean import calibrated
from tests.plan.configurations import CONFIG

REGISTER = register()
SEG, PRIVATE = "results/quick/segmentation", "results/quick/private/segmentation"
APART = {"segmentation": {"tasks": {name: {"together": False} for name in ("phantom", "phantom_whole")}}}
# one task for both papers, whose students have all three sources of labels
SHARED = {
    "segmentation": {"tasks": {"phantom": {"classes": 1}}},
    "compressed_pate": {"fig3": {"tasks": ["phantom"]}, "limits": {"tasks": ["phantom"]}},
}
# encoders in an order that is not the alphabet's
TURNED = {"compressed_pate": {"fig2": {"encoders": ["small_slices", "naive", "small_clip_0"]}}}
AS_OFTEN = {"segmentation": {"tasks": {name: {"repetitions": None} for name in ("phantom", "phantom_whole")}}}
EXTERNAL = {"compressed_pate": {"external": {"task": "phantom_whole", "volumes": "lgg"}}}


def merged(below, above):
    """Mappings key by key, all else replaced."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return below | {key: merged(below.get(key), value) for key, value in above.items()}


def planned(*changes):
    """The plan of quick with some keys changed, and as many repetitions of its tasks as of everything."""
    config = copy.deepcopy(CONFIG)
    for change in (AS_OFTEN, *changes):
        config = merged(config, change)
    return Plan(config, REGISTER).segmentation


CUTS = {
    "together": (),
    "one each": (APART,),
    "one task for both": (SHARED,),
    "one task for both, one each": (APART, SHARED),
    "turned": (TURNED,),
}
cuts = pytest.mark.parametrize("changes", CUTS.values(), ids=CUTS)


def of(task, shard=0, repetition=2, **more):
    return SimpleNamespace(task=task, shard=str(shard), repetition=str(repetition), **more)


def jobs(tasks, settings, repetition=2):
    """(wildcards, settings) of all jobs of a stage in a repetition: shards up to the first that there is none of."""
    found = []
    for task in tasks:
        shard = 0
        while True:
            wildcards = of(task, shard, repetition)
            try:
                found.append((wildcards, settings(wildcards)))
            except IndexError:
                break
            shard += 1
        assert shard, task
    return found


def made(folder, stage, units):
    """The units in each file of a stage, by the file."""
    return {
        f"{folder}/{wildcards.task}/{wildcards.repetition}/{wildcards.shard}.npz": units(settings)
        for wildcards, settings in stage
    }


def encoders_in(settings):
    return [name for name, _ in settings["encoders"]]


def units_in(settings):
    return [f"{unit['source']}/{unit['encoder']}" for unit in settings["units"]]


def stages(plan, repetition=2):
    """All jobs on units in a repetition, by stage."""
    return {
        "encoders": jobs(plan.encoder_units, plan.encoders, repetition),
        "codes": jobs(plan.code_units, plan.codes, repetition),
        "students": jobs(plan.student_units, plan.students, repetition),
        "reconstruction": jobs(plan.fig2_units, plan.reconstruction, repetition),
        "limits": jobs(plan.limit_units, plan.limits, repetition),
    }


def settings_of_all(plan):
    """Settings of every job there is, whatever its stage."""
    found = [settings for stage in stages(plan).values() for _, settings in stage]
    found += [settings for _, settings in jobs(plan.tasks_of_teachers(), plan.teachers)]
    for task in plan.tasks_of_teachers():
        found.append(plan.measured_teachers(of(task)))
    for task in plan.autoencoded["results"]["tasks"]:
        found += [plan.dp_sgd(of(task, noise=noise)) for noise in ("printed", "budget")]
    found += [plan.components(of(task)) for task in plan.compressed["fig1"]["tasks"]]
    found += [plan.preparing(SimpleNamespace(volumes=name)) for name in plan.block["volumes"]]
    for figure in ("logistic", "disc", "sensitivity", "results", "pca", "theorem4", "fig1", "fig2", "fig3"):
        found.append(getattr(plan, figure)(None))
    return [*found, plan.limits_figure(None)]


def same_files(given, files, wanted):
    """A job reads each file that has a unit it wants, once, and no other; every unit it wants is in one of them."""
    assert len(given) == len(set(given))
    assert set(given) == {file for file, units in files.items() if set(units) & set(wanted)}
    assert set(wanted) <= {unit for file in given for unit in files[file]}


# ---------------------------------------------------------------- units and shards


@cuts
def test_every_unit_is_done_by_one_job_and_all_of_a_task_that_is_together_by_the_same(changes):
    plan = planned(*changes)
    for stage, found in stages(plan).items():
        by_task = {}
        for wildcards, settings in found:
            units = encoders_in(settings) if "encoders" in settings else units_in(settings)
            by_task.setdefault(wildcards.task, []).append(units)
        for task, shards in by_task.items():
            units = [unit for shard in shards for unit in shard]
            assert len(units) == len(set(units)), (stage, task)
            if plan.block["tasks"][task]["together"]:
                assert len(shards) == 1
            else:
                assert {len(shard) for shard in shards} == {1}


@cuts
def test_a_job_reads_exactly_the_shards_that_it_needs(changes):
    plan = planned(*changes)
    found = stages(plan)
    fitted = made(f"{SEG}/encoders", found["encoders"], encoders_in)
    released = made(f"{PRIVATE}/codes", found["codes"], units_in)

    def own(files, wildcards):
        """Of the task alone: others have encoders of the same names."""
        return {file: units for file, units in files.items() if f"/{wildcards.task}/" in file}

    for wildcards, settings in found["codes"]:
        encoders = [unit["encoder"] for unit in settings["units"]]
        files = plan.files_for_codes(wildcards)
        same_files(files["fitted"], own(fitted, wildcards), encoders)
        answers = [f"{PRIVATE}/answers/{wildcards.task}/2/0.npz"]
        asked = any(unit["source"] == "teachers" for unit in settings["units"])
        assert files["answers"] == (answers if asked else [])
    for wildcards, settings in found["students"]:
        taught = [unit for unit in settings["units"] if unit["encoder"] != "none"]
        files = plan.files_for_students(wildcards)
        same_files(files["fitted"], own(fitted, wildcards), [unit["encoder"] for unit in taught])
        names = [f"{unit['source']}/{unit['encoder']}" for unit in taught]
        same_files(files["codes"], own(released, wildcards), names)
    for stage in ("reconstruction", "limits"):
        for wildcards, settings in found[stage]:
            given = getattr(plan, f"fitted_for_{stage}")(wildcards)
            same_files(given, own(fitted, wildcards), encoders_in(settings))


def test_quick_does_a_tasks_units_together():
    plan = planned()
    found = {
        stage: [(wildcards.task, encoders_in(its) if "encoders" in its else units_in(its)) for wildcards, its in jobs]
        for stage, jobs in stages(plan).items()
    }
    assert found == {
        "encoders": [
            ("phantom", ["small_ball"]),
            ("phantom_whole", ["naive", "small_clip_0", "small_clip", "small_slices"]),
        ],
        "codes": [
            ("phantom", ["teachers/small_ball"]),
            ("phantom_whole", ["labels/small_clip", "labels/small_clip_0"]),
        ],
        "students": [
            ("phantom", ["teachers/small_ball", "truth/none", "mean_mask/none"]),
            ("phantom_whole", ["labels/small_clip", "labels/small_clip_0", "truth/none"]),
        ],
        "reconstruction": [("phantom_whole", ["naive", "small_clip_0", "small_clip", "small_slices"])],
        "limits": [("phantom_whole", ["small_clip_0", "small_clip"])],
    }


def test_how_the_work_is_cut_changes_nothing_that_a_unit_is_told():
    """To the order in which a table has them."""

    def told(*changes):
        found = {}
        for stage, its in stages(planned(TURNED, *changes)).items():
            for wildcards, settings in its:
                common = {
                    key: value for key, value in settings.items() if key not in ("encoders", "units", "checkpoint")
                }
                words = shlex.split(command_line([], settings))
                option = "--encoders" if "encoders" in settings else "--units"
                for unit in json.loads(words[words.index(option) + 1]):
                    found.setdefault((stage, wildcards.task), []).append((unit, common))
        return found

    together, alone = told(), told(APART)
    assert together == alone
    encoders = [unit[0] for unit, _ in together["reconstruction", "phantom_whole"]]
    assert encoders == ["small_slices", "naive", "small_clip_0"]
    assert '"together"' not in json.dumps(settings_of_all(planned()))


def test_teachers_are_cut_by_their_own_number():
    plan = planned({"segmentation": {"tasks": {"phantom": {"shard": 3}}}})
    assert plan.teacher_shards("phantom") == [(0, 3), (3, 6), (6, 8)]
    settings = plan.teachers(of("phantom", 2, repetition=3))
    assert (settings["first"], settings["last"], settings["repetition"]) == (6, 8, "3")
    assert settings["job"] == ["train_mask_teachers", "phantom", "3", "2"]
    files = [f"{PRIVATE}/answers/phantom/2/{shard}.npz" for shard in range(3)]
    assert plan.answers(of("phantom")) == plan.files_for_codes(of("phantom"))["answers"] == files
    assert set(plan.tasks_of_teachers()) == {"phantom", "phantom_reduced", "hippocampus", "lgg_teachers", "msd_paper"}


# ---------------------------------------------------------------- labellings


def test_labellings_have_the_names_that_draws_and_records_know_them_by():
    plan = planned()
    assert {unit: list(own) for unit, own in plan.labellings.items()} == {
        ("phantom", "teachers", "small_ball"): ["k8-n10-e8", "noiseless-n10"],
        ("phantom_whole", "labels", "small_clip"): ["k100-n4-e1", "k100-n12-e1"],
        ("phantom_whole", "labels", "small_clip_0"): ["k100-n4-e8", "k100-n12-e8", "noiseless-n12"],
    }
    assert plan.labellings["phantom", "teachers", "small_ball"]["k8-n10-e8"] == {
        "name": "k8-n10-e8",
        "teachers": 8,
        "queries": 10,
        "epsilon": 8.0,
        "delta": 1e-3,
        "route": "rdp",
        "private": True,
    }
    # only teachers' answers under noise are released by a mechanism
    for (_, source, _), own in plan.labellings.items():
        for made in own.values():
            assert made["private"] == (source == "teachers" and not made["name"].startswith("noiseless"))
    assert plan.labellings["phantom_whole", "labels", "small_clip_0"]["noiseless-n12"]["teachers"] == 1


def test_students_on_true_labels_have_the_most_labels_of_their_figure():
    for task, name in (("phantom", "n10"), ("phantom_whole", "n12")):
        (settings,) = (its for wildcards, its in stages(planned())["students"] if wildcards.task == task)
        (truth,) = (unit for unit in settings["units"] if unit["source"] == "truth")
        assert truth == {
            "source": "truth",
            "encoder": "none",
            "settings": None,
            "labellings": [{"name": name, "queries": int(name[1:]), "epsilon": None, "private": False}],
        }


# ---------------------------------------------------------------- what jobs are told


def test_jobs_are_named_as_their_draws_are_keyed():
    plan = planned(EXTERNAL)
    assert plan.dp_sgd(of("phantom", noise="budget"))["job"] == ["train_mask_dp_sgd", "phantom", "budget", "2"]
    assert plan.components(of("phantom_whole"))["job"] == ["measure_components", "phantom_whole", "2"]
    assert plan.measured_teachers(of("phantom"))["job"] == ["measure_mask_teachers", "phantom", "2"]
    assert plan.external(SimpleNamespace(repetition="2"))["job"] == ["measure_external", "2"]
    # of shards rule and task: the script adds the unit and the repetition
    rules = {
        "encoders": "train_mask_encoder",
        "codes": "aggregate_masks",
        "students": "train_mask_students",
        "reconstruction": "measure_reconstruction",
        "limits": "measure_limits",
    }
    for stage, found in stages(plan).items():
        for wildcards, settings in found:
            assert (settings["job"], settings["repetition"]) == ([rules[stage], wildcards.task], "2")
            assert settings["task"]["name"] == wildcards.task
            assert (settings["preset"], settings["seed"]) == ("quick", CONFIG["seed"])
            assert settings["dataset"] == CONFIG["segmentation"]["tasks"][wildcards.task]["volumes"]


def test_the_baseline_is_told_its_noise_and_the_students_budget():
    for noise in ("printed", "budget", "clipped"):
        told = planned().dp_sgd(of("phantom", noise=noise))
        assert (told["noise"], told["epsilon"]) == (noise, 8.0)
        assert set(told["sgd"]) == {"sigma", "delta", "recipe"}


def test_the_first_encoder_alone_has_further_budgets():
    changes = {"autoencoded_pate": {"results": {"encoders": ["pca", "small_ball"], "further": [40.0, 160.0]}}}
    found = planned(changes).labellings
    assert list(found["phantom", "teachers", "pca"]) == ["k8-n10-e8", "k8-n10-e40", "k8-n10-e160", "noiseless-n10"]
    assert list(found["phantom", "teachers", "small_ball"]) == ["k8-n10-e8", "noiseless-n10"]


def test_an_encoder_is_trained_with_the_noise_of_its_use_one_a_budget():
    encoder = CONFIG["segmentation"]["encoders"]["small_ball"]
    named = {"use": encoder | {"recipe": encoder["recipe"] | {"sigma": "budget"}}}
    changes = {
        "segmentation": {"encoders": named},
        "autoencoded_pate": {"results": {"encoders": ["use", "small_ball"], "further": [40.0]}},
    }
    plan = planned(changes, APART)
    found = {unit[-1]: list(own) for unit, own in plan.labellings.items() if unit[:2] == ("phantom", "teachers")}
    assert found == {
        "use-8": ["k8-n10-e8"],
        "use-40": ["k8-n10-e40"],
        "use-noiseless": ["noiseless-n10"],
        "small_ball": ["k8-n10-e8", "noiseless-n10"],
    }
    trained = dict(block for _, its in stages(plan)["encoders"] for block in its["encoders"])
    asked = {"queries": 10, "teachers": 8, "radius": 1.0, "delta": 1e-3, "route": "rdp"}
    sigmas = {f"use-{epsilon:g}": calibrated(epsilon=epsilon, **asked).sigma for epsilon in (8.0, 40.0)}
    for name, sigma in (sigmas | {"use-noiseless": 0.0}).items():
        assert trained[name] == encoder | {"recipe": encoder["recipe"] | {"sigma": sigma}}
    assert trained["small_ball"] == encoder
    for stage in ("codes", "students"):  # and is what encodes and decodes
        units = {unit["encoder"]: unit for _, its in stages(plan)[stage] for unit in its["units"]}
        assert {name: units[name]["settings"] for name in trained if name in units} == {
            name: block for name, block in trained.items() if name in units
        }
        assert set(sigmas) < set(units)
    assert plan.shown_masks(None)["unit"] == {"source": "teachers", "encoder": "use-8", "settings": trained["use-8"]}
    assert plan.shown_masks(None)["labelling"] == "k8-n10-e8"
    assert "budget" not in json.dumps([its["encoders"] for _, its in stages(plan)["encoders"]])


def test_an_encoder_of_more_classes_is_left_out_of_tasks_that_lack_them():
    changes = {
        "segmentation": {
            "tasks": {"phantom_whole": {"teachers": 4, "shard": 4, "parts": {"teachers": 8}}},
            "encoders": {"classes": CONFIG["segmentation"]["encoders"]["small_ball"] | {"coded_classes": 3}},
        },
        "autoencoded_pate": {"results": {"tasks": ["phantom_whole", "phantom"], "encoders": ["small_ball", "classes"]}},
    }
    asked = [unit for unit in planned(changes).labellings if unit[1] == "teachers"]
    assert asked == [
        ("phantom_whole", "teachers", "small_ball"),
        ("phantom", "teachers", "small_ball"),
        ("phantom", "teachers", "classes"),
    ]


def test_pictures_are_of_the_first_task_whose_volumes_are_generated():
    plan = planned({"autoencoded_pate": {"results": {"tasks": ["hippocampus", "phantom"]}}})
    assert plan.shown_masks(None)["task"]["name"] == "phantom"
    assert facts(plan.config)["autoencoded_pate.nobodys_volumes"]
    alone = planned({"autoencoded_pate": {"results": {"tasks": ["hippocampus"]}}})
    assert not facts(alone.config)["autoencoded_pate.nobodys_volumes"]


def test_a_tasks_own_baseline_goes_before_that_of_all():
    own = CONFIG["autoencoded_pate"]["results"]["dp_sgd"]["recipe"] | {"epochs": 7}
    plan = planned({"segmentation": {"tasks": {"phantom": {"dp_sgd": own}}}})
    assert plan.dp_sgd(of("phantom", noise="budget"))["sgd"]["recipe"] == own


def test_intervals_are_over_the_patients_of_every_record_of_the_table():
    plan = planned()
    files = plan.result_files(None)
    records = [*files["students"], *files["baselines"], *files["sgd"]]
    expected = {record.replace(SEG, PRIVATE).replace(".json", ".csv") for record in records}
    assert set(files["patients"]) == expected and "/private/" in PRIVATE


def test_every_job_of_training_keeps_its_state_in_a_file_of_its_own():
    plan = planned(APART, {"device": "cuda"})
    found = stages(plan)
    trained = [its for stage in ("encoders", "students") for _, its in found[stage]]
    trained += [its for _, its in jobs(plan.tasks_of_teachers(), plan.teachers)]
    trained += [plan.dp_sgd(of("phantom", noise=noise, repetition=number)) for noise in ("a", "b") for number in (1, 2)]
    trained += [plan.encoders(of("phantom", repetition=1)), plan.students(of("phantom", repetition=1))]
    checkpoints = [its["checkpoint"] for its in trained]
    assert len(set(checkpoints)) == len(checkpoints)
    assert {its["device"] for its in trained} == {"cuda"}
    # what only measures needs no GPU
    assert {its["device"] for stage in ("codes", "reconstruction", "limits") for _, its in found[stage]} == {"cpu"}


def test_nothing_that_jobs_are_told_or_read_is_of_another_preset():
    plan = planned(EXTERNAL, {"preset": "mine"})
    told = [*settings_of_all(plan), plan.external(SimpleNamespace(repetition="1"))]
    read = [plan.fig1_sweeps, plan.fig2_sweeps]
    read += [plan.sensitivity_volumes, plan.formula_of_test_masks, plan.formula_with_what_is_lost, plan.external_sweeps]
    files = [file for method in read for file in method(None)]
    for method in (plan.result_files, plan.fig3_files, plan.limit_files):
        files += [file for own in method(None).values() for file in own]
    assert len(files) > 30 and all(file.startswith("results/mine/") for file in files)
    words = [word for settings in told for word in shlex.split(command_line([], settings))]
    assert "results/mine/checkpoints/train_mask_encoder/phantom/2/0.npz" in words
    assert not [word for word in words if "quick" in word or ("results/" in word and not word.startswith("results/m"))]
    assert {settings["preset"] for settings in told if "preset" in settings} == {"mine"}


def test_only_volumes_of_files_are_prepared_from_the_data_root(tmp_path):
    plan = planned({"data_root": str(tmp_path)})
    phantom, lgg = (SimpleNamespace(volumes=name) for name in ("phantom_small", "lgg"))
    assert plan.preparing(phantom)["root"] is None and plan.volume_files(phantom) == []
    assert plan.preparing(lgg)["root"] == str(tmp_path)
    assert plan.preparing(lgg)["block"] == CONFIG["segmentation"]["volumes"]["lgg"]
    with pytest.raises(InputError, match=r"^segmentation\.volumes\.lgg: "):
        plan.volume_files(lgg)


def test_a_task_that_needs_more_patients_than_there_are_is_refused_before_any_job(tmp_path):
    lgg = SimpleNamespace(task="lgg")
    for number in range(6):
        case = tmp_path / "lgg_mri" / f"TCGA_CS_{number}_1996"
        case.mkdir(parents=True)
        for name in ("flair", "mask"):
            (case / f"{name}.nii.gz").touch()
    needs = {"parts": {"public": 1, "student": 1, "test": 1}, "apart": 2}
    enough = planned({"data_root": str(tmp_path), "segmentation": {"tasks": {"lgg": needs}}})
    enough.volumes(lgg)
    for change in ({"apart": 3}, {"parts": {"public": 2}}):
        plan = planned({"data_root": str(tmp_path), "segmentation": {"tasks": {"lgg": needs | change}}})
        with pytest.raises(
            InputError, match=r"^segmentation\.tasks\.lgg\.parts = .* has 6 patients, allowed are"
        ) as caught:
            plan.volumes(lgg)
        assert "\n" not in str(caught.value)
    (tmp_path / "lgg_mri" / "TCGA_CS_0_1996" / "mask.nii.gz").unlink()
    with pytest.raises(InputError, match=r"^segmentation\.volumes\.lgg: .*missing label"):
        planned({"data_root": str(tmp_path)}).volumes(lgg)


def test_nothing_is_counted_where_there_are_no_files_to_read(tmp_path):
    lgg = SimpleNamespace(task="lgg")
    assert planned().volumes(lgg) == planned({"data_root": str(tmp_path)}).volumes(lgg)
    mark_without_data(tmp_path)
    (tmp_path / "lgg_mri").mkdir()  # in which there is nobody
    assert planned().volumes(lgg) == planned({"data_root": str(tmp_path)}).volumes(lgg)


# ---------------------------------------------------------------- tables and figures


@pytest.mark.parametrize("changes", [(), (APART,)], ids=["together", "one each"])
def test_every_table_of_measurements_is_told_the_task_that_it_is_about(changes):
    both = {"compressed_pate": {item: {"tasks": ["phantom_whole", "lgg"]} for item in ("fig1", "fig2", "limits")}}
    both["autoencoded_pate"] = {"pca": {"tasks": ["phantom_whole", "lgg"]}}
    plan = planned(both, *changes)
    figures = {
        plan.fig1_sweeps: plan.fig1,
        plan.fig2_sweeps: plan.fig2,
        lambda _: plan.limit_files(None)["sweeps"]: plan.limits_figure,
        plan.formula_of_test_masks: plan.pca,
        plan.formula_with_what_is_lost: plan.theorem4,
    }
    for sweeps, settings in figures.items():
        paths, tasks = sweeps(None), settings(None)["tasks"]
        assert len(paths) == len(tasks) == len(set(paths)) and len(paths) >= 4
        for path, task in zip(paths, tasks, strict=True):
            name = path.split("/")[4]
            assert task["protocol"] == CONFIG["segmentation"]["tasks"][name]["protocol"]
            assert task["label"] == CONFIG["segmentation"]["tasks"][name]["label"]
    # shard by shard, as figures show encoders
    ours = [path.split("phantom_whole/")[1] for path in plan.limit_files(None)["sweeps"] if "phantom_whole" in path]
    shards = (0, 1) if changes else (0,)
    assert ours == [f"{repetition}/{shard}.csv" for shard in shards for repetition in plan.repetitions]


def test_a_task_may_be_repeated_less_often_than_everything():
    plan = planned({"repetitions": 3, "segmentation": {"tasks": {"phantom": {"repetitions": 1}}}})
    for files in plan.result_files(None).values():
        assert files and not [file for file in files if "/2" in file or "/3" in file]
    repeated = [path.split("phantom_whole/")[1][0] for path in plan.limit_files(None)["sweeps"]]
    assert sorted(set(repeated)) == ["1", "2", "3"]
    # more than there are of everything is no more
    assert planned({"segmentation": {"tasks": {"phantom": {"repetitions": 9}}}}).result_files(
        None
    ) == planned().result_files(None)


@cuts
def test_tables_of_students_read_the_records_of_their_own_units(changes):
    """And of those on true labels; each file once."""
    plan = planned(*changes)
    every = {
        stage: {
            f"{SEG}/{stage}/{wildcards.task}/{repetition}/{wildcards.shard}.json": (wildcards.task, units_in(settings))
            for repetition in plan.repetitions
            for wildcards, settings in jobs(tasks, getattr(plan, stage), repetition)
        }
        for stage, tasks in (("codes", plan.code_units), ("students", plan.student_units))
    }
    figure = plan.compressed["fig3"]["tasks"]
    results, fig3 = plan.result_files(None), plan.fig3_files(None)
    for files, stage, tasks, sources in (
        (
            results["students"],
            "students",
            plan.autoencoded["results"]["tasks"],
            ("teachers", "truth", "mean_mask"),
        ),
        (results["codes"], "codes", plan.autoencoded["results"]["tasks"], ("teachers",)),
        (fig3["students"], "students", figure, ("labels", "truth", "mean_mask")),
        (fig3["codes"], "codes", figure, ("labels",)),
        (plan.limit_files(None)["students"], "students", plan.compressed["limits"]["tasks"], ("labels",)),
    ):
        expected = {
            file
            for file, (task, units) in every[stage].items()
            if task in tasks and any(unit.startswith(sources) for unit in units)
        }
        assert expected and set(files) == expected and len(files) == len(expected)
    assert plan.fig3(None)["sources"] == ["labels", "truth"]


@pytest.mark.parametrize("changes", [(), (APART,)], ids=["together", "one each"])
def test_students_tried_elsewhere_are_those_of_most_labels(changes):
    plan, wildcards = planned(EXTERNAL, *changes), SimpleNamespace(repetition="2")
    settings = plan.external(wildcards)
    assert settings["learned"] == [
        ["true labels", "truth/none", "n12"],
        ["masks decoded without noise", "labels/small_clip_0", "noiseless-n12"],
        ["masks of k100-n12-e8", "labels/small_clip_0", "k100-n12-e8"],
    ]
    assert (settings["encoder"], settings["dataset"]) == ("small_clip_0", "lgg")
    files = plan.external_files(wildcards)
    found, learned = stages(plan), {unit for _, unit, _ in settings["learned"]}
    for given, folder, stage, units, wanted in (
        (files["students"], PRIVATE, "students", units_in, learned),
        (files["fitted"], SEG, "encoders", encoders_in, {"small_clip_0"}),
    ):
        of_task = [job for job in found[stage] if job[0].task == "phantom_whole"]
        same_files(given, made(f"{folder}/{stage}", of_task, units), wanted)
    taught = {
        (f"{unit['source']}/{unit['encoder']}", labelling["name"])
        for _, its in found["students"]
        for unit in its["units"]
        for labelling in unit["labellings"]
    }
    assert {(unit, name) for _, unit, name in settings["learned"]} <= taught
    assert files["volumes"] == "results/quick/private/volumes/phantom_small/index.json"
    assert files["external"] == "results/quick/private/volumes/lgg/index.json"


@pytest.mark.parametrize("changes", CUTS.values(), ids=CUTS)
def test_the_figure_of_masks_reads_the_files_of_its_own_task_and_students(changes):
    plan = planned(*changes)
    settings, found = plan.shown_masks(None), stages(plan, 1)
    task, encoder = settings["task"]["name"], settings["unit"]["encoder"]
    assert (task, encoder) == tuple(plan.autoencoded["results"][name][0] for name in ("tasks", "encoders"))
    files = plan.shown_files(None)
    for given, folder, stage, units, wanted in (
        (files["students"], PRIVATE, "students", units_in, {f"teachers/{encoder}", "truth/none"}),
        (files["fitted"], SEG, "encoders", encoders_in, {encoder}),
        (files["codes"], PRIVATE, "codes", units_in, {f"teachers/{encoder}"}),
    ):
        of_task = [job for job in found[stage] if job[0].task == task]
        same_files(given, made(f"{folder}/{stage}", of_task, units), wanted)
    taught = {labelling["name"]: labelling for labelling in plan.labellings[task, "teachers", encoder].values()}
    assert taught[settings["labelling"]]["epsilon"] == plan.autoencoded["results"]["epsilon"]
    assert settings["truth"] in plan._taught[task, "truth", "none"]
    curves = plan.curve_files(None)
    students = {f"{file.removesuffix('_curves.csv')}.npz" for file in curves["students"]}
    of_task = [job for job in found["students"] if job[0].task == task]
    wanted = {f"teachers/{encoder}", "truth/none", "mean_mask/none"}
    same_files(list(students), made(f"{PRIVATE}/students", of_task, units_in), wanted)
    assert len(curves["teachers"]) == len(plan.teacher_shards(task))


def test_pictures_of_patients_are_no_result():
    assert "autoencoded_pate_masks" in Plan(CONFIG, REGISTER).results.chosen("autoencoded_pate")
    volumes = {"segmentation": {"volumes": {"phantom_small": {"name": "msd_brain_tumour"}}}}
    assert "autoencoded_pate_masks" not in Plan(merged(CONFIG, volumes), REGISTER).results.chosen("autoencoded_pate")


def test_pictures_of_volumes_of_ones_own_are_no_result():
    settings = {"folder": "mine", "layout": "folders", "images": "{case}/flair.nii.gz", "label": "{case}/seg.nii.gz"}
    own = {"name": "own", "settings": settings | {"labels": {"1": "whole"}}}
    changed = copy.deepcopy(CONFIG)
    changed["segmentation"]["volumes"]["phantom_small"] |= own
    assert "autoencoded_pate_masks" not in Plan(changed, REGISTER).results.chosen("autoencoded_pate")


def test_masks_are_written_of_the_students_of_one_shard():
    plan = planned()
    task = next(iter(plan.student_units))
    settings = plan.written(of(task))
    assert settings["units"] and settings["job"] == ["write_masks", task]
    taught = plan.students(of(task))["units"]
    assert [unit["encoder"] for unit in settings["units"]] == [unit["encoder"] for unit in taught]


OFF = {
    "autoencoded_pate": {item: {"tasks": []} for item in ("results", "sensitivity", "pca")},
    "compressed_pate": {item: {"tasks": []} for item in ("fig1", "fig2", "fig3", "limits")} | {"external": None},
}


@pytest.mark.parametrize(
    ("method", "name", "key"),
    [
        ("result_files", "autoencoded_pate_results", "autoencoded_pate.results.tasks"),
        ("shown_files", "autoencoded_pate_masks", "autoencoded_pate.results.tasks"),
        ("curve_files", "autoencoded_pate_curves", "autoencoded_pate.results.tasks"),
        ("sensitivity_volumes", "autoencoded_pate_sensitivity", "autoencoded_pate.sensitivity.tasks"),
        ("formula_of_test_masks", "autoencoded_pate_pca", "autoencoded_pate.pca.tasks"),
        ("formula_with_what_is_lost", "compressed_pate_theorem4", "compressed_pate.fig1.tasks"),
        ("fig1_sweeps", "compressed_pate_fig1", "compressed_pate.fig1.tasks"),
        ("fig2_sweeps", "compressed_pate_fig2", "compressed_pate.fig2.tasks"),
        ("fig3_files", "compressed_pate_fig3", "compressed_pate.fig3.tasks"),
        ("limit_files", "compressed_pate_limits", "compressed_pate.limits.tasks"),
        ("external_sweeps", "compressed_pate_external", "compressed_pate.external"),
        ("external_files", "compressed_pate_external", "compressed_pate.external"),
    ],
)
def test_a_result_that_is_switched_off_is_refused_by_name(method, name, key):
    with pytest.raises(InputError, match=rf"^{name}: preset quick does not have it; set {key}$"):
        getattr(planned(OFF), method)(SimpleNamespace(repetition="1"))
    assert getattr(planned(EXTERNAL), method)(SimpleNamespace(repetition="1"))


def test_where_nothing_is_asked_for_nothing_runs():
    plan = planned(OFF)
    units = (plan.encoder_units, plan.code_units, plan.student_units, plan.limit_units, plan.fig2_units)
    assert not any(units)

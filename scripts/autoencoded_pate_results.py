"""The Dice of PATE's students at one budget, beside all that they must be compared with."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from lib.core.command import command, run
from lib.core.seeding import generator
from lib.pate.encoded_mean import capacity
from lib.reporting.claims.cells import read_table
from lib.reporting.records import read_records
from lib.reporting.results import by_job, data_name, numbers, statement
from lib.reporting.tables import write_table
from lib.segmentation.patients import columns_of, interval
from lib.segmentation.released import with_costs
from pate_accountant.rdp import order_grid
from pate_accountant.run_statements import replaced_statement
from pate_accountant.statement import PrivacyStatement
from pate_accountant.training_run import TrainingRun

REGIONS = ("oedema", "non_enhancing", "enhancing", "first", "second", "whole", "core")
CLASSES = REGIONS[:5]
METHODS = {"identity": "voxel by voxel", "pca": "PCA-PATE", "ball": "Autoencoded PATE", "clip": "Compressed PATE"}
TOLD = {"truth": "student on true labels", "mean_mask": "student on the mean mask"}


class Patients:
    """Results of each test patient, from the tables beside the records: for intervals over patients."""

    def __init__(self, files: list[Path], seed: int) -> None:
        """files: tables by patient, .csv; seed: of the intervals."""
        self._table, self._seed = pd.concat(map(read_table, files)), seed

    def intervals(self, *job: str, unit: str | None = None, labelling: str | None = None) -> dict[str, float | None]:
        """dice_low to dice_whole_high of all repetitions of a job together, its patients being drawn anew.

        Repetitions share patients, who are drawn with what they got in each.
        """
        table = self._table[(self._table["job"] == " ".join(job)) & (self._table["measure"] == "dice")]
        for column, wanted in (("unit", unit), ("labelling", labelling)):
            if wanted is not None:
                table = table[table[column] == wanted]
        found: dict[str, Any] = {}
        for name, columns in (("dice", columns_of(table.dropna(axis=1, how="all"))), ("dice_whole", ["dice_whole"])):
            rng = generator(self._seed, "intervals", *job, str(unit), str(labelling), name)
            ends = interval(table, columns, rng)
            found |= dict(zip((f"{name}_low", f"{name}_high"), ends, strict=True))
        return found


def row_of(
    method: str, records: list[dict], task: dict, name: str = "dice", epsilon: PrivacyStatement | None = None, **more
) -> dict:
    """One row: mean Dice over repetitions, of all classes, of each, and of nested regions."""
    row = {"dataset": task["label"], "stands_for": task["stands_for"], "protocol": task["protocol"], "method": method}
    row |= {"noise": more.get("noise", "none"), "encoder": more.get("encoder", ""), "epsilon": epsilon}
    row["neighbouring"] = epsilon.neighbouring if epsilon else ""
    row |= {"budget": more.get("budget"), "main": "yes" if more.get("main") else "no", "delta": more.get("delta")}
    row |= {key: more.get(key) for key in ("sigma", "radius", "sigma_train", "latent_dim", "coded_classes")}
    row |= {key: more.get(key) for key in ("teachers", "queries")}
    labels = [f"{whose}_{measure}dice_whole" for whose in ("label", "encoder") for measure in ("", "tuned_")]
    row |= {key: more.get(key) for key in ("bits", "bits_all", *labels)}
    regions = [f"dice_{region}" for region in REGIONS]
    for column in ("dice", *regions, "tuned_dice_whole", "hd95", "own_dice_whole"):
        # the measure's name comes last in a record's, after whose it is
        measured = name[: -len("dice")] + column
        found = numbers(records, measured), numbers(records, measured, private=True)
        row[column], row[f"{column}_spread"] = found[0] if found[0][0] is not None else found[1]
    if all(row[f"dice_{region}"] is None for region in CLASSES):  # a network that tells no classes apart
        row["dice"] = row["dice_spread"] = None
    # of the whole at the threshold that is best on public volumes, where one was chosen: noise makes masks faint
    whole = "dice_whole" if row["tuned_dice_whole"] is None else "tuned_dice_whole"
    compared = "dice" if (row["coded_classes"] or task["coded_classes"]) == task["classes"] > 1 else whole
    row |= {f"dice_compared{end}": row[f"{compared}{end}"] for end in ("", "_spread")}
    return (
        row
        | more.get("intervals", {})
        | {
            "paper_dice": more.get("paper"),
            "seeds": len(records),
            "sanitized": False,  # each row has Dice on private volumes, that of its own ones or of its labels
            "data": data_name(records[0]),
        }
    )


def method_of(encoder: dict) -> str:
    """Return the papers' name of a student on such latent codes; the encoder's kind where no paper has it."""
    return METHODS.get(encoder.get("bound", encoder["kind"]), encoder["kind"])


def student_rows(
    records: list[Path], codes: list[Path], patients: Patients, tasks: dict, published: dict, judged: dict
) -> Iterator[dict]:
    """Rows of students: with noise, without, on true labels and on the mean mask. judged: the
    encoder and the budget that claims are about."""
    released = {tuple(record["job"][1:]): record for path in codes for record in read_records(path)}
    for (_, task, source, encoder), found in by_job(records).items():
        if source not in ("teachers", *TOLD):
            continue
        parameters = found[0]["parameters"]
        for labelling in parameters["labellings"]:
            name, kept = f"{labelling['name']} dice", {"queries": labelling["queries"]}
            unit = f"{source}/{encoder}"
            kept["intervals"] = patients.intervals("train_mask_students", task, unit=unit, labelling=labelling["name"])
            if source in TOLD:
                yield row_of(TOLD[source], found, tasks[task], name, **kept)
                continue
            method = method_of(parameters["encoder"])
            answers = [released[task, source, encoder, record["job"][-1]] for record in found]
            trained = encoder.partition("-")[0]  # of an encoder a budget, the name that they share
            kept |= {"encoder": trained, "latent_dim": int(answers[0]["metrics"]["latent_dim"])}
            kept["radius"] = answers[0]["metrics"]["radius"]
            kept["coded_classes"] = parameters["encoder"].get("coded_classes", tasks[task]["coded_classes"])
            kept |= {
                "sigma_train": parameters["encoder"].get("recipe", {}).get("sigma"),
                "main": trained == judged["encoder"] and labelling["epsilon"] in (None, judged["epsilon"]),
            }
            kept |= {"teachers": labelling["teachers"]}
            for measure in ("dice_whole", "tuned_dice_whole"):
                own = f"{labelling['name']} {measure}"
                kept[f"label_{measure}"] = numbers(answers, own, private=True)[0]
                # of every repetition: a control asks for the worst
                kept[f"encoder_{measure}"] = min(record["private_metrics"][f"encoder_{measure}"] for record in answers)
            if labelling["epsilon"] is not None:
                epsilon, _ = statement(with_costs(answers), f"{labelling['name']} {labelling['route']}")
                sigma = answers[0]["metrics"][f"sigma {labelling['name']}"]
                kept |= {"epsilon": epsilon, "noise": "calibrated", "delta": labelling["delta"], "sigma": sigma}
                kept["budget"] = labelling["epsilon"]
                kept["bits"] = capacity(sigma, kept["latent_dim"], kept["radius"])
                kept["bits_all"] = kept["bits"] * labelling["queries"]
                # the paper's is a mean over all classes, at this epsilon
                whole = kept["coded_classes"] == tasks[task]["classes"] and method == "Autoencoded PATE"
                kept["paper"] = published["student"] if whole and labelling["epsilon"] == judged["epsilon"] else None
            yield row_of(f"{method} student", found, tasks[task], name, **kept)


def private_training(record: dict) -> dict[str, PrivacyStatement]:
    """Return the cost of a training by DP-SGD, `joint`, where one patient is replaced; empty without noise."""
    spent = record["parameters"]["spent"]
    if spent is None:
        return {}
    run, orders = TrainingRun(**spent["run"]), order_grid(**spent["orders"])
    return {"joint": replaced_statement(run, orders, record["parameters"]["sgd"]["delta"])}


@command
def main(
    students: list[Path],
    codes: list[Path],
    baselines: list[Path],
    sgd: list[Path],
    patients: list[Path],
    tasks: dict,
    published: dict,
    judged: dict,
    seed: int,
    table: Path,
    privacy: Path,
) -> None:
    """Write the table.

    students: records of students. codes: records of what was released to them. baselines: records of teachers together,
    and the mean mask. sgd: records of the DP-SGD baseline. patients: what each patient gets of all these, .csv. tasks:
    the tasks' blocks of the configuration, by name. published: Dice in the paper: student, teachers, dp_sgd. judged:
    the encoder and the epsilon that claims are about. seed: of the intervals. table: the table to write, .csv. privacy:
    the meaning of its epsilons to write, .csv.
    """
    beside = Patients(patients, seed)
    rows = list(student_rows(students, codes, beside, tasks, published, judged))
    for (_, task), found in by_job(baselines).items():
        kept = {"teachers": tasks[task]["teachers"]}
        for method, who, more in (
            ("teachers' average", "average", kept | {"paper": published["teachers"]}),
            ("teachers' ensemble", "ensemble", kept),
            ("mean mask", "mean_mask", {}),
        ):
            more |= {"intervals": beside.intervals("measure_mask_teachers", task, unit=who)}
            rows.append(row_of(method, found, tasks[task], f"{who}_dice", **more))
    for (_, task, noise), found in by_job(sgd).items():
        epsilon, _ = statement([record | {"privacy": private_training(record)} for record in found], "joint")
        kept = {"noise": "calibrated" if noise == "budget" else noise}
        kept |= {"sigma": found[0]["metrics"]["sigma"], "paper": published["dp_sgd"] if noise == "budget" else None}
        kept |= {"intervals": beside.intervals("train_mask_dp_sgd", task, noise)}
        if epsilon is not None:
            kept["delta"] = found[0]["parameters"]["sgd"]["delta"]
        rows.append(row_of("DP-SGD", found, tasks[task], epsilon=epsilon, **kept))
    rows.sort(
        key=lambda row: list(tasks.values()).index(next(t for t in tasks.values() if t["label"] == row["dataset"]))
    )
    write_table(table, privacy, rows, key=("dataset", "method", "noise", "encoder", "queries", "sigma"))


if __name__ == "__main__":
    run(main)

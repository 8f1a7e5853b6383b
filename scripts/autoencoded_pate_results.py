"""The Dice of PATE's students at one budget, beside all that they must be compared with."""

from collections.abc import Iterator
from pathlib import Path

from lib.accounting.statement import PrivacyStatement
from lib.core.command import command, run
from lib.reporting.records import read_records
from lib.reporting.results import by_job, data_name, numbers, statement
from lib.reporting.tables import write_table

REGIONS = ("oedema", "non_enhancing", "enhancing")
METHODS = {"identity": "voxel by voxel", "pca": "PCA-PATE", "ball": "Autoencoded PATE", "clip": "Compressed PATE"}


def row_of(
    method: str, records: list[dict], task: dict, name: str = "dice", epsilon: PrivacyStatement | None = None, **more
) -> dict:
    """One row: mean Dice over repetitions, of all classes and of each."""
    row = {"dataset": task["label"], "stands_for": task["stands_for"], "protocol": task["protocol"], "method": method}
    row |= {"noise": more.get("noise", "none"), "encoder": more.get("encoder", ""), "epsilon": epsilon}
    row |= {"main": "yes" if more.get("main") else "no", "delta": more.get("delta")}
    row |= {key: more.get(key) for key in ("sigma", "sigma_train", "latent_dim", "teachers", "queries", "label_dice")}
    for column in ("dice", *(f"dice_{region}" for region in REGIONS), "tuned_dice"):
        measured = name.replace("dice", "tuned_dice") if column == "tuned_dice" else column.replace("dice", name, 1)
        found = numbers(records, measured), numbers(records, measured, private=True)
        row[column], row[f"{column}_spread"] = found[0] if found[0][0] is not None else found[1]
    return row | {
        "paper_dice": more.get("paper"),
        "seeds": len(records),
        "sanitized": more.get("sanitized", False),
        "data": data_name(records[0]),
    }


def method_of(encoder: dict | None) -> str:
    """What the papers call a student on such codes; the encoder's kind where no paper has it."""
    return METHODS.get(encoder.get("bound", encoder["kind"]), encoder["kind"])


def student_rows(
    records: list[Path], codes: list[Path], tasks: dict, published: dict, main_encoder: str, sources: list[str]
) -> Iterator[dict]:
    """Rows of students: with noise, without, and on true labels."""
    released = {tuple(record["job"][1:]): record for path in codes for record in read_records(path)}
    for (_, task, source, encoder), found in by_job(records).items():
        if source not in sources:
            continue
        parameters = found[0]["parameters"]
        for labelling in parameters["labellings"]:
            name, kept = f"{labelling['name']} dice", {"queries": labelling["queries"]}
            if source == "truth":
                yield row_of("student on true labels", found, tasks[task], name, **kept)
                continue
            answers = [released[task, source, encoder, record["job"][-1]] for record in found]
            kept |= {"encoder": encoder, "latent_dim": int(answers[0]["metrics"]["latent_dim"])}
            kept |= {
                "sigma_train": parameters["encoder"].get("recipe", {}).get("sigma"),
                "main": encoder == main_encoder,
            }
            kept |= {"teachers": labelling["teachers"], "label_dice": numbers(answers, name, private=True)[0]}
            if labelling["epsilon"] is not None:
                epsilon, _ = statement(answers, f"{labelling['name']} {labelling['route']}")
                sigma = answers[0]["metrics"][f"sigma {labelling['name']}"]
                kept |= {"epsilon": epsilon, "noise": "calibrated", "delta": labelling["delta"], "sigma": sigma}
                kept |= {"sanitized": True, "paper": published["student"] if encoder == main_encoder else None}
            yield row_of(f"{method_of(parameters['encoder'])} student", found, tasks[task], name, **kept)


@command
def main(
    students: list[Path],
    codes: list[Path],
    baselines: list[Path],
    sgd: list[Path],
    tasks: dict,
    published: dict,
    table: Path,
    privacy: Path,
    main_encoder: str,
    sources: list[str],
) -> None:
    """Write the table.

    students: records of students. codes: records of what was released to them. baselines: records of teachers together,
    and the mean mask. sgd: records of the DP-SGD baseline. tasks: the tasks' blocks of the configuration, by name.
    published: Dice in the paper: student, teachers, dp_sgd. table: the table to write, .csv. privacy: the meaning of
    its epsilons to write, .csv. main_encoder: the encoder that claims are about. sources: of labels, whose
    students are shown.
    """
    rows = list(student_rows(students, codes, tasks, published, main_encoder, sources))
    for (_, task), found in by_job(baselines).items():
        kept = {"teachers": tasks[task]["teachers"]}
        rows.append(
            row_of("teachers' average", found, tasks[task], "average_dice", paper=published["teachers"], **kept)
        )
        rows.append(row_of("teachers' ensemble", found, tasks[task], "ensemble_dice", **kept))
        rows.append(row_of("mean mask", found, tasks[task], "mean_mask_dice"))
    for (_, task, noise), found in by_job(sgd).items():
        epsilon, _ = statement(found, "joint")
        kept = {
            "noise": "calibrated" if noise == "budget" else noise,
            "delta": found[0]["parameters"]["sgd"]["delta"],
            "sanitized": True,
        }
        kept |= {"sigma": found[0]["metrics"]["sigma"], "paper": published["dp_sgd"]}
        rows.append(row_of("DP-SGD", found, tasks[task], epsilon=epsilon, **kept))
    rows.sort(
        key=lambda row: list(tasks.values()).index(next(t for t in tasks.values() if t["label"] == row["dataset"]))
    )
    write_table(table, privacy, rows, key=("dataset", "method", "noise", "encoder", "queries"))


if __name__ == "__main__":
    run(main)

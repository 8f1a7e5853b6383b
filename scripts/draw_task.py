"""Draw the data of one membership attack: the halves of the target and of the shadow, and the test set."""

from lib.attacks.task import PARTS, draw_task
from lib.data.grouped import all_negative, write_groups
from lib.data.samples import read_samples
from lib.records import write_record
from scripts import cli


def main(argv: list[str] | None = None) -> None:
    """Write the task, the record, and which patient is in which part where samples are patients'."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of images")
    cli.add_json(parser, "--task", "the task's block of the configuration")
    parser.add_argument("--samples", required=True, help="the task to write, .npz")
    parser.add_argument("--patients", required=True, help="the list of patients to write, .csv; empty without any")
    parser.add_argument("--output", required=True, help="the record to write")
    arguments = parser.parse_args(argv)
    block = arguments.task
    task, groups = draw_task(
        arguments.data,
        block["quarter"],
        block["test"],
        block["largest"],
        arguments.seed,
        tuple(arguments.job),
        block.get("patients"),
    )
    task.write(arguments.samples)
    if groups is None:
        with open(arguments.patients, "w", encoding="utf-8"):
            pass
    else:
        data = read_samples(arguments.data)
        write_groups(arguments.patients, groups, data.groups, data.y)
    counts = {name: len(task.rows(name)) for name in PARTS}
    deviation = (
        {f"{part}_class_{k}_beyond_target": n for part, own in groups.deviation.items() for k, n in enumerate(own)}
        if groups
        else {}
    )
    test = task.y[task.rows("test")]
    negative = {"all_negative_accuracy": all_negative(test)} if block["classes"] == 2 else {}
    write_record(
        arguments.output,
        job=arguments.job,
        preset=arguments.preset,
        seed=arguments.seed,
        dataset=arguments.dataset,
        fingerprint=task.fingerprint,
        parameters={"task": block},
        metrics={**counts, **{k: float(v) for k, v in negative.items()}},
        private_metrics=deviation,
    )


if __name__ == "__main__":
    cli.run(main)

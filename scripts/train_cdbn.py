"""Train a convolutional deep belief network: private by its releases, as published (no guarantee), or not private."""

from typing import Any

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, progress, run
from lib.dp_mac import cdbn
from lib.dp_mac import cdbn_published as published
from lib.dp_mac.curve_job import CurveJob
from lib.dp_mac.task import stated_classes
from lib.training.device import choose_device


@command
def main(curve: CurveJob, job: Job, training: Training) -> None:
    """Write the curve of test accuracy, the weights, and the record with what the training cost."""
    images, series, (repetition,) = curve.images(job), curve.series, curve.repetitions
    recipe: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in series["recipe"].items()
    }
    settings: Any
    train: Any
    spent: dict[str, Any] | None = None
    if series["method"] == "dp_cdbn_published":
        settings, train = published.PublishedSettings(**recipe), published.train_published
        if curve.epsilon is not None:
            spent = {"stated": {"published": published.claim(curve.epsilon, series["delta"])}}
    else:
        settings, train = cdbn.CdbnSettings(**recipe), cdbn.train_cdbn
        if curve.epsilon is not None:
            spent = {"stated": {"joint": cdbn.guarantee(curve.epsilon, series["delta"])}}
    x, test_x = (part[:, None] for part in (images.x, images.test_x))
    device = choose_device(training.device, training.threads)
    key = state_key(training.settings, digest("scripts/train_cdbn.py"), images.fingerprint)
    with Checkpoint(training.checkpoint, key) as checkpoint:
        trained = train(
            settings,
            x,
            images.labels,
            stated_classes(images, series["classes"]),
            curve.epsilon,
            job.seed,
            job.job,
            str(repetition),
            device,
            cdbn.accuracy(test_x, images.test_labels, device),
            checkpoint,
            progress("layers and epochs"),
        )
        curves, weights = {"test_accuracy": trained.curve[None]}, trained.arrays()
        curve.write(job, training.device, images.fingerprint, curves, weights, None, spent)
        checkpoint.remove()


if __name__ == "__main__":
    run(main)

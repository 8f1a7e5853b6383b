"""Train a convolutional deep belief network: private by its releases, as published (no guarantee), or not private."""

from typing import Any

from lib.core.command import Job, Training, command, run
from lib.dp_mac import cdbn
from lib.dp_mac import cdbn_published as published
from lib.dp_mac.curve_job import CurveJob
from lib.dp_mac.task import stated_classes
from lib.training.context import resumed


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
    classes = stated_classes(images, series["classes"])
    with resumed(job, training, __file__, images.fingerprint, "layers and epochs") as context:
        evaluate, own = cdbn.accuracy(test_x, images.test_labels, context.device), context.of(str(repetition))
        trained = train(settings, x, images.labels, classes, curve.epsilon, evaluate, own)
        curves, weights = {"test_accuracy": trained.curve[None]}, trained.arrays()
        curve.write(job, training.device, images.fingerprint, curves, weights, None, spent)


if __name__ == "__main__":
    run(main)

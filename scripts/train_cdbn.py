"""Train a convolutional deep belief network: private by its releases, as published (no guarantee), or not private."""

from dataclasses import fields

import numpy as np
import torch

from lib.dp_mac.task import stated_classes
from lib.functional_mechanism import cdbn, published
from lib.training.device import choose_device
from scripts import cli
from scripts.curve import read_curve


def arrays(name: str, part: object) -> dict[str, np.ndarray]:
    """The tensors of a network, by the names of the fields and places that hold them."""
    if torch.is_tensor(part):
        return {name: part.detach().cpu().numpy()}
    inner = enumerate(part) if isinstance(part, list | tuple) else ()
    return {key: array for place, each in inner for key, array in arrays(f"{name}.{place}", each).items()}


def main(argv: list[str] | None = None) -> None:
    """Write the curve of test accuracy, the weights, and the record with what the training cost."""
    job = read_curve(__doc__, argv)
    arguments, series = job.arguments, job.series
    (repetition,) = arguments.repetitions
    recipe = {name: tuple(value) if isinstance(value, list) else value for name, value in series["recipe"].items()}
    if series["method"] == "dp_cdbn_published":
        settings, train = published.PublishedSettings(**recipe), published.train_published
        privacy = {"published": published.claim(arguments.epsilon, series["delta"])}
    else:
        settings, train = cdbn.CdbnSettings(**recipe), cdbn.train_cdbn
        privacy = {"joint": cdbn.privacy(arguments.epsilon, series["delta"])} if arguments.epsilon else {}
    x, test_x = (part[:, None] for part in (job.images.x, job.images.test_x))
    device = choose_device(arguments.device, arguments.threads)
    with job.checkpoint(__file__) as checkpoint:
        trained = train(
            settings,
            x,
            job.images.labels,
            stated_classes(job.images, series["classes"]),
            arguments.epsilon,
            arguments.seed,
            tuple(arguments.job),
            str(repetition),
            device,
            cdbn.accuracy(test_x, job.images.test_labels, device),
            checkpoint,
            cli.progress("layers and epochs"),
        )
        network = trained.network
        weights = {}
        for field in fields(network):
            weights |= arrays(field.name, getattr(network, field.name))
        job.write({"test_accuracy": trained.curve[None]}, weights, None, privacy)
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)

"""Students trained with the improved GAN of Salimans et al. (2016), section 5, with feature matching.

The published settings for MNIST (openai/improved-gan, train_mnist_feature_matching.py; for PATE
train_mnist_fm_custom_labels.py) are noted at each field of `GanSettings`.
"""

import copy

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lib.models.student_gan import GanClassifier, GanGenerator
from lib.pate import semi_supervised
from lib.pate.inner_epsilon_adam import InnerEpsilonAdam
from lib.pate.semi_supervised import Images, Student, StudentTrainer
from lib.pate.student_settings import GanSettings
from lib.training.context import Context
from lib.training.epochs import run_to_end


def unlabelled_loss(real: Tensor, generated: Tensor) -> Tensor:
    """Half the cross-entropy of "real" for logits `real` (n, K) plus half that of "generated" for the others.

    With Z = sum_k e^l_k an image is real with probability Z / (Z + 1) (Salimans et al., section 5, l_{K+1} = 0), so
    that -log p(real) = softplus(log Z) - log Z and -log p(generated) = softplus(log Z).
    """
    real_z, generated_z = real.logsumexp(1), generated.logsumexp(1)
    return 0.5 * (functional.softplus(real_z) - real_z).mean() + 0.5 * functional.softplus(generated_z).mean()


def feature_matching_loss(real: Tensor, generated: Tensor) -> Tensor:
    """Mean squared difference of the mean features (n, d) of two batches (Salimans et al., section 3.1)."""
    return (real.mean(0) - generated.mean(0)).square().mean()


class GanTrainer(StudentTrainer):
    """Classifier, generator and averaged classifier in training."""

    def __init__(self, images: Images, classes: int, settings: GanSettings, context: Context) -> None:
        """Networks with their data-dependent initial weights."""
        self.images, self.settings, self.context = images, settings, context
        self.steps = settings.epochs * max(1, len(images.pool) // settings.unlabelled_batch)
        pixels = images.pool[0].numel()
        noises, rng = (settings.input_noise, settings.hidden_noise), context.generator("classifier")
        self.classifier = GanClassifier(pixels, settings.hidden, classes, *noises, rng).to(context.device)
        rng = context.generator("generator")
        self.generator = GanGenerator(settings.latent, settings.generator, pixels, rng).to(context.device)
        first = self._flat(images.pool, "initial batch", 0, settings.initial_batch)
        self.classifier.standardise(first, self.noise("initial noise", 0))
        self.average = copy.deepcopy(self.classifier)
        for parameter in self.average.parameters():
            parameter.requires_grad_(False).zero_()
        self.modules: dict[str, nn.Module] = {
            "classifier": self.classifier,
            "generator": self.generator,
            "average": self.average,
        }
        betas = settings.beta1, settings.beta2
        self.optimizers: dict[str, torch.optim.Optimizer] = {
            "classifier adam": InnerEpsilonAdam(self.classifier.parameters(), 0.0, betas),
            "generator adam": InnerEpsilonAdam(self.generator.parameters(), 0.0, betas),
        }

    def _flat(self, images: Tensor, role: str, step: int, size: int) -> Tensor:
        """Return a batch of images as rows in [0, 1]."""
        return self.images.scaled(images[self.batch(role, step, images, size)]).flatten(1)

    def take(self, step: int) -> float:
        """One step of the classifier, then one of the generator, each on unlabelled images of its own."""
        settings = self.settings
        noise = self.noise("noise", step)
        rate = semi_supervised.learning_rate(settings.learning_rate, step, self.steps, settings.decay_start)
        rows = self.batch("labelled", step, self.images.labelled, settings.labelled_batch)
        labelled = self.images.scaled(self.images.labelled[rows]).flatten(1)
        real = self._flat(self.images.pool, "classifier pool", step, settings.unlabelled_batch)
        with torch.no_grad():
            generated = self.generator(len(real), noise)
        # the classifier treats every image by itself, so that the three batches may go through it as one
        sizes = [len(labelled), len(real), len(generated)]
        logits = self.classifier(torch.cat([labelled, real, generated]), noise).split(sizes)
        loss = semi_supervised.labelled_loss(logits[0], self.images.labels[rows])
        loss = loss + settings.unlabelled_weight * unlabelled_loss(logits[1], logits[2])
        semi_supervised.descend(self.optimizers["classifier adam"], loss, rate, settings.beta1)

        real = self._flat(self.images.pool, "generator pool", step, settings.unlabelled_batch)
        with torch.no_grad():
            target = self.classifier.features(real, noise)
        features = self.classifier.features(self.generator(len(real), noise), noise)
        matching = feature_matching_loss(target, features)
        semi_supervised.descend(self.optimizers["generator adam"], matching, rate, settings.beta1)
        self._update_average()
        return float(loss.detach() + matching.detach())

    @torch.no_grad()
    def _update_average(self) -> None:
        """Move the averaged weights, which start at 0, towards the newest ones."""
        for mean, newest in zip(self.average.parameters(), self.classifier.parameters(), strict=True):
            mean.lerp_(newest, 1 - self.settings.average_decay)

    @torch.no_grad()
    def predictor(self) -> GanClassifier:
        """Return the classifier with the averaged weights, divided by the weight that the zeros at the start have lost.

        The published code leaves this division out, which needs the average's time constant to be short.
        """
        network = copy.deepcopy(self.average)
        share = 1 - self.settings.average_decay**self.steps
        for parameter in network.parameters():
            parameter.div_(share)
        return network


def train_gan_student(
    x_labelled: np.ndarray,
    labels: np.ndarray,
    x_unlabelled: np.ndarray,
    classes: int,
    white: int,
    settings: GanSettings,
    context: Context,
) -> Student:
    """Train a student of labelled images (n, ...) uint8 with labels (n,), 0..classes-1, and others (u, ...) uint8.

    Images of any shape are flattened; pixels of value `white` become 1. All draws are keyed by (seed, job, step), so
    that a run resumed from its checkpoint ends with the same weights. Raises InputError for data that do not fit
    (`semi_supervised.make_images`) and for training that diverges.
    """
    images = semi_supervised.make_images(x_labelled, labels, x_unlabelled, classes, context.device, white)
    trainer = GanTrainer(images, classes, settings, context)
    run_to_end(trainer, context)
    trainer.check()
    network = trainer.predictor()
    return Student(lambda x: network(x.flatten(1)), context.device, white, 1000, network.dense)

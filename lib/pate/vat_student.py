"""Students trained with virtual adversarial training (Miyato et al., 2017, arXiv 1704.03976).

The published settings (takerum/vat_tf, train_semisup.py, vat.py and cnn.py: SVHN and CIFAR-10, no augmentation) are
noted at each field of `VatSettings`. The PATE paper used VAT on Glyph for 400 epochs with Adam and says no more.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lib.core.errors import InputError
from lib.models.student_vat import BATCH, UPDATE, VatClassifier
from lib.pate import semi_supervised
from lib.pate.semi_supervised import Images, Student, StudentTrainer
from lib.pate.student_settings import VatSettings
from lib.training.context import Context
from lib.training.epochs import run_to_end


def divergence(p: Tensor, q: Tensor) -> Tensor:
    """Mean over the batch of KL(softmax(p) || softmax(q)) for logits (n, K)."""
    log_p, log_q = functional.log_softmax(p, 1), functional.log_softmax(q, 1)
    return (log_p.exp() * (log_p - log_q)).sum(1).mean()


def conditional_entropy(logits: Tensor) -> Tensor:
    """Mean entropy of softmax(logits), logits (n, K) (equation 16 of the paper)."""
    log_p = functional.log_softmax(logits, 1)
    return -(log_p.exp() * log_p).sum(1).mean()


def unit(d: Tensor) -> Tensor:
    """Each d[i] divided by its L2 norm; where all of d[i] is 0 it stays so."""
    # divided by the largest entry first: the squares of tiny gradients would be 0 in float32
    flat = d.flatten(1)
    flat = flat / flat.abs().amax(1, keepdim=True).clamp_min(1e-30)
    return (flat / flat.norm(dim=1, keepdim=True).clamp_min(1e-30)).view_as(d)


def virtual_adversarial_direction(
    predict: Callable[[Tensor], Tensor], x: Tensor, logits: Tensor, start: Tensor, xi: float, iterations: int
) -> Tensor:
    """Return unit directions, shaped as x, in which the prediction changes most: power iteration (Algorithm 1, eq. 12).

    predict: logits of images, the same function at every call; logits: predict(x), as constants; start: random
    directions. The gradient of the divergence at xi*d is a finite difference of logits, so xi*d must change x by more
    than rounding does: by more than 1e-7 a pixel in float32. The published xi of 1e-6 is below that, and gave a
    perturbation with about half the divergence of one with xi between 0.01 and 1 where we tried (MNIST).
    """
    d = unit(start)
    for _ in range(iterations):
        moved = (xi * d).requires_grad_(True)
        (gradient,) = torch.autograd.grad(divergence(logits, predict(x + moved)), moved)
        d = unit(gradient)
    return d


class VatTrainer(StudentTrainer):
    """A network in training."""

    def __init__(self, images: Images, classes: int, settings: VatSettings, context: Context) -> None:
        """Make the initial network. Raises InputError for images that are not (h, w) or (h, w, c), or are too small."""
        self.images, self.settings, self.context = images, settings, context
        self.steps = settings.steps
        shape, least = tuple(images.pool.shape[1:]), 3 * 2 ** len(settings.blocks) if settings.blocks else 1
        if len(shape) not in (2, 3) or min(shape[:2]) < least:
            raise InputError(f"student: images of shape {shape}; needed: (h, w) or (h, w, c) with h, w >= {least}")
        self.planes = planes if settings.blocks else pixels
        network = VatClassifier(
            self.planes(images.pool[:1]).shape[1],
            settings.blocks,
            settings.top,
            classes,
            settings.slope,
            settings.dropout,
            settings.momentum,
            context.generator("network"),
        )
        # PyTorch's overloads of `to` lack a module's format
        self.network = network.to(context.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.modules: dict[str, nn.Module] = {"network": self.network}
        self.optimizers = {"adam": semi_supervised.make_adam(self.network, (settings.beta1, settings.beta2))}

    def _batch(self, role: str, images: Tensor, step: int, size: int) -> tuple[Tensor, Tensor]:
        """Rows of a batch, and their images as the network takes them."""
        rows = self.batch(role, step, images, size)
        return rows, self.planes(self.images.scaled(images[rows]))

    def take(self, step: int) -> float:
        """One step on labelled images and, unless supervised only, on images of the pool."""
        settings = self.settings
        rows, x = self._batch("labelled", self.images.labelled, step, settings.labelled_batch)
        dropout = self.noise("labelled dropout", step)
        loss = semi_supervised.labelled_loss(self.network(x, UPDATE, dropout), self.images.labels[rows])
        if settings.method != "supervised":
            loss = loss + self._unlabelled_loss(step)
        rate = semi_supervised.learning_rate(settings.learning_rate, step, self.steps, settings.decay_start)
        beta1 = settings.beta1 if step < settings.decay_start * self.steps else settings.beta1_decay
        semi_supervised.descend(self.optimizers["adam"], loss, rate, beta1)
        return float(loss.detach())

    def _unlabelled_loss(self, step: int) -> Tensor:
        """Return the virtual adversarial loss and, for vat_entropy, the conditional entropy, weighted."""
        settings = self.settings
        _, x = self._batch("pool", self.images.pool, step, settings.unlabelled_batch)

        def predict(images: Tensor) -> Tensor:
            # the same units are dropped at every call: else the divergence would measure dropout, not the perturbation
            return self.network(images, BATCH, self.noise("pool dropout", step))

        with_entropy = settings.method == "vat_entropy"
        with torch.set_grad_enabled(with_entropy):
            logits = predict(x)
        fixed = logits.detach()
        start = torch.randn(x.shape, generator=self.noise("direction", step), device=x.device)
        d = virtual_adversarial_direction(predict, x, fixed, start, settings.xi, settings.power_iterations)
        loss = settings.vat_weight * divergence(fixed, predict(x + settings.epsilon * d))
        return loss + settings.entropy_weight * conditional_entropy(logits) if with_entropy else loss


def planes(images: Tensor) -> Tensor:
    """Images (n, h, w) or (n, h, w, c) as (n, c, h, w)."""
    return images[:, None] if images.ndim == 3 else images.permute(0, 3, 1, 2)


def pixels(images: Tensor) -> Tensor:
    """Images (n, h, w) or (n, h, w, c) as (n, pixels, 1, 1), for a fully connected network."""
    return images.flatten(1)[:, :, None, None]


def train_vat_student(
    x_labelled: np.ndarray,
    labels: np.ndarray,
    x_unlabelled: np.ndarray,
    classes: int,
    white: int,
    settings: VatSettings,
    context: Context,
) -> Student:
    """Train a student of labelled images (n, h, w) or (n, h, w, c) uint8 with labels (n,), 0..classes-1, and others.

    x_unlabelled (u, ...) uint8, u >= 0; method `supervised` ignores it. Pixels of value `white` become 1. All draws
    are keyed by (seed, job, step), so that a run resumed from its checkpoint ends with the same weights. Raises
    InputError for data that do not fit (`semi_supervised.make_images`, `VatTrainer`) and for training that diverges.
    """
    images = semi_supervised.make_images(x_labelled, labels, x_unlabelled, classes, context.device, white)
    trainer = VatTrainer(images, classes, settings, context)
    run_to_end(trainer, context)
    trainer.check()
    return Student(lambda x: trainer.network(trainer.planes(x)), context.device, white, 500)

"""ResNet8 with residual perturbation, one or many that differ by their weights and their noise."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call

from lib.core.errors import InputError
from lib.models.resnet8 import ResNet8
from lib.models.stacking import stacked_logits
from lib.residual_perturbation.noise import NoiseForm


@dataclass(frozen=True, kw_only=True)
class PerturbedResNet8:
    """Architecture of networks trained together: see `ResNet8` and `NoiseForm`.

    Raises InputError for multiplicative noise without skip connections: there is no x^i to multiply.
    """

    channels: int
    classes: int
    widths: tuple[int, ...] = (16, 32, 64)
    skip: bool = True
    norm: str = "batch"
    groups: int = 8
    form: NoiseForm = field(default_factory=NoiseForm)

    def __post_init__(self) -> None:
        """Check that noise and network fit together, and the widths."""
        if self.form.strategy == "multiplicative" and not self.skip:
            raise InputError("strategy 'multiplicative' without skip connections: nothing is carried to be multiplied")
        try:
            self.module(np.random.default_rng(0))
        except ValueError as error:
            raise InputError(str(error)) from error

    def module(self, rng: np.random.Generator) -> ResNet8:
        """One network with weights drawn from `rng`, in training mode."""
        return ResNet8(self.channels, self.classes, rng, self.widths, self.skip, self.norm, self.groups)

    def draw(
        self,
        module: ResNet8,
        images: tuple[int, int, int],
        noisy: Sequence[tuple[bool, bool]],
        generators: Sequence[torch.Generator],
    ) -> dict[int, Tensor]:
        """Return standard normal draws (R, b, ...) for every site with noise; images: b, height, width.

        noisy: of each network, see `noisy_of`; one without noise of its own draws none, but is given zeros where
        another has some.
        """
        count, *size = images
        shapes = module.site_shapes(*size)
        drawn = {}
        for site in self.form.sites(*map(any, zip(*noisy, strict=True))):
            channels, *place = shapes[site]
            # drawn with the channels last, as images lie in memory
            normal = torch.zeros((len(noisy), count, *place, channels), device=generators[0].device)
            for own, strengths, generator in zip(normal, noisy, generators, strict=True):
                if site in self.form.sites(*strengths):
                    own.normal_(generator=generator)
            drawn[site] = normal.movedim(-1, 2)
        return drawn

    def logits(
        self,
        module: ResNet8,
        weights: dict[str, Tensor],
        x: Tensor,
        normals: dict[int, Tensor],
        gamma: Tensor,
        pi: Tensor,
        shared: bool = False,
        loop: bool | None = None,
    ) -> Tensor:
        """Logits (R, b, classes) of R networks, in the mode (training or not) of `module`, whose weights are not used.

        weights: parameters and buffers by name, each with a leading axis R; in training mode, running statistics are
        updated in place. x (R, b, channels, height, width), or with `shared` the same for all. normals: of `draw`;
        gamma, pi (R,). loop: see `stacked_logits`. On one core of a CPU, 5 networks on batches of 128 images of 32x32
        took 2.1 s a step at once (grouped convolutions) and 0.8 s one after the other, hence the default there.
        """
        noise = {f"normal {site}": normal for site, normal in normals.items()}

        def single(stack: dict[str, Tensor], x: Tensor) -> Tensor:
            own = {site: stack[f"normal {site}"] for site in normals}
            perturb = self.form.perturb(own, stack["gamma"], stack["pi"])
            return functional_call(module, {name: stack[name] for name in weights}, (x, perturb))

        return stacked_logits(single, {**weights, **noise, "gamma": gamma, "pi": pi}, x, shared, loop)


def noisy_of(gamma: np.ndarray, pi: np.ndarray) -> list[tuple[bool, bool]]:
    """Whether each of R networks has noise of gamma, and of pi (R,): known on the host before anything is drawn."""
    return [(bool(one > 0), bool(other > 0)) for one, other in zip(gamma, pi, strict=True)]

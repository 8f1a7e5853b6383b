"""Predictions of perturbed residual networks, alone or as ensembles: class probabilities, with noise in them."""

from collections.abc import Sequence

import numpy as np
import torch

from lib.core.errors import InputError
from lib.residual_perturbation.network import PerturbedResNet8, noisy_of
from lib.residual_perturbation.training import TrainedReplicas, checked_images, scaled
from lib.training.context import Context


def predicted_probabilities(
    network: PerturbedResNet8,
    trained: TrainedReplicas,
    x: np.ndarray,
    context: Context,
    draws: int = 1,
    ensembles: Sequence[Sequence[int]] | None = None,
    chunk: int = 128,
    loop: bool | None = None,
) -> np.ndarray:
    """Probabilities (E, N, classes), float64, of images x (N, height, width[, channels]) uint8.

    ensembles: members of each, as places among the replicas; default is every replica alone. An ensemble's
    probabilities are the softmax of its members' mean logits, and with several noise draws the mean over these.
    Members were trained independently, each by its own loss; in the public code of Wang et al. (2019, EnResNet), which
    names ensembles so, all members share one optimiser and the loss of their averaged logits. "EnNResNet8" does not
    say which; independent members can be shared among ensembles.

    Noise is keyed by the context's job, replica and draw, so the job must tell apart sets of images. `chunk` images are
    predicted at once; with noise it is a part of the result. Double precision keeps confidences apart that would all be
    1. Raises InputError for images or ensembles that do not fit.
    """
    x = checked_images(x, network)
    count = len(trained.names)
    ensembles = [[k] for k in range(count)] if ensembles is None else [list(members) for members in ensembles]
    if draws < 1 or chunk < 1:
        raise InputError(f"draws {draws}, chunk {chunk}: both must be at least 1")
    for members in ensembles:
        if not members or len(set(members)) < len(members) or min(members) < 0 or max(members) >= count:
            raise InputError(f"ensemble of {members}: allowed are different members from 0 to {count - 1}")
    device = context.device
    arrays = {name: torch.tensor(array, device=device) for name, array in trained.arrays.items()}
    weights = {name.removeprefix("weight."): a for name, a in arrays.items() if name.startswith("weight.")}
    gamma, pi = arrays["gamma"], arrays["pi"]
    noisy = noisy_of(trained.arrays["gamma"], trained.arrays["pi"])
    module = network.module(np.random.default_rng(0)).to(device).eval()
    total = np.zeros((len(ensembles), len(x), network.classes))
    for draw in range(draws):
        generators = [context.stream(name, f"noise {draw}") for name in trained.names]
        for start in range(0, len(x), chunk):
            images = torch.from_numpy(x[start : start + chunk]).to(device)
            seen = scaled(images.expand(count, *images.shape), arrays["shift"], arrays["factor"])
            normals = network.draw(module, (len(images), *images.shape[1:3]), noisy, generators)
            with torch.no_grad():
                logits = network.logits(module, weights, seen, normals, gamma, pi, loop=loop).double()
            for k, members in enumerate(ensembles):
                probabilities = logits[members].mean(0).softmax(1)
                total[k, start : start + chunk] += probabilities.cpu().numpy() / draws
    return total

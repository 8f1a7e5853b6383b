"""The shadow-model attack: a classifier learns on a model of the attacker's own what members' probabilities look like.

Salem et al. (2019, ML-Leaks, the first adversary), as Tao et al. use it (Section IV-A): a shadow model is trained on
D_shadow^train just like the target on its own data; the attack model learns to tell D_shadow^train from D_shadow^out
by the shadow's largest class probabilities, and is asked about the target's.
"""

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import nn

from lib.attacks.checks import checked_members, checked_probabilities
from lib.attacks.shadow_settings import AttackSettings
from lib.core.errors import InputError
from lib.core.lean_torch import spare_compiler
from lib.core.seeding import integer_seed


def largest(probabilities: np.ndarray, top: int) -> np.ndarray:
    """Return the `top` largest of each sample's class probabilities (N, classes), falling, (N, top) float32."""
    checked = checked_probabilities(probabilities)
    if top > checked.shape[1]:
        raise InputError(f"top {top}: there are only {checked.shape[1]} classes")
    return -np.sort(-checked, axis=1)[:, :top].astype(np.float32)


def shadow_scores(
    shadow: np.ndarray,
    member: np.ndarray,
    target: np.ndarray,
    settings: AttackSettings,
    seed: int,
    job: tuple[str, ...],
) -> np.ndarray:
    """Probability (N,), float64, that the attack model gives to each of the target's samples of being a member.

    shadow: probabilities (M, classes) that the shadow model gives to the samples of D_shadow, member (M,) whether each
    was trained on; target: the target's (N, classes). First weights and the order of every epoch are keyed by (seed,
    job). Runs on the CPU. Raises InputError for arrays that do not fit.
    """
    spare_compiler()
    x = torch.from_numpy(largest(shadow, settings.top))
    y = torch.from_numpy(checked_members(shadow[:, 0], member).astype(np.int64))
    asked = torch.from_numpy(largest(target, settings.top))
    generator = torch.Generator().manual_seed(integer_seed(seed, *job, "attack model"))
    with torch.random.fork_rng(devices=[]):  # what they draw at first is drawn anew below
        layers = [nn.Linear(settings.top, settings.hidden), nn.Linear(settings.hidden, 2)]
    for layer in layers:
        for parameter in layer.parameters():  # torch's own law, drawn from a generator of our own
            nn.init.uniform_(parameter, -(layer.in_features**-0.5), layer.in_features**-0.5, generator)
    model = nn.Sequential(layers[0], nn.ReLU(), layers[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.rate, fused=True)
    for _ in range(settings.epochs):
        for rows in torch.randperm(len(x), generator=generator).split(settings.batch):
            optimizer.zero_grad()
            F.cross_entropy(model(x.index_select(0, rows)), y.index_select(0, rows)).backward()
            optimizer.step()
    with torch.no_grad():
        scores = model(asked).double().softmax(1)[:, 1]
    if not scores.isfinite().all():
        raise InputError(f"attack model {' '.join(job)}: it diverged; take a smaller rate than {settings.rate}")
    return scores.numpy()

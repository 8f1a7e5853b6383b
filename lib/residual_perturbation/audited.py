"""Networks trained with and without a canary, or with one of two canaries in each of many slots: the runs of an audit.

Every run is a training of its own, with draws of its own. With and without a canary, all have the same images besides,
and what is known of a trained network is its loss on the canary, with a single draw of noise. It is a function of the
weights, of the scale of pixels that was found in training, and of new noise; so is what is known of slots.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lib.attacks.canary import Neighbours, Slots
from lib.attacks.lira import logit_confidence
from lib.core.errors import InputError
from lib.residual_perturbation.dp_sgd import train_residual_dp_sgd
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.prediction import predicted_probabilities
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, TrainedReplicas, train_residual
from lib.training.context import Context, silent
from lib.training.sgd_recipe import SgdRecipe
from pate_accountant.training_run import steps_per_epoch

MECHANISMS = ("strategy1", "plain", "dp_sgd")


@dataclass(frozen=True)
class Audited:
    """A way to train: `gamma` of Strategy I, 0 for no privacy; or DP-SGD, with the noise multiplier `sigma`.

    largest: the grey value that is white.
    """

    network: PerturbedResNet8
    recipe: ResidualRecipe | SgdRecipe
    gamma: float = 0.0
    sigma: float = 0.0
    largest: float = 255.0


def audited(mechanism: str, task: dict, channels: int) -> Audited:
    """Read a mechanism from a task's block of the configuration. InputError for settings that are not allowed."""
    if mechanism not in MECHANISMS:
        raise InputError(f"mechanism {mechanism!r}: allowed are {', '.join(MECHANISMS)}")
    largest = task.get("largest", Audited.largest)
    # a clip bounds what a sample moves only where no other sample sees it
    norm = "group" if mechanism == "dp_sgd" else "batch"
    widths = tuple(task.get("widths", PerturbedResNet8.widths))
    network = PerturbedResNet8(channels=channels, classes=task["classes"], widths=widths, norm=norm)
    if mechanism == "dp_sgd":
        return Audited(network, SgdRecipe(**task["sgd"]["recipe"]), sigma=task["sgd"]["sigma"], largest=largest)
    gamma = task["gamma"] if mechanism == "strategy1" else 0.0
    return Audited(network, ResidualRecipe(**task["recipe"]), gamma=gamma, largest=largest)


def with_one_more(recipe: SgdRecipe, samples: int) -> SgdRecipe:
    """Return the recipe for one record more than `samples` that leaves the mechanism as it was accounted for.

    Batch and rate are given for a number of samples, which is the neighbour's secret: each record's chance to be in a
    batch, the number of steps, and what a gradient moves must not tell it. For the optimizer `sgd`, whose steps are
    proportional to the rate over the batch; InputError for another.
    """
    if recipe.optimizer != "sgd":
        raise InputError(f"optimizer {recipe.optimizer!r}: allowed is sgd, whose steps follow the rate in proportion")
    grown = (samples + 1) / samples
    batch = min(recipe.batch * grown, samples + 1)
    while steps_per_epoch(samples + 1, batch) > steps_per_epoch(samples, recipe.batch):
        batch = float(np.nextafter(batch, np.inf))  # by rounding, a whole number of batches may become a bit more
    return replace(recipe, batch=batch, rate=recipe.rate * grown)


def canary_statistics(
    how: Audited, pair: Neighbours, with_canary: bool, runs: Sequence[int], context: Context
) -> np.ndarray:
    """Logarithm of the probability (len(runs),) that each run's network gives the canary's label: minus its loss.

    runs: their numbers; draws are keyed by the job, kind and number. No state is kept. A probability of 0 counts as the
    least number above it. Raises InputError as the training does.
    """
    names = [f"{'with' if with_canary else 'without'} {run}" for run in runs]
    replicas = [Replica(name, pair.rows(with_canary), how.gamma) for name in names]
    recipe = how.recipe
    if with_canary and isinstance(recipe, SgdRecipe):
        recipe = with_one_more(recipe, len(pair.y) - 1)
    own = replace(context, checkpoint=None, progress=silent)
    found = [
        predicted_probabilities(how.network, trained, pair.x[-1:], own.of("canary"))[:, 0, pair.y[-1]]
        for trained in _trained(how, recipe, pair, replicas, own)
    ]
    return np.log(np.maximum(np.concatenate(found), np.finfo(float).tiny))


def slot_differences(
    how: Audited, slots: Slots, second: np.ndarray, run: int, draws: int, context: Context
) -> tuple[np.ndarray, float]:
    """How much surer of each slot's first candidate than of its second the network of one run is, (m,).

    By the log odds of their labels, in the mean of so many draws of noise: whoever has the weights may draw as often.
    And its accuracy on those of its images that are no candidates, by the same draws; NaN where there are none: a
    network that fits nothing hides its canaries with all else. second (m,) bool: which slots took the second. Draws are
    keyed by job and run. Progress counts epochs. Raises InputError as the training does.
    """
    replica = Replica(f"run {run}", slots.rows(second), how.gamma)
    (trained,) = _trained(how, how.recipe, slots, [replica], context)
    candidates, others = slice(2 * slots.canaries), slice(2 * slots.canaries, None)

    def said(which: slice, name: str) -> np.ndarray:
        return predicted_probabilities(how.network, trained, slots.x[which], context.of(name), draws)[0]

    sure = logit_confidence(said(candidates, "candidates"), slots.y[candidates])
    labels = slots.y[others]
    accuracy = (said(others, "others").argmax(1) == labels).mean() if len(labels) else np.nan
    return sure[::2] - sure[1::2], float(accuracy)


def _trained(
    how: Audited,
    recipe: ResidualRecipe | SgdRecipe,
    records: Neighbours | Slots,
    replicas: Sequence[Replica],
    context: Context,
) -> list[TrainedReplicas]:
    """Train the replicas: together, or by DP-SGD one after the other. A checkpoint: for one replica."""
    x, y = records.x, records.y
    if isinstance(recipe, ResidualRecipe):
        return [train_residual(how.network, x, y, replicas, recipe, context, how.largest)]
    return [
        train_residual_dp_sgd(how.network, x, y, replica, recipe, how.sigma, context, how.largest)
        for replica in replicas
    ]

"""Settings of the shadow-model attack, without PyTorch, which takes long to import."""

from dataclasses import dataclass
from typing import Annotated

from lib.core.keywords import Count, Positive


@dataclass(frozen=True, kw_only=True)
class AttackNetwork:
    """The attack's classifier, a network with one hidden layer, and its training by Adam."""

    hidden: Annotated[Count, "Width."] = 64
    epochs: Annotated[Count, "Passes over the samples."] = 50
    batch: Annotated[Count, "Samples a step; not in the paper."] = 128


@dataclass(frozen=True, kw_only=True)
class AttackSettings(AttackNetwork):
    """The classifier of one attack.

    The paper's rate may end in a constant answer, whose AUC is 0.5 for any target: 1e-3 is to be run beside it.
    """

    rate: Annotated[Positive, "Learning rate."] = 0.1
    top: Annotated[Count, "Largest probabilities that it sees, 3 in the paper, 2 for two classes."] = 3

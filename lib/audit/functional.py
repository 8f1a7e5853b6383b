"""The functional mechanism under audit: one record that moves the sums by the whole sensitivity, in L1.

Images are of one pixel and two channels, features of one number, and there is no other record. What is looked at of a
release is the least of those coefficients that the record moves: Laplace noise makes them all large together e^epsilon
times as often with the record as without it.
"""

import numpy as np
import torch

from lib.audit.bound import Mechanism, one_by_one
from lib.audit.trial import INTACT, NO_CHECK, NO_SAMPLE, PURE_DELTA, Audited, Trial, rewound
from lib.dp_mac.cdbn import guarantee
from lib.dp_mac.cdbn_release import release_hidden, release_output
from pate_accountant.statement import PrivacyStatement

EPSILON = 2.0
CLIP = 0.5  # of a record's largest norm, in the hidden layer
LINEAR, QUADRATIC = 1.5, 0.5  # the output layer's epsilons, EPSILON together
# of the runs, each of which takes a third of a millisecond: of most trials, and where one record is replaced
SHARE, REPLACED_SHARE = 0.05, 0.4
NO_ROOM = {
    "sqrt2_forgotten": "Laplace noise is for a sensitivity in L1, which has no root",
    "threshold_not_charged": NO_CHECK,
    "not_poisson": NO_SAMPLE,
}
Places = tuple[tuple[int, int], ...]  # rows and columns of coefficients
# Of a hidden layer's moments of q = (1, first channel, second channel): what a record of the first channel alone moves,
# what a white one does, and what tells the first channel from the second, up and down.
FIRST, WHITE = ((0, 0), (0, 1), (1, 1)), ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
APART = ((0, 1), (1, 1)), ((0, 2), (2, 2))
# Of the output layer's sums of q = (1, feature), a row a class, with the moments below them: what a record of class 0
# moves, and what tells it from one of class 1.
CLASS, LABELS = ((0, 0), (0, 1), (2, 0), (2, 1), (3, 1)), (((0, 0), (0, 1)), ((1, 0), (1, 1)))


def _images(*records: tuple[float, float]) -> torch.Tensor:
    """Images (N, 2, 1, 1) of one pixel, or none at all."""
    return torch.tensor(records).reshape(len(records), 2, 1, 1)


def _features(*labels: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Features (N, 1), all of 1, and labels (N,)."""
    return torch.ones(len(labels), 1), torch.tensor(labels, dtype=torch.int64)


def _least(coefficients: torch.Tensor, up: Places, down: Places) -> float:
    """Return the least of what the record moves from 0 to 1, and of 1 less what the other one does."""
    return min([coefficients[place].item() for place in up] + [1 - coefficients[place].item() for place in down])


def _hidden(up: Places, down: Places = (), clip: float = CLIP, epsilon: float = EPSILON) -> Mechanism:
    """`_least` of a hidden layer's coefficients."""
    return lambda x, rng: _least(release_hidden(x, 1, 1, clip, epsilon, rng).matrix, up, down)


def _output(up: Places, down: Places = (), epsilons: tuple[float, float] = (LINEAR, QUADRATIC)) -> Mechanism:
    """Return the least of that for the output layer, of which no record is clipped."""

    def mechanism(given: tuple[torch.Tensor, torch.Tensor], rng: np.random.Generator) -> float:
        released = release_output(*given, 2, 1.0, epsilons, rng)
        return _least(torch.cat([released.linear, released.quadratic.matrix]), up, down)

    return mechanism


def _trial(
    mechanism: Mechanism, first: object, second: object, promised: PrivacyStatement, share: float = SHARE
) -> Trial:
    return Trial(one_by_one(mechanism), (first, second), promised, share)


def audited(delta: float) -> list[Audited]:
    """Both releases, promised as a pure epsilon whatever `delta` is."""
    once, twice = (PrivacyStatement.data_independent(**guarantee(times * EPSILON, PURE_DELTA)) for times in (1, 2))
    nobody, one, other, white = _images(), _images((1, 0)), _images((0, 1)), _images((1, 1))
    hidden = {
        INTACT: _trial(_hidden(FIRST), one, nobody, once),
        "sigma_halved": _trial(_hidden(FIRST, epsilon=2 * EPSILON), one, nobody, once),
        # the noise of `CLIP`, and nothing clipped
        "no_clipping": _trial(_hidden(WHITE, clip=1.0, epsilon=EPSILON / CLIP), white, nobody, once),
        "noise_reused": _trial(rewound(_hidden(((1, 1),))), (one, nobody), (nobody, nobody), twice),
        "add_or_remove_for_replace": _trial(_hidden(*APART), one, other, once, REPLACED_SHARE),
    }
    none, with_0, with_1 = _features(), _features(0), _features(1)
    output = {
        INTACT: _trial(_output(CLASS), with_0, none, once),
        "sigma_halved": _trial(_output(CLASS, epsilons=(2 * LINEAR, 2 * QUADRATIC)), with_0, none, once),
        # the noise of half the norm: sums are clipped to 1 of 2, moments to 1 of 3
        "no_clipping": _trial(_output(CLASS, epsilons=(2 * LINEAR, 3 * QUADRATIC)), with_0, none, once),
        "noise_reused": _trial(rewound(_output(((0, 1),))), (with_0, none), (none, none), twice),
        "add_or_remove_for_replace": _trial(_output(*LABELS), with_0, with_1, once, REPLACED_SHARE),
    }
    room = "lib.dp_mac.cdbn_release"
    return [
        Audited("functional_mechanism", "hidden layer", f"{room}.release_hidden", hidden, NO_ROOM),
        Audited("functional_mechanism", "output layer", f"{room}.release_output", output, NO_ROOM),
    ]

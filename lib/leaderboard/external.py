"""Methods that are not part of this project: a class that a person names, or predictions made elsewhere."""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lib.core.entry_points import named
from lib.core.errors import InputError
from lib.data.formats import read_npz
from lib.leaderboard.method import Given
from lib.leaderboard.network import Predict
from lib.leaderboard.task import Setting

ROUNDING = 1e-3  # how far from 1 the probabilities of a record may add up
MOST_BYTES = 2**30  # of an array of predictions, unpacked


class ExternalMethod(Protocol):
    """Interface of the class that `entry` names; docs/leaderboard.md has an example.

    It is made with a `Setting` and the block's `settings` as keywords. epsilon: what a fit costs at the setting's
    delta where one record is replaced, as the method itself says; None where it promises nothing.
    """

    epsilon: float | None

    def __init__(self, given: Setting, **settings: Any) -> None:
        """given: sizes, budget, and the largest pixel value; all public."""

    def fit(self, x: np.ndarray, y: np.ndarray, public_x: np.ndarray, rng: np.random.Generator) -> Predict:
        """Train on private records x (n, ...) with labels y (n,); public_x (p, ...) may be used, it has no labels here.

        Returns what gives probabilities (m, classes) of records (m, ...). All draws must come from rng.
        """


def claim(entry: str, epsilon: float | None, given: Setting) -> dict[str, float]:
    """Read what a method claims, which nothing here proves; InputError where it claims more than its budget."""
    if epsilon is None:
        if given.epsilon is not None:
            raise InputError(f"method {entry}: epsilon None; it was asked for {given.epsilon}; allowed is promises: no")
        return {}
    allowed = math.inf if given.epsilon is None else given.epsilon
    if not (isinstance(epsilon, int | float) and 0 < epsilon < math.inf and epsilon <= allowed):
        raise InputError(f"method {entry}: epsilon {epsilon!r}; allowed is a number above 0, at most {allowed}")
    return {"claimed": epsilon, "delta": given.delta}


def checked(found: Any, entry: str, records: int, classes: int) -> np.ndarray:
    """Probabilities (records, classes); InputError where something else came."""
    found = np.asarray(found)
    if found.shape != (records, classes) or found.dtype.kind != "f":
        raise InputError(
            f"method {entry}: predictions of shape {found.shape} and type {found.dtype}; allowed is a float array of "
            f"shape {(records, classes)}, a row a record"
        )
    if not np.isfinite(found).all() or found.min() < 0 or np.abs(found.sum(axis=1) - 1).max() > ROUNDING:
        raise InputError(f"method {entry}: predictions; allowed are probabilities that add up to 1 in each row")
    return found


class External:
    """A class of one's own as a `Method` of the board."""

    teachers = 0

    def __init__(self, settings: Mapping, given: Setting) -> None:
        """Take `entry`, MODULE:NAME of an `ExternalMethod`, and its `settings`. InputError where it is none."""
        self.entry, self.given = settings["entry"], given
        made = named(self.entry)
        own = settings.get("settings", {})
        if not callable(made):
            raise InputError(f"method {self.entry}: allowed is a class; docs/leaderboard.md")
        try:
            inspect.signature(made).bind(given, **own)
        except TypeError as error:
            raise InputError(f"method {self.entry}: settings {sorted(own)}: {error}") from error
        self.method = made(given, **own)
        for name in ("fit", "epsilon"):
            if not hasattr(self.method, name):
                raise InputError(f"method {self.entry}: it has no {name}; docs/leaderboard.md says what it needs")
        self.claimed = claim(self.entry, self.method.epsilon, given)

    def cost(self) -> dict[str, float]:
        """See `Method.cost`: what the method claims, no guarantee."""
        return self.claimed

    def parameters(self) -> dict[str, float]:
        """See `Method.parameters`; its own are in its block of the configuration."""
        return {}

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`; what it predicts is checked."""
        predict = self.method.fit(given.x, given.y, given.public.x, given.context.generator("external"))
        return lambda x: checked(predict(x), self.entry, len(x), self.given.classes)


@dataclass(frozen=True)
class Elsewhere:
    """Predictions that were made elsewhere, for frameworks that do not run here: a file a world.

    folder: of files `{budget}/{world}.npz`, budget an epsilon or `none`, with `probabilities` (2 slots, classes) of all
    candidates and `test_probabilities` (test, classes). epsilon: what is claimed of a model; None for nothing.
    """

    folder: Path
    epsilon: float | None
    given: Setting
    teachers: int = 0

    def cost(self) -> dict[str, float]:
        """See `Method.cost`: what is claimed, no guarantee."""
        return claim(str(self.folder), self.epsilon, self.given)

    def parameters(self) -> dict[str, float]:
        """See `Method.parameters`; none are known."""
        return {}

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`: what was predicted of the test set and of all candidates, told apart by their number."""
        path = self.folder.joinpath(*given.context.job[-2:]).with_suffix(".npz")
        tested = given.public.test_x
        parts = {"probabilities": 2 * self.given.samples, "test_probabilities": len(tested)}
        arrays = read_npz(path, list(parts), MOST_BYTES)
        found = {
            name: checked(arrays[name], f"{path}, {name}", size, self.given.classes) for name, size in parts.items()
        }

        def predict(x: np.ndarray) -> np.ndarray:
            # the board asks about two arrays, and candidates may be as many as test images
            name = "test_probabilities" if np.array_equal(x, tested) else "probabilities"
            if len(x) != parts[name]:
                raise InputError(f"{path}: asked about {len(x)} images; it has predictions of {parts}")
            return found[name]

        return predict

"""PATE on the leaderboard: teachers' votes about the public pool, a mechanism that answers, a student that learns.

Votes are private; what leaves a mechanism is not, and all that a student does with it is post-processing. Labels of the
pool are not used.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from lib.core.errors import InputError
from lib.leaderboard import simplex
from lib.leaderboard.calibration import (
    Budget,
    Calibrated,
    confident_noise,
    encoded_mean_noise,
    gnmax_noise,
    lnmax_noise,
)
from lib.leaderboard.method import CalibratedMethod, Given
from lib.leaderboard.network import Network, Predict, one_hot, train_network
from lib.pate.confident import NO_ANSWER, confident_gnmax, stop_after
from lib.pate.encoded_mean import noisy_means
from lib.pate.gnmax import gnmax
from lib.pate.interactive import TEACHERS, interactive_gnmax
from lib.pate.lnmax import lnmax
from lib.training.sgd_recipe import SgdRecipe
from pate_accountant.votes import check_votes

Answers = tuple[np.ndarray, np.ndarray]  # soft labels (a, classes) of the queries answered, and their rows (a,)
# what a student of some answers predicts for the queries, (q, classes); no private record but by those answers
Scores = Callable[[Answers], np.ndarray]
# from votes (q, classes), a generator, and that
Release = Callable[[np.ndarray, np.random.Generator, Scores], Answers]


@dataclass(frozen=True)
class Pate(CalibratedMethod):
    """A mechanism that answers the first `queries` of the pool, with its noise, and the student.

    noise: its parameters are in votes, an encoded mean's in its code's unit. student, recipe: its network, and how it
    is trained. codes: whether answers are means of all teachers' codes, which take a hundred times longer than counts.
    """

    release: Release
    noise: Calibrated
    queries: int
    teachers: int
    student: Network
    recipe: SgdRecipe
    codes: bool = False

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`; the private records enter by the votes alone.

        A student of no answers at all gives every class the same probability. Raises InputError for votes that are not
        those of so many teachers about at least so many queries.
        """
        votes, pool, context = given.votes, given.public.x, given.context
        if votes is None or not self.queries <= len(votes) <= len(pool):
            found = None if votes is None else len(votes)
            raise InputError(f"votes about {found} records: allowed are {self.queries} to {len(pool)}, the pool")
        asked = check_votes(votes[: self.queries], self.teachers)

        def student(answers: Answers, name: str) -> Predict:
            labels, rows = answers
            if not len(rows):
                classes = self.student.classes
                return lambda records: np.full((len(records), classes), 1 / classes)
            recipe = self.recipe if self.recipe.batch <= len(rows) else replace(self.recipe, batch=len(rows))
            return train_network(self.student, pool[rows], labels, recipe, 0.0, context.of(name))

        def scores(answers: Answers) -> np.ndarray:
            return student(answers, "student of the first round")(pool[: self.queries])

        return student(self.release(asked, context.generator("aggregation"), scores), "student")


def _hard(labels: np.ndarray, classes: int) -> Answers:
    """Released labels, NO_ANSWER left out, as one-hot rows, and which queries they answer."""
    rows = np.flatnonzero(labels != NO_ANSWER)
    return one_hot(labels[rows], classes), rows


def pate_lnmax(queries: int, teachers: int, student: Network, recipe: SgdRecipe, budget: Budget) -> Pate:
    """LNMax answers (Papernot et al. 2017)."""
    noise = lnmax_noise(queries, budget)

    def release(votes: np.ndarray, rng: np.random.Generator, scores: Scores) -> Answers:
        return _hard(lnmax(votes, noise.parameters["laplace_scale"], rng), student.classes)

    return Pate(release, noise, queries, teachers, student, recipe)


def pate_gnmax(queries: int, teachers: int, student: Network, recipe: SgdRecipe, budget: Budget) -> Pate:
    """GNMax answers (Papernot et al. 2018)."""
    return _pate_gnmax(queries, teachers, student, recipe, gnmax_noise(queries, budget))


def pate_gnmax_broken(queries: int, teachers: int, student: Network, recipe: SgdRecipe) -> Pate:
    """Control of the audit's power: the plurality itself, as GNMax that forgets the noise; it promises nothing."""
    return _pate_gnmax(queries, teachers, student, recipe, Calibrated({"sigma": 0.0}, {}))


def _pate_gnmax(queries: int, teachers: int, student: Network, recipe: SgdRecipe, noise: Calibrated) -> Pate:
    def release(votes: np.ndarray, rng: np.random.Generator, scores: Scores) -> Answers:
        return _hard(gnmax(votes, noise.parameters["sigma"], rng), student.classes)

    return Pate(release, noise, queries, teachers, student, recipe)


def pate_confident(
    queries: int,
    max_answered: int,
    ratio: float,
    share: float,
    teachers: int,
    student: Network,
    recipe: SgdRecipe,
    budget: Budget,
) -> Pate:
    """Confident-GNMax answers (Papernot et al. 2018, Algorithm 1), at most `max_answered` of them.

    ratio: sigma_threshold over sigma. share: of all teachers, which a plurality must pass.
    """
    noise = confident_noise(queries, max_answered, ratio, budget)
    found = noise.parameters

    def release(votes: np.ndarray, rng: np.random.Generator, scores: Scores) -> Answers:
        labels = confident_gnmax(votes, share * teachers, found["sigma_threshold"], found["sigma"], rng)
        return _hard(stop_after(labels, max_answered), student.classes)

    return Pate(release, noise, queries, teachers, student, recipe)


def pate_interactive(
    first: int,
    queries: int,
    max_answered: int,
    ratio: float,
    share: float,
    excess: float,
    confidence: float,
    teachers: int,
    student: Network,
    recipe: SgdRecipe,
    budget: Budget,
) -> Pate:
    """Interactive-GNMax (Papernot et al. 2018, Algorithm 2): two rounds, the second with a student of the first.

    first: queries of the first round, by Confident-GNMax with `share` as there. In the second teachers answer where
    their plurality exceeds the student's score by a share `excess`; else the student's class stands where its score is
    above `confidence`. Both rounds together check `queries` and let teachers answer at most `max_answered`, which is
    what the noise is calibrated for: what a round asks may depend on answers already released.
    """
    noise = confident_noise(queries, max_answered, ratio, budget)
    check, sigma = noise.parameters["sigma_threshold"], noise.parameters["sigma"]
    classes = student.classes

    def release(votes: np.ndarray, rng: np.random.Generator, scores: Scores) -> Answers:
        begun = stop_after(confident_gnmax(votes[:first], share * teachers, check, sigma, rng), max_answered)
        left = max_answered - int((begun != NO_ANSWER).sum())
        if not left:
            return _hard(begun, classes)
        predicted = scores(_hard(begun, classes))[first:]
        labels, source = interactive_gnmax(votes[first:], predicted, confidence, excess * teachers, check, sigma, rng)
        kept = len(stop_after(np.where(source == TEACHERS, labels, NO_ANSWER), left))
        return _hard(np.concatenate([begun, labels[:kept]]), classes)

    return Pate(release, noise, queries, teachers, student, recipe)


def pate_encoded_mean(queries: int, teachers: int, student: Network, recipe: SgdRecipe, budget: Budget) -> Pate:
    """Noisy means of the teachers' one-hot answers, encoded on a simplex (generalised PATE; Fay et al. 2020, 2022).

    Soft labels are the distributions nearest to what is decoded.
    """
    noise = encoded_mean_noise(queries, teachers, simplex.DIAMETER, budget)
    codes = simplex.codebook(student.classes)

    def of_teachers(votes: np.ndarray) -> Iterator[np.ndarray]:
        return (np.repeat(codes, counts, axis=0) for counts in votes)

    def release(votes: np.ndarray, rng: np.random.Generator, scores: Scores) -> Answers:
        radius, sigma = simplex.radius(student.classes), noise.parameters["sigma"]
        means = np.stack(list(noisy_means(of_teachers(votes), queries, teachers, radius, sigma, rng)))
        return simplex.nearest_distribution(simplex.decode(means)), np.arange(len(means))

    return Pate(release, noise, queries, teachers, student, recipe, codes=True)

"""The block residual_perturbation of the configuration."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, Len, Lt

from lib.attacks.shadow_settings import AttackNetwork
from lib.core.errors import InputError
from lib.core.keywords import (
    ABSENT,
    AS_GIVEN,
    EACH_ONCE,
    Count,
    Counts,
    Delta,
    Keywords,
    Name,
    NotNegative,
    Positive,
    Positives,
    Share,
    TwoOrMore,
    among,
    partly,
)
from lib.plan.accounting_block import Orders
from lib.residual_perturbation.residual_recipe import NoiseSettings, ResidualRecipe
from lib.training.sgd_recipe import ClippedRecipe

TaskName = Annotated[str, Keywords(title="task"), among("residual_perturbation.tasks"), "Data."]
MethodName = Annotated[
    str, Keywords(title="method"), among("residual_perturbation.methods"), "How networks are trained."
]
Gamma = Annotated[NotNegative, Keywords(title="noise coefficient"), "Noise coefficient."]
DatasetName = Annotated[str, among("datasets")]
Classes = Annotated[int, Ge(2), Le(100_000), "How many the labels have; stated, since labels are private."]
White = Annotated[float, Gt(0), Le(255), "The grey value that is white."]
Widths = tuple[Count, Count, Count]
BothClasses = tuple[Annotated[int, Ge(0)], Annotated[int, Ge(0)]]
Mechanism = Literal["strategy1", "dp_sgd", "plain"]
TABLES = Literal["table1", "table2", "table3", "table4", "table5", "skip", "readings"]
FIGURES = Literal["fig3", "fig4", "fig5", "fig6", "fig7", "fig9", "fig10", "fig11", "fig12"]


@dataclass(frozen=True, kw_only=True)
class AuditedRecipe(ClippedRecipe):
    """How a network is trained by DP-SGD."""

    optimizer: Annotated[Literal["sgd"], "Of the weights."] = "sgd"


@dataclass(frozen=True, kw_only=True)
class DpSgdRecipe(AuditedRecipe):
    """How a network is trained by DP-SGD, and for which delta its epsilon is stated."""

    sigma: Annotated[Positive, "Noise multiplier."]
    delta: Delta


@dataclass(frozen=True, kw_only=True)
class Patients:
    """How patients are divided; numbers of samples of both classes."""

    train: Annotated[BothClasses, "Of the training set."]
    test: Annotated[BothClasses, "Of the test set."]
    of: Annotated[BothClasses, "Of the whole they are meant for; they are scaled to what there is."]


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A training accuracy that the paper prints; a network is to come within 0.01 of its own."""

    method: MethodName
    gamma: Gamma
    members: Annotated[Count, "Networks in the ensemble, 1 where it is not given."] = ABSENT
    accuracy: Annotated[Share, "On the samples that it was trained on."]


@dataclass(frozen=True, kw_only=True)
class Task:
    """Data of attacks, and how networks are trained on them."""

    dataset: Annotated[DatasetName, "Of images."]
    label: Annotated[str, "Its name in tables."]
    stands_for: Annotated[str, "The paper's dataset, for which this is substitute data; by default its label."] = ABSENT
    classes: Classes
    largest: White
    quarter: Annotated[Count | None, "Images a model is trained on; null takes a quarter of all."]
    test: Annotated[Count | None, "Test images; null takes all."]
    top: Annotated[Count, "Largest probabilities that the attacker sees."]
    widths: Annotated[Widths, "Channels of the three stages."]
    patients: Patients = ABSENT
    recipe: Annotated[ResidualRecipe, AS_GIVEN]
    dp_sgd: Annotated[DpSgdRecipe, AS_GIVEN]
    protocol: Annotated[
        Literal["paper", "reduced", "shorter"],
        "Whether images, epochs and the like are the paper's. shorter: all but the passes over the data of networks "
        "without DP-SGD, whose number the paper does not state; where they fit their data as `fitted` says, or are "
        "trained for `passes`, they count as the paper's.",
    ]
    passes: Annotated[Count, "Of the paper's networks over the data at most; with protocol shorter."] = ABSENT
    fitted: Annotated[tuple[Fitted, ...], "Training accuracies that the paper prints."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Method:
    """Settings in which networks of a task differ."""

    title: Annotated[str, "The method's name in tables."]
    kind: str
    form: Annotated[NoiseSettings, AS_GIVEN, "How noise comes in."] = ABSENT
    skip: Annotated[bool, "Whether blocks have skip connections."] = ABSENT
    norm: Annotated[Literal["batch", "group"], "Normalisation of features."] = ABSENT
    groups: Annotated[Count, "Of group normalisation; they divide the widths. By default 8."] = ABSENT
    memorise: Annotated[TwoOrMore, "Images of each quarter with random labels: the positive control."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class ResidualMethod(Method):
    """With residual perturbation, or none of it."""

    kind: Annotated[Literal["residual"], "Trained with residual perturbation or none of it, or by DP-SGD."]
    recipe: Annotated[partly(ResidualRecipe), AS_GIVEN, "What differs from the task's recipe."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class DpSgdMethod(Method):
    """By DP-SGD."""

    kind: Literal["dp_sgd"]
    recipe: Annotated[partly(DpSgdRecipe), AS_GIVEN, "What differs from the task's dp_sgd."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Networks:
    """A target's networks, and as many of its shadow."""

    task: TaskName
    method: MethodName
    gammas: Annotated[tuple[NotNegative, ...], Len(1), EACH_ONCE, "Noise coefficients."]
    members: Annotated[Count, "Networks of the target and as many of its shadow."]
    shadow: Annotated[bool, "Whether shadow networks are trained; else the one attack cuts confidences."] = ABSENT
    repetitions: Annotated[Count, "Times that is done, on new data; by default those of the configuration."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Attack(AttackNetwork):
    """The attacks on every network and ensemble."""

    rates: Annotated[Positives, "Learning rates of the shadow attack's classifier, an attack each."]
    thresholds: Annotated[Positives, "Of its score."]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of attacks."""

    task: TaskName
    rows: Annotated[
        tuple[tuple[MethodName, Gamma, Annotated[Count, Keywords(title="members")]], ...],
        Len(1),
        "Method, noise coefficient and members of an ensemble.",
    ]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One method after several lengths of training."""

    title: Annotated[str, "Its name in the figure."]
    gamma: Gamma
    methods: Annotated[tuple[MethodName, ...], Len(1), "The shortest training first."]
    end: Annotated[str | None, "The method of the row of Table III in which the curve ends, longer trained, if any."]


@dataclass(frozen=True, kw_only=True)
class Tradeoff:
    """Test accuracy against the attack, over lengths of training, beside DP-SGD of Table III."""

    task: TaskName
    curves: Annotated[tuple[Curve, ...], Len(1), "A method each."]


@dataclass(frozen=True, kw_only=True)
class Point:
    """Area and accuracy that the paper prints of networks with some noise."""

    gamma: Annotated[Positive, Keywords(title="noise coefficient"), "Noise coefficient."]
    auc: Annotated[Share, "Of the attack."]
    test_accuracy: Share


@dataclass(frozen=True, kw_only=True)
class Floor:
    """A length of training, and an accuracy below which nobody trains longer."""

    epochs: Annotated[Count, "Passes over the data."]
    test_accuracy: Share


@dataclass(frozen=True, kw_only=True)
class Recipes:
    """Ways to train with noise beside what the paper prints at several noise coefficients."""

    task: TaskName
    points: Annotated[tuple[Point, ...], Len(2), "Of the paper, by rising noise."]
    tolerance: Annotated[Share, "By which a network near a point differs from it at most, in area and in accuracy."]
    floors: Annotated[tuple[Floor, ...], "At the largest noise; what is less accurate is excluded."]
    methods: Annotated[
        tuple[MethodName, ...],
        Len(1),
        EACH_ONCE,
        "Networks of the task at the points' noise, where there are some; else those of Table III.",
    ]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of attacks."""

    tasks: Annotated[tuple[TaskName, ...], Len(1), "Data; several for ROC curves alone."]
    method: Annotated[MethodName, "The method with noise, over all coefficients that are trained."]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """How the time of an epoch is measured."""

    images: Annotated[TwoOrMore, "In an epoch."]
    side: Annotated[int, Ge(4), "Their pixels."]
    batch: Annotated[TwoOrMore, "Images a step."]
    gamma: Annotated[Positive, "Noise coefficient."]
    epochs: Annotated[Count, "That are timed."]
    replicas: Annotated[TwoOrMore, "Networks trained together and in turn."]


@dataclass(frozen=True, kw_only=True)
class Sde:
    """Figures 1 and 8: a generated picture carried forward and recovered."""

    size: Annotated[int, Ge(16), "Pixels on a side."]
    steps: Annotated[Count, "Euler steps."]
    time: Annotated[Positive, "Time at which the features are taken."]
    noise: Annotated[Positive, "Noise coefficient, gamma."]
    pixels: Annotated[Positives, "Largest grey values, one row of the figure each."]
    blur: Annotated[int, Ge(0), "Pixels to every side over which a recovered picture is averaged."]


@dataclass(frozen=True, kw_only=True)
class Theorem:
    """Settings of Theorem 1 or 2."""

    dataset: Annotated[str, "Name in tables."]
    gammas: Annotated[Positives, "Noise coefficients of the residual mappings."]
    residual_bound: Annotated[Positive, "G or B, on the output of a residual mapping."]
    pi_share: Annotated[Positive, "Noise coefficient pi, of the input or of the output, over gamma."]


@dataclass(frozen=True, kw_only=True)
class Theorem1(Theorem):
    """Settings of Theorem 1."""

    published: Annotated[Positive, "The paper's epsilon."]
    epochs: Annotated[Positives, "T b / N, the uses of a sample."]
    input_bound: Annotated[Positive, "R, on the norm of the input."]


@dataclass(frozen=True, kw_only=True)
class Theorem2(Theorem):
    """Settings of Theorem 2."""

    mappings: Annotated[Count, "M, the number of residual mappings."]
    floor: Annotated[Positive, "eta, the least size of a feature that noise is multiplied by."]
    output_bound: Annotated[Positive, "a, on the norm of the last layer's weights."]


@dataclass(frozen=True, kw_only=True)
class PrintedRun:
    """A training by DP-SGD that the paper prints."""

    dataset: Annotated[str, "Name in tables."]
    samples: Annotated[Count, "Records."]
    epochs: Annotated[Count, "Of training."]
    published: Annotated[Positive, "The paper's epsilon."]


@dataclass(frozen=True, kw_only=True)
class PrintedDpSgd:
    """The baseline as printed."""

    delta: Delta
    sigma: Annotated[Positive, "Noise multiplier."]
    batch: Annotated[Count, "Expected size of a batch."]
    orders: Orders
    runs: Annotated[tuple[PrintedRun, ...], Len(1), "Trainings."]


@dataclass(frozen=True, kw_only=True)
class Rademacher:
    """Theorem 3: the simulation of complexities."""

    samples: Annotated[Count, "N, normal samples."]
    dimension: Annotated[Count, "d, numbers of a sample."]
    radius: Annotated[Positive, "c, the largest norm of w and of U."]
    power: Annotated[float, Gt(0), Lt(1), "p, a quotient of odd numbers."]
    time: Annotated[Positive, "T, at which the flow ends."]
    gammas: Annotated[Positives, "Noise coefficients."]
    draws: Annotated[TwoOrMore, "Vectors of signs for either class."]
    paths: Annotated[TwoOrMore, "Paths of the Brownian motion."]
    moves: Annotated[int, Ge(0), "Moves of the search for each draw's best U."]


@dataclass(frozen=True, kw_only=True)
class Theory:
    """The theorems, none of whose budgets is a guarantee, and what the baseline costs."""

    delta: Delta
    strategy1: Annotated[tuple[Theorem1, ...], Len(1), "Settings of Theorem 1."]
    strategy2: Annotated[tuple[Theorem2, ...], "Settings of Theorem 2."]
    dp_sgd: PrintedDpSgd
    rademacher: Rademacher


@dataclass(frozen=True, kw_only=True)
class Published:
    """The paper's lower bounds."""

    strategy1: Annotated[Positive, "Of Strategy I."]
    dp_sgd: Annotated[Positive, "Of DP-SGD."]


@dataclass(frozen=True, kw_only=True)
class AuditedSgd:
    """How DP-SGD trains."""

    sigma: Annotated[Positive, "Noise multiplier."]
    recipe: Annotated[AuditedRecipe, AS_GIVEN]


@dataclass(frozen=True, kw_only=True)
class AuditTask:
    """Data and trainings of an audit."""

    dataset: Annotated[DatasetName, "Of images."]
    label: Annotated[str, "Its name in tables."]
    variant: Annotated[str, "What distinguishes it from other audits of the same data; by default main."] = ABSENT
    stands_for: Annotated[str, among("residual_perturbation.audit.published"), "The paper's dataset."]
    protocol: Annotated[str, "paper, or what differs from it."]
    classes: Classes
    largest: White = ABSENT
    samples: Annotated[Count, "Images without the canary, or with those of slots, drawn from the training set."]
    runs: Annotated[Count, "Of each kind, with and without the canary; or how many with slots."]
    canaries: Annotated[Count, "Places of a training set for one of two images with wrong labels, by a coin."] = ABSENT
    guesses: Annotated[
        tuple[Annotated[float, Gt(0), Le(1)], ...],
        Len(1),
        EACH_ONCE,
        "Shares of these that are guessed; several share the error.",
    ] = ABSENT
    draws: Annotated[Count, "Samples of noise in a prediction of one of these images."] = ABSENT
    widths: Annotated[Widths, "Channels of the three stages; by default [16, 32, 64]."] = ABSENT
    together: Annotated[Count, "Runs that are trained at once and kept when the job is stopped."] = 10
    shard: Annotated[Count, "Runs of each kind that a job trains, a multiple of together; by default all."] = ABSENT
    gamma: Annotated[Positive, "Noise coefficient of Strategy I."]
    mechanisms: Annotated[
        tuple[Annotated[str, among("residual_perturbation.audit.mechanisms")], ...],
        Len(1),
        EACH_ONCE,
        "Ways to train it that are audited; by default all.",
    ] = ABSENT
    recipe: Annotated[ResidualRecipe, AS_GIVEN, "How Strategy I and plain train."]
    sgd: AuditedSgd

    def __post_init__(self) -> None:
        """Check that batches and canaries are among the samples, and shards are whole groups of networks."""
        if (self.canaries, self.guesses, self.draws).count(None) not in (0, 3):
            raise InputError(f"canaries = {self.canaries}: allowed are canaries, guesses and draws, or none of these")
        for name, value in (("canaries", self.canaries or 0), ("sgd.recipe.batch", self.sgd.recipe.batch)):
            if value > self.samples:
                raise InputError(f"{name} = {value:g}: allowed is at most samples = {self.samples}")
        # networks that are trained at once are the same ones in every shard
        if self.canaries is None and (self.shard or 0) % self.together:
            raise InputError(f"shard = {self.shard}: allowed are multiples of together = {self.together}")


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Section IV-F: lower bounds on epsilon, from runs with and without a canary, or with many in each."""

    level: Annotated[float, Gt(0), Lt(1), "Confidence of the bounds."]
    published: Annotated[dict[str, Published], "The paper's lower bounds, by its dataset."]
    mechanisms: Annotated[tuple[Mechanism, ...], Len(1), EACH_ONCE, "Ways to train; plain is without privacy."]
    chosen: Annotated[tuple[Annotated[str, among("residual_perturbation.audit.tasks")], ...], EACH_ONCE, "Audits."]
    tasks: Annotated[dict[Name, AuditTask], "Catalogue of data and trainings."]


@dataclass(frozen=True, kw_only=True)
class ResidualPerturbation:
    """Deep Learning with Data Privacy via Residual Perturbation (Tao et al.)."""

    tasks: Annotated[dict[Name, Task], "Catalogue of attacks' data by name."]
    methods: Annotated[dict[Name, ResidualMethod | DpSgdMethod], "Catalogue of what a task's networks differ by."]
    networks: Annotated[tuple[Networks, ...], "What is trained."]
    sizes: Annotated[Counts, "Members of ensembles, as far as there are so many."]
    attack: Annotated[Attack, AS_GIVEN]
    tables: Annotated[dict[TABLES, Table | None], "Tables by name; null where one is not made."]
    tradeoff: Annotated[Tradeoff | None, "Null where it is not made."]
    recipes: Annotated[Recipes | None, "Null where it is not made."]
    figures: Annotated[dict[FIGURES, Figure | None], "Figures by name; null where one is not made."]
    patches: Annotated[DatasetName, "The dataset that Figure 2 shows."]
    cost: Annotated[Cost | None, "Null where it is not measured."]
    sde: Sde
    theory: Theory
    audit: Audit

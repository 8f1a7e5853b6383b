"""The block leaderboard of the configuration."""

from dataclasses import dataclass, make_dataclass
from typing import Annotated, Literal, Union

from annotated_types import Ge, Gt, Le, Len, Lt

from lib.attacks.shadow_settings import AttackSettings
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
    TwoOrMore,
    among,
    partly,
)
from lib.dp_mac.mac_recipe import MacRecipe
from lib.leaderboard.method_settings import Groups, NetworkSettings, Stages
from lib.plan.accounting_block import Orders
from lib.plan.audit_block import Shares
from lib.residual_perturbation.residual_recipe import NoiseSettings, ResidualRecipe
from lib.training.sgd_recipe import ClippedRecipe, SgdRecipe


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method of the leaderboard."""

    title: Annotated[str, "Its name in tables and figures."]
    kind: str


@dataclass(frozen=True, kw_only=True)
class Plain(NetworkSettings, Method):
    """A network without privacy, or one that also knows its training records by heart."""

    kind: Annotated[Literal["plain", "memorised"], "Which one."]
    recipe: SgdRecipe


@dataclass(frozen=True, kw_only=True)
class Untouched(Plain):
    """A network that learns the public pool."""

    kind: Literal["untouched"]
    queries: Annotated[Count, "Records of the pool that it learns; by default all."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class DpSgd(NetworkSettings, Method):
    """DP-SGD, or the clipping without the noise; `warm`: how it is first trained on the pool's labels, if it is."""

    kind: Literal["dp_sgd", "dp_sgd_broken"]
    recipe: ClippedRecipe
    warm: SgdRecipe = ABSENT


@dataclass(frozen=True, kw_only=True)
class PrivateMacRecipe(MacRecipe):
    """How DP-MAC trains a network: by first orders, on Poisson samples."""

    expansion: Literal["first"] = "first"
    batches: Literal["poisson"] = "poisson"


@dataclass(frozen=True, kw_only=True)
class DpMac(Method):
    """DP-MAC with fixed thresholds; `warm`: how MAC first trains it on the pool's labels, if it does."""

    kind: Literal["dp_mac"]
    hidden: Annotated[Counts, "Widths of hidden layers."]
    activation: Annotated[Literal["relu", "tanh", "softplus"], "Of hidden layers."] = ABSENT
    bias: Annotated[bool, "Whether layers have one."] = ABSENT
    threshold: Annotated[Positive, "T_b of every layer."]
    recipe: PrivateMacRecipe
    warm: PrivateMacRecipe = ABSENT


@dataclass(frozen=True, kw_only=True)
class Residual(Method):
    """Residual perturbation of images."""

    kind: Literal["residual"]
    widths: Stages
    norm: Annotated[Literal["batch", "group"], "How its network is normalised."] = ABSENT
    groups: Groups = ABSENT
    gamma: Annotated[NotNegative, "Noise of residual perturbation."]
    pi: Annotated[NotNegative, "Noise on its input; by default as its form says."] = ABSENT
    form: NoiseSettings = ABSENT
    draws: Annotated[Count, "Samples of noise that a prediction is the mean over."] = ABSENT
    residual_bound: Annotated[Positive, "G of Theorem 1."]
    input_bound: Annotated[Positive, "R of Theorem 1."]
    recipe: ResidualRecipe


@dataclass(frozen=True, kw_only=True)
class Student(NetworkSettings):
    """A network that learns released answers."""

    recipe: SgdRecipe


@dataclass(frozen=True, kw_only=True)
class Pate(Method):
    """Teachers' answers to every query, and a student."""

    kind: Literal["lnmax", "gnmax", "gnmax_broken", "encoded_mean"]
    queries: Annotated[Count, "Records of the pool that are asked about."]
    teachers: Annotated[TwoOrMore, "How many it asks; by default leaderboard.teachers.count."] = ABSENT
    student: Student


@dataclass(frozen=True, kw_only=True)
class Confident(Pate):
    """Answers to the queries that pass a noisy check."""

    kind: Literal["confident_gnmax"]
    max_answered: Annotated[Count, "Teachers' answers after which a run stops."]
    ratio: Annotated[Positive, "The check's noise in that of an answer."]
    threshold: Annotated[float, "Of the check's votes, as a share of the teachers."]


@dataclass(frozen=True, kw_only=True)
class Interactive(Confident):
    """Answers where teachers differ from a first student."""

    kind: Literal["interactive_gnmax"]
    first: Annotated[Count, "Queries of the first round."]
    excess: Annotated[float, "Share of teachers by which they must differ from its student."]
    confidence: Annotated[NotNegative, "Above which its student's own class stands."]


@dataclass(frozen=True, kw_only=True)
class External(Method):
    """A method of one's own; docs/leaderboard.md."""

    kind: Literal["external"]
    promises: Annotated[bool, "Whether it claims to keep a budget, and runs at each."]
    entry: Annotated[
        str,
        Keywords(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*\Z"),
        "Its class, MODULE:NAME.",
    ]
    settings: Annotated[dict, "Keyword arguments of the class."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Predictions(Method):
    """Predictions made elsewhere."""

    kind: Literal["predictions"]
    promises: Annotated[bool, "Whether they claim to keep a budget, and are there for each."]
    folder: Annotated[  # without braces, in which Snakemake sees wildcards
        str, Keywords(pattern=r"^[^{}]+\Z"), "Of the predictions, budget/world.npz below it."
    ]


def _at_epsilons(kind: type) -> type:
    """Return a class of methods with what is different at an epsilon."""
    pair = tuple[Annotated[float, Keywords(title="epsilon")], Annotated[partly(kind), Keywords(title="settings")]]
    pairs = Annotated[tuple[pair, ...], "Pairs of an epsilon and what is different at it."]
    own = {"__doc__": kind.__doc__}
    return make_dataclass(
        kind.__name__, [("per_epsilon", pairs, ())], bases=(kind,), namespace=own, frozen=True, kw_only=True
    )


KINDS = (Plain, Untouched, DpSgd, DpMac, Residual, Pate, Confident, Interactive, External, Predictions)
AnyMethod = Union[tuple(map(_at_epsilons, KINDS))]  # noqa: UP007 (of a tuple)


@dataclass(frozen=True, kw_only=True)
class Features:
    """How images are described, learned from the public pool without labels (lib/leaderboard/features.py)."""

    patch: Annotated[TwoOrMore, "Pixels of a side of a patch."]
    kinds: Annotated[TwoOrMore, "Of patches; a record has four times as many numbers."]


@dataclass(frozen=True, kw_only=True)
class Attacks:
    """Membership attacks, and the audit."""

    shadow: Annotated[AttackSettings, AS_GIVEN]
    rates: Annotated[Shares, "False positive rates at which true ones are stated."]
    level: Annotated[float, Gt(0), Lt(1), "Confidence of intervals and bounds."]
    guesses: Annotated[Shares, "Shares of the canaries that the audit guesses at."]
    runs: Annotated[
        int, Ge(200), "Runs of each mechanism on either of two neighbouring inputs, or a share where one takes long."
    ]
    processes: Annotated[Count | None, "Jobs that attack all entries in turn; null: a job an entry."]


@dataclass(frozen=True, kw_only=True)
class Teachers:
    """Of all methods that ask teachers."""

    count: Annotated[TwoOrMore, "How many, for methods that do not say."]
    model: Annotated[str, among("models"), "Of each."]


@dataclass(frozen=True, kw_only=True)
class Leaderboard:
    """All methods on the same data, at the same budgets, under the same attacks (lib/leaderboard)."""

    device: Annotated[Literal["cpu"] | None, "cpu: also where the configured device is cuda; null: that one."] = None
    dataset: Annotated[str, among("datasets"), "Of images."]
    label: Annotated[str, "Its name in tables."]
    classes: Annotated[int, Ge(2), Le(100_000), "Its classes."]
    largest: Annotated[Positive, "Pixel value that becomes 1; of features, the number that is a standard deviation."]
    features: Annotated[Features | None, "Null: pixels."]
    slots: Annotated[TwoOrMore, "Private records of a training, each of a pair by a fair coin."]
    canaries: Annotated[Count, "Of these, records with wrong labels, for the audit."]
    public: Annotated[Count, "Records that students may ask teachers about."]
    test: Annotated[Count, "Records of the test set."]
    worlds: Annotated[int, Ge(3), "Trainings of a method; those not attacked are shadow models."]
    targets: Annotated[tuple[Annotated[int, Ge(0)], ...], Len(1), EACH_ONCE, "Trainings that are attacked, from 0."]
    shard: Annotated[Count, "Trainings a job."]
    delta: Delta
    epsilons: Annotated[Positives, "Budgets, one record replaced."]
    orders: Orders
    attacks: Attacks
    teachers: Teachers
    methods: Annotated[dict[Name, Annotated[AnyMethod, AS_GIVEN]], "Catalogue of methods."]
    chosen: Annotated[
        tuple[Annotated[str, among("leaderboard.methods")], ...], Len(1), EACH_ONCE, "Methods on the leaderboard."
    ]

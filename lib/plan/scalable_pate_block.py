"""The blocks ensembles and scalable_pate of the configuration."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, Len, Lt

from lib.core.errors import InputError
from lib.core.keywords import ABSENT, EACH_ONCE, Count, Delta, Keywords, Name, Positive, Share, TwoOrMore, among

Half = Annotated[float, Gt(0), Lt(0.5)]
ModelName = Annotated[str, among("models")]
DatasetName = Annotated[str, among("datasets")]
EnsembleName = Annotated[str, among("ensembles")]
EnsembleNames = Annotated[tuple[EnsembleName, ...], EACH_ONCE]
RunName = Annotated[str, among("scalable_pate.runs")]
RunNames = Annotated[tuple[RunName, ...], EACH_ONCE]
Factors = Annotated[tuple[Positive, ...], EACH_ONCE, Keywords(contains={"const": 1})]
Private = Annotated[TwoOrMore, "Samples divided among the teachers."]
Public = Annotated[Count, "Unlabelled samples that the student may ask about."]
Test = Annotated[Count, "Samples held out for the student's accuracy."]
Sigma = Annotated[Positive, "Standard deviation of the answer's noise, in votes."]
Noise = Annotated[
    Literal["continuous", "discrete"], "Law of the noise; discrete is exact, and has no data-dependent epsilon."
]


@dataclass(frozen=True, kw_only=True)
class Ensemble:
    """Who votes, and on what."""

    kind: str
    dataset: Annotated[DatasetName, "What the teachers learn, or the votes that were published."]
    label: Annotated[str, "Name of the data in tables."]
    stands_for: Annotated[str, "The paper's dataset for which this one is substitute data."] = ABSENT
    protocol: Annotated[str, "paper, or what is smaller than in the paper; own where nothing is said."] = "own"
    teachers: Annotated[TwoOrMore, "Number of teachers; disjoint parts of the private data."]
    draws: Annotated[Count, "How often it is trained anew; repetitions share these. By default all of them."] = ABSENT
    baseline_model: Annotated[ModelName, "The non-private baseline where it differs from the student's model."] = ABSENT
    baseline_protocol: Annotated[str, "What differs from the paper about the baseline."] = ABSENT
    baseline_samples: Annotated[TwoOrMore, "Private samples of a baseline that is a network; by default all."] = ABSENT
    largest: Annotated[int, Ge(1), Le(255), "Pixel value that becomes 1 for a VAT or a GAN; by default 255."] = ABSENT
    classes: Annotated[int, Ge(2), Le(100_000), "Number of classes."]


@dataclass(frozen=True, kw_only=True)
class TrainedEnsemble(Ensemble):
    """Teachers that are trained here."""

    kind: Annotated[Literal["trained"], "trained here, or votes that were published."]
    model: Annotated[ModelName, "What each teacher is."]
    shard: Annotated[Count, "Teachers trained in one job; by default all."] = ABSENT
    private: Private
    public: Public
    test: Test

    def __post_init__(self) -> None:
        """Check that each teacher has a sample."""
        if self.teachers > self.private:
            raise InputError(
                f"teachers = {self.teachers}: more teachers than private samples; allowed is at most private = "
                f"{self.private}"
            )


@dataclass(frozen=True, kw_only=True)
class PublishedEnsemble(Ensemble):
    """Votes that were published."""

    kind: Literal["published"]
    samples: Annotated[DatasetName, "Dataset whose test set the votes are about; without it no student."] = ABSENT
    labelled: Annotated[Literal[True], "The votes' dataset has the true labels of its queries."] = ABSENT
    private: Private = ABSENT
    public: Public = ABSENT
    test: Test = ABSENT
    same_test: Annotated[Literal[True], "The test samples are those that the paper reports on."] = ABSENT

    def __post_init__(self) -> None:
        """Check that samples are divided, and labels in one place."""
        sizes = ("private", "public", "test")
        if missing := [name for name in sizes if self.samples and getattr(self, name) is None]:
            raise InputError(f"samples = {self.samples!r}: needs the key {missing[0]!r}; required: {', '.join(sizes)}")
        if self.samples and self.labelled:
            raise InputError("labelled = True: allowed without samples, which have labels")


@dataclass(frozen=True, kw_only=True)
class Claims:
    """Identifiers in claims.csv of what the paper says of a run."""

    queries_answered: Annotated[str, "Answers in the paper."] = ABSENT
    epsilon: Annotated[str, "Epsilon in the paper."] = ABSENT
    student_accuracy: Annotated[str, "The student's accuracy in the paper."] = ABSENT


@dataclass(frozen=True, kw_only=True)
class Run:
    """A mechanism with its parameters on an ensemble's votes."""

    ensemble: Annotated[EnsembleName, "Whose votes."]
    aggregator: str
    queries: Annotated[
        Count | Literal["published", "authors_1000"],
        "The first ones of the pool; the list that came with the votes; or the rows of the authors' script on MNIST.",
    ]
    first: Annotated[int, Ge(0), "Row of the pool at which the queries begin."] = 0
    delta: Delta
    student: Annotated[ModelName | None, "Trained on the answers; null where there are no samples for it."] = None
    student_protocol: Annotated[str, "What is smaller about the student; by default the ensemble's."] = ABSENT
    claims: Claims = Claims()


@dataclass(frozen=True, kw_only=True)
class LnMax(Run):
    """The largest count with Laplace noise."""

    aggregator: Annotated[Literal["lnmax"], "The mechanism."]
    laplace_scale: Annotated[Positive, "Scale b of the Laplace density exp(-|x|/b)/(2b), in votes."]
    labels_laplace_scale: Annotated[Positive, "Scale of the noise on published labels, where it differs."] = ABSENT
    labels: Annotated[
        Literal["published"], "The student learns the labels that came with the votes, and no noise is drawn here."
    ] = ABSENT

    def __post_init__(self) -> None:
        """Check that published labels have no less noise than the run is charged for."""
        if self.labels and (self.labels_laplace_scale or 0) < self.laplace_scale:
            raise InputError(
                f"labels = {self.labels!r}: the run would be charged for noise of laplace_scale = {self.laplace_scale};"
                " allowed where labels_laplace_scale is stated, and at least that"
            )


@dataclass(frozen=True, kw_only=True)
class GnMax(Run):
    """The largest count with Gaussian noise."""

    aggregator: Literal["gnmax"]
    sigma: Sigma
    noise: Noise = ABSENT


@dataclass(frozen=True, kw_only=True)
class Checked(Run):
    """GNMax on queries that pass a noisy check."""

    sigma: Sigma
    sigma_threshold: Annotated[Positive, "Standard deviation of the check's noise, in votes."]
    threshold: Annotated[float, "Plurality to reach, in votes; may exceed the number of teachers."]
    max_answered: Annotated[Count, "Answers after which the run stops, so that its guarantee is known before."]

    def __post_init__(self) -> None:
        """Check that no more is answered than is asked."""
        if isinstance(self.queries, int) and self.max_answered > self.queries:
            raise InputError(f"max_answered = {self.max_answered}: allowed is at most queries = {self.queries}")


@dataclass(frozen=True, kw_only=True)
class ConfidentGnMax(Checked):
    """The check is whether the plurality is large."""

    aggregator: Literal["confident_gnmax"]
    noise: Noise = ABSENT


@dataclass(frozen=True, kw_only=True)
class InteractiveGnMax(Checked):
    """The check is whether the plurality differs from a student's prediction."""

    aggregator: Literal["interactive_gnmax"]
    first_round: Annotated[str, "A run of confident_gnmax, whose student's predictions decide what is asked."]
    confidence: Annotated[Share, "The student's own class stands where its probability exceeds this."]


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search by order of magnitude around the parameters of runs; its privacy cost is unaccounted."""

    runs: Annotated[RunNames, "Runs of confident_gnmax; none switches the search off."]
    threshold: Annotated[Factors, "Factors of the threshold, 1 among them."]
    sigma_threshold: Annotated[Factors, "Factors of the check's noise, 1 among them."]
    sigma: Annotated[Factors, "Factors of the answer's noise, 1 among them."]


@dataclass(frozen=True, kw_only=True)
class Tails:
    """The chance of another answer than the plurality, with Laplace and with Gaussian noise."""

    ratios: Annotated[tuple[Positive, ...], Len(1), "Differences of two counts over the noise's scale, increasing."]


@dataclass(frozen=True, kw_only=True)
class Fig1:
    """Students, epsilon and consensus of LNMax and Confident-GNMax, all on one ensemble."""

    students: Annotated[RunNames, "Runs with students, of the left panel; none switches the figure off."]
    curves: Annotated[RunNames, "A run of lnmax and one of confident_gnmax."]
    selection: Annotated[RunName, "A run of confident_gnmax, whose answers the right panel shows."]
    bins: Annotated[Count, "Bins of the plurality's share."]
    queries: Annotated[Count, "Queries in the histogram."]


@dataclass(frozen=True, kw_only=True)
class Fig4:
    """Label accuracy against epsilon. The first ensemble is the left panel's, all are the right's."""

    left: Annotated[EnsembleName | None, "Of the left panel; null switches the figure off, as does an empty right one."]
    right: Annotated[EnsembleNames, "Ensembles of the right panel."]
    queries: Annotated[Count, "Queries of the pool."]
    delta: Delta
    laplace_scale: Annotated[tuple[Positive, ...], Len(1), "Scales of LNMax."]
    sigma: Annotated[tuple[Positive, ...], Len(1), "Standard deviations of GNMax."]


@dataclass(frozen=True, kw_only=True)
class Fig5:
    """Queries that the noisy check selects, and its cost."""

    runs: Annotated[RunNames, "One of lnmax, a moderate and an aggressive one of confident_gnmax; none for no figure."]
    bins: Annotated[Count, "Bins of the plurality's share."]
    queries: Annotated[Count, "Queries in the histogram."]
    order: Annotated[float, Gt(1), "Renyi order of the cost of one answer."]


@dataclass(frozen=True, kw_only=True)
class Sanitize:
    """The release of a data-dependent epsilon. first, last, step: smoothness beta tried, as multiples of 1/order."""

    first: Annotated[Half, "First beta tried."] = 0.3
    last: Annotated[Half, "No beta tried is larger."] = 0.495
    step: Annotated[Positive, "Distance of two betas."] = 0.01
    fixed_beta: Annotated[Half, "Multiple of 1/order of the release whose parameters ignore the votes."] = 0.3
    fixed_sigma_ss: Annotated[Positive, "Noise of that release, as a multiple of the smooth sensitivity."] = 5.0

    def __post_init__(self) -> None:
        """Check that betas rise."""
        if self.first >= self.last:
            raise InputError(f"first = {self.first}: allowed is less than last = {self.last}")


AnyRun = LnMax | GnMax | ConfidentGnMax | InteractiveGnMax
AnyEnsemble = TrainedEnsemble | PublishedEnsemble


@dataclass(frozen=True, kw_only=True)
class ScalablePate:
    """Scalable Private Learning with PATE (Papernot et al. 2018)."""

    runs: Annotated[dict[Name, AnyRun], "Catalogue of aggregation runs by name."]
    table1: Annotated[RunNames, Len(1), "Runs that are rows of Table 1."]
    table2: Annotated[RunNames, Len(1), "Confident-GNMax runs whose epsilon is sanitised in Table 2."]
    epsilon: Annotated[RunNames, Len(1), "Runs drawn in the figure of epsilon against queries."]
    selection: Annotated[RunNames, "Runs with a check in the table of what is selected."]
    noiseless: Annotated[RunNames, "Confident ones with a student, beside which one is trained on noiseless labels."]
    teachers: Annotated[EnsembleNames, "In the table of teachers; their votes are about samples that are at hand."]
    search: Search
    tails: Tails
    fig1: Fig1
    fig3: Annotated[tuple[DatasetName, ...], Len(0, 1), "A generated dataset whose examples are shown, or none."] = ()
    fig4: Fig4
    fig5: Fig5
    sanitize: Sanitize = Sanitize()

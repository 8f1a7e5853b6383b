"""A privacy statement: an epsilon that cannot be separated from what it means."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

NEIGHBOURING = ("replace_one", "add_or_remove_one")
CONVERSIONS = ("classic", "tight", "moments", "none")


@dataclass(frozen=True, kw_only=True)
class PrivacyStatement:
    """One (epsilon, delta) statement with everything needed to read it.

    epsilon, delta: the numbers (natural-log units, probability).
    accountant: how the divergence was composed, e.g. ``rdp`` or ``moments(1..8)``.
    conversion: from divergence to (epsilon, delta): ``classic`` (Mironov 2017, Prop. 3), ``tight``
        (dp_accounting), ``moments`` (Abadi et al. 2016, Theorem 2) or ``none``.
    neighbouring: ``replace_one`` or ``add_or_remove_one``.
    data_dependent: the number is itself a function of the private data.
    sanitized: this very number was drawn by a mechanism of its own (smooth sensitivity), so it may be published.
    one_sided: it bounds the divergence from the data at hand to its neighbours, not the converse.
    guarantee: it is a proved bound; False for a paper's reading, e.g. an expectation over answers.
    """

    epsilon: float
    delta: float
    accountant: str
    conversion: str
    neighbouring: str
    data_dependent: bool
    sanitized: bool
    one_sided: bool
    guarantee: bool

    def __post_init__(self) -> None:
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon must be finite and at least 0, got {self.epsilon}")
        if not 0 < self.delta < 1:
            raise ValueError(f"delta must lie in (0, 1), got {self.delta}")
        if self.neighbouring not in NEIGHBOURING:
            raise ValueError(f"neighbouring must be one of {NEIGHBOURING}, got {self.neighbouring!r}")
        if self.conversion not in CONVERSIONS:
            raise ValueError(f"conversion must be one of {CONVERSIONS}, got {self.conversion!r}")
        if self.sanitized and not self.data_dependent:
            raise ValueError("only a data-dependent epsilon is sanitized; a data-independent one needs no release")

    @classmethod
    def data_independent(
        cls, epsilon: float, delta: float, *, accountant: str, conversion: str, neighbouring: str, guarantee: bool
    ) -> "PrivacyStatement":
        """A statement whose number is known without the data; if it is a guarantee, in both directions."""
        return cls(
            epsilon=float(epsilon),
            delta=delta,
            accountant=accountant,
            conversion=conversion,
            neighbouring=neighbouring,
            data_dependent=False,
            sanitized=False,
            one_sided=False,
            guarantee=guarantee,
        )

    def as_dict(self) -> dict:
        """All fields as plain JSON values."""
        return asdict(self)


def dearest(costs: Sequence[Mapping[str, PrivacyStatement]]) -> dict[str, PrivacyStatement]:
    """The largest epsilon of each reading over some runs: which run is the dearest may differ between readings."""
    return {name: max((cost[name] for cost in costs), key=lambda made: made.epsilon) for name in costs[0]}


def added(parts: Sequence[PrivacyStatement]) -> PrivacyStatement:
    """What several runs on the same data cost by basic composition: their epsilons and their deltas are added.

    It is no better known than the worst known of them. Raises ValueError where they mean different neighbours.
    """
    if len({part.neighbouring for part in parts}) != 1:
        raise ValueError("statements about different neighbours do not add up")
    return replace(
        parts[0],
        epsilon=sum(part.epsilon for part in parts),
        delta=sum(part.delta for part in parts),
        accountant="basic composition",
        conversion="none",
        data_dependent=any(part.data_dependent for part in parts),
        sanitized=False,
        one_sided=any(part.one_sided for part in parts),
        guarantee=all(part.guarantee for part in parts),
    )

"""A privacy statement: an epsilon that cannot be separated from what it means."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

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
    proved_bound: it is proved of the divergence it is about; False for a paper's reading, e.g. an expectation over
        answers. Where it is one-sided or data-dependent, that is no differential privacy: see `guarantee`.
    """

    epsilon: float
    delta: float
    accountant: str
    conversion: str
    neighbouring: str
    data_dependent: bool
    sanitized: bool
    one_sided: bool
    proved_bound: bool

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
        cls, epsilon: float, delta: float, *, accountant: str, conversion: str, neighbouring: str, proved_bound: bool
    ) -> "PrivacyStatement":
        """State a number that is known without the data; if it is proved, in both directions: a guarantee."""
        return cls(
            epsilon=float(epsilon),
            delta=delta,
            accountant=accountant,
            conversion=conversion,
            neighbouring=neighbouring,
            data_dependent=False,
            sanitized=False,
            one_sided=False,
            proved_bound=proved_bound,
        )

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> "PrivacyStatement":
        """Read what `as_dict` wrote; in files without `proved_bound`, `guarantee` stood for it.

        Raises ValueError where `guarantee` is not what follows from the rest.
        """
        said = dict(said)
        guarantee = said.pop("guarantee")
        told = "proved_bound" in said
        made = cls(**{"proved_bound": guarantee} | said)
        if told and made.guarantee != guarantee:
            raise ValueError(f"guarantee is {guarantee}; from the rest of the statement follows {made.guarantee}")
        return made

    @property
    def guarantee(self) -> bool:
        """Differential privacy in the usual sense: proved, in both directions, and known without the data.

        Other proved bounds are worth less. Eight answers of GNMax on votes (18, 12), sigma 1, have an epsilon of 15.6
        at delta 1e-8, proved for those votes against every neighbour's; the other way, votes (17, 13) tell 25 times
        more than that delta, and their own epsilon is another one (tests/pate_accountant/test_readings.py).
        """
        return self.proved_bound and not self.one_sided and not self.data_dependent

    def as_dict(self) -> dict:
        """All fields, and whether it is a guarantee, as plain JSON values."""
        return asdict(self) | {"guarantee": self.guarantee}


def dearest(costs: Sequence[Mapping[str, PrivacyStatement]]) -> dict[str, PrivacyStatement]:
    """Find the largest epsilon of each reading over some runs: the dearest run may differ between readings."""
    return {name: max((cost[name] for cost in costs), key=lambda made: made.epsilon) for name in costs[0]}


def added(parts: Sequence[PrivacyStatement]) -> PrivacyStatement:
    """Add the epsilons and the deltas of several runs on the same data: basic composition.

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
        proved_bound=all(part.proved_bound for part in parts),
    )

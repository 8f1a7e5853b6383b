"""A price in words and as JSON: the number to announce, and what each other number is for."""

from dataclasses import replace

from pate_accountant.mechanism import PARAMETERS, option
from pate_accountant.price import COMPOSED, EXPECTED, MOMENTS, Price
from pate_accountant.released_epsilon import TOGETHER, ReleasedEpsilon
from pate_accountant.rounding import shown
from pate_accountant.statement import PrivacyStatement

NEIGHBOURS = {
    "replace_one": "one private record is replaced by another; each is in one teacher's data alone, and may "
    "change that teacher's vote on every query"
}
DIGITS = 4  # of every epsilon
# What each reading is an epsilon of.
READINGS = {
    "epsilon": "the cost of all queries on these votes",
    "epsilon_moments": f"the same by the first {MOMENTS} moments, as Papernot et al. (2017) count it",
    "epsilon_tight": "the first one by the tighter conversion of Renyi divergences (Canonne et al. 2020)",
    "epsilon_announced": "what may be announced before the run, by the tightest route known",
    "epsilon_caps": "every query checked and as many answered as the run allows, on any votes",
    "epsilon_caps_tight": "the same by the tighter conversion",
    TOGETHER: "the answers and the drawn epsilon below, published together",
    "epsilon_data_independent": "the cost of all queries on any votes",
    "epsilon_data_independent_tight": "the same by the tighter conversion",
    "epsilon_data_independent_expected": "checks and answers at what they cost on any votes",
    "epsilon_two_sided": "the cost of all queries on these votes or on a neighbour's",
    "epsilon_two_sided_expected": "the cost of all queries on these votes or on a neighbour's",
    "epsilon_joint": "check and answer together, on these votes",
    "epsilon_charge_all": "check and answer of every query, answered or not, on these votes",
    "epsilon_charge_all_two_sided": "the same on these votes or on a neighbour's",
    COMPOSED: "the cost of all queries on any votes, and of other mechanisms on the same records",
    f"{COMPOSED}_tight": "the same by the tighter conversion",
    "epsilon_realised": "the cost of the run that was drawn",
    "epsilon_realised_data_independent": "its draws, each at what it costs on any votes",
}
# Where a check decides what is answered, these weigh each answer by its chance.
WEIGHED = ("epsilon", "epsilon_tight", *EXPECTED.values())


def as_dict(
    made: Price, released: ReleasedEpsilon | None = None, warnings: tuple[str, ...] = (), seeded: bool = False
) -> dict:
    """Plain JSON values: `answered`, `epsilon` and `order` of the paper's reading, and each reading by name.

    `guarantee` names the reading to announce. `found`: settings that were calibrated. A plan, and discrete noise, have
    no reading of a paper: there they are of what is guaranteed. seeded: what was released was drawn with a known seed,
    and is private then.

    >>> from pate_accountant.mechanism import mechanism
    >>> from pate_accountant.price import plan
    >>> said = as_dict(plan(100, mechanism("gnmax", delta=1e-5, sigma=40)))
    >>> said["reading"], round(said["epsilon"], 3), said["readings"]["epsilon_announced"]["guarantee"]
    ('epsilon_data_independent', 1.759, True)
    """
    name = main_reading(made)
    readings = {
        key: statement.as_dict()
        | {"order": made.orders.get(key), "private": private(statement), "meaning": _meaning(key, made)}
        for key, statement in made.statements.items()
    }
    said = {
        "warnings": [*warnings, *made.warnings],
        "run": made.run,
        "queries": made.queries,
        "teachers": made.teachers,
        "classes": made.classes,
        "neighbouring": made.statements[name].neighbouring,
        "guarantee": _announced(made),
        "found": made.found,
        "reading": name,
        "answered": made.answered,
        "epsilon": made.statements[name].epsilon,
        "order": made.orders.get(name),
        "readings": readings,
    }
    if released is not None:
        said["sanitized"] = {
            key: statement.as_dict() | {"private": seeded or private(statement)}
            for key, statement in released.privacy.items()
            if key.startswith("sanitized_")
        }
        said["sanitizing"] = released.numbers
    return said


def main_reading(made: Price) -> str:
    """Return the paper's reading, or where it has none the guarantee by Renyi divergences, by name."""
    if made.paper is not None:
        return made.paper
    return next(name for name in ("epsilon_caps", "epsilon_data_independent", COMPOSED) if name in made.statements)


def private(statement: PrivacyStatement) -> bool:
    """Whether the number itself tells of the votes, and may not be published."""
    return statement.data_dependent and not statement.sanitized


def as_text(
    made: Price, released: ReleasedEpsilon | None = None, warnings: tuple[str, ...] = (), seeded: bool = False
) -> str:
    """Return a price in words: warnings, the epsilon to announce, and a line for each other number that has a use.

    Warnings come first: whoever reads a number has read what may be wrong with it. seeded: as in `as_dict`.

    >>> from pate_accountant.mechanism import mechanism
    >>> from pate_accountant.price import plan
    >>> print(as_text(plan(100, mechanism("gnmax", delta=1e-5, sigma=40))))  # doctest: +ELLIPSIS
    You may announce: epsilon 1.357 at delta 1e-05, for 100 queries, answered by gnmax (sigma 40).
    It holds for any votes: one private record is replaced by another; ...
    <BLANKLINE>
    epsilon     what it is for
    1.76        to compare with other papers' guarantees: the same one by Renyi divergences
    <BLANKLINE>
    All numbers, with the meaning of each: --json.
    """
    lines = [f"warning: {line}" for line in (*warnings, *made.warnings)]
    lines += [*([""] if lines else []), *_head(made), ""]
    table = [(shown(made.statements[name].epsilon, DIGITS), use) for name, use in _uses(made, seeded)]
    if released is not None:
        table[:0] = _published(made, released, seeded)
    lines += [f"{epsilon:<12}{use}" for epsilon, use in [("epsilon", "what it is for"), *table]]
    return "\n".join([*lines, "", "All numbers, with the meaning of each: --json."])


def _announced(made: Price) -> str:
    """Return the name of the guarantee of the answers."""
    alone = {name: statement for name, statement in made.statements.items() if name != TOGETHER}
    return replace(made, statements=alone).guaranteed


def _head(made: Price) -> list[str]:
    """Return the number to announce, for what, and to whom it is promised."""
    run, statement = made.run, made.statements[_announced(made)]
    votes = "" if made.teachers is None else f" of {made.teachers} teachers on {made.classes} classes"
    most = run.get("max_answered", made.queries)
    answers = f"at most {most} of them answered" if run["aggregator"] == "confident_gnmax" else "answered"
    more = [f"{key} {value:g}" for key, value in run.items() if key in PARAMETERS[run["aggregator"]]]
    noise = [] if run["noise"] == "continuous" else [f"{run['noise']} noise"]
    lines = [
        f"You may announce: epsilon {shown(statement.epsilon, DIGITS)} at delta {statement.delta:g}, for "
        f"{made.queries} queries{votes}, {answers} by {run['aggregator']} ({', '.join([*more, *noise])}).",
        f"It holds for any votes: {NEIGHBOURS[statement.neighbouring]}.",
    ]
    for key, value in made.found.items():
        lines.append(
            f"Found: {option(key)} {value:.10g}, the {'largest' if isinstance(value, int) else 'least'} for it."
        )
    return lines


def _uses(made: Price, seeded: bool) -> list[tuple[str, str]]:
    """Return the (reading, what it is for) of at most four readings besides the guarantee."""
    renyi = [name for name in ("epsilon_caps", "epsilon_data_independent") if _is_guarantee(name, made)]
    two_sided = [name for name in ("epsilon_charge_all_two_sided", "epsilon_two_sided") if name in made.statements]
    uses = [(name, "to compare with other papers' guarantees: the same one by Renyi divergences") for name in renyi]
    if made.paper is not None:
        uses.append((made.paper, f"to compare with the paper's tables: {_paper(made.statements[made.paper])}; private"))
    uses += [
        (name, "to see whether `--sanitize` may pay: the bound for these votes, both directions; private")
        for name in two_sided[:1]
    ]
    if seeded and "epsilon_realised" in made.statements:
        uses.append(("epsilon_realised", "to see how far one run strays: that drawn with --seed; private"))
    return uses


def _is_guarantee(name: str, made: Price) -> bool:
    return name in made.statements and made.statements[name].guarantee


def _paper(statement: PrivacyStatement) -> str:
    """Return the worth of a paper's epsilon."""
    kind = "a bound for these votes" if statement.proved_bound else "an expectation over runs and no guarantee"
    return f"{kind}, {'one direction' if statement.one_sided else 'both directions'}"


def _published(made: Price, released: ReleasedEpsilon, seeded: bool) -> list[tuple[str, str]]:
    """Lines of the value that is drawn to be published, and of the guarantee with it."""
    drawn = released.published
    if drawn is None:
        return [("-", "no value to publish: conditions C5 and C6 of the proof do not hold at these orders")]
    if seeded or TOGETHER not in made.statements:
        return [(shown(drawn.epsilon, DIGITS), "drawn with a known seed: private, and not to be published")]
    return [
        (shown(made.statements[TOGETHER].epsilon, DIGITS), "to announce instead, if you publish the next line, too"),
        (shown(drawn.epsilon, DIGITS), "may be published with the answers: their cost on these votes, with noise"),
    ]


def _meaning(name: str, made: Price) -> str:
    """One reading in words."""
    weighed = made.run["aggregator"] == "confident_gnmax" and name in WEIGHED
    return READINGS[name] + (", answers weighed by their chance" if weighed else "")

"""A price in words and as JSON: what the paper would say, what is guaranteed and to whom, and what is private."""

from pate_accountant.price import EXPECTED, MOMENTS, Price
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
    "epsilon_realised": "the cost of the run that was drawn",
    "epsilon_realised_data_independent": "its draws, each at what it costs on any votes",
}
# Where a check decides what is answered, these weigh each answer by its chance.
WEIGHED = ("epsilon", "epsilon_tight", *EXPECTED.values())
SANITIZED = {
    "sanitized_epsilon_printed": "the paper's release, at its printed price, which is too low; searched on the votes",
    "sanitized_epsilon_repriced": "the same release at what it really costs; searched on the votes",
    "sanitized_epsilon_exact": "the cheapest release; searched on the votes",
    "sanitized_epsilon_fixed": "a release whose parameters look at no vote",
}


def as_dict(
    made: Price, released: ReleasedEpsilon | None = None, warnings: tuple[str, ...] = (), seeded: bool = False
) -> dict:
    """Plain JSON values: `answered`, `epsilon` and `order` of the paper's reading, and each reading by name.

    A plan, and discrete noise, have no reading of a paper: there they are of what is guaranteed. seeded: what was
    released was drawn with a known seed, and is private then.

    >>> from pate_accountant.mechanism import mechanism
    >>> from pate_accountant.price import plan
    >>> said = as_dict(plan(100, mechanism("gnmax", delta=1e-5, sigma=40)))
    >>> said["reading"], round(said["epsilon"], 3), said["readings"]["epsilon_announced"]["guarantee"]
    ('epsilon_data_independent', 1.759, True)
    """
    name = main_reading(made)
    readings = {
        key: statement.as_dict() | {"order": made.orders.get(key), "private": private(statement)}
        for key, statement in made.statements.items()
    }
    said = {
        "warnings": [*warnings, *made.warnings],
        "run": made.run,
        "queries": made.queries,
        "teachers": made.teachers,
        "classes": made.classes,
        "neighbouring": made.statements[name].neighbouring,
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
    """The paper's reading, or where it has none the guarantee, by name."""
    if made.paper is not None:
        return made.paper
    return "epsilon_caps" if "epsilon_caps" in made.statements else "epsilon_data_independent"


def private(statement: PrivacyStatement) -> bool:
    """Whether the number itself tells of the votes, and may not be published."""
    return statement.data_dependent and not statement.sanitized


def as_text(
    made: Price, released: ReleasedEpsilon | None = None, warnings: tuple[str, ...] = (), seeded: bool = False
) -> str:
    """A price in words, of which the warnings come first: whoever reads a number has read what may be wrong with it."""
    lines = [f"warning: {line}" for line in (*warnings, *made.warnings)]
    lines += [*([""] if lines else []), *_head(made), ""]
    if made.paper is not None:
        statement, order = made.statements[made.paper], made.orders.get(made.paper)
        lines += [
            "What the paper would say",
            f"  epsilon {shown(statement.epsilon, DIGITS)} at delta {statement.delta:g}"
            + ("" if order is None else f", Renyi order {order:g}")
            + f", {made.answered:.1f} of {made.queries} queries answered",
            f"  {_meaning(statement)}",
            "",
        ]
    public = {key: each for key, each in made.statements.items() if each.guarantee}
    proved = {key: each for key, each in made.statements.items() if each.proved_bound and not each.guarantee}
    lines += ["What is guaranteed, known before the run, to every record whatever the votes, in both directions"]
    lines += [_line(key, each, made) for key, each in public.items()]
    hidden = {key: each for key, each in proved.items() if key != made.paper}
    if hidden:
        lines += ["", "What is proved for these votes alone; the numbers are private until they are sanitised"]
        lines += [_line(key, each, made) for key, each in hidden.items()]
    rest = {key: each for key, each in made.statements.items() if not each.proved_bound and key != made.paper}
    if rest:
        lines += ["", "What is not proved, for comparison; private"]
        lines += [_line(key, each, made) for key, each in rest.items()]
    if released is not None:
        lines += ["", *_sanitizing(released, seeded)]
    return "\n".join(lines)


def _head(made: Price) -> list[str]:
    """Votes, mechanism, and whom the numbers are about."""
    run = made.run
    votes = "" if made.teachers is None else f" of {made.teachers} teachers on {made.classes} classes"
    more = {key: value for key, value in run.items() if key not in ("aggregator", "noise")}
    noise = "" if run["noise"] == "continuous" else f", {run['noise']} noise"
    return [
        f"{made.queries} queries{votes}; {run['aggregator']}{noise}: "
        + ", ".join(f"{key} {value:g}" for key, value in more.items()),
        f"neighbours: {NEIGHBOURS[made.statements[main_reading(made)].neighbouring]}",
    ]


def _line(name: str, statement: PrivacyStatement, made: Price) -> str:
    """One reading."""
    what = READINGS[name]
    if made.run["aggregator"] == "confident_gnmax" and name in WEIGHED:
        what += ", answers weighed by their chance"
    sides = "" if not statement.data_dependent else "; one-sided" if statement.one_sided else "; two-sided"
    return f"  {shown(statement.epsilon, DIGITS):<10} {name}: {what}{sides}"


def _meaning(statement: PrivacyStatement) -> str:
    """What a paper's epsilon is worth."""
    kind = "a bound for these votes" if statement.proved_bound else "an expectation over runs and no guarantee"
    sides = "one direction only" if statement.one_sided else "both directions"
    return f"{kind}, in {sides}, computed from the votes: private itself"


def _sanitizing(released: ReleasedEpsilon, seeded: bool) -> list[str]:
    """What publishing a data-dependent epsilon costs."""
    lines = ["What sanitising costs: mean of the published epsilon, release and all (private), and its spread"]
    for name, what in SANITIZED.items():
        if name in released.privacy:
            short = name.removeprefix("sanitized_epsilon_")
            std = released.numbers.get(f"{short}_std", released.numbers.get("printed_std"))
            cost = released.numbers.get(f"{short}_gnss_cost")
            more = "" if cost is None else f", of it {shown(cost)} for the release"
            lines.append(f"  {shown(released.privacy[name].epsilon, DIGITS):<10} +- {std:.3g}{more}: {what}")
    if len(lines) == 1:
        lines.append("  no release: conditions C5 and C6 of the proof do not hold at these orders")
    drawn = released.privacy.get("sanitized_epsilon_released")
    if drawn is not None:
        may = (
            "drawn with a known seed, and so private too"
            if seeded
            else f"publish it with the answers, and {TOGETHER} is what you guarantee"
        )
        lines.append(f"  {shown(drawn.epsilon, DIGITS):<10} drawn from the last of these: {may}")
    return lines

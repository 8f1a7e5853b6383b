"""Audit a mechanism of one's own: python -m scripts.audit_mechanism mypackage:mechanism --epsilon 1 --delta 1e-6"""

import argparse
import inspect
import sys
import traceback
from collections.abc import Callable

from lib.audit.bound import audit_mechanism
from lib.core.entry_points import named
from lib.core.errors import InputError
from pate_accountant.rounding import rounded_down, shown


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("mechanism", help="MODULE:NAME of a callable of an input and a numpy generator")
    parser.add_argument("--neighbours", help="MODULE:NAME of two inputs that differ by one record (MODULE:neighbours)")
    parser.add_argument("--epsilon", type=float, required=True, help="what the mechanism promises")
    parser.add_argument("--delta", type=float, default=0.0, help="at this delta")
    parser.add_argument("--runs", type=int, default=100_000, help="on either input")
    parser.add_argument("--level", type=float, default=0.95, help="confidence of the bound")
    parser.add_argument("--seed", type=int, default=1, help="of all draws")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Print what was promised and what is proved; exit with status 1 if the promise is proved broken."""
    given = parse_arguments(argv)
    mechanism = named(given.mechanism)
    if not callable(mechanism):
        raise InputError(f"{given.mechanism}: allowed is a callable of an input and a numpy generator")
    _check_signature(given.mechanism, mechanism)
    neighbours = named(given.neighbours or f"{given.mechanism.partition(':')[0]}:neighbours")
    job = ("audit_mechanism", given.mechanism)
    found = audit_mechanism(mechanism, neighbours, given.epsilon, given.delta, given.runs, given.level, given.seed, job)
    bound = found.bound
    print(f"promised     epsilon {shown(found.epsilon, 6)} at delta {found.delta:g}")
    print(f"lower bound  epsilon {rounded_down(bound.epsilon, 4):.4g}, with confidence {bound.level:g}")
    (first, second), (of_first, of_second) = bound.counts, bound.runs
    print(
        f"measured     an event in {first} of {of_first} runs on the first input, in {second} of {of_second} on the "
        "other;"
    )
    print(f"             so many can show {rounded_down(bound.largest, 4):.4g} at most")
    if found.caught:
        print("BROKEN       the mechanism is not as private as promised")
        sys.exit(1)
    print("not refuted  which proves nothing: other inputs or more runs might show more")


def console(argv: list[str] | None = None) -> None:
    """Run `main` as a program: whatever goes wrong ends it with status 2, since 1 says that the promise is broken."""
    try:
        main(argv)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except Exception:  # of the code that is audited: where it went wrong is for whoever wrote it
        traceback.print_exc()
        sys.exit(2)


def _check_signature(name: str, mechanism: Callable) -> None:
    try:
        signature = inspect.signature(mechanism)
    except ValueError:  # some callables written in C tell none
        return
    try:
        signature.bind("input", "generator")
    except TypeError as error:
        raise InputError(
            f"{name}{signature}: {error}; allowed is a callable of an input and a numpy generator"
        ) from error


if __name__ == "__main__":
    console()

"""Price a file of votes under PATE's mechanisms, plan without votes, or find the setting for a target epsilon.

    price-votes votes.npy --layout teachers,queries --mechanism confident_gnmax \\
        --sigma 40 --threshold 200 --sigma-threshold 150 --delta 1e-5
    price-votes --plan --queries 1000 --mechanism gnmax --sigma 40 --delta 1e-5
    price-votes --target-epsilon 2 --queries 1000 --mechanism gnmax --delta 1e-5
"""

import argparse
import difflib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np

from pate_accountant import figure, inverse, words
from pate_accountant.errors import InputError
from pate_accountant.mechanism import MEANING, PARAMETERS, mechanism, option
from pate_accountant.price import drawn, plan, price, sanitized
from pate_accountant.released_epsilon import TOGETHER
from pate_accountant.votes_file import LAYOUTS, read_votes


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        known = list(self._option_string_actions)
        for word in re.findall(r"--[\w-]+", message if "unrecognized" in message else ""):
            if near := difflib.get_close_matches(word, known, 1):
                message += f"; did you mean {near[0]}?"
        raise InputError(f"{message} (--help lists all options)")


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """Return the command line."""
    parser = _Parser(
        prog="price-votes",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("votes", nargs="?", type=Path, help="file of votes: .npy, .npz or .csv; not with --plan")
    parser.add_argument("--layout", help=f"what the axes are: {'; '.join(LAYOUTS)} (queries x classes, counts)")
    parser.add_argument("--key", help="the array of an .npz that holds several")
    parser.add_argument("--classes", type=int, help="number of classes, voted for or not")
    parser.add_argument("--teachers", type=int, help="number of teachers, checked against the file")
    parser.add_argument(
        "--queries", type=int, help="the first so many queries of the file; in a plan, how many there are"
    )
    parser.add_argument("--mechanism", required=True, help=", ".join(PARAMETERS))
    for key, meaning in MEANING.items():
        parser.add_argument(option(key), type=float, help=meaning)
    parser.add_argument(
        "--delta", type=float, required=True, help="delta of every epsilon; below 1 / (private records)"
    )
    parser.add_argument("--max-answered", type=int, help="the run stops after so many answers (confident_gnmax)")
    parser.add_argument("--noise", default="continuous", help="continuous, or discrete: drawn exactly")
    parser.add_argument("--plan", action="store_true", help="no votes: what so many queries guarantee on any data")
    parser.add_argument(
        "--target-epsilon",
        type=float,
        help="find the one setting that is left out, of the noises, --queries and --max-answered, so that the "
        "guarantee is at most this; a --threshold changes no guarantee",
    )
    parser.add_argument("--sanitize", action="store_true", help="what publishing the data-dependent epsilon costs")
    parser.add_argument(
        "--seed", type=int, help="draw what is random with it, in place of what is expected; not private"
    )
    parser.add_argument("--json", action="store_true", help="print JSON in place of words")
    parser.add_argument("--png", type=Path, help="write epsilon against queries to this file")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Print warnings and then the price; with --json, warnings are in it and on standard error.

    Raises InputError, one line, for what cannot be priced.
    """
    given = parse_arguments(argv)
    if given.seed is not None and given.seed < 0:
        raise InputError(f"--seed {given.seed}: allowed is a whole number from 0")
    warnings: list[str] = []
    released, seeded = None, given.seed is not None
    planned = given.plan or (given.target_epsilon is not None and given.votes is None)
    if planned:
        _refuse_with_plan(given)
        run, queries, found = _run(given, given.queries)
        if queries is None:
            raise InputError("--plan needs --queries, the number of queries that will be asked")
        made = plan(queries, run)
    else:
        if given.votes is None:
            _run(given, given.queries)
            raise InputError("which votes? name a file (.npy, .npz or .csv), or plan without one: --plan --queries N")
        if given.target_epsilon is None:
            _run(given, given.queries)  # what is wrong with it is said before a file is read
        votes = read_votes(given.votes, given.layout, given.classes, given.teachers, given.key, given.queries)
        warnings += votes.warnings
        run, _, found = _run(given, len(votes.histograms))
        made = price(votes.histograms, run)
        if seeded:
            asked, answered, spent = drawn(votes.histograms, run, given.seed)
            warnings.append(
                f"--seed {given.seed}: the run drawn with it asks {asked} and answers {answered} queries; "
                "whoever knows the seed can subtract its noise"
            )
            made.statements.update(spent)
        if given.sanitize:
            (rng,) = np.random.default_rng(given.seed).spawn(1)  # a stream that `drawn` did not use
            released = sanitized(votes.histograms, made, rng)
            if TOGETHER in released.privacy and not seeded:  # whoever knows the seed can subtract the noise
                made.statements[TOGETHER] = released.privacy[TOGETHER]
                made.orders[TOGETHER] = released.numbers["fixed_order"]
            warnings.append("--sanitize: each call draws anew and each value published costs again: publish one")
    made = replace(made, found=found)
    if given.png is not None:
        figure.draw(made, given.png)
    if given.json:
        for line in (*warnings, *made.warnings):
            print(f"warning: {line}", file=sys.stderr)
        print(json.dumps(words.as_dict(made, released, tuple(warnings), seeded), indent=1, allow_nan=False))
    else:
        print(words.as_text(made, released, tuple(warnings), seeded))


def console(argv: list[str] | None = None) -> None:
    """Run `main` as a program: an InputError ends it with one line and status 1."""
    try:
        main(argv)
    except InputError as error:
        sys.exit(f"error: {error}")


def _run(given: argparse.Namespace, queries: int | None) -> tuple[dict, int | None, dict[str, float]]:
    """Return the run's block, its queries, and what was found for --target-epsilon."""
    parameters = {key: getattr(given, key) for key in MEANING}
    if given.target_epsilon is None:
        return mechanism(given.mechanism, given.delta, given.max_answered, given.noise, **parameters), queries, {}
    settings = parameters | {name: getattr(given, name) for name in ("delta", "max_answered", "noise")}
    settings["queries"] = queries
    return inverse.calibrated(given.mechanism, given.target_epsilon, settings, digits=inverse.DIGITS)


def _refuse_with_plan(given: argparse.Namespace) -> None:
    if given.votes is not None:
        raise InputError(f"--plan needs no votes, and {given.votes} is given: leave out one of them")
    for name in ("layout", "key", "classes", "teachers", "seed"):
        if getattr(given, name) is not None:
            raise InputError(f"--plan looks at no votes; {option(name)} is about votes")
    if given.sanitize:
        raise InputError("--plan looks at no votes: its epsilon is no secret, and there is nothing to sanitise")

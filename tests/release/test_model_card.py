"""What a model card says: no word of it is true of a smaller epsilon only, and with a known seed nothing is private."""

import copy
import math
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lib.plan.config import catalogue
from lib.release.card import card
from lib.release.statement import meaning, privacy, shown
from pate_accountant.draws import as_dict
from pate_accountant.rdp import order_grid
from pate_accountant.statement import NEIGHBOURING

CONFIG = catalogue()
RUNS, ORDERS = CONFIG["scalable_pate"]["runs"], order_grid(**CONFIG["accounting"]["orders"]).tolist()
STUDENT = {
    "label": "digits",
    "classes": 10,
    "model": {"kind": "random_forest"},
    "shape": [8, 8],
    "labels": 150,
    "teachers": 25,
    "dataset": "digits",
    "private_samples": 1200,
    "public_samples": 300,
    "accuracy": 90.0,
    "test_samples": 297,
    "licence": None,
    "public_fingerprint": "0" * 64,
}
ENVIRONMENT = {"commit": "0123456789" * 4, "python": "3.11.7", "numpy": "2.4.6", "safetensors": "0.8.0"}
CONFIDENT = [as_dict("threshold", 280, {"sigma": 15.0, "threshold": 20}), as_dict("gnmax", 150, {"sigma": 4.0})]
GNMAX = RUNS["digits_gnmax"]
FIXED = settings(derandomize=True, deadline=None, max_examples=200)
epsilons = st.floats(0, 1e9) | st.floats(0, 50)
# words that say how much is given away, or that somebody is safe; "private" alone stands before data and records
JUDGING = (
    r"\b(?:hardly|little|small|low|negligible|strong|tight|weak|safe|safely|secure|anonymous|protect(?:s|ed)?|hidden|"
    r"confidential|no more than|cannot|impossible|private(?! (?:data|samples|records))|privacy(?!\.json))\b"
)


def page_of(said: dict, **changes: object) -> str:
    return card(said, STUDENT | changes, ENVIRONMENT)


def block(run: dict, spent: list[dict], noise_seed: int | None) -> dict:
    return privacy(run, ORDERS, noise_seed, spent, [], None)


def gnmax(sigma: float, noise_seed: int | None = None) -> dict:
    return block(GNMAX | {"sigma": sigma}, [as_dict("gnmax", GNMAX["queries"], {"sigma": sigma})], noise_seed)


def with_epsilon(epsilon: float, noise_seed: int | None = None) -> dict:
    """What privacy.json would say if the draws cost so much."""
    said = copy.deepcopy(SAID[noise_seed])
    for part in ("announced", "spent"):
        said[part]["statement"]["epsilon"] = epsilon
    return said | {"meaning": meaning(noise_seed, said["announced"]["statement"])}


SAID = {seed: block(RUNS["digits_confident"], CONFIDENT, seed) for seed in (None, 2018)}
HEADLINES = {
    "29.3": (
        SAID[None],
        "> **Epsilon 29.30 at delta 0.0001**: this folder changes the odds of any conclusion about one record of the "
        "private data, replaced by any other, by a factor of at most e^29.30 (10^12.8), except with probability "
        "0.0001. The noise was drawn from the entropy of the operating system and is known to nobody.",
    ),
    "6,000,009": (
        gnmax(0.01),
        "> **Epsilon 6,000,009.22 at delta 0.0001**: this folder changes the odds of any conclusion about one record "
        "of the private data, replaced by any other, by a factor of at most e^6,000,009.22 (10^2,605,770.9), except "
        "with probability 0.0001. The noise was drawn from the entropy of the operating system and is known to nobody.",
    ),
    "seeded": (
        SAID[2018],
        "> **NOT PRIVATE**: the noise was drawn with the seed 2018, for reproduction. Whoever knows the seed can "
        "subtract it, and nothing here is private.",
    ),
}
COSTS = {
    "29.3": [
        "- Announced before the run, whatever the data: epsilon 29.30 at delta 0.0001, replace-one neighbours; a "
        "guarantee.",
        f"- Spent by the draws that were made: epsilon {shown(SAID[None]['spent']['statement']['epsilon'])} at delta "
        "0.0001, replace-one neighbours; no guarantee.",
    ],
    "6,000,009": [
        f"- {what}: epsilon 6,000,009.22 at delta 0.0001, replace-one neighbours; a guarantee."
        for what in ("Announced before the run, whatever the data", "Spent by the draws that were made")
    ],
    "seeded": [
        "What they would cost if nobody knew the noise:",
        "",
        "- Announced before the run, whatever the data: epsilon 29.30 at delta 0.0001, replace-one neighbours.",
        f"- Spent by the draws that were made: epsilon {shown(SAID[None]['spent']['statement']['epsilon'])} at delta "
        "0.0001, replace-one neighbours.",
    ],
}


@pytest.mark.parametrize("name", HEADLINES)
def test_the_first_line_and_the_costs_are_these(name):
    said, headline = HEADLINES[name]
    lines = page_of(said).splitlines()
    assert lines[2] == headline
    begin = lines.index("## What the draws of noise cost")
    assert lines[begin + 2 : begin + 2 + len(COSTS[name])] == COSTS[name]
    assert not lines[begin + 2 + len(COSTS[name])]


def numbers_out(page: str, epsilon: float) -> str:
    """A page without its epsilon and the factor that follows from it."""
    return re.sub(r"\(\S+\), except", "(FACTOR), except", page.replace(shown(epsilon), "EPSILON"))


@given(epsilons, epsilons, st.sampled_from([None, 2018]))
@FIXED
def test_no_sentence_depends_on_how_large_epsilon_is(first, second, noise_seed):
    pages = [numbers_out(page_of(with_epsilon(value, noise_seed)), value) for value in (first, second)]
    # a short number may stand elsewhere on the page, too, as the accuracy does
    assume(all(page.count("EPSILON") == (4 if noise_seed is None else 2) for page in pages))
    assert pages[0] == pages[1]


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 29.3, 6_000_009.0, 1e100])
@pytest.mark.parametrize("noise_seed", [None, 2018])
def test_no_word_judges_what_the_numbers_say(epsilon, noise_seed):
    page = page_of(with_epsilon(epsilon, noise_seed)).partition("## Limits")[0]
    if noise_seed is not None:
        page = page.replace("**NOT PRIVATE**", "", 1).replace("nothing here is private", "", 1)
    assert re.findall(JUDGING, page, re.IGNORECASE) == []


@given(epsilons, st.floats(1e-12, 0.1), st.sampled_from(NEIGHBOURING))
@FIXED
def test_the_sentence_holds_what_the_statement_says(epsilon, delta, neighbouring):
    text = meaning(None, {"epsilon": epsilon, "delta": delta, "neighbouring": neighbouring})
    number, factor = re.search(r"at most e\^([\d,.]+) \(([\d,.^]+)\)", text).groups()
    number = float(number.replace(",", ""))
    assert epsilon <= number <= epsilon + 0.01 + 1e-9 * epsilon
    power, _, exponent = factor.replace(",", "").rpartition("^")
    log = float(exponent) * math.log(10) if power else math.log(float(exponent))
    assert number * (1 - 1e-12) <= log <= number + 0.24  # a factor is shown to a tenth of a power of ten, upwards
    assert f" at delta {delta}**" in text and f" except with probability {delta}. " in text
    others = {"replace_one": "replaced by any other", "add_or_remove_one": "added or removed"}
    assert {name for name, words in others.items() if words in text} == {neighbouring}


@given(epsilons, epsilons, st.sampled_from([None, 2018]))
@FIXED
def test_no_sentence_is_true_of_a_smaller_epsilon_only(first, second, noise_seed):
    """Every number that follows from epsilon is at least it, and never falls when it grows."""
    less, more = sorted((first, second))
    found = []
    for epsilon in (less, more):
        page = page_of(with_epsilon(epsilon, noise_seed))
        stated = [float(number.replace(",", "")) for number in re.findall(r"(?i)epsilon ([\d,.]+) at", page)]
        factors = re.findall(r"at most e\^([\d,.]+) \((?:10\^)?([\d,.]+)\)", page)
        assert len(stated) == (3 if noise_seed is None else 2) and len(factors) == (noise_seed is None)
        exponents = [float(exponent.replace(",", "")) for exponent, _ in factors]
        assert min(stated + exponents) >= epsilon
        found.append(stated + exponents)
    assert all(small <= large for small, large in zip(*found, strict=True))


@given(st.integers(0, 10**9), epsilons)
@FIXED
def test_where_the_noise_is_known_private_is_said_of_data_only(noise_seed, epsilon):
    said = with_epsilon(epsilon, 2018) | {"noise_seed": noise_seed}
    page = page_of(said | {"meaning": meaning(noise_seed, said["announced"]["statement"])})
    # "which records are public and which private was decided without looking at them"
    found = re.findall(r"\S+ private(?! (?:data|samples|records|was decided))", page, re.IGNORECASE)
    assert found == ["**NOT PRIVATE", "is private"]


@given(st.integers(0, 10**9), epsilons)
@FIXED
def test_with_a_seed_nothing_is_private_and_it_is_said_once(noise_seed, epsilon):
    said = with_epsilon(epsilon, 2018) | {"noise_seed": noise_seed}
    page = page_of(said | {"meaning": meaning(noise_seed, said["announced"]["statement"])})
    assert page.count("nothing here is private") == page.count("NOT PRIVATE") == 1
    assert f"the seed {noise_seed}, " in page
    for contradiction in ("guarantee", "odds", "factor", "known to nobody", "except with probability"):
        assert contradiction not in page


def test_noise_that_nobody_knows_is_not_called_a_guarantee_where_the_votes_decide():
    assert "; no guarantee" in page_of(SAID[None]) and "; a guarantee" in page_of(SAID[None])
    assert "; no guarantee" not in page_of(gnmax(4.0))


def test_what_an_author_names_is_shown_as_that():
    page = page_of(SAID[None], label="Open Glyph, 20 teachers", licence="CC-BY-4.0")
    assert page.startswith("# Student of `Open Glyph, 20 teachers`\n") and "- Licence: `CC-BY-4.0`.\n" in page
    assert f"the project's commit `{ENVIRONMENT['commit']}`" in page
    assert "of no known commit" in card(SAID[None], STUDENT, ENVIRONMENT | {"commit": None})


def test_the_generator_of_noise_is_told_of_where_it_was_used():
    assert "not made for cryptography" in page_of(SAID[None]) and "entropy" not in page_of(SAID[2018])

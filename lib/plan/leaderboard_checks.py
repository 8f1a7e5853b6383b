"""Check what no schema can of the leaderboard: private sets and queries that must fit."""

import math
from collections.abc import Mapping
from typing import Any

from lib.attacks.shadow_settings import AttackSettings
from lib.core.entry_points import module_files
from lib.core.errors import InputError
from lib.core.model_kinds import CLASSIFIERS, TEACHERS
from lib.leaderboard.method_settings import settings_at
from lib.plan.scalable_pate_checks import check_kind

# kinds of methods that ask teachers, that keep no budget, and whose steps are on Poisson samples of the private records
ASK_TEACHERS = ("lnmax", "gnmax", "gnmax_broken", "confident_gnmax", "interactive_gnmax", "encoded_mean")
PROMISE_NOTHING = ("plain", "memorised", "untouched", "residual", "dp_sgd_broken", "gnmax_broken")
ON_SAMPLES = ("dp_sgd", "dp_sgd_broken", "dp_mac")
ONES_OWN = ("external", "predictions")  # which say themselves whether they keep a budget


def promises(method: Mapping[str, Any]) -> bool:
    """Whether a method receives a budget, and so runs at every epsilon."""
    return method["promises"] if method["kind"] in ONES_OWN else method["kind"] not in PROMISE_NOTHING


def check_leaderboard(config: dict) -> None:
    """Raise InputError for the first fault in the block leaderboard: key, value, and what is allowed."""
    block = config["leaderboard"]
    if not 0 < block["canaries"] < block["slots"]:
        raise InputError(f"leaderboard.canaries = {block['canaries']}: allowed is at least 1 and less than slots")
    _check_teachers("leaderboard.teachers.count", block["teachers"]["count"], block)
    kinds, on = ((*CLASSIFIERS, "mlp"), " on features") if block["features"] else (TEACHERS, "")
    check_kind(config, "leaderboard.teachers.model", block["teachers"]["model"], kinds, f"for teachers{on}")
    if not block["delta"] < 1 / block["slots"]:
        raise InputError(f"leaderboard.delta = {block['delta']}: allowed is less than one in slots, {block['slots']}")
    if max(block["targets"]) >= block["worlds"]:
        raise InputError(f"leaderboard.targets = {block['targets']}: allowed are numbers below worlds")
    if len(block["targets"]) >= block["worlds"]:
        raise InputError(
            f"leaderboard.targets = {block['targets']}: allowed are fewer than worlds, {block['worlds']}: one that is "
            "not attacked decides which attack is shown"
        )
    if (top := block["attacks"]["shadow"].get("top", AttackSettings.top)) > block["classes"]:
        raise InputError(f"leaderboard.attacks.shadow.top = {top}: at most classes")
    for epsilon in block["epsilons"]:
        if "e" in f"{epsilon:g}" or float(f"{epsilon:g}") != epsilon:
            raise InputError(f"leaderboard.epsilons: {epsilon!r}: allowed are 0.0001 to 999999 of 6 significant digits")
    for name in block["chosen"] if block["features"] else ():
        method = block["methods"][name]
        if "widths" in {**method, **method.get("student", {})}:
            raise InputError(
                f"leaderboard.features: {name} has a network of images; allowed are methods without widths"
            )
    for name in block["chosen"]:
        _check_method(f"leaderboard.methods.{name}", block["methods"][name], block)
    titles = [block["methods"][name]["title"] for name in block["chosen"]]
    if len(set(titles)) < len(titles):
        raise InputError(f"leaderboard.chosen: titles {titles}; allowed are titles that differ")


def _check_teachers(key: str, count: int, block: dict) -> None:
    if count > block["slots"]:
        raise InputError(f"{key} = {count}: allowed is at most slots, {block['slots']}")


def _check_method(key: str, method: dict, block: dict) -> None:
    """One method at every epsilon of its own, those included that the leaderboard does not have."""
    if method["kind"] == "external":
        try:
            files = module_files(method["entry"])
        except InputError as error:
            raise InputError(f"{key}.entry = {error}") from error
        if braces := [file for file in files if {"{", "}"} & set(file)]:
            raise InputError(
                f"{key}.entry = {method['entry']}: {braces[0]} has braces in its path, in which Snakemake sees "
                "wildcards; rename the folder"
            )
    own = [epsilon for epsilon, _ in method.get("per_epsilon", ())]
    if len(set(own)) < len(own) or not all(math.isfinite(epsilon) and epsilon > 0 for epsilon in own):
        raise InputError(f"{key}.per_epsilon = {own}: allowed are numbers above 0 that differ")
    for epsilon in (None, *own):
        settings = settings_at(method, epsilon)
        queries = settings.get("queries", 1)
        if queries > block["public"]:
            raise InputError(f"{key}.queries = {queries}: allowed is at most public")
        if method["kind"] in ASK_TEACHERS:
            _check_teachers(f"{key}.teachers", settings.get("teachers", 2), block)
            answered = settings.get("max_answered", 1)
            if answered > queries:
                raise InputError(f"{key}.max_answered = {answered}: allowed is at most queries, {queries}")
            if settings.get("first", 0) >= queries:
                raise InputError(f"{key}.first = {settings['first']}: allowed is less than queries, {queries}")
        elif method["kind"] in ON_SAMPLES:
            if (batch := settings["recipe"]["batch"]) > block["slots"]:
                raise InputError(f"{key}.recipe.batch = {batch}: allowed are 1 to slots, {block['slots']}")

"""The methods of the leaderboard by the `kind` that configuration gives them."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.dp_mac.mac_recipe import MacRecipe
from lib.leaderboard.dp_mac import dp_mac
from lib.leaderboard.external import Elsewhere, External
from lib.leaderboard.gradients import Memorised, Plain, Untouched, dp_sgd, dp_sgd_broken
from lib.leaderboard.method import Method
from lib.leaderboard.method_settings import NetworkSettings, settings_at
from lib.leaderboard.network import Mlp, Network, network_of
from lib.leaderboard.pate import (
    Pate,
    pate_confident,
    pate_encoded_mean,
    pate_gnmax,
    pate_gnmax_broken,
    pate_interactive,
    pate_lnmax,
)
from lib.leaderboard.residual import Residual
from lib.leaderboard.task import Setting
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.noise import NoiseForm
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.training.sgd_recipe import SgdRecipe


def build_method(
    settings: Mapping,
    samples: int,
    shape: tuple[int, ...],
    classes: int,
    largest: float,
    epsilon: float | None,
    delta: float,
    orders: np.ndarray,
) -> Method:
    """Return the method of a block of the configuration, its noise calibrated to (epsilon, delta) under replace-one.

    samples: private records, a public number. shape: of a record. largest: the pixel value that becomes 1, public.
    epsilon is of no account to methods without guarantee, and may be None for them. orders (k,): of Renyi divergences.
    Settings are taken as `settings_at` leaves them. Raises InputError for settings that do not fit.
    """
    settings = settings_at(settings, epsilon)
    return KINDS[settings["kind"]](settings, Setting(samples, tuple(shape), largest, classes, epsilon, delta, orders))


def _network(settings: Mapping, given: Setting) -> Network:
    own = {field.name: settings[field.name] for field in fields(NetworkSettings) if field.name in settings}
    return network_of(own, given.shape, given.largest, given.classes)


def _plain(settings: Mapping, given: Setting) -> Plain:
    made = {"plain": Plain, "memorised": Memorised}[settings["kind"]]
    return made(_network(settings, given), SgdRecipe(**settings["recipe"]), given.samples)


def _untouched(settings: Mapping, given: Setting) -> Untouched:
    recipe, queries = SgdRecipe(**settings["recipe"]), settings.get("queries")
    return Untouched(_network(settings, given), recipe, given.samples, queries=queries)


def _dp_sgd(settings: Mapping, given: Setting) -> Method:
    network, recipe = _network(settings, given), SgdRecipe(**settings["recipe"])
    warm = SgdRecipe(**settings["warm"]) if "warm" in settings else None
    if settings["kind"] == "dp_sgd_broken":
        return dp_sgd_broken(network, recipe, given.samples, warm)
    return dp_sgd(network, recipe, given.samples, given.budget("dp_sgd"), warm)


def _dp_mac(settings: Mapping, given: Setting) -> Method:
    mlp = Mlp(given.shape, given.largest, tuple(settings["hidden"]), given.classes)
    return dp_mac(
        mlp,
        settings.get("activation", "softplus"),
        settings.get("bias", True),
        MacRecipe(**settings["recipe"]),
        settings["threshold"],
        given.samples,
        given.budget("dp_mac"),
        MacRecipe(**settings["warm"]) if "warm" in settings else None,
    )


def _residual(settings: Mapping, given: Setting) -> Method:
    if len(given.shape) not in (2, 3):
        raise InputError(f"method residual: records of shape {given.shape}; allowed are images")
    return Residual(
        network=PerturbedResNet8(
            channels=given.shape[2] if len(given.shape) == 3 else 1,
            classes=given.classes,
            widths=tuple(settings["widths"]),
            norm=settings.get("norm", "batch"),
            groups=settings.get("groups", 8),
            form=NoiseForm(**settings.get("form", {})),
        ),
        recipe=ResidualRecipe(**settings["recipe"]),
        samples=given.samples,
        largest=given.largest,
        delta=given.delta,
        gamma=settings["gamma"],
        pi=settings.get("pi"),
        residual_bound=settings["residual_bound"],
        input_bound=settings["input_bound"],
        draws=settings.get("draws", 1),
    )


def _pate(settings: Mapping, given: Setting) -> Pate:
    kind = settings["kind"]
    common = {
        "teachers": settings["teachers"],
        "student": _network(settings["student"], given),
        "recipe": SgdRecipe(**settings["student"]["recipe"]),
    }
    queries = settings["queries"]
    if queries < 1 or not 1 <= settings["teachers"] <= given.samples:
        raise InputError(
            f"method {kind}: queries {queries}, teachers {settings['teachers']}: allowed are at least 1, and 1 to "
            f"{given.samples}"
        )
    if kind == "gnmax_broken":
        return pate_gnmax_broken(queries, **common)
    common["budget"] = given.budget(kind)
    if kind in ("confident_gnmax", "interactive_gnmax"):
        answered, ratio, share = (settings[name] for name in ("max_answered", "ratio", "threshold"))
        if kind == "confident_gnmax":
            return pate_confident(queries, answered, ratio, share, **common)
        first = settings["first"]
        if not 1 <= first < queries:
            raise InputError(f"method {kind}: first {first}: allowed are 1 to {queries - 1}, less than queries")
        excess, confidence = settings["excess"], settings["confidence"]
        return pate_interactive(first, queries, answered, ratio, share, excess, confidence, **common)
    made = {"lnmax": pate_lnmax, "gnmax": pate_gnmax, "encoded_mean": pate_encoded_mean}[kind]
    return made(queries, **common)


def _predictions(settings: Mapping, given: Setting) -> Elsewhere:
    return Elsewhere(Path(settings["folder"]), given.epsilon, given)


KINDS: dict[str, Callable[[Mapping, Setting], Method]] = {
    "plain": _plain,
    "memorised": _plain,
    "untouched": _untouched,
    "dp_sgd": _dp_sgd,
    "dp_sgd_broken": _dp_sgd,
    "dp_mac": _dp_mac,
    "residual": _residual,
    "lnmax": _pate,
    "gnmax": _pate,
    "gnmax_broken": _pate,
    "confident_gnmax": _pate,
    "interactive_gnmax": _pate,
    "encoded_mean": _pate,
    "external": External,
    "predictions": _predictions,
}

"""A method's block of the configuration at one epsilon."""

from collections.abc import Mapping


def settings_at(settings: Mapping, epsilon: float | None) -> dict:
    """A block at one epsilon: `per_epsilon`, a list of pairs [epsilon, settings], is laid over the rest.

    Blocks are laid over key by key. Where there is no pair for this epsilon the rest holds as it is.
    """
    laid = {name: value for name, value in settings.items() if name != "per_epsilon"}
    for own in [over for at, over in settings.get("per_epsilon", ()) if at == epsilon]:
        for name, value in own.items():
            laid[name] = {**laid[name], **value} if isinstance(value, Mapping) and name in laid else value
    return laid

"""A method's block of the configuration: its network, and the block at one epsilon."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from lib.core.errors import InputError
from lib.core.keywords import ABSENT, Count, Counts

Stages = Annotated[tuple[Count, Count, Count], "Channels of the three stages of a ResNet8, in place of hidden layers."]
Groups = Annotated[Count, "Of its group normalisation; they divide the widths."]


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """A network of hidden layers, or a ResNet8 of images."""

    hidden: Annotated[Counts, "Widths of hidden layers."] = ABSENT
    activation: Annotated[Literal["relu", "tanh"], "Of hidden layers; by default relu."] = ABSENT
    widths: Stages = ABSENT
    groups: Groups = 8

    def __post_init__(self) -> None:
        """Check that it is one of both."""
        if (self.hidden is None) == (self.widths is None):
            raise InputError(f"hidden = {self.hidden}: allowed are either hidden or widths, which is {self.widths}")
        if self.widths is not None and self.activation is not None:
            raise InputError(f"activation = {self.activation!r}: a ResNet8 has none to choose")


def settings_at(settings: Mapping, epsilon: float | None) -> dict:
    """Return a block at one epsilon: `per_epsilon`, a list of pairs [epsilon, settings], is laid over the rest.

    Blocks are laid over key by key. Where there is no pair for this epsilon the rest holds as it is.
    """
    laid = {name: value for name, value in settings.items() if name != "per_epsilon"}
    for own in [over for at, over in settings.get("per_epsilon", ()) if at == epsilon]:
        for name, value in own.items():
            laid[name] = {**laid[name], **value} if isinstance(value, Mapping) and name in laid else value
    return laid

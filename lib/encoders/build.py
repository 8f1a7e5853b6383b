"""Encoders by their settings in the configuration, with what was fitted to public masks.

Importing torch takes seconds: only autoencoders do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from lib.encoders.autoencoder_form import AutoencoderForm
from lib.encoders.blocks import Blocks
from lib.encoders.encoder import Encoder
from lib.encoders.identity import IdentityEncoder
from lib.encoders.pca import PcaEncoder
from lib.encoders.principal_components import PrincipalComponents

if TYPE_CHECKING:
    import torch

    from lib.encoders.autoencoder import AutoencoderDesign

Settings = Mapping[str, Any]


def design_of(settings: Settings, shape: tuple[int, int, int, int]) -> AutoencoderDesign:
    """Return the autoencoder of masks `shape` (C, X, Y, Z), or of their coarser form where `grid` is set."""
    from lib.encoders.autoencoder import AutoencoderDesign

    form = {field.name: settings[field.name] for field in fields(AutoencoderForm)}
    return AutoencoderDesign((shape[0], *(settings["grid"] or shape[1:])), **form)


def blocks_of(settings: Settings, shape: tuple[int, int, int, int]) -> Blocks:
    """Return the blocks of a PCA; without `block` a volume is one."""
    return Blocks(shape, tuple(settings["block"] or shape[1:]))


def build_encoder(
    settings: Settings, shape: tuple[int, int, int, int], arrays: Mapping[str, np.ndarray], device: torch.device
) -> Encoder:
    """Return the encoder of masks `shape` (C, X, Y, Z); arrays: what was fitted, none where nothing is.

    settings: `kind`, one of ENCODERS, and what it needs. Raises InputError for arrays that do not fit.
    """
    return ENCODERS[settings["kind"]](settings, shape, arrays, device)


def _identity(settings: Settings, shape: tuple, arrays: Mapping, device: torch.device) -> Encoder:
    return IdentityEncoder(shape, settings["radius"])


def _pca(settings: Settings, shape: tuple, arrays: Mapping, device: torch.device) -> Encoder:
    pca = PrincipalComponents.from_arrays(arrays)
    return PcaEncoder(pca, blocks_of(settings, shape), settings["components"], settings["radius"])


def _autoencoder(settings: Settings, shape: tuple, arrays: Mapping, device: torch.device) -> Encoder:
    from lib.encoders.autoencoder import AutoencoderEncoder
    from lib.encoders.coarse import CoarseEncoder

    inner = AutoencoderEncoder(design_of(settings, shape), arrays, device, settings["radius"])
    return CoarseEncoder(inner, shape, tuple(settings["grid"])) if settings["grid"] else inner


# by the kind that the configuration gives; what is fitted to public masks before is in scripts/train_mask_encoder.py
ENCODERS: dict[str, Callable[..., Encoder]] = {"identity": _identity, "pca": _pca, "autoencoder": _autoencoder}

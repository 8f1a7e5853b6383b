"""Modules whose weights are still to be drawn."""

import torch

from lib.models.undrawn import undrawn


def test_the_global_generator_is_left_as_it_was():
    before = torch.get_rng_state()
    layer = undrawn(torch.nn.Conv3d, 2, 3, 3, bias=False)
    assert layer.weight.shape == (3, 2, 3, 3, 3) and layer.bias is None
    assert torch.equal(before, torch.get_rng_state())

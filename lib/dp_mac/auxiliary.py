"""The z-step: auxiliary coordinates of one batch, found by Adam at fixed weights (Algorithm 1, step 1).

A sample's coordinates are a function of that sample and of the weights, which are released; nothing here mixes
samples. That the step itself is not private is fine for that reason, and because z is thrown away after it.
"""

import torch

from lib.dp_mac.network import MacNetwork


def gradients(
    network: MacNetwork,
    weights: list[torch.Tensor],
    first: torch.Tensor,
    y: torch.Tensor,
    coordinates: list[torch.Tensor],
    mu: float,
) -> list[torch.Tensor]:
    """Gradient in every coordinate, tensors (R, b, d_k), one or more, of (T_output + mu sum_k T_k) / 2.

    That is one half of a sample's share of eq. (2). first: (R, b, d_1), what the first layer gives, which no coordinate
    changes. z_k stands in its own layer's residual, mu (z_k - f(u_k)), and in the next layer's pre-activation.
    """
    found, targets = [mu * (coordinates[0] - first)], [*coordinates[1:], y]
    for k, (kind, z, target) in enumerate(zip(network.objectives[1:], coordinates, targets, strict=True), start=1):
        weighting = 1.0 if k == len(coordinates) else mu
        u = network.preactivation(weights[k], z)
        down = weights[k][:, : network.sizes[k]].mT  # without the bias, which is no coordinate
        found[-1] += torch.bmm(0.5 * weighting * kind.first(u, target), down)
        if k < len(coordinates):
            found.append(mu * (coordinates[k] - kind.output(u)))
    return found


def auxiliary_coordinates(
    network: MacNetwork,
    weights: list[torch.Tensor],
    x: torch.Tensor,
    y: torch.Tensor,
    steps: int,
    rate: float,
    mu: float = 1.0,
) -> list[torch.Tensor]:
    """z_1 .. z_K (R, b, d_k) of a batch, K the number of hidden layers.

    x: (R, b, features), y: (R, b, outputs). They start as what the layers give and take `steps` steps of Adam, whose
    state starts anew with each batch, and which treats every number on its own: it mixes no samples.
    """
    with torch.no_grad():
        coordinates = network.outputs(weights, x)[:-1]
        if not coordinates:
            return []
        first = coordinates[0].clone()
        adam = torch.optim.Adam(coordinates, lr=rate, fused=True)
        for _ in range(steps):
            for z, gradient in zip(coordinates, gradients(network, weights, first, y, coordinates, mu), strict=True):
                z.grad = gradient
            adam.step()
        for z in coordinates:
            z.grad = None
        return coordinates

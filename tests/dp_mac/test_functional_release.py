"""The noise is Laplace, on every coefficient once, of sensitivity over epsilon; nothing else is released."""

import ast
import inspect

import numpy as np
import pytest
import torch
from dp_accounting import LaplaceDpEvent
from dp_accounting.pld import PLDAccountant
from scipy.stats import kstest

from lib.dp_mac import cdbn
from lib.dp_mac import cdbn_release as release
from lib.dp_mac.cdbn_sensitivity import hidden_sensitivity, output_sensitivity
from lib.training.context import Context
from pate_accountant.statement import PrivacyStatement

X = torch.rand(6, 1, 8, 8, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 1, 2, 0, 1, 2])


def triangle(matrix):
    return matrix[torch.triu(torch.ones_like(matrix)).bool()].numpy()


def test_hidden_noise():
    exact = release.hidden_moments(X, 5, 2, 0.3)
    found = release.release_hidden(X, 5, 2, 0.3, 0.7, np.random.default_rng(3))
    scale = hidden_sensitivity(1, 8, 5, 2, 0.3) / 0.7
    assert found.scale == scale
    noise = triangle(found.matrix - exact) / scale
    assert len(noise) == 26 * 27 // 2 and len(set(noise)) == len(noise)
    assert kstest(noise, "laplace").pvalue > 0.01
    assert kstest(2 * noise, "laplace").pvalue < 1e-3  # half the noise would be seen
    torch.testing.assert_close(found.matrix, found.matrix.T)


def test_output_noise():
    features = torch.rand(6, 40, generator=torch.Generator().manual_seed(1))
    linear, quadratic = release.output_sums(features, Y, 3, 0.5)
    found = release.release_output(features, Y, 3, 0.5, (0.3, 0.9), np.random.default_rng(4))
    scales = [bound / epsilon for bound, epsilon in zip(output_sensitivity(40, 0.5), (0.3, 0.9), strict=True)]
    assert found.quadratic.scale == scales[1]
    for noise in (
        (found.linear - linear).numpy().ravel() / scales[0],
        triangle(found.quadratic.matrix - quadratic) / scales[1],
    ):
        assert kstest(noise, "laplace").pvalue > 0.01


def test_without_epsilon_there_is_none():
    found = release.release_hidden(X, 5, 2, 1.0, None, np.random.default_rng(0))
    assert found.scale == 0 and torch.equal(found.matrix, release.hidden_moments(X, 5, 2, 1.0))


def test_the_epsilons_of_all_releases_add_up(monkeypatch):
    spent = []
    for name in ("release_hidden", "release_output"):
        kept = getattr(cdbn, name)

        def recorded(*arguments, kept=kept):
            spent.append(arguments[4])
            return kept(*arguments)

        monkeypatch.setattr(cdbn, name, recorded)
    settings = cdbn.CdbnSettings(filters=(2, 2), sizes=(3, 3), grid=2, hidden_steps=1, epochs=2, epoch_steps=1)
    arguments = (X.numpy(), Y.numpy(), 3, 1.5, lambda network: 0.0)
    cdbn.train_cdbn(settings, *arguments, Context(0, ("test", "a"), torch.device("cpu")))
    assert len(spent) == 3 and spent[0] + spent[1] + sum(spent[2]) == pytest.approx(1.5)
    accountant = PLDAccountant()
    for epsilon in (*spent[:2], *spent[2]):
        accountant.compose(LaplaceDpEvent(1 / epsilon))
    assert accountant.get_epsilon(1e-9) == pytest.approx(1.5, rel=1e-2)
    made = PrivacyStatement.data_independent(**cdbn.guarantee(1.5, 1e-5))
    assert made.epsilon == 1.5 and made.guarantee
    assert cdbn.guarantee(1.5, 1e-5, replace_one=True)["epsilon"] == 3.0


def test_what_trains_sees_no_data():
    """By their parameters, and because every name of data in `train_cdbn` goes to what releases or is public."""
    for fit in (cdbn.fit_hidden, cdbn.fit_output, cdbn.output_objective, cdbn.hidden_objective):
        assert not {"x", "y", "images", "labels", "features"} & set(inspect.signature(fit).parameters)
    tree = ast.parse(inspect.getsource(cdbn.train_cdbn))
    private = {"x", "y", "images", "labels", "features"}
    users = {
        ast.unparse(call.func)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for value in [*call.args, *(keyword.value for keyword in call.keywords)]
        for used in ast.walk(value)
        if isinstance(used, ast.Name) and used.id in private
    }
    transforms = {"torch.tensor", "torch.cat", "hidden_units", "F.adaptive_avg_pool2d", "torch.from_numpy"}
    transforms |= {"F.adaptive_avg_pool2d(images, settings.grid).flatten", "torch.from_numpy(y.astype(np.int64)).to"}
    assert {"release_hidden", "release_output"} <= users
    assert users - transforms <= {"checked", "release_hidden", "release_output"}

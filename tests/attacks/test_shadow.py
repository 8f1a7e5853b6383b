"""The shadow-model attack on made-up probabilities."""

import numpy as np
import pytest
import torch

from lib.attacks.roc import auc_interval
from lib.attacks.shadow import largest, shadow_scores
from lib.attacks.shadow_settings import AttackSettings
from lib.core.errors import InputError

pytestmark = pytest.mark.usefixtures("one_thread")

MEMBER = np.arange(400) < 200
SLOW, PUBLISHED = AttackSettings(rate=1e-3), AttackSettings()


def made_up(seed, sharpness, classes=5):
    """Probabilities of 200 members, drawn `sharpness` times as confident, and 200 others."""
    logits = np.random.default_rng(seed).normal(0, 1.5, (400, classes))
    logits[MEMBER] *= sharpness
    powers = np.exp(logits)
    return powers / powers.sum(1, keepdims=True)


def attacked(settings, sharpness, classes=5, job=("attack",), seed=1):
    return shadow_scores(made_up(1, sharpness, classes), MEMBER, made_up(2, sharpness, classes), settings, seed, job)


def test_features_are_the_largest_probabilities_falling():
    probabilities = np.array([[0.1, 0.5, 0.15, 0.25], [0.25, 0.25, 0.25, 0.25]])
    np.testing.assert_allclose(largest(probabilities, 3), [[0.5, 0.25, 0.15], [0.25] * 3])
    np.testing.assert_allclose(largest(probabilities, 2)[0], [0.5, 0.25])
    assert largest(probabilities, 3).dtype == np.float32


@pytest.mark.parametrize(("classes", "top"), [(5, 3), (2, 2)])
@pytest.mark.parametrize("settings", [SLOW, PUBLISHED])
def test_confident_members_are_found(settings, classes, top):
    found = auc_interval(attacked(AttackSettings(rate=settings.rate, top=top), 4.0, classes), MEMBER)
    assert found.low > 0.65 and not found.constant


@pytest.mark.parametrize("settings", [SLOW, PUBLISHED])
def test_members_that_look_like_others_are_not(settings):
    found = auc_interval(attacked(settings, 1.0), MEMBER)
    assert found.low <= 0.5 <= found.high  # the published rate may end in a constant, which is marked
    assert found.constant == (found.low == found.high)


def test_it_finds_members_that_are_less_confident_too():
    """What members look like is learnt on the shadow, where the plain threshold would be the wrong way round."""
    assert auc_interval(attacked(SLOW, 0.25), MEMBER).low > 0.65
    assert auc_interval(made_up(2, 0.25).max(1), MEMBER).high < 0.35


def test_a_diverging_rate_ends_in_an_error_or_a_mark():
    constant = attacked(AttackSettings(rate=1e6, epochs=3), 4.0)
    assert np.isfinite(constant).all()
    with pytest.raises(InputError, match="attack model attack: it diverged; take a smaller rate than 1e"):
        attacked(AttackSettings(rate=1e30, epochs=3), 4.0)


def test_scores_are_probabilities_keyed_by_seed_and_job():
    before = torch.get_rng_state()
    one, same, job, seed = (
        attacked(SLOW, 4.0),
        attacked(SLOW, 4.0),
        attacked(SLOW, 4.0, job=("other",)),
        attacked(SLOW, 4.0, seed=2),
    )
    assert torch.equal(torch.get_rng_state(), before)
    assert one.shape == (400,) and one.dtype == np.float64 and ((one >= 0) & (one <= 1)).all()
    assert one.tobytes() == same.tobytes() and not np.allclose(one, job) and not np.allclose(one, seed)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="top 3: there are only 2 classes"):
        attacked(SLOW, 1.0, classes=2)
    with pytest.raises(InputError, match="member"):
        shadow_scores(made_up(1, 1.0), MEMBER[:9], made_up(2, 1.0), SLOW, 1, ("attack",))

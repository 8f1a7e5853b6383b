"""A statement cannot be made without its meaning, nor with an impossible one."""

import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate_accountant.rounding import rounded_down, rounded_up, shown
from pate_accountant.statement import CONVERSIONS, NEIGHBOURING, PrivacyStatement, added

FIELDS = {
    "epsilon": 1.97,
    "delta": 1e-5,
    "accountant": "rdp",
    "conversion": "classic",
    "neighbouring": "replace_one",
    "data_dependent": True,
    "sanitized": False,
    "one_sided": True,
    "proved_bound": True,
}


@pytest.mark.parametrize("field", FIELDS)
def test_no_part_of_the_meaning_can_be_left_out(field):
    PrivacyStatement(**FIELDS)
    with pytest.raises(TypeError, match=field):
        PrivacyStatement(**{name: value for name, value in FIELDS.items() if name != field})


def test_parts_are_given_by_name_and_stay():
    with pytest.raises(TypeError):
        PrivacyStatement(*FIELDS.values())
    with pytest.raises(dataclasses.FrozenInstanceError):
        PrivacyStatement(**FIELDS).epsilon = 0.1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epsilon", -1e-9),
        ("epsilon", math.inf),
        ("epsilon", math.nan),
        ("delta", 0.0),
        ("delta", 1.0),
        ("delta", -1e-5),
        ("delta", math.nan),
        ("neighbouring", "remove_one"),
        ("neighbouring", ""),
        ("conversion", "zcdp"),
    ],
)
def test_impossible_values_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=field):
        PrivacyStatement(**FIELDS | {field: value})


def test_only_what_depends_on_the_data_can_be_sanitized():
    PrivacyStatement(**FIELDS | {"sanitized": True})
    with pytest.raises(ValueError, match="sanitized"):
        PrivacyStatement(**FIELDS | {"sanitized": True, "data_dependent": False})


def test_a_number_known_without_the_data_is_two_sided_and_needs_no_release():
    given = {name: FIELDS[name] for name in ("accountant", "conversion", "neighbouring", "proved_bound")}
    plain = {"data_dependent": False, "sanitized": False, "one_sided": False}
    assert PrivacyStatement.data_independent(1.97, 1e-5, **given) == PrivacyStatement(**FIELDS | plain)
    for field in given:
        with pytest.raises(TypeError, match=field):
            PrivacyStatement.data_independent(1.97, 1e-5, **{name: given[name] for name in given if name != field})


def test_statements_add_up_to_no_more_than_the_weakest_of_them_says():
    held = PrivacyStatement(**FIELDS | {"data_dependent": False, "sanitized": False, "one_sided": False})
    read = dataclasses.replace(held, epsilon=0.5, delta=2e-5, data_dependent=True, one_sided=True, proved_bound=False)
    both = added([held, read])
    assert (both.epsilon, both.delta) == pytest.approx((held.epsilon + 0.5, held.delta + 2e-5))
    assert both.data_dependent and both.one_sided and not both.proved_bound and not both.sanitized
    assert (both.accountant, both.conversion) == ("basic composition", "none")
    assert added([held, held]).guarantee and held.guarantee


def test_statements_about_different_neighbours_do_not_add_up():
    here, there = (PrivacyStatement(**FIELDS | {"neighbouring": name}) for name in NEIGHBOURING)
    with pytest.raises(ValueError, match="different neighbours"):
        added([here, there])


@given(
    st.fixed_dictionaries(
        {
            "epsilon": st.floats(0, 1e6),
            "delta": st.floats(1e-30, 0.999),
            "accountant": st.sampled_from(["rdp", "moments(1..8)", "rdp + gnss (exact cost)", ""]),
            "conversion": st.sampled_from(CONVERSIONS),
            "neighbouring": st.sampled_from(NEIGHBOURING),
            "data_dependent": st.just(True),
            "sanitized": st.booleans(),
            "one_sided": st.booleans(),
            "proved_bound": st.booleans(),
        }
    )
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_statements_survive_json(fields):
    statement = PrivacyStatement(**fields)
    assert statement.as_dict() == fields | {"guarantee": False}
    assert PrivacyStatement.from_dict(json.loads(json.dumps(statement.as_dict()))) == statement


@pytest.mark.parametrize("proved", [False, True])
@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("data_dependent", [False, True])
def test_a_guarantee_is_proved_two_sided_and_independent_of_the_data(proved, one_sided, data_dependent):
    said = {"proved_bound": proved, "one_sided": one_sided, "data_dependent": data_dependent}
    statement = PrivacyStatement(**FIELDS | said)
    assert statement.guarantee is (proved and not one_sided and not data_dependent)
    assert PrivacyStatement.from_dict(statement.as_dict()) == statement
    with pytest.raises(ValueError, match="guarantee is"):
        PrivacyStatement.from_dict(statement.as_dict() | {"guarantee": not statement.guarantee})


def test_what_was_written_before_the_two_were_told_apart_is_a_proved_bound():
    old = {name: FIELDS[name] for name in FIELDS if name != "proved_bound"} | {"guarantee": True}
    read = PrivacyStatement.from_dict(old)
    assert read.proved_bound and not read.guarantee


@given(st.floats(1e-12, 1e12), st.integers(1, 8))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_an_epsilon_is_shown_no_smaller_and_a_lower_bound_no_larger(value, digits):
    for up in (rounded_up(value, digits), float(shown(value, digits))):
        assert value <= up <= value * (1 + 10.0 ** (1 - digits)) and rounded_up(up, digits) == up
    assert value * (1 - 10.0 ** (1 - digits)) <= rounded_down(value, digits) <= value
    assert rounded_down(-value, digits) == -rounded_up(value, digits)


@pytest.mark.parametrize("written", [0.1, 0.7, 1.1, 1.3, 2.3, 8.0])
def test_a_number_of_few_digits_stays_as_it_was_written(written):
    """Half of these doubles lie above the number that was meant, by less than any computation tells."""
    assert rounded_up(written, 3) == rounded_down(written, 3) == written == float(shown(written))


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_bound_of_zero_has_no_sign(zero):
    assert str(rounded_down(zero, 3)) == "0.0"

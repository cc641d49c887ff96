"""Options that no method can work with are refused by a sentence when they are given."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from maxmargin import InvalidInputError, Stop
from maxmargin.solvers import (
    LBFGSB,
    SGD,
    SMO,
    ConstantStep,
    InverseRoot,
    InverseTime,
    Subgradient,
)

Make = Callable[..., Any]

COUNTS: list[tuple[Make, str]] = [
    (SMO, "observe_every"),
    (Subgradient, "observe_every"),
    (LBFGSB, "observe_every"),
    (LBFGSB, "memory"),
    (SGD, "batch_size"),
]
NOT_WHOLE = [-1, 1.5, "10", True, np.True_, [1], float("nan"), float("inf"), 1j, 10**400]


def short(value: object) -> str:
    return repr(value)[:12]


def option(make: Make, name: str) -> str:
    """How the sentences call an option."""
    return f"{make.__name__}({name}=...)"


def refused(make: Make, name: str, value: object) -> str:
    with pytest.raises(InvalidInputError) as caught:
        make(**{name: value})
    return str(caught.value)


@pytest.mark.parametrize(("make", "name"), COUNTS)
@pytest.mark.parametrize("value", [0, *NOT_WHOLE], ids=short)
def test_a_count_is_a_whole_number_of_at_least_one(make: Make, name: str, value: object) -> None:
    sentence = f"{option(make, name)} must be a whole number of at least 1; got {value!r}."
    assert refused(make, name, value) == sentence


@pytest.mark.parametrize("make", [SMO, Subgradient, LBFGSB])
def test_a_count_cannot_be_left_out_by_none(make: Make) -> None:
    assert "observe_every" in refused(make, "observe_every", None)


@pytest.mark.parametrize(("make", "name"), [*COUNTS, (SGD, "seed")])
@pytest.mark.parametrize("value", [1000, 1e3, np.int32(1000), np.float32(1000), Fraction(1000)])
def test_a_whole_number_of_any_type_becomes_an_int(make: Make, name: str, value: object) -> None:
    made = getattr(make(**{name: value}), name)
    assert made == 1000
    assert type(made) is int


@pytest.mark.parametrize("value", [*NOT_WHOLE, None], ids=short)
def test_a_seed_is_a_whole_number_of_at_least_zero(value: object) -> None:
    sentence = f"SGD(seed=...) must be a whole number of at least 0; got {value!r}."
    assert refused(SGD, "seed", value) == sentence


def test_zero_is_a_seed_and_so_is_a_large_number() -> None:
    assert SGD(seed=0).seed == 0
    assert SGD(seed=2**100 + 1).seed == 2**100 + 1


@pytest.mark.parametrize("name", ["gap", "kkt", "time_limit"])
@pytest.mark.parametrize("value", [0, -1e-3, "1e-3", True, float("nan"), [1.0], 1j], ids=repr)
def test_an_accuracy_and_a_time_are_numbers_above_zero(name: str, value: object) -> None:
    sentence = f"Stop({name}=...) must be a number above zero; got {value!r}."
    assert refused(Stop, name, value) == sentence


@pytest.mark.parametrize("name", ["gap", "kkt", "time_limit"])
@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), Fraction(1, 2), float("inf")])
def test_a_number_above_zero_becomes_a_float(name: str, value: Any) -> None:
    made = getattr(Stop(**{name: value}), name)
    assert made == value
    assert type(made) is float


def test_what_is_not_given_to_a_stop_is_none() -> None:
    assert Stop() == Stop(gap=None, kkt=None, time_limit=None, max_iter=None)
    assert Stop().gap is Stop().kkt is Stop().time_limit is Stop().max_iter is None


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), "1e7", None, False], ids=repr)
def test_factr_is_a_finite_number_of_at_least_zero(value: object) -> None:
    sentence = f"LBFGSB(factr=...) must be a finite number, zero or more; got {value!r}."
    assert refused(LBFGSB, "factr", value) == sentence


@pytest.mark.parametrize("value", [0, 1e7, np.float64(10)])
def test_factr_may_be_zero_or_large(value: float) -> None:
    assert LBFGSB(factr=value).factr == value


@pytest.mark.parametrize("make", [SGD, Subgradient])
@pytest.mark.parametrize("value", ["Weighted", "mean", None, True, ["none"], np.zeros(2)], ids=repr)
def test_averaging_is_one_of_two_words(make: Make, value: object) -> None:
    sentence = f"{option(make, 'averaging')} must be one of 'weighted', 'none'; got {value!r}."
    assert refused(make, "averaging", value) == sentence


@pytest.mark.parametrize("value", [0.1, "constant", InverseTime, abs], ids=repr)
def test_a_schedule_is_a_schedule(value: object) -> None:
    start = "(schedule=...) must be a Schedule, such as InverseTime(2.0) or ConstantStep(0.01)"
    assert refused(Subgradient, "schedule", value) == f"Subgradient{start}; got {value!r}."
    assert refused(SGD, "schedule", value) == f"SGD{start}, or None; got {value!r}."


def test_only_the_stochastic_method_has_a_schedule_of_its_own() -> None:
    assert SGD(schedule=None).schedule is None
    assert refused(Subgradient, "schedule", None).endswith("got None.")


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (InverseTime, "numerator"),
        (InverseTime, "delay"),
        (InverseRoot, "scale"),
        (ConstantStep, "length"),
    ],
)
@pytest.mark.parametrize("value", [-1.0, "1", None, True, float("nan"), float("inf")], ids=repr)
def test_the_numbers_of_a_schedule_are_named(make: Make, name: str, value: object) -> None:
    sentence = refused(make, name, value)
    assert sentence.startswith(f"{option(make, name)} must ")
    assert sentence.endswith(f"; got {value!r}.")

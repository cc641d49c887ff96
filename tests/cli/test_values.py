import click
import numpy as np
import pytest

from maxmargin.cli.values import Gamma, Grid, Number, Time, Whole, class_weight, kernel
from maxmargin.kernels import CommonSubstrings, Mismatch, Spectrum, Subsequence, WeightedDegree

POSITIVE = Number(0, min_open=True)
WHOLE = Whole(0)


def typed(kind, text):
    return kind.convert(text, None, None)


def test_powers_are_numbers_too():
    assert typed(POSITIVE, "2^-5") == 2**-5
    assert typed(POSITIVE, "1e-3") == 0.001


@pytest.mark.parametrize(
    "text", ["", "one", "0", "-1", "inf", "nan", "2^", "10^400", "0^-1", "-8^0.5"]
)
def test_what_is_not_a_positive_number_is_refused(text):
    with pytest.raises(click.BadParameter):
        typed(POSITIVE, text)


def test_whole_numbers_may_be_typed_as_floats():
    assert [typed(WHOLE, text) for text in ("7", "1e6", "2^20", "3.0")] == [7, 10**6, 2**20, 3]
    assert type(typed(WHOLE, "1e6")) is int
    with pytest.raises(click.BadParameter, match="is not in the range"):
        typed(Whole(1), "0")


def test_a_range_on_the_log_scale_has_equal_ratios():
    found = typed(Grid(POSITIVE, np.geomspace), "0.1:1000:9")
    np.testing.assert_allclose(found, np.geomspace(0.1, 1000, 9), rtol=1e-11)
    assert found[0] == 0.1
    assert found[-1] == 1000


def test_the_range_of_grid_py():
    found = typed(Grid(POSITIVE, np.geomspace), "2^-5:2^15:11")
    np.testing.assert_allclose(found, 2.0 ** np.arange(-5, 16, 2), rtol=1e-11)


def test_a_linear_range_has_equal_steps():
    assert typed(Grid(POSITIVE, np.linspace), "0.1:0.5:5") == (0.1, 0.2, 0.3, 0.4, 0.5)
    assert typed(Grid(WHOLE, np.linspace), "2:4:3") == (2, 3, 4)


def test_lists_keep_their_order_and_words():
    assert typed(Grid(Gamma(0), np.geomspace), "scale,1,0.5") == ("scale", 1.0, 0.5)


@pytest.mark.parametrize(
    "text", ["1:2", "1:2:3:4", "1:2:0", "0:1:3", "1:0:3", "1,,2", "scale:1:3", "1:auto:3"]
)
def test_what_is_not_a_grid_is_refused(text):
    with pytest.raises(click.BadParameter):
        typed(Grid(Gamma(0), np.geomspace), text)


@pytest.mark.parametrize("text", ["2.5", "2,2.5", "2:3:3"])
def test_a_grid_of_whole_numbers_has_no_fractions(text):
    with pytest.raises(click.BadParameter, match=r"'2\.5' is not a whole number"):
        typed(Grid(WHOLE, np.linspace), text)


def test_times_have_units():
    time = Time(0, min_open=True)
    assert [typed(time, text) for text in ("90", "90s", "1.5m", "2h")] == [90, 90, 90, 7200]
    with pytest.raises(click.BadParameter):
        typed(time, "soon")


def test_weights_by_class():
    assert class_weight("balanced") == "balanced"
    assert class_weight("1=5,-1=0.5") == (("1", 5.0), ("-1", 0.5))
    assert class_weight("a=b=2") == (("a=b", 2.0),)


@pytest.mark.parametrize("text", ["heavy", "1=5,2", "1=much", "=5"])
def test_what_is_not_a_weight_is_refused(text):
    with pytest.raises(click.BadParameter):
        class_weight(text)


def test_named_kernels_keep_their_parameters():
    found = kernel("poly:degree=2,coef0=1")
    assert found.value == "poly"
    assert found.parameters == {"degree": 2, "coef0": 1}
    assert not found.compares_text


def test_other_names_of_the_same():
    assert kernel("gaussian").value == "rbf"
    assert kernel("tanh").value == "sigmoid"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("spectrum:k=4,normalize=true", Spectrum(4, normalize=True)),
        ("mismatch:k=3,m=1", Mismatch(3, 1)),
        ("substrings:count=distinct,max_length=5", CommonSubstrings("distinct", max_length=5)),
        ("weighted-degree:degree=2,shift=1", WeightedDegree(2, 1)),
        ("subsequence:length=2,decay=0.5", Subsequence(2, 0.5)),
    ],
)
def test_kernels_on_text(text, expected):
    found = kernel(text)
    assert found.value == expected
    assert found.compares_text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("gauss", "is not a kernel"),
        ("rbf:degree=2", "has no 'degree'"),
        ("spectrum:k=0", "k must be a whole number"),
        ("spectrum:length=2", "length"),
        ("rbf:gamma", "NAME=VALUE"),
    ],
)
def test_what_is_wrong_is_said(text, what):
    with pytest.raises(click.BadParameter, match=what):
        kernel(text)

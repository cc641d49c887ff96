import click
import numpy as np
import pytest

from maxmargin.cli.numbers import grid, number, number_or_word, seconds

positive = number(above=0.0)


def test_powers_are_numbers_too():
    assert positive("2^-5") == 2**-5
    assert positive("1e-3") == 0.001


@pytest.mark.parametrize("text", ["", "one", "0", "-1", "inf", "nan", "2^", "10^400", "0^-1"])
def test_what_is_no_positive_number_is_refused(text):
    with pytest.raises(click.BadParameter):
        positive(text)


def test_whole_numbers_are_whole():
    whole = number(least=1, whole=True)
    assert whole("3") == 3
    with pytest.raises(click.BadParameter, match="whole"):
        whole("2.5")


def test_a_range_on_the_log_scale_has_equal_ratios():
    found = grid(positive, logarithmic=True)("0.1:1000:9")
    np.testing.assert_allclose(found, np.geomspace(0.1, 1000, 9), rtol=1e-11)
    assert found[0] == 0.1
    assert found[-1] == 1000


def test_the_range_of_grid_py():
    found = grid(positive, logarithmic=True)("2^-5:2^15:11")
    np.testing.assert_allclose(found, 2.0 ** np.arange(-5, 16, 2), rtol=1e-11)


def test_a_linear_range_has_equal_steps():
    assert grid(positive, logarithmic=False)("0.1:0.5:5") == (0.1, 0.2, 0.3, 0.4, 0.5)


def test_lists_keep_their_order_and_words():
    gamma = grid(number_or_word(("scale",), number(least=0.0)), logarithmic=True)
    assert gamma("scale,1,0.5") == ("scale", 1.0, 0.5)


@pytest.mark.parametrize("text", ["1:2", "1:2:3:4", "1:2:0", "0:1:3", "1,,2", "scale:1:3"])
def test_what_is_no_grid_is_refused(text):
    gamma = grid(number_or_word(("scale",), number(least=0.0)), logarithmic=True)
    with pytest.raises(click.BadParameter):
        gamma(text)


def test_times_have_units():
    assert [seconds(text) for text in ("90", "90s", "1.5m", "2h")] == [90, 90, 90, 7200]
    with pytest.raises(click.BadParameter):
        seconds("soon")

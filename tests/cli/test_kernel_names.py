import click
import pytest

from maxmargin.cli.kernel_names import kernel_name
from maxmargin.kernels import CommonSubstrings, Mismatch, Spectrum, Subsequence, WeightedDegree


def test_named_kernels_keep_their_parameters():
    found = kernel_name("poly:degree=2,coef0=1")
    assert found.value == "poly"
    assert found.parameters == {"degree": 2, "coef0": 1}
    assert not found.compares_text


def test_other_names_of_the_same():
    assert kernel_name("gaussian").value == "rbf"
    assert kernel_name("tanh").value == "sigmoid"


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        ("spectrum:k=4,normalize=true", Spectrum(4, normalize=True)),
        ("mismatch:k=3,m=1", Mismatch(3, 1)),
        ("substrings:count=distinct,max_length=5", CommonSubstrings("distinct", max_length=5)),
        ("weighted-degree:degree=2,shift=1", WeightedDegree(2, 1)),
        ("subsequence:length=2,decay=0.5", Subsequence(2, 0.5)),
    ],
)
def test_kernels_on_text(text, kernel):
    found = kernel_name(text)
    assert found.value == kernel
    assert found.compares_text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("gauss", "is no kernel"),
        ("rbf:degree=2", "has no 'degree'"),
        ("spectrum:k=0", "k must be a whole number"),
        ("spectrum:length=2", "length"),
        ("rbf:gamma", "NAME=VALUE"),
    ],
)
def test_what_is_wrong_is_said(text, what):
    with pytest.raises(click.BadParameter, match=what):
        kernel_name(text)

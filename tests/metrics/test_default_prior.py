"""Whatever takes a prior takes the same one by default."""

from inspect import signature

import pytest

from maxmargin import metrics, pages
from maxmargin.cli.options import Costs

FUNCTIONS = (
    metrics.dcf,
    metrics.act_dcf,
    metrics.min_dcf,
    metrics.best_threshold,
    metrics.bayes_threshold,
    metrics.make_dcf_scorer,
    pages.report,
    pages.study,
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_of_functions(function):
    assert signature(function).parameters["prior"].default == metrics.DEFAULT_PRIOR


def test_of_the_command_line():
    assert Costs().prior == metrics.DEFAULT_PRIOR


def test_it_is_about_that_of_nist():
    assert round(metrics.effective_prior(0.01, cost_fn=10), 1) == metrics.DEFAULT_PRIOR

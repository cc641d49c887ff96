import numpy as np
import pytest

from maxmargin import InvalidInputError, certify, plot, solve
from maxmargin.problems import Record, Regularised, SoftMargin, Trace
from maxmargin.solvers import solvers_for


@pytest.fixture
def runs(overlapping):
    problem = SoftMargin(*overlapping, C=0.5, bias=Regularised(1))
    return {name: solve(problem, name, trace=True) for name in solvers_for(problem)}


def test_every_run_has_a_line_on_a_logarithmic_axis(ax, runs):
    assert plot.traces(runs, ax) is ax
    assert ax.get_yscale() == "log"
    assert {text.get_text() for text in ax.get_legend().get_texts()} == set(runs)


@pytest.mark.parametrize("against", ["seconds", "iteration"])
def test_a_line_ends_in_the_gap_that_is_certified(ax, runs, against):
    smo = runs["smo"]
    plot.traces({"smo": smo}, ax, against=against, quantity="gap")
    line = next(line for line in ax.lines if line.get_label() == "smo")
    end = {"seconds": smo.seconds, "iteration": smo.iterations}[against]
    assert line.get_xdata()[-1] == pytest.approx(end)
    assert line.get_ydata()[-1] == pytest.approx(max(certify(smo.problem, smo).gap, 1e-13))


def test_negative_gaps_are_dotted_and_infinite_ones_left_out(ax):
    gaps = [np.inf, -2.0, 1.0, 0.1]
    trace = Trace([Record(i + 1, 0.1 * (i + 1), gap + 3, 3.0, gap) for i, gap in enumerate(gaps)])
    plot.traces({"run": trace}, ax, quantity="gap")
    dotted, solid = ax.lines
    np.testing.assert_allclose(dotted.get_ydata(), [2.0, 1.0, 0.1])
    np.testing.assert_allclose(solid.get_ydata(), [np.nan, 1.0, 0.1])
    assert dotted.get_linestyle() == ":"


def test_a_gap_lost_in_rounding_is_still_drawn(ax):
    plot.traces({"run": Trace([Record(1, 0.1, 3.0, 3.0, -1e-16)])}, ax)
    assert ax.lines[0].get_ydata() == pytest.approx([1e-13])


def test_a_run_without_a_trace_gets_a_sentence(ax, overlapping):
    with pytest.raises(InvalidInputError, match=r"'smo' has no trace.*trace=True"):
        plot.traces({"smo": solve(SoftMargin(*overlapping), "smo")}, ax)


def test_wrong_options_are_named(ax, runs):
    with pytest.raises(InvalidInputError, match="against must be 'seconds' or 'iteration'"):
        plot.traces(runs, ax, against="hours")
    with pytest.raises(InvalidInputError, match="quantity must be"):
        plot.traces(runs, ax, quantity="speed")
    with pytest.raises(InvalidInputError, match="runs is empty"):
        plot.traces({}, ax)

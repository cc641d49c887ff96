import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    SVC,
    SVR,
    InvalidInputError,
    LinearSVC,
    LinearSVR,
    NuSVC,
    OneClassSVM,
    Solution,
    SVMSearchCV,
    certify,
    plot,
    solve,
)
from maxmargin.problems import Regularised, SoftMargin
from maxmargin.solvers import Record, Trace, solvers_for


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


# Models -------------------------------------------------------------------------------------------

MODELS = {
    "SVC": SVC(C=2, trace=True),
    "NuSVC": NuSVC(nu=0.3, trace=True),
    "SVR": SVR(trace=True),
    "OneClassSVM": OneClassSVM(trace=True),
    "LinearSVC": LinearSVC(trace=True),
    "LinearSVC, hinge": LinearSVC(loss="hinge", solver="coordinate-descent", trace=True),
    "LinearSVC, Crammer-Singer": LinearSVC(multi_class="crammer_singer", trace=True),
    "LinearSVR": LinearSVR(trace=True),
    "Pipeline": make_pipeline(StandardScaler(), LinearSVC(trace=True)),
    "GridSearchCV": GridSearchCV(SVC(trace=True), {"C": [1, 2]}, cv=3),
    "SVMSearchCV": SVMSearchCV(SVC(trace=True), {"C": [1, 2]}, cv=3),
}


def solid(ax):
    return [line for line in ax.lines if line.get_linestyle() != ":"]


def machine_of(model):
    while not hasattr(model, "machines_"):
        model = model[-1] if hasattr(model, "steps") else model.best_estimator_
    return model


@pytest.mark.parametrize("name", MODELS)
def test_a_models_line_ends_in_the_gap_that_is_certified(ax, overlapping, name):
    model = MODELS[name].fit(*overlapping)
    plot.traces([model], ax, quantity="gap", against="iteration")
    (line,) = solid(ax)
    (machine,) = machine_of(model).machines_
    assert line.get_ydata()[-1] == pytest.approx(max(machine.certificate.gap, 1e-13))
    assert line.get_xdata()[-1] >= machine.solution.iterations
    recorded = machine.solution.trace.gap[machine.solution.trace.iteration > 0]
    recorded = np.where(np.abs(recorded) < 1e-13, 1e-13, recorded)
    shown = np.asarray(line.get_ydata())[:-1]
    np.testing.assert_allclose(shown, np.where(recorded > 0, recorded, np.nan))


def test_a_list_is_named_by_solvers_and_estimators(ax, overlapping):
    problem = SoftMargin(*overlapping)
    solutions = [solve(problem, name, trace=True) for name in ("smo", "dual-qp", "smo")]
    models = [LinearSVC(trace=True, C=C).fit(*overlapping) for C in (1, 2)]
    plot.traces([*solutions, *models, solutions[0].trace], ax)
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown == ["smo", "dual-qp", "smo (2)", "LinearSVC", "LinearSVC (2)", "Trace"]


@pytest.mark.parametrize(
    "wrap", [lambda run: run, lambda run: [run], lambda run: {"mine": run}], ids=["it", "[]", "{}"]
)
def test_one_run_may_be_given_by_itself(ax, overlapping, wrap):
    pipeline = make_pipeline(StandardScaler(), LinearSVC(trace=True)).fit(*overlapping)
    for run in (pipeline, pipeline[-1], solve(SoftMargin(*overlapping), "smo", trace=True)):
        ax.clear()
        plot.traces(wrap(run), ax)
        assert len(solid(ax)) == 1


def test_each_machine_of_many_classes_has_a_line_of_one_colour(ax, three):
    X, y = three
    models = {
        "rest": LinearSVC(loss="hinge", solver="coordinate-descent", trace=True),
        "all": LinearSVC(multi_class="crammer_singer", trace=True),
    }
    for model in models.values():
        model.fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    plot.traces(models, ax, quantity="gap")
    assert len(solid(ax)) == 4
    colours = [line.get_color() for line in solid(ax)]
    assert (len(set(colours[:3])), len(set(colours))) == (1, 2)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["rest", "all"]
    ends = [line.get_ydata()[-1] for line in solid(ax)]
    certificates = [m.certificate.gap for model in models.values() for m in model.machines_]
    np.testing.assert_allclose(ends, np.maximum(certificates, 1e-13))


def test_time_never_runs_back(ax, overlapping):
    for run in (solve(SoftMargin(*overlapping), "decomposition", trace=True), MODELS["LinearSVC"]):
        ax.clear()
        plot.traces(run if isinstance(run, Solution) else run.fit(*overlapping), ax)
        (line,) = solid(ax)
        assert np.all(np.diff(line.get_xdata()) >= 0)


@pytest.mark.parametrize(
    "model",
    [SVC(), LinearSVC(), make_pipeline(StandardScaler(), SVR()), GridSearchCV(SVC(), {"C": [1]})],
    ids=lambda model: type(model).__name__,
)
def test_a_model_without_a_trace_gets_a_sentence(ax, overlapping, model):
    name = type(model).__name__
    with pytest.raises(
        InvalidInputError, match=f"'{name}' has no trace.*estimator with trace=True"
    ):
        plot.traces([model.fit(*overlapping)], ax)
    with pytest.raises(InvalidInputError, match="Run 'Trace' has no trace: it is empty"):
        plot.traces(Trace(), ax)

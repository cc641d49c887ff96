"""Each function that shows or analyses, with each kind of model that it may be given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    SVC,
    SVR,
    CalibratedSVC,
    InvalidInputError,
    LinearSVC,
    LinearSVR,
    MaxMarginError,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OnlineOneClassSVM,
    OnlineSVC,
    SoftMargin,
    SVMSearchCV,
    certify,
    plot,
    separability,
    solve,
)
from maxmargin.certificates import KKTTable, Margins, SupportAnalysis, analyse_support, margins
from maxmargin.pages import report

GRID = {"C": [0.1, 1.0]}
PIPED = {"svc__C": [0.1, 1.0]}


def piped():
    return make_pipeline(StandardScaler(), SVC(trace=True))


TWO = {
    "SVC": lambda: SVC(trace=True),
    "linear SVC": lambda: SVC(kernel="linear", trace=True),
    "NuSVC": lambda: NuSVC(nu=0.4, trace=True),
    "LinearSVC": lambda: LinearSVC(trace=True),
    "LinearSVC hinge": lambda: LinearSVC(loss="hinge", trace=True),
    "LinearSVC l1": lambda: LinearSVC(penalty="l1", trace=True),
    "Crammer-Singer": lambda: LinearSVC(multi_class="crammer_singer", trace=True),
    "OnlineSVC": lambda: OnlineSVC(random_state=0, trace=True, tol=0.9),
    "pipeline": piped,
    "GridSearchCV": lambda: GridSearchCV(SVC(trace=True), GRID, cv=2),
    "SVMSearchCV": lambda: SVMSearchCV(SVC(trace=True), GRID, cv=2),
    "search of a pipeline": lambda: SVMSearchCV(piped(), PIPED, cv=2),
    "pipeline with a search": lambda: make_pipeline(
        StandardScaler(), GridSearchCV(SVC(trace=True), GRID, cv=2)
    ),
    "CalibratedSVC": lambda: CalibratedSVC(SVC(trace=True), cv=2),
    "calibrated pipeline": lambda: CalibratedSVC(piped(), cv=2),
    "pipeline with a calibration": lambda: make_pipeline(
        StandardScaler(), CalibratedSVC(SVC(trace=True), cv=2)
    ),
}
MANY = {
    "SVC": TWO["SVC"],
    "NuSVC": TWO["NuSVC"],
    "LinearSVC": TWO["LinearSVC"],
    "OnlineSVC": TWO["OnlineSVC"],
    "pipeline": piped,
    "SVMSearchCV": TWO["SVMSearchCV"],
    "CalibratedSVC": TWO["CalibratedSVC"],
}
NUMBERS = {
    "SVR": lambda: SVR(trace=True),
    "NuSVR": lambda: NuSVR(trace=True),
    "LinearSVR": lambda: LinearSVR(trace=True),
    "pipeline": lambda: make_pipeline(StandardScaler(), SVR(trace=True)),
    "SVMSearchCV": lambda: SVMSearchCV(SVR(trace=True), GRID, cv=2),
}
ONE = {
    "OneClassSVM": lambda: OneClassSVM(nu=0.3, trace=True),
    "pipeline": lambda: make_pipeline(StandardScaler(), OneClassSVM(nu=0.3, trace=True)),
}
DRAWN = {"boundary": plot.boundary, "kkt": plot.kkt, "traces": plot.traces}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, np.sign(X[:, 0] + 0.7 * rng.normal(size=60)).astype(int)


def model_of(make, X, *y):
    return make().fit(X, *y)


def final(model):
    """Return the machine inside a model."""
    while not hasattr(model, "machines_"):
        inner = ("best_estimator_", "estimator_")
        found = [getattr(model, name) for name in inner if name in vars(model)]
        model = found[0] if found else model.steps[-1][1]
    return model


@pytest.fixture(params=TWO)
def two(request, rows):
    return model_of(TWO[request.param], *rows)


@pytest.mark.parametrize("draw", DRAWN)
def test_two_classes_are_drawn(two, draw):
    assert isinstance(DRAWN[draw](two), Axes)


def test_two_classes_are_analysed(two):
    machine = final(two)
    solution = machine.machines_[0].solution
    assert isinstance(analyse_support(two), SupportAnalysis)
    assert analyse_support(two) == analyse_support(solution)
    assert isinstance(machine.certificate_.table(), KKTTable)
    assert isinstance(plot.kkt(machine.certificate_), Axes)
    assert certify(solution.problem, two) == solution.certificate
    if solution.problem.has_two_classes:
        assert isinstance(margins(two), Margins)
        np.testing.assert_array_equal(margins(two).functional, margins(solution).functional)
        assert type(separability(two)) is type(separability(solution))
    else:
        with pytest.raises(InvalidInputError, match="two classes; got CrammerSinger"):
            margins(two)


def test_soft_margins_have_paths_and_others_a_sentence(two):
    problem = final(two).machines_[0].problem
    if isinstance(problem, SoftMargin) and problem.loss == "hinge":
        assert isinstance(plot.path(two), Axes)
        return
    with pytest.raises(MaxMarginError, match=r"plot\.path follows the C|loss='hinge'"):
        plot.path(two)


def test_a_report_is_about_any_of_them(two, rows):
    pytest.importorskip("jinja2")
    page = report(two, *rows, evaluation="training")
    assert type(final(two)).__name__ in page.title
    assert "relative gap" in page.html


@pytest.fixture(params=MANY)
def many(request, rows):
    X, _ = rows
    return model_of(MANY[request.param], X, np.digitize(X[:, 0] + X[:, 1] / 2, [-0.5, 0.5]))


@pytest.mark.parametrize("draw", DRAWN)
def test_several_classes_are_drawn(many, draw):
    assert isinstance(DRAWN[draw](many), Axes)


@pytest.mark.parametrize("k", range(3))
def test_several_classes_are_analysed_machine_by_machine(many, k):
    machine = final(many)
    solution = machine.machines_[k].solution
    assert analyse_support(many, machine=k) == analyse_support(solution)
    assert margins(many, machine=k).margin == margins(solution).margin
    for draw in (plot.boundary, plot.kkt):
        assert isinstance(draw(many, machine=k), Axes)
    assert isinstance(machine.machines_[k].certificate.table(), KKTTable)
    assert isinstance(machine.certificate_.table(), KKTTable)
    for analyse in (margins, analyse_support):
        with pytest.raises(InvalidInputError, match=r"holds 3 machines: say which one"):
            analyse(many)


@pytest.fixture(params=NUMBERS)
def numbers(request, rows):
    x = rows[0][:, :1]
    return model_of(NUMBERS[request.param], x, np.sin(2 * x[:, 0]))


@pytest.mark.parametrize("draw", DRAWN)
def test_regressions_are_drawn(numbers, draw):
    assert isinstance(DRAWN[draw](numbers), Axes)


def test_regressions_are_analysed(numbers):
    assert analyse_support(numbers).sides.keys() == {-1, 1}
    assert isinstance(final(numbers).certificate_.table(), KKTTable)
    for refuse, sentence in (
        (margins, "Margins need a problem with two classes"),
        (plot.path, r"plot\.path follows the C of a soft margin, .*Tube has no such path"),
    ):
        with pytest.raises(InvalidInputError, match=sentence):
            refuse(numbers)


@pytest.fixture(params=ONE)
def one(request, rows):
    return model_of(ONE[request.param], rows[0])


@pytest.mark.parametrize("draw", DRAWN)
def test_one_class_is_drawn(one, draw):
    assert isinstance(DRAWN[draw](one), Axes)


def test_one_class_is_analysed(one):
    assert analyse_support(one).total.n_points == 60
    assert isinstance(final(one).certificate_.table(), KKTTable)
    for refuse, sentence in (
        (margins, "Margins need a problem with two classes"),
        (plot.path, r"plot\.path follows the C .*OneClass has no such path"),
    ):
        with pytest.raises(InvalidInputError, match=sentence):
            refuse(one)


def test_runs_of_all_kinds_stand_side_by_side(rows):
    X, y = rows
    runs = [make().fit(X, y) for make in TWO.values()]
    ax = plot.traces([*runs, solve(SoftMargin(X, y), trace=True)])
    assert len(ax.get_legend().get_texts()) == len(runs) + 1


@pytest.mark.parametrize(
    "show", [plot.boundary, plot.kkt, plot.traces, plot.path, margins, analyse_support]
)
@pytest.mark.parametrize("make", [OnlineSVC, OnlineOneClassSVM])
def test_online_machines_keep_no_stream(rows, make, show):
    X, y = rows
    with pytest.raises(InvalidInputError, match=f"{make.__name__} learnt from a stream"):
        show(make().fit_stream(lambda: iter([(X, y)])))


@pytest.mark.parametrize("name", TWO)
def test_what_is_not_fitted_gets_a_sentence(name):
    for show in (plot.boundary, plot.kkt, plot.traces, margins, analyse_support):
        with pytest.raises(InvalidInputError, match="fit"):
            show(TWO[name]())

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, InvalidInputError, SVMSearchCV, plot


@pytest.fixture
def search(overlapping):
    grid = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.01, 0.1, 1.0]}
    return SVMSearchCV(SVC(), grid, cv=4).fit(*overlapping)


def framed(ax):
    """The column and row of the framed cell."""
    places = {patch.get_xy() for patch in ax.patches}
    assert len(places) == 1
    return tuple(map(int, places.pop()))


def test_the_heat_map_has_a_field_for_each_pair_and_a_frame_around_the_best(ax, search):
    assert plot.heat_map(search, ax) is ax
    shown = ax.collections[0].get_array()
    means = search.cv_results_["mean_test_score"].reshape(4, 3)
    np.testing.assert_allclose(np.asarray(shown).reshape(3, 4), means.T)
    column, row = framed(ax)
    assert means[column, row] == search.best_score_
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0.1", "1", "10", "100"]


def test_the_fields_hold_their_numbers(ax, search):
    plot.heat_map(search, ax)
    means = search.cv_results_["mean_test_score"].reshape(4, 3)
    shown = {text.get_position(): text.get_text() for text in ax.texts}
    assert shown == {
        (column + 0.5, row + 0.5): f"{means[column, row]:.3f}"
        for column in range(4)
        for row in range(3)
    }


def test_numbers_that_would_not_fit_are_left_out(overlapping):
    grid = {"C": np.logspace(-2, 2, 20), "gamma": [0.01, 0.1]}
    search = SVMSearchCV(SVC(), grid, cv=2).fit(*overlapping)
    small = Figure(figsize=(2, 2)).subplots()
    plot.heat_map(search, small)
    assert len(small.texts) == 0


def test_scores_and_numbers_are_labelled_as_people_say_them(ax, overlapping):
    grid = {"C": [1000.0, 100000.0], "gamma": [1e-5, 0.1]}
    search = SVMSearchCV(SVC(), grid, cv=3).fit(*overlapping)
    plot.heat_map(search, ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1000", "100000"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["10⁻⁵", "0.1"]
    assert ax.get_title().startswith("best accuracy: ")
    assert ax.figure.axes[1].get_ylabel() == "mean accuracy"
    other = Figure().subplots()
    costs = SVMSearchCV(SVC(), grid, cv=3, scoring="neg_min_dcf").fit(*overlapping)
    plot.score_curves(costs, other, by="gamma")
    assert other.get_ylabel() == "mean minDCF"
    assert all((line.get_ydata() >= 0).all() for line in other.lines)


def test_a_field_shows_the_best_of_what_else_varies(ax, overlapping):
    grid = {"C": [0.1, 10.0], "gamma": [0.1, 1.0], "class_weight": [None, {1: 50.0}]}
    search = SVMSearchCV(SVC(), grid, cv=4).fit(*overlapping)
    plot.heat_map(search, ax, colorbar=False)
    means = search.cv_results_["mean_test_score"]
    params = search.cv_results_["params"]
    expected = max(
        m for m, p in zip(means, params, strict=True) if p["C"] == 10 and p["gamma"] == 1
    )
    assert np.asarray(ax.collections[0].get_array()).reshape(2, 2)[1, 1] == expected


def test_curves_by_kernel_with_the_best_marked(ax, overlapping):
    grid = [
        {"svc__kernel": ["linear"], "svc__C": [0.1, 1.0, 10.0]},
        {"svc__kernel": ["rbf"], "svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.1, 1.0]},
    ]
    machine = make_pipeline(StandardScaler(), SVC())
    search = SVMSearchCV(machine, grid, cv=4).fit(*overlapping)
    plot.score_curves(search, ax)
    linear, rbf, star = ax.lines
    assert [linear.get_label(), rbf.get_label()] == ["kernel = linear", "kernel = rbf"]
    np.testing.assert_allclose(linear.get_ydata(), search.cv_results_["mean_test_score"][:3])
    assert star.get_ydata()[0] == search.best_score_
    assert ax.get_xscale() == "log"


def test_cells_that_were_not_reached_are_left_out(ax, search):
    results = dict(search.cv_results_)
    mean = results["mean_test_score"].copy()
    mean[-3:] = np.nan
    results["mean_test_score"] = mean
    plot.score_curves(results, ax)
    assert [len(line.get_xdata()) for line in ax.lines] == [3, 3, 3, 1]
    plot.heat_map(results, ax, colorbar=False)


def test_wrong_things_are_named(ax, search):
    with pytest.raises(InvalidInputError, match=r"search must be a fitted search.*got SVC"):
        plot.heat_map(SVC(), ax)
    with pytest.raises(InvalidInputError, match=r"no parameters called 'nu': it has C, gamma"):
        plot.score_curves(search, ax, x="nu")
    with pytest.raises(InvalidInputError, match=r"score must be one of score; got 'auc'"):
        plot.heat_map(search, ax, score="auc")


def test_negated_costs_are_drawn_as_costs(ax, overlapping):
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}
    search = SVMSearchCV(SVC(), grid, cv=4, scoring={"neg_log": cost_scorer}, refit="neg_log")
    search.fit(*overlapping)
    plot.score_curves(search, ax, by="gamma")
    costs = -search.cv_results_["mean_test_neg_log"].reshape(3, 2)
    np.testing.assert_allclose([line.get_ydata() for line in ax.lines[:2]], costs.T)
    assert ax.lines[2].get_ydata()[0] == costs.min()
    assert ax.get_ylabel() == "mean log"
    other = ax.figure.add_subplot()
    plot.heat_map(search, other, colorbar=False)
    np.testing.assert_allclose(other.collections[0].get_array().ravel(), costs.T.ravel())
    assert other.get_title() == f"best log: {costs.min():.4g}"


def cost_scorer(machine, X, y):
    return -float(np.logaddexp(0, -y * machine.decision_function(X)).mean())


@pytest.mark.parametrize("kind", [GridSearchCV, SVMSearchCV])
def test_a_pipeline_that_ends_in_a_search_shows_its_scores(ax, overlapping, kind):
    model = make_pipeline(StandardScaler(), kind(SVC(), {"C": [0.1, 10.0], "gamma": [0.1, 1.0]}))
    search = model.fit(*overlapping)[-1]
    means = search.cv_results_["mean_test_score"].reshape(2, 2)
    for subject in (model, search, search.cv_results_):
        ax.clear()
        plot.heat_map(subject, ax, colorbar=False)
        np.testing.assert_allclose(ax.collections[0].get_array().reshape(2, 2), means.T)
        ax.clear()
        plot.score_curves(subject, ax, by="gamma")
        np.testing.assert_allclose([line.get_ydata() for line in ax.lines[:2]], means.T)
        assert ax.lines[2].get_ydata()[0] == search.best_score_


def test_what_was_not_searched_has_no_scores(ax, overlapping):
    model = SVC().fit(*overlapping)
    for subject in (model, make_pipeline(StandardScaler(), model), model.machines_[0].solution):
        for draw in (plot.heat_map, plot.score_curves):
            with pytest.raises(InvalidInputError, match="because the picture is of its scores"):
                draw(subject, ax)

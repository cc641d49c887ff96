import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, CalibratedSVC, InvalidInputError, OneClassSVM, SVMSearchCV
from maxmargin.pages import Report, report

from .models import fitted, two_classes


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (SVC, "subject is not fitted: call fit before a report on this SVC."),
        (lambda: make_pipeline(StandardScaler(), SVC()), "call fit before a report on this SVC."),
        (lambda: SVMSearchCV(SVC(), {"C": [1]}), "before a report on this SVMSearchCV."),
        (CalibratedSVC, "before a report on this CalibratedSVC."),
        (LogisticRegression, "or OnlineOneClassSVM of maxmargin; got LogisticRegression."),
        (lambda: "svc", "subject must be a Solution, or be or end in SVC, NuSVC,"),
        (lambda: SVC, "got type."),
    ],
)
def test_models_that_cannot_be_reported_on(make, sentence):
    X, y = fitted("SVC").rows.test
    with pytest.raises(InvalidInputError) as caught:
        report(make(), X, y)
    assert sentence in str(caught.value)


def test_a_search_without_refit():
    X, y = fitted("SVC").rows.training
    search = SVMSearchCV(SVC(), {"C": [1.0]}, refit=False, cv=3).fit(X, y)
    with pytest.raises(InvalidInputError, match="refit=False, which keeps no model to report on"):
        report(search, X, y)


X, Y = two_classes().test
HOLES = X.copy()
HOLES[3, 1] = np.nan


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"X": X[:, :3]},
            "X has 3 features, but SVC is expecting 4 features as input. Give rows like",
        ),
        ({"X": X[:5]}, "X has 5 rows and y 100 values: give exactly one per row"),
        ({"X": X[:0], "y": Y[:0]}, "is empty"),
        (
            {"X": HOLES},
            "The model cannot predict X: Input X contains NaN, first at row 3",
        ),
        ({"X": [[1.0, 2.0], [1.0]]}, "X is not a rectangular array"),
        ({"X": X[:, 0]}, "The model cannot predict X: Expected 2D array"),
        ({"y": None}, "y is None, but the report compares predictions with it"),
        ({"y": np.where(Y == "real", "genuine", Y)}, "y holds the label 'genuine', which the"),
        ({"y": (Y == "real") * 1}, "y holds the label 0, which the model does not know"),
        ({"y": Y[:, None]}, "y must be one-dimensional"),
        ({"feature_names": ["a", "b"]}, "feature_names has 2 names for 4 columns of X"),
        ({"prior": 1.0}, "prior must lie strictly between 0 and 1"),
        ({"cost_fp": -2.0}, "cost_fp"),
        (
            {"evaluation": "test"},
            'evaluation must be "held-out", "training", "out-of-fold" or None',
        ),
        ({"title": 3}, "title must be a string; got int"),
    ],
)
def test_wrong_arguments_are_named(arguments, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        report(fitted("SVC").model, **{"X": X, "y": Y, **arguments})


def test_columns_in_another_order_are_named():
    found = fitted("frame")
    swapped = found.rows.test[0][["width", "depth", "height", "weight"]]
    with pytest.raises(InvalidInputError, match=r"Column 2 of X is 'depth' where .* 'height'"):
        report(found.model, swapped, found.rows.test[1])


def test_targets_must_be_finite_numbers():
    found = fitted("SVR")
    rows, targets = found.rows.test
    for wrong, sentence in [
        (np.where(np.arange(len(targets)) == 2, np.inf, targets), "y contains infinity"),
        (np.where(np.arange(len(targets)) == 2, np.nan, targets), "y contains NaN"),
        (["a"] * len(targets), "y must hold real numbers"),
        (None, "give the targets of the rows"),
    ]:
        with pytest.raises(InvalidInputError, match=sentence):
            report(found.model, rows, wrong)


def test_lists_are_arrays():
    found = fitted("SVC")
    rows, labels = found.rows.test
    assert report(found.model, rows.tolist(), labels.tolist()).title.endswith("SVC")


def test_an_imputer_sees_the_holes():
    from sklearn.impute import SimpleImputer

    rows, labels = fitted("SVC").rows.training
    rows = pd.DataFrame(rows, columns=list("abcd"))
    rows.iloc[[1, 4], 2] = np.nan
    model = make_pipeline(SimpleImputer(), SVC()).fit(rows, labels)
    html = report(model, rows, labels).html
    assert "<dt>missing values</dt><dd>2</dd>" in html


def test_one_row_and_perfect_predictions_have_pages():
    machine = SVR().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    assert "R²" not in report(machine, [[0.5]], [0.5]).html
    apart = SVC(kernel="linear").fit([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1])
    assert "100.00%" in report(apart, [[0.5], [9.5]], [0, 1]).html
    flat = OneClassSVM(nu=0.5).fit([[0.0], [0.0], [0.0]])
    assert "share outside" in report(flat, [[0.0], [0.0]], None).html


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    page = Report("Title", "<p>new</p>")
    assert page.save(path) == path
    assert path.read_text() == "<p>new</p>"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert repr(page) == "<Report: Title, 0 kB>"
    with pytest.raises(InvalidInputError, match="There is no folder"):
        page.save(tmp_path / "nowhere" / "report.html")


@pytest.mark.parametrize("missing", ["matplotlib", "jinja2", "pandas"])
def test_a_missing_dependency_is_named_with_how_to_install_it(missing):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from maxmargin import MissingDependencyError, SVC\n"
        "from maxmargin.pages import report\n"
        "model = SVC().fit([[0.0], [1.0]], [0, 1])\n"
        "try:\n    report(model, [[0.0], [1.0]], [0, 1])\n"
        "except MissingDependencyError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"Pages need {missing}" in done.stdout
    assert "pip install 'maxmargin[pages]'" in done.stdout

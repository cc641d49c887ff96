"""The lines on the page make the same model and the same report."""

import re
from html import unescape

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from maxmargin import SVC, SVMSearchCV
from maxmargin.kernels import RBF, Linear
from maxmargin.pages import report
from maxmargin.pages.source import Source

from .models import fitted

EXACT = ["SVC", "kernel object", "pipeline", "search", "search of a pipeline", "search by cost"]
EXACT += ["CalibratedSVC", "LinearSVC, l1", "SVR, searched", "OneClassSVM", "strings", "OnlineSVC"]


def lines_of(html):
    return unescape(re.findall(r'aria-label="Python lines"><code>(.*?)</code>', html, re.DOTALL)[0])


def evaluated(expression, source):
    names = {}
    exec("\n".join(source.imports()), names)
    return eval(expression, names)


@pytest.mark.parametrize("name", EXACT)
def test_the_lines_make_the_same_model(name, tmp_path, monkeypatch):
    found = fitted(name)
    html = report(found.model, *found.rows.test, prior=0.25, title="A 'title'").html
    monkeypatch.chdir(tmp_path)
    X_train, y_train = found.rows.training
    X, y = found.rows.test
    names = {"X": X, "y": y, "X_train": X_train, "y_train": y_train}
    exec(lines_of(html), names)
    np.testing.assert_array_equal(names["model"].predict(X), found.model.predict(X))
    again = (tmp_path / "report.html").read_text()
    assert "<h1>A &#39;title&#39;</h1>" in again
    assert lines_of(again) == lines_of(html)


@pytest.mark.parametrize(
    "model",
    [
        SVC(C=float("inf"), class_weight={"a": 2.0, "b": 1}, kernel=RBF(0.5) + 2 * Linear()),
        SVMSearchCV(SVC(), {"C": np.logspace(-2, 2, 5)}, cv=StratifiedKFold(4, shuffle=True)),
        SVMSearchCV(SVC(), [{"C": (1, 2)}, {"kernel": ["linear"]}], cv=GroupKFold(3), refit=False),
        make_pipeline(StandardScaler(with_mean=False), FunctionTransformer(validate=True), SVC()),
    ],
)
def test_expressions_have_the_same_parameters(model):
    source = Source()
    text = source.expression(model)
    assert not source.has_omissions
    assert Source().expression(evaluated(text, source)) == text


def test_what_has_no_short_expression_is_left_out():
    source = Source()
    folds = [(np.arange(100), np.arange(100, 200))]
    text = source.expression(SVMSearchCV(SVC(kernel=lambda a, b: a @ b.T), {"C": [1]}, cv=folds))
    assert "cv=[(..., ...)]" in text
    assert "kernel=..." in text
    assert source.has_omissions


def test_long_lists_are_filled():
    source = Source()
    text = source.expression(SVMSearchCV(SVC(), {"C": np.logspace(-3, 3, 40)}))
    assert 5 < len(text.splitlines()) < 25
    assert max(map(len, text.splitlines())) <= 88
    assert Source().expression(evaluated(text, source)) == text


def test_training_rows_are_trained_on_again():
    found = fitted("SVC")
    lines = lines_of(report(found.model, *found.rows.training).html)
    assert "model.fit(X, y)" in lines


def test_the_command_comes_first():
    found = fitted("SVC")
    html = report(found.model, *found.rows.test, command="maxmargin report a.csv").html
    assert html.index("maxmargin report a.csv") < html.index("from maxmargin import SVC")

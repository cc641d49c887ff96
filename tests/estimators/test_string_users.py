"""What people do with a machine on strings in their first hour, in scikit-learn's tools."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import (
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import maxmargin
from maxmargin import SVC, CalibratedSVC, InvalidInputError
from maxmargin.kernels import Spectrum

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def names():
    random = np.random.default_rng(5)
    syllables = {
        "Italian": ["ro", "ssi", "be", "lli", "ni", "ca", "to"],
        "Danish": ["jen", "sen", "han", "niel", "ol", "sen", "mad"],
        "Japanese": ["ta", "ka", "shi", "mo", "to", "ya", "ma"],
    }
    return [
        "".join(random.choice(parts, 3)).title() for parts in syllables.values() for _ in range(40)
    ]


@pytest.fixture(scope="module")
def nationality():
    return ["Italian"] * 40 + ["Danish"] * 40 + ["Japanese"] * 40


def columns():
    """Ways to hold a column of strings, by name."""
    yield "list", list
    yield "tuple", tuple
    yield "objects", lambda names: np.array(names, dtype=object)
    yield "strings", np.array
    yield "one column", lambda names: np.array(names)[:, None]
    yield "variable strings", lambda names: np.array(names, dtype=np.dtypes.StringDType())


@pytest.mark.parametrize(("kind", "make"), list(columns()))
def test_the_first_line_of_code(kind, make, names, nationality):
    machine = SVC(kernel=Spectrum(4)).fit(make(names), nationality)
    assert machine.score(make(names), nationality) > 0.9
    expected = SVC(kernel=Spectrum(4)).fit(names, nationality).decision_function(names)
    np.testing.assert_array_equal(machine.decision_function(make(names)), expected)
    assert machine.classes_.tolist() == ["Danish", "Italian", "Japanese"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("kind", ["column", "categories", "frame"])
def test_columns_of_frames(library, kind, names, nationality):
    frames = pytest.importorskip(library)
    column = (
        frames.Series(name="name", data=names)
        if library == "pandas"
        else frames.Series("name", names)
    )
    y = frames.Series(nationality) if library == "pandas" else frames.Series("y", nationality)
    if kind == "categories":
        column = (
            column.astype("category") if library == "pandas" else column.cast(frames.Categorical)
        )
    X = column.to_frame() if kind == "frame" else column
    machine = SVC(kernel=Spectrum(3, normalize=True)).fit(X, y)
    expected = SVC(kernel=Spectrum(3, normalize=True)).fit(names, nationality)
    np.testing.assert_array_equal(machine.predict(X), expected.predict(names))
    scores = cross_val_score(SVC(kernel=Spectrum(3)), X, y, cv=FOLDS)
    np.testing.assert_array_equal(
        scores, cross_val_score(SVC(kernel=Spectrum(3)), names, nationality, cv=FOLDS)
    )


def test_a_missing_name_gets_a_sentence(names, nationality):
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([*names[:-1], None])
    with pytest.raises(InvalidInputError, match=r"row 119 of X is .* Replace missing values"):
        SVC(kernel=Spectrum(2)).fit(column, nationality)


def test_copies_are_alike(names, nationality, tmp_path):
    machine = SVC(kernel=Spectrum(3, normalize=True), C=3).fit(names, nationality)
    assert clone(machine).kernel == machine.kernel
    maxmargin.save(machine, tmp_path / "names.safetensors")
    for again in (
        pickle.loads(pickle.dumps(machine)),
        maxmargin.load(tmp_path / "names.safetensors"),
        clone(machine).fit(names, nationality),
    ):
        np.testing.assert_array_equal(
            again.decision_function(names), machine.decision_function(names)
        )


def test_cross_validation_over_strings_is_that_over_their_matrix(names, nationality):
    kernel = Spectrum(2, normalize=True)
    direct = cross_validate(SVC(kernel=kernel), names, nationality, cv=FOLDS)
    K = kernel.block(names, names)
    by_matrix = cross_validate(SVC(kernel="precomputed"), K, nationality, cv=FOLDS)
    np.testing.assert_array_equal(direct["test_score"], by_matrix["test_score"])
    values = cross_val_predict(
        SVC(kernel=kernel, tol=1e-8), names, nationality, cv=FOLDS, method="decision_function"
    )
    others = cross_val_predict(
        SVC(kernel="precomputed", tol=1e-8), K, nationality, cv=FOLDS, method="decision_function"
    )
    np.testing.assert_allclose(values, others, atol=1e-6)


def test_a_pipeline_may_prepare_the_strings(names, nationality):
    def marked(column):
        return [f"^{name.lower()}$" for name in column]

    pipeline = make_pipeline(FunctionTransformer(marked), SVC(kernel=Spectrum(3)))
    train, new, y, y_new = train_test_split(names, nationality, random_state=0)
    assert pipeline.fit(train, y).score(new, y_new) > 0.8
    assert cross_val_score(pipeline, names, nationality, cv=FOLDS).mean() > 0.8


def test_another_way_to_several_classes(names, nationality):
    machine = OneVsRestClassifier(SVC(kernel=Spectrum(2))).fit(names, nationality)
    assert machine.score(names, nationality) > 0.9


def test_probabilities_by_either_library(names, nationality):
    for machine in (
        CalibratedSVC(SVC(kernel=Spectrum(2)), cv=3),
        CalibratedClassifierCV(SVC(kernel=Spectrum(2)), cv=3),
    ):
        probabilities = machine.fit(names, nationality).predict_proba(names[:4])
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_a_learning_curve(names, nationality):
    sizes, _, scores = learning_curve(
        SVC(kernel=Spectrum(2)), names, nationality, cv=FOLDS, train_sizes=[0.5, 1.0]
    )
    assert sizes.tolist() == [40, 80]
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("make", [list, tuple, np.array])
def test_a_kernel_on_numbers_names_those_on_strings(make, names, nationality):
    with pytest.raises(InvalidInputError, match=r"X holds strings.*kernels\.Spectrum\(3\)"):
        SVC().fit(make(names), nationality)

"""Columns of very different ranges get one warning with the remedy, prepared ones none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from maxmargin import SVC, SVR, CalibratedSVC, LinearSVC, NuSVC, OneClassSVM, SVMSearchCV
from maxmargin.errors import ScalingWarning

CANCER = load_breast_cancer(as_frame=True)
X, Y = CANCER.data.to_numpy(), CANCER.target.to_numpy()
SCALERS = [StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler()]


@pytest.mark.parametrize(
    "model", [SVC(), NuSVC(nu=0.1), SVR(), OneClassSVM(), SVC(kernel="laplacian")]
)
def test_ranges_far_apart_get_one_warning(model):
    with pytest.warns(ScalingWarning, match=r"column 23 spans .* make_pipeline") as caught:
        model.fit(X, Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_columns_are_named_and_a_search_warns_once():
    with pytest.warns(ScalingWarning, match="column 'worst area' spans"):
        SVC().fit(CANCER.data, Y)
    for model in (SVMSearchCV(SVC(), {"C": [1.0, 10.0]}, cv=2), CalibratedSVC(cv=2)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            model.fit(X, Y)
        assert sum(one.category is ScalingWarning for one in caught) <= 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scaler", SCALERS, ids=lambda scaler: type(scaler).__name__)
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_scaled_columns_get_none(scaler, load):
    rows, y = load(return_X_y=True)
    make_pipeline(scaler, SVC()).fit(rows, y)
    make_pipeline(scaler, PCA(), SVC()).fit(rows, y)


@pytest.mark.filterwarnings("error")
def test_where_distances_do_not_matter_or_rows_are_few_there_is_none():
    SVC(kernel="linear", C=1e-6, tol=1.0).fit(X, Y)
    LinearSVC(C=1e-9).fit(X, Y)
    SVC().fit([[0.0, 0.0], [1.0, 1e9]], [0, 1])
    SVC().fit(np.column_stack([X[:, 0], np.ones(len(X))]), Y)

"""scikit-learn's own sklearn/svm/tests/test_svm.py, run on our estimators."""

import pytest

from .sklearn_suite import load

pytestmark = pytest.mark.filterwarnings("default")

globals().update(load("test_svm"))

"""pickle, joblib and skops keep working beside the library's own files."""

from __future__ import annotations

import io
import pickle

import joblib
import numpy as np
import pytest

from .fitted import MAKERS, model, points, proved


def by_pickle(fitted):
    return pickle.loads(pickle.dumps(fitted))


def by_joblib(fitted):
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    return joblib.load(file)


def by_skops(fitted):
    skops = pytest.importorskip("skops.io")
    content = skops.dumps(fitted)
    unknown = skops.get_untrusted_types(data=content)
    assert all(name.startswith(("maxmargin.", "numpy.", "scipy.")) for name in unknown), unknown
    return skops.loads(content, trusted=unknown)


@pytest.mark.parametrize("through", [by_pickle, by_joblib, by_skops])
@pytest.mark.parametrize("name", MAKERS)
def test_the_copy_predicts_alike(name, through):
    fitted, new = model(name), points(name)
    again = through(fitted)
    np.testing.assert_array_equal(again.predict(new), fitted.predict(new))
    if hasattr(fitted, "certificate_"):
        assert proved(again) == proved(fitted)

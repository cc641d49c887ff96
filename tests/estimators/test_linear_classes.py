"""Labels become places among the classes: what numpy's sorting finds, faster for whole numbers."""

import warnings

import numpy as np
import pytest

from maxmargin.machines.classes import encoded

rng = np.random.default_rng(0)
LABELS = {
    "two": rng.integers(0, 2, 50),
    "signs": rng.choice([-1, 1], 50),
    "gaps": rng.choice([-7, 3, 30], 50),
    "far apart": rng.choice([-(2**62), 5, 2**62], 50),
    "the whole of int8": np.concatenate([np.arange(-128, 128), np.arange(-128, 128)]).astype("i1"),
    "uint8": rng.integers(250, 256, 50).astype("u1"),
    "uint64": np.array([2**64 - 1, 2**64 - 3] * 20, dtype="u8"),
    "int64 at its end": np.array([2**63 - 1, 2**63 - 2] * 20),
    "one class": np.full(10, 4),
    "truth values": rng.uniform(size=50) < 0.5,
    "whole floats": rng.choice([0.0, 1.0, 5.0], 50),
    "words": rng.choice(["no", "yes", "perhaps"], 50),
    "objects": rng.choice(["no", "yes"], 50).astype(object),
    "big-endian": rng.integers(0, 3, 50).astype(">i4"),
}


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
def test_as_numpy_sorts_them(y):
    classes, labels = encoded(y)
    expected, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(labels, places)
    assert classes.dtype == expected.dtype
    assert labels.dtype == np.int64


def test_amounts_are_refused():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        encoded(np.array([0.5, 1.5, 2.5]))


def test_scikit_learn_s_warning_of_too_many_classes_stays():
    with pytest.warns(UserWarning, match="unique classes"):
        encoded(np.arange(40))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoded(np.arange(40) // 2)

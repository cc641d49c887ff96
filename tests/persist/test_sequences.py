"""Machines on strings, tokens and columns come back from their files as they were."""

import numpy as np
import pandas as pd
import pytest

import maxmargin
from maxmargin import SVC, SVR, ModelFileError, NuSVC, OneClassSVM
from maxmargin.kernels import (
    RBF,
    CommonSubstrings,
    Mismatch,
    On,
    Spectrum,
    Subsequence,
    WeightedDegree,
)

from .fitted import proved

NAMES = ["Rossini", "Bellini", "Puccini", "Jensen", "Nielsen", "Hansen", "", "Åse \ud800\U0001f600"]
LABELS = ["it", "it", "it", "dk", "dk", "dk", "it", "dk"]
NEW = ["Paganini", "Olsen", "", "Å"]
KERNELS = [
    CommonSubstrings("distinct", 2, 5, normalize=True),
    CommonSubstrings(),
    Spectrum(3, up_to=True),
    Mismatch(3, 1),
    Mismatch(3, 1, alphabet=100),
    WeightedDegree(4, shift=2),
    Subsequence(2, decay=0.3, normalize=True),
    0.5 * Spectrum(2) + Spectrum(1) * WeightedDegree(2),
]


def saved(machine, tmp_path):
    maxmargin.save(machine, tmp_path / "model")
    return maxmargin.load(tmp_path / "model")


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_machine_on_strings_comes_back(kernel, tmp_path):
    machine = SVC(kernel=kernel, C=10).fit(NAMES, LABELS)
    again = saved(machine, tmp_path)
    np.testing.assert_array_equal(again.decision_function(NEW), machine.decision_function(NEW))
    assert again.predict(NEW).tolist() == machine.predict(NEW).tolist()
    assert again.support_vectors_.tolist() == machine.support_vectors_.tolist()
    assert again.get_params() == machine.get_params()
    assert again.kernel_ == machine.kernel_
    assert again.shape_fit_ == machine.shape_fit_
    assert proved(again) == proved(machine)
    assert not hasattr(again, "n_features_in_")
    assert again.fit(NAMES, LABELS).predict(NEW).tolist() == machine.predict(NEW).tolist()


@pytest.mark.parametrize("machine", [NuSVC(nu=0.3), SVR(C=10), OneClassSVM(nu=0.3)], ids=repr)
def test_every_machine_does(machine, tmp_path):
    y = LABELS if isinstance(machine, NuSVC) else np.arange(8.0)
    machine.set_params(kernel=Spectrum(2, normalize=True)).fit(NAMES, y)
    assert saved(machine, tmp_path).predict(NEW).tolist() == machine.predict(NEW).tolist()


@pytest.mark.parametrize(
    "make",
    [
        lambda name: name.encode("utf-8", "replace"),
        list,
        lambda name: [(len(name), letter) for letter in name],
        lambda name: [ord(letter) for letter in name],
    ],
)
def test_every_kind_of_sequence_does(make, tmp_path):
    X, new = list(map(make, NAMES)), list(map(make, NEW))
    machine = SVC(kernel=Spectrum(1), C=10).fit(X, LABELS)
    again = saved(machine, tmp_path)
    assert again.support_vectors_.tolist() == machine.support_vectors_.tolist()
    np.testing.assert_array_equal(again.decision_function(new), machine.decision_function(new))


def test_a_machine_on_columns_does(tmp_path):
    # pandas takes Arrow's strings if it finds Arrow, and they refuse half of a surrogate pair.
    names = pd.Series(NAMES, dtype=object)
    frame = pd.DataFrame({"name": names, "age": np.arange(8.0), "size": np.ones(8)})
    kernel = On("name", Spectrum(2)) + On(["age", "size"], RBF("scale"))
    machine = SVC(kernel=kernel, C=10).fit(frame, LABELS)
    again = saved(machine, tmp_path)
    np.testing.assert_array_equal(again.decision_function(frame), machine.decision_function(frame))
    assert again.kernel == kernel
    assert again.kernel_ == machine.kernel_


def test_tokens_that_json_lacks_get_a_sentence(tmp_path):
    machine = SVC(kernel=Spectrum(1)).fit([[b"a"], [b"b"]], [0, 1])
    with pytest.raises(ModelFileError, match="A token of a support vector is a bytes"):
        maxmargin.save(machine, tmp_path / "model")

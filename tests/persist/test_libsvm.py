"""LIBSVM reads our models and we read its: labels alike, values to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import datasets
from sklearn.base import is_classifier
from sklearn.preprocessing import scale

import maxmargin
from maxmargin import SVC, SVR, LinearSVC, MaxMarginError, ModelFileError, NuSVC, NuSVR, OneClassSVM
from maxmargin.kernels import RBF, Linear
from maxmargin.persist import from_libsvm, to_libsvm

from .fitted import CSR, LABELS, NAMES, NEW, TARGETS, X
from .peers import libsvm_predict, libsvm_probabilities, libsvm_train

CLASSIFICATION = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "moons": lambda: datasets.make_moons(300, noise=0.3, random_state=0),
    "circles": lambda: datasets.make_circles(300, noise=0.2, factor=0.5, random_state=0),
    "blobs": lambda: datasets.make_blobs(400, centers=6, cluster_std=3.0, random_state=0),
    "many features": lambda: datasets.make_classification(200, 60, random_state=0),
}
REGRESSION = {
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True),
    "Friedman": lambda: datasets.make_friedman1(300, noise=0.5, random_state=0),
}


def halves(name):
    """Scaled data, every second row to learn and the others to predict."""
    rows, y = {**CLASSIFICATION, **REGRESSION}[name]()
    rows = scale(rows)
    # Their mean squared is not a short decimal, and some are zero.
    rows[::7, 0] = 0.0
    return rows[::2], y[::2], rows[1::2]


def values_of(machine, rows):
    """One value per machine, the first of two classes positive as in LIBSVM."""
    if isinstance(machine, SVC | NuSVC):
        return machine._machine_values(rows)
    if isinstance(machine, OneClassSVM):
        return machine.decision_function(rows)[:, None]
    return machine.predict(rows)[:, None]


def agree(ours, theirs):
    size = np.abs(theirs).max(axis=0)
    assert np.abs(ours - theirs).max() <= 1e-9 * size.max()
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * size.max())


@pytest.mark.parametrize("name", CLASSIFICATION)
@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_svm_predict_finds_our_labels(name, kind, tmp_path):
    rows, y, new = halves(name)
    machine = (SVC(C=2.0) if kind is SVC else NuSVC(nu=0.15)).fit(rows, y)
    to_libsvm(machine, tmp_path / "m")
    labels, values = libsvm_predict(new, tmp_path / "m")
    np.testing.assert_array_equal(labels, machine.predict(new))
    agree(values_of(machine, new), values)


@pytest.mark.parametrize("name", REGRESSION)
@pytest.mark.parametrize("machine", [SVR(C=10.0), NuSVR(C=10.0), OneClassSVM(nu=0.3)])
def test_svm_predict_finds_our_values(name, machine, tmp_path):
    rows, y, new = halves(name)
    machine.fit(rows, y)
    to_libsvm(machine, tmp_path / "m")
    labels, values = libsvm_predict(new, tmp_path / "m")
    agree(values_of(machine, new), values)
    np.testing.assert_allclose(labels, machine.predict(new), rtol=1e-9)


KERNELS = {
    "linear": ({"kernel": "linear"}, "-t 0"),
    "poly": (
        {"kernel": "poly", "degree": 4, "gamma": 0.3, "coef0": 0.7},
        "-t 1 -d 4 -g 0.3 -r 0.7",
    ),
    "rbf": ({"kernel": "rbf", "gamma": 0.3}, "-t 2 -g 0.3"),
    "sigmoid": ({"kernel": "sigmoid", "gamma": 0.02, "coef0": -0.1}, "-t 3 -g 0.02 -r -0.1"),
}
TYPES = {
    "c_svc": (SVC, "-s 0", LABELS),
    "nu_svc": (NuSVC, "-s 1 -n 0.3", LABELS),
    "one_class": (OneClassSVM, "-s 2 -n 0.3", None),
    "epsilon_svr": (SVR, "-s 3", TARGETS),
    "nu_svr": (NuSVR, "-s 4 -n 0.3", TARGETS),
}


def theirs(kind, kernel, path):
    _, options, y = TYPES[kind]
    libsvm_train(X, LABELS if y is None else y, f"{options} {KERNELS[kernel][1]}", path)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_we_find_what_svm_predict_finds(kind, kernel, tmp_path):
    theirs(kind, kernel, tmp_path / "m")
    machine = from_libsvm(tmp_path / "m")
    assert type(machine) is TYPES[kind][0]
    assert machine.kernel == KERNELS[kernel][0]["kernel"]
    labels, values = libsvm_predict(NEW, tmp_path / "m")
    agree(values_of(machine, NEW), values)
    np.testing.assert_allclose(machine.predict(NEW), labels, rtol=1e-9)
    np.testing.assert_array_equal(machine.predict(CSR(NEW)), machine.predict(NEW))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_our_own_machines_come_back(kind, kernel, tmp_path):
    estimator, _, y = TYPES[kind]
    machine = estimator(**KERNELS[kernel][0]).fit(X, y)
    to_libsvm(machine, tmp_path / "m")
    labels, values = libsvm_predict(NEW, tmp_path / "m")
    agree(values_of(machine, NEW), values)
    again = from_libsvm(tmp_path / "m")
    np.testing.assert_array_equal(again.dual_coef_.toarray(), machine.dual_coef_)
    np.testing.assert_array_equal(again.intercept_, machine.intercept_)
    np.testing.assert_array_equal(again.support_vectors_.toarray(), machine.support_vectors_)
    np.testing.assert_allclose(again.predict(NEW), labels, rtol=1e-9)


@pytest.mark.parametrize("kind", TYPES)
def test_precomputed_kernels(kind, tmp_path):
    estimator, options, y = TYPES[kind]
    gram, new = X @ X.T, NEW @ X.T
    machine = estimator(kernel="precomputed").fit(gram, y)
    to_libsvm(machine, tmp_path / "ours")
    _, values = libsvm_predict(new, tmp_path / "ours")
    agree(values_of(machine, new), values)
    libsvm_train(gram, LABELS if y is None else y, f"{options} -t 4", tmp_path / "theirs")
    again = from_libsvm(tmp_path / "theirs", n_features=len(X))
    labels, values = libsvm_predict(new, tmp_path / "theirs")
    agree(values_of(again, new), values)
    np.testing.assert_allclose(again.predict(new), labels, rtol=1e-9)


def test_classes_in_any_order_keep_their_ties(tmp_path):
    # LIBSVM numbers classes as they come; of equal votes the first of its own order wins.
    rows, y, _ = halves("blobs")
    by_chance = np.random.default_rng(2).permutation(len(rows))
    libsvm_train(rows[by_chance], 10 - 2 * y[by_chance], "-c 1 -g 0.001", tmp_path / "m")
    machine = from_libsvm(tmp_path / "m")
    assert (np.diff(machine.classes_) > 0).all()
    assert not (np.diff(machine._preference) > 0).all()
    everywhere = np.random.default_rng(0).normal(scale=4.0, size=(2000, 2))
    labels, values = libsvm_predict(everywhere, tmp_path / "m")
    np.testing.assert_array_equal(machine.predict(everywhere), labels)
    to_libsvm(machine, tmp_path / "again")
    again, their_values = libsvm_predict(everywhere, tmp_path / "again")
    np.testing.assert_array_equal(again, labels)
    agree(their_values, values)
    maxmargin.save(machine, tmp_path / "saved")
    saved = maxmargin.load(tmp_path / "saved")
    np.testing.assert_array_equal(saved.predict(everywhere), labels)


def test_there_are_ties_in_that_test(tmp_path):
    rows, y, _ = halves("blobs")
    by_chance = np.random.default_rng(2).permutation(len(rows))
    libsvm_train(rows[by_chance], 10 - 2 * y[by_chance], "-c 1 -g 0.001", tmp_path / "m")
    machine = from_libsvm(tmp_path / "m")
    machine._preference = None
    everywhere = np.random.default_rng(0).normal(scale=4.0, size=(2000, 2))
    labels, _ = libsvm_predict(everywhere, tmp_path / "m")
    assert (machine.predict(everywhere) != labels).any()


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_are_alike(k, tmp_path):
    rows, y = X[k > LABELS], LABELS[k > LABELS]
    machine = SVC(probability=True, random_state=0).fit(rows, y)
    to_libsvm(machine, tmp_path / "ours")
    found = libsvm_probabilities(NEW, tmp_path / "ours")
    # LIBSVM couples more than two classes to two digits or so.
    np.testing.assert_allclose(machine.predict_proba(NEW), found, atol=1e-9 if k == 2 else 5e-3)
    libsvm_train(rows[::-1], y[::-1], "-b 1", tmp_path / "theirs")
    again = from_libsvm(tmp_path / "theirs")
    found = libsvm_probabilities(NEW, tmp_path / "theirs")[:, ::-1]
    np.testing.assert_allclose(again.predict_proba(NEW), found, atol=1e-9 if k == 2 else 5e-3)


def test_a_model_from_libsvm_has_no_proof_and_says_so(tmp_path):
    theirs("c_svc", "rbf", tmp_path / "m")
    machine = from_libsvm(tmp_path / "m")
    with pytest.raises(MaxMarginError, match="without its data"):
        machine.certificate_  # noqa: B018
    assert is_classifier(machine)
    assert machine.n_features_in_ == 4


def test_more_features_than_the_support_vectors_have(tmp_path):
    rows = np.column_stack([X, np.zeros(len(X))])
    libsvm_train(rows, LABELS, "-g 0.1", tmp_path / "m")
    new = np.column_stack([NEW, np.arange(len(NEW))])
    machine = from_libsvm(tmp_path / "m", n_features=5)
    labels, values = libsvm_predict(new, tmp_path / "m")
    agree(machine._machine_values(new), values)
    np.testing.assert_array_equal(machine.predict(new), labels)
    with pytest.raises(ModelFileError, match="n_features is 3, but the model has 4"):
        from_libsvm(tmp_path / "m", n_features=3)


def test_float32_is_written_in_full(tmp_path):
    machine = SVC(kernel="linear").fit(X.astype(np.float32), LABELS)
    to_libsvm(machine, tmp_path / "m")
    vectors = from_libsvm(tmp_path / "m").support_vectors_.toarray()
    np.testing.assert_array_equal(vectors, machine.support_vectors_.astype(np.float64))


REFUSED = {
    "strings": (lambda: SVC().fit(X, NAMES), "labels are whole numbers"),
    "large labels": (lambda: SVC().fit(X, LABELS + 2**40), "of 32 bits"),
    "against the rest": (lambda: SVC(multi_class="ovr").fit(X, LABELS), "multi_class='ovo'"),
    "another kernel": (lambda: SVC(kernel="laplacian").fit(X, LABELS), "LIBSVM has no kernel"),
    "a sum": (lambda: SVC(kernel=Linear() + RBF(1.0)).fit(X, LABELS), "LIBSVM has no kernel"),
    "not fitted": (lambda: SVC(), "is not fitted"),
    "linear": (lambda: LinearSVC().fit(X, LABELS), "LIBSVM has no LinearSVC"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_libsvm_does_not_have_gets_a_sentence(why, tmp_path):
    make, sentence = REFUSED[why]
    with pytest.raises(ModelFileError, match=sentence):
        to_libsvm(make(), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("libsvm") / "m"
    libsvm_train(X, LABELS, "-g 0.5", path)
    return path.read_text()


def changed(old, new):
    return lambda text: text.replace(old, new, 1)


def without(key):
    return lambda text: "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith(f"{key} ")
    )


FAULTS = {
    "empty": (lambda text: "", "no line SV"),
    "another program's": (lambda text: "solver_type L2R_LR\nw\n1\n", "'solver_type'"),
    "cut in the header": (lambda text: text[: text.index("nr_class")], "no line SV"),
    "cut in a vector": (lambda text: text[:-100], "but announces"),
    "cut in a number": (lambda text: text[:-2].rsplit(":", 1)[0] + ":", "cannot be read"),
    "an unknown type": (changed("c_svc", "d_svc"), "says 'd_svc', but must say one of c_svc"),
    "an unknown kernel": (changed("rbf", "chi2"), "line kernel_type says 'chi2'"),
    "no gamma": (without("gamma"), "no line gamma"),
    "gamma zero": (changed("gamma 0.5", "gamma 0"), "gamma must be greater than zero"),
    "gamma nan": (changed("gamma 0.5", "gamma nan"), "line gamma has a value that is not finite"),
    "no labels": (without("label"), "no line label"),
    "labels twice": (changed("label 0 1 2", "label 0 1 1"), "line label has a class twice"),
    "a label too few": (changed("label 0 1 2", "label 0 1"), "2 values, but 3 are needed"),
    "a label that is no number": (
        changed("label 0 1 2", "label 0 1 b"),
        "instead of a whole number",
    ),
    "a huge count of classes": (changed("nr_class 3", "nr_class 99999"), "line rho has 3 values"),
    "a huge count of vectors": (
        lambda text: text.replace("total_sv ", "total_sv 9", 1),
        "contradict each other",
    ),
    "a negative count": (changed("total_sv ", "total_sv -"), "instead of a whole number"),
    "a line twice": (lambda text: text.replace("rho", "gamma 1\nrho", 1), "repeated line 'gamma'"),
    "a missing coefficient": (lambda text: text + "1\n", "but announces"),
    "a comment": (lambda text: text.rstrip() + " # 1\n", "not rows of numbers"),
    "an index of zero": (lambda text: text.replace(" 1:", " 0:", 1), "zero_based"),
}


@pytest.mark.parametrize("why", FAULTS)
def test_a_file_that_is_no_model_gets_a_sentence(why, text, tmp_path):
    change, sentence = FAULTS[why]
    path = tmp_path / "m"
    path.write_text(change(text))
    with pytest.raises(ModelFileError, match=sentence) as caught:
        from_libsvm(path)
    assert str(caught.value).startswith(f"{path} cannot be loaded: ")


def test_lines_that_end_as_in_windows(text, tmp_path):
    (tmp_path / "m").write_bytes(text.replace("\n", "\r\n").encode())
    assert from_libsvm(tmp_path / "m").n_support_.sum() > 0

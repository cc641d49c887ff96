"""What OnlineSVC says of wrong input, and odd input that it takes."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from maxmargin import InvalidInputError, OnlineSVC

from .online_data import clouds

X, Y = clouds(40)

BAD = [
    (lambda: OnlineSVC(alpha=1e-3, C=1.0).fit(X, Y), "alpha and C say the same"),
    (lambda: OnlineSVC(C=1.0).partial_fit(X, Y, classes=[0, 1]), "give n_samples"),
    (lambda: OnlineSVC(alpha=0.0).fit(X, Y), "'alpha' parameter of OnlineSVC"),
    (lambda: OnlineSVC(C=-1.0).fit(X, Y), "'C' parameter of OnlineSVC"),
    (lambda: OnlineSVC(loss="log").fit(X, Y), "'loss' parameter"),
    (lambda: OnlineSVC(method="adam").fit_stream((X, Y)), "'method' parameter"),
    (lambda: OnlineSVC(method="pegasos", bias="free").fit(X, Y), "no free bias"),
    (lambda: OnlineSVC(method="pegasos", loss="squared_hinge").fit(X, Y), "loss='hinge'"),
    (lambda: OnlineSVC(n_jobs=0).fit(X, Y), "n_jobs must not be zero"),
    (lambda: OnlineSVC(class_weight={7: 2.0}).fit(X, Y), "class_weight"),
    (lambda: OnlineSVC(class_weight={0: -1.0}).fit(X, Y), "class_weight of class 0 is -1"),
    (lambda: OnlineSVC(class_weight={0: np.inf}).partial_fit(X, Y, [0, 1]), "is inf"),
    (lambda: OnlineSVC().fit(X * 1e200, Y), "scale the features"),
    (lambda: OnlineSVC().fit(np.where(X > 1, np.nan, X), Y), "NaN"),
    (lambda: OnlineSVC().fit(X, Y * 0), "greater than one; got 1 class"),
    (lambda: OnlineSVC().fit(X, X[:, 0]), "Unknown label type"),
    (lambda: OnlineSVC().fit(X, Y, sample_weight=-np.ones(40)), "zero or negative weights"),
    (lambda: OnlineSVC().fit(X, Y, sample_weight=Y), "same class"),
    (lambda: OnlineSVC().fit(X, Y, sample_weight=np.ones(3)), "sample_weight"),
    (lambda: OnlineSVC().partial_fit(X, Y), "classes must be passed"),
    (lambda: OnlineSVC().partial_fit(X, Y, classes=[0]), "got 1 class"),
    (lambda: OnlineSVC().partial_fit(X, Y, classes=[0, 2]), "the label 1|label np.int64\\(1\\)"),
    (lambda: OnlineSVC().fit_stream([]), "no rows"),
    (lambda: OnlineSVC().fit_stream([], [0, 1]), "no rows"),
    (lambda: OnlineSVC().fit_stream([X]), "must have labels"),
    (lambda: OnlineSVC().fit_stream([X], [0, 1]), "must have labels"),
    (lambda: OnlineSVC().fit_stream(iter([(X, Y)])), "give classes"),
    (lambda: OnlineSVC().fit_stream(iter([(X, Y)]), [0, 1], epochs=2), "epochs=1"),
    (lambda: OnlineSVC().fit_stream((X, Y), epochs=0), "epochs must be"),
    (lambda: OnlineSVC().fit_stream([(X, Y), (X[:, :3], Y)]), "3 features"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD)
def test_everything_wrong_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_errors_of_ours_are_of_our_kind():
    with pytest.raises(InvalidInputError):
        OnlineSVC(alpha=1e-3, C=1.0).fit(X, Y)


def test_an_unfitted_machine_says_so():
    with pytest.raises(NotFittedError, match="OnlineSVC"):
        OnlineSVC().predict(X)
    for name in ("t_", "loss_", "objective_estimate_"):
        with pytest.raises(AttributeError, match=f"has no {name} before fit"):
            getattr(OnlineSVC(), name)


def test_rows_of_zeros_and_huge_weights_do_no_harm():
    machine = OnlineSVC(random_state=0).partial_fit(np.zeros((10, 2)), [0, 1] * 5, classes=[0, 1])
    np.testing.assert_array_equal(machine.coef_, 0.0)
    machine = OnlineSVC(random_state=0, fit_intercept=False)
    machine.partial_fit(np.zeros((10, 2)), [0, 1] * 5, classes=[0, 1])
    np.testing.assert_array_equal(machine.coef_, 0.0)
    machine = OnlineSVC(random_state=0, max_iter=20, tol=None)
    assert np.isfinite(machine.fit(X, Y, sample_weight=np.full(40, 1e12)).coef_).all()


@pytest.mark.parametrize("scale", [1e-100, 1e-3, 1e3, 1e40])
def test_no_scale_of_the_data_breaks_the_steps(scale):
    machine = OnlineSVC(random_state=0, max_iter=20, tol=None).fit(X * scale, Y)
    assert np.isfinite(machine.coef_).all()
    assert np.isfinite(machine.loss_)

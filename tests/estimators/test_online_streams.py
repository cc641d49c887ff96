"""OnlineSVC and streams: files, memory, going on, early ends."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import OnlineOneClassSVM, OnlineSVC
from maxmargin.streams import chunks

from .online_data import clouds, same, stream_fit


def test_a_stream_is_the_same_from_memory_and_by_hand():
    X, y = clouds(3000, n_classes=3)
    by_hand = stream_fit(X, y, 250, random_state=0)
    stream = OnlineSVC(alpha=1e-3, random_state=0).fit_stream(chunks(X, y, size=250))
    same(by_hand, stream)
    assert stream.n_iter_ == 1


def test_a_file_is_learnt_like_its_rows(tmp_path):
    X, y = clouds(3000)
    path = tmp_path / "rows.svm"
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()))
        for row, label in zip(X, y, strict=True)
    )
    path.write_text("\n".join(lines))
    from_file = OnlineSVC(alpha=1e-3, shuffle=False).fit_stream(path, [0, 1], epochs=2)
    from_rows = OnlineSVC(alpha=1e-3, shuffle=False).fit_stream((X, y), [0, 1], epochs=2)
    np.testing.assert_allclose(from_file.coef_, from_rows.coef_, rtol=1e-9)
    assert from_file.n_iter_ == 2


def test_memory_does_not_depend_on_the_number_of_rows():
    X, y = clouds(1000, d=50)

    def peak(n_chunks):
        machine = OnlineSVC(random_state=0)
        stream = ((X + 0.0, y) for _ in range(n_chunks))
        tracemalloc.start()
        machine.fit_stream(stream, [0, 1])
        reached = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert machine.t_ == 1000 * n_chunks
        return reached

    peak(2)
    assert peak(200) < 1.05 * peak(20) + 10_000


def test_a_model_goes_on_after_it_was_saved():
    X, y = clouds(2000)
    whole = OnlineSVC(random_state=0).partial_fit(X[:1000], y[:1000], classes=[0, 1])
    restored = pickle.loads(pickle.dumps(whole))
    same(whole.partial_fit(X[1000:], y[1000:]), restored.partial_fit(X[1000:], y[1000:]))


def test_a_warm_start_goes_on():
    X, y = clouds(2000)
    machine = OnlineSVC(random_state=0, max_iter=2, tol=None, warm_start=True)
    machine.fit(X, y).fit(X, y)
    longer = OnlineSVC(random_state=0, max_iter=4, tol=None).fit(X, y)
    same(machine, longer)
    cold = OnlineSVC(random_state=0, max_iter=4, tol=None).fit(X, y).fit(X, y)
    same(cold, longer)


def test_a_fit_can_be_followed_by_partial_fit():
    X, y = clouds(2000)
    machine = OnlineSVC(random_state=0).fit(X, y)
    t = machine.t_
    assert machine.partial_fit(X[:100], y[:100]).t_ == t + 100


def test_a_time_limit_keeps_the_model_so_far():
    X, y = clouds(2000)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=1e-09 was reached"):
        machine = OnlineSVC(time_limit=1e-9).fit(X, y)
    assert machine.score(X, y) > 0.5
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        OnlineSVC(time_limit=1e-9).fit_stream((X, y))


def test_too_few_passes_are_told():
    X, y = clouds(2000)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 passes"):
        OnlineSVC(max_iter=1).fit(X, y)


def test_an_interrupt_in_the_stream_keeps_the_model_so_far():
    X, y = clouds(200)

    def stream():
        yield X, y
        raise KeyboardInterrupt

    with pytest.warns(ConvergenceWarning, match="interrupted"):
        machine = OnlineSVC().fit_stream(stream(), [0, 1])
    assert machine.t_ == 200


def test_chunks_bring_the_weights_of_their_rows():
    X, y = clouds(1500, n_classes=3)
    weight = np.random.default_rng(0).integers(0, 3, 1500).astype(float)
    weight[500:750] = 0.0
    by_hand = OnlineSVC(alpha=1e-3, random_state=0)
    for begin in range(0, 1500, 250):
        rows = slice(begin, begin + 250)
        by_hand.partial_fit(X[rows], y[rows], classes=[0, 1, 2], sample_weight=weight[rows])
    sources = [
        chunks(X, y, weight=weight, size=250),
        [(X[i : i + 250], y[i : i + 250], weight[i : i + 250]) for i in range(0, 1500, 250)],
    ]
    for source in sources:
        stream = OnlineSVC(alpha=1e-3, random_state=0).fit_stream(source)
        same(by_hand, stream)
        assert stream.t_ == weight.sum()


def test_a_cost_is_shared_by_the_weights_of_a_stream():
    X, y = clouds(1000)
    weight = np.where(X[:, 0] > 0, 2.0, 0.5)
    machine = OnlineSVC(C=1.0, random_state=0).fit_stream((X, y, weight))
    assert machine.alpha_ == pytest.approx(1.0 / weight.sum())
    with pytest.raises(ValueError, match="sample_weight"):
        OnlineSVC().fit_stream([(X, y, weight[:3])], [0, 1])


def test_weights_of_a_stream_without_labels():
    X, _ = clouds(1000)
    weight = np.where(X[:, 0] > 0, 2.0, 0.0)
    stream = OnlineOneClassSVM(shuffle=False).fit_stream([(X, None, weight)])
    by_hand = OnlineOneClassSVM(shuffle=False).partial_fit(X, sample_weight=weight)
    np.testing.assert_array_equal(stream.coef_, by_hand.coef_)
    np.testing.assert_array_equal(stream.offset_, by_hand.offset_)

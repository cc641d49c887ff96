import numpy as np
import pytest


def test_a_narrow_gaussian_learns_by_heart(run):
    shown = run("kernels/width_of_a_gaussian")
    assert shown.training_errors[-1] == 0
    assert np.all(np.diff(shown.training_errors) <= 0)
    assert min(shown.errors) == shown.errors[1]
    assert shown.errors[-1] > shown.errors[1] + 0.02
    assert len(shown.multipliers) == len(shown.y)
    np.testing.assert_allclose(shown.multipliers, 1.0, rtol=1e-6)
    assert abs(shown.b) < 1e-6


def test_no_sum_of_functions_is_a_chessboard(run):
    shown = run("kernels/or_and_and")
    assert shown.rectangles["sum"] < 1e-9
    assert shown.rectangles["product"] > 0.01
    assert shown.machines["product"].score(shown.X, shown.y) > 0.95
    assert shown.machines["sum"].score(shown.X, shown.y) < 0.8
    squares = np.square(shown.X.to_numpy()[:, None] - shown.X.to_numpy()[None]).sum(axis=-1)
    np.testing.assert_allclose(shown.product, np.exp(-4.0 * squares), rtol=1e-9)


def test_a_kernel_machine_is_a_linear_one_among_features(run):
    shown = run("kernels/lifted_circle")
    assert shown.difference < 1e-6
    x1, x2 = shown.X.T
    by_hand = np.column_stack([x1**2, np.sqrt(2) * x1 * x2, x2**2])
    np.testing.assert_allclose(shown.features, by_hand, rtol=1e-12)


def substrings(word):
    return [word[i:j] for i in range(len(word)) for j in range(i + 1, len(word) + 1)]


def common_pairs(one, other):
    return sum(left == right for left in substrings(one) for right in substrings(other))


def test_suffixes_count_common_substrings(run):
    shown = run("kernels/words_in_common")
    assert shown.suffixes.sum() == shown.pairs[0, 0] == common_pairs("cane", "pane") == 6
    raw = np.array([[common_pairs(one, other) for other in shown.words] for one in shown.words])
    own = np.sqrt(np.diag(raw))
    np.testing.assert_allclose(shown.gram, raw / np.outer(own, own), rtol=1e-12)
    assert np.linalg.eigvalsh(shown.gram).min() > -1e-12


def test_no_kernel_alone_beats_the_learnt_weights(run):
    shown = run("kernels/which_kernels")
    assert shown.found.weights.sum() == pytest.approx(1)
    assert np.all(shown.found.weights >= 0)
    assert np.count_nonzero(shown.found.weights) < len(shown.kernels)
    assert shown.found.lower <= shown.found.upper <= 1.001 * shown.found.lower
    assert min(shown.alone) >= shown.found.lower

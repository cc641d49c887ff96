"""Whatever holds the same numbers gives the same block, and bad input is refused in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels import blocks

from .formulas import FORMS, PARAMETERS, draw_rows


@pytest.mark.parametrize("n", [9, 70])
def test_the_memory_layout_does_not_matter(n):
    A, B = draw_rows(0, n, 12), draw_rows(1, n + 3, 12)
    expected = blocks.block("gaussian", A, B)
    read_only = A.copy()
    read_only.flags.writeable = False
    wide = np.zeros((2 * n, 24))
    wide[::2, ::2] = A
    for same in (np.asfortranarray(A), read_only, wide[::2, ::2], A[::-1][::-1], A.tolist()):
        np.testing.assert_array_equal(blocks.block("gaussian", same, B), expected)
    for swapped in (A.astype(A.dtype.newbyteorder()), A.astype(object)):
        np.testing.assert_array_equal(blocks.block("gaussian", swapped, B), expected)


def test_float32_is_kept_and_everything_else_becomes_float64():
    rows = np.arange(12).reshape(4, 3)
    single = rows.astype(np.float32)
    assert blocks.block("linear", single, single).dtype == np.float32
    assert blocks.block("linear", single, single.astype(">f4")).dtype == np.float32
    for dtype in (np.float64, np.float16, np.longdouble, np.int8, np.uint64, np.bool_):
        K = blocks.block("linear", rows.astype(dtype), single)
        assert K.dtype == np.float64
        np.testing.assert_array_equal(K, rows.astype(dtype).astype(float) @ single.T)
        np.testing.assert_array_equal(
            blocks.block("linear", sparse.csr_array(rows.astype(float)), rows), rows @ rows.T
        )


@pytest.mark.parametrize("form", FORMS)
def test_every_sparse_format_gives_the_same_block(form):
    A, B = draw_rows(2, 30, 17), draw_rows(3, 20, 17)
    expected = blocks.block(form, sparse.csr_array(A), B, **PARAMETERS)
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix, sparse.lil_array):
        np.testing.assert_array_equal(blocks.block(form, kind(A), B, **PARAMETERS), expected)


def test_int64_indices_are_accepted():
    rows = sparse.csr_array(draw_rows(4, 30, 17))
    expected = blocks.block("laplacian", rows, rows)
    wide = rows.copy()
    wide.indices, wide.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    np.testing.assert_array_equal(blocks.block("laplacian", wide, wide), expected)
    assert wide.indices.dtype == np.int64


@pytest.mark.parametrize("form", FORMS)
def test_unsorted_and_repeated_entries_are_summed_in_a_copy(form):
    data = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    indices = np.array([3, 0, 3, 2, 2])
    indptr = np.array([0, 3, 5])
    rows = sparse.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=(2, 5))
    B = np.arange(15.0).reshape(3, 5) / 10
    expected = blocks.block(form, np.array([[2.0, 0, 0, 4, 0], [0, 0, 9, 0, 0]]), B, **PARAMETERS)
    np.testing.assert_allclose(blocks.block(form, rows, B, **PARAMETERS), expected, rtol=1e-12)
    np.testing.assert_array_equal(rows.indices, indices)
    np.testing.assert_array_equal(rows.data, data)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("form", FORMS)
def test_empty_blocks_have_the_right_shape(form, kind):
    some, none = np.ones((3, 4)), np.ones((0, 4))
    assert blocks.block(form, kind(none), kind(some)).shape == (0, 3)
    assert blocks.block(form, kind(some), kind(none)).shape == (3, 0)
    assert blocks.block(form, kind(none), kind(none)).shape == (0, 0)
    nothing = kind(np.ones((3, 0)))
    value = {"linear": 0, "polynomial": 0.008, "tanh": np.tanh(0.2)}.get(form, 1)
    np.testing.assert_allclose(blocks.block(form, nothing, nothing, **PARAMETERS), value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"B": np.ones((2, 4))}, "A has 3 columns and B has 4"),
        ({"A": np.ones(3)}, "A must have two dimensions"),
        ({"B": np.ones((1, 1, 3))}, "B must have two dimensions"),
        ({"A": np.ones((2, 3), complex)}, "A must hold real numbers"),
        ({"A": np.array([["a", "b", "c"]])}, "A must hold real numbers"),
        ({"A": np.array([[None, {}, 1]], object)}, "A must hold real numbers"),
        ({"A": sparse.csr_array(np.ones((2, 3), complex))}, "A must hold real numbers"),
        ({"form": "cosine"}, "form must be one of linear"),
        ({"gamma": np.nan}, "gamma must be finite"),
        ({"gamma": -1.0}, "gamma must not be negative"),
        ({"coef0": np.inf}, "coef0 must be finite"),
        ({"degree": -1}, "degree must be a whole number"),
        ({"degree": 1.5}, "degree must be a whole number"),
        ({"degree": 2**40}, "degree must be a whole number"),
        ({"n_threads": 0}, "n_threads must be a whole number"),
        ({"n_threads": 1.5}, "n_threads must be a whole number"),
        ({"n_threads": "two"}, "n_threads must be a whole number"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(arguments, sentence):
    given = {"form": "gaussian", "A": np.ones((2, 3)), "B": np.ones((2, 3)), **arguments}
    with pytest.raises(InvalidInputError, match=sentence):
        blocks.block(given.pop("form"), given.pop("A"), given.pop("B"), **given)


@pytest.mark.parametrize("bad", [7, -1])
def test_a_sparse_matrix_that_points_outside_itself_is_refused(bad):
    rows = sparse.csr_array(np.eye(3))
    rows.indices[1] = bad
    with pytest.raises(InvalidInputError, match="outside its shape"):
        blocks.block("linear", rows, rows)


def test_an_unavailable_simd_level_is_refused():
    with pytest.raises(InvalidInputError, match="must be one of baseline"):
        blocks.use_simd_level("v9")


def import_with(variable: str, value: str) -> subprocess.CompletedProcess[str]:
    code = (
        "from maxmargin.kernels import blocks;"
        "import sys; sys.stdout.write(f'{blocks.simd_level()} {blocks.default_threads()}')"
    )
    environment = {**os.environ, variable: value}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_environment_variables_choose_level_and_threads():
    assert import_with("MAXMARGIN_SIMD", "baseline").stdout.startswith("baseline")
    assert "must be one of baseline" in import_with("MAXMARGIN_SIMD", "mmx").stderr
    assert import_with("MAXMARGIN_NUM_THREADS", "3").stdout.endswith(" 3")


def test_threads_come_from_the_environment(monkeypatch):
    monkeypatch.delenv("MAXMARGIN_NUM_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
    assert blocks.default_threads() == 5
    for beyond_reason in ("99999999999", "9" * 5000):
        monkeypatch.setenv("OMP_NUM_THREADS", beyond_reason)
        rows = draw_rows(0, 300, 20)
        assert blocks.block("laplacian", rows, rows).shape == (300, 300)
        assert blocks.default_threads() == 1024
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert blocks.default_threads() >= 1
    monkeypatch.setenv("MAXMARGIN_NUM_THREADS", "7")
    assert blocks.default_threads() == 7
    monkeypatch.setenv("MAXMARGIN_NUM_THREADS", "none")
    with pytest.raises(InvalidInputError, match="MAXMARGIN_NUM_THREADS must be"):
        blocks.default_threads()

"""Files in LIBSVM's format at once: what scikit-learn reads, faster, and back without loss."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from maxmargin.errors import InvalidInputError
from maxmargin.streams import read_libsvm, read_libsvm_queries, write_libsvm


def read(text, **options):
    return read_libsvm(io.BytesIO(text), **options)


def same(left, right):
    np.testing.assert_array_equal(left.indptr, right.indptr)
    np.testing.assert_array_equal(left.indices, right.indices)
    np.testing.assert_array_equal(left.data, right.data)
    assert left.shape == right.shape


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = sparse.random_array((5_000, 300), density=0.1, rng=rng, format="csr")
    X.data = rng.normal(size=X.nnz) * 10.0 ** rng.integers(-300, 300, X.nnz)
    return X, rng.integers(-5, 5, 5_000) / 4.0


@pytest.mark.parametrize("zero_based", [False, True])
def test_what_scikit_learn_writes_is_read_as_it_reads_it(data, tmp_path, zero_based):
    X, y = data
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=zero_based)
    rows, labels = read_libsvm(path, zero_based=zero_based)
    expected, targets = load_svmlight_file(str(path), zero_based=zero_based)
    same(rows, expected)
    np.testing.assert_array_equal(labels, targets)
    assert rows.has_canonical_format


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize("suffix", [".svm", ".svm.gz", ".svm.bz2", ".svm.xz"])
def test_what_is_written_comes_back_to_the_last_bit(data, tmp_path, zero_based, suffix):
    X, y = data[0][:500], data[1][:500]
    path = tmp_path / f"rows{suffix}"
    write_libsvm(X, y, path, zero_based=zero_based)
    rows, labels = read_libsvm(path, zero_based=zero_based, n_features=300)
    same(rows, X)
    np.testing.assert_array_equal(labels, y)
    if suffix == ".svm":
        expected, targets = load_svmlight_file(str(path), zero_based=zero_based, n_features=300)
        same(rows, expected)
        np.testing.assert_array_equal(labels, targets)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_double_comes_back(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("doubles") / "rows.svm"
    rows = np.array(values)[:, None]
    write_libsvm(rows, rows[:, 0], path)
    X, y = read_libsvm(path)
    assert y.tobytes() == rows.tobytes()
    np.testing.assert_array_equal(X.toarray(), rows)


DIGITS = st.text("0123456789", min_size=1, max_size=40)


@given(
    st.sampled_from(["", "+", "-"]),
    DIGITS,
    st.sampled_from(["", "."]),
    st.text("0123456789", max_size=40),
    st.one_of(st.just(""), st.integers(-400, 400).map(lambda k: f"e{k}")),
)
def test_decimals_are_read_to_the_nearest_double(sign, whole, point, fraction, exponent):
    text = f"{sign}{whole}{point}{fraction if point else ''}{exponent}"
    expected = float(text)
    if np.isinf(expected):
        with pytest.raises(InvalidInputError, match="not a finite number"):
            read(text.encode())
    else:
        _, (label,) = read(text.encode())
        assert label == expected
        assert np.signbit(label) == np.signbit(expected)


HARD = [
    "9007199254740993",
    "9007199254740992.999999999999999999999999",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "2.2250738585072011e-308",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "0." + "0" * 400 + "1",
    "1" + "0" * 300,
    "1" + "0" * 330 + "e-330",
    "0.1e23",
    "8.5e22",
    "6.0221407600000000000000000001e23",
    "1e-1000000000000000000000",
    "0e99999999999999999999999",
    ".5",
    "5.",
    "-0.0",
]


@pytest.mark.parametrize("text", HARD)
def test_hard_decimals(text):
    _, (label,) = read(text.encode())
    assert label == float(text)


@pytest.mark.parametrize(
    "text", ["1e309", "1" + "0" * 400, "inf", "nan", "0x1p3", "1e", "1_0", "."]
)
def test_what_is_no_finite_decimal(text):
    with pytest.raises(InvalidInputError, match=r"line 1: the label .* is not a finite number"):
        read(text.encode())


def test_a_number_too_large_for_float32_is_refused():
    assert read(b"1 1:3e38", dtype=np.float32)[0].dtype == np.float32
    with pytest.raises(InvalidInputError, match="'1:4e38' is not"):
        read(b"1 1:4e38", dtype=np.float32)


def test_queries(tmp_path):
    text = b"2 qid:1 1:0.5\n1 qid:1 2:1\n0 qid:7 # a comment\n"
    X, y, query = read_libsvm_queries(io.BytesIO(text))
    np.testing.assert_array_equal(query, [1, 1, 7])
    expected = load_svmlight_file(io.BytesIO(text), query_id=True)
    same(X, expected[0])
    np.testing.assert_array_equal(query, expected[2])
    same(read(text)[0], X)
    write_libsvm(X, y, tmp_path / "q.svm", query_id=query)
    assert (tmp_path / "q.svm").read_bytes() == text.replace(b" # a comment", b"")
    with pytest.raises(InvalidInputError, match="no query in its row 2"):
        read_libsvm_queries(io.BytesIO(b"1 qid:1\n2 1:1\n"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"1 1:2\n\n# x\n1 qid:a", "line 4: 'qid:a' is not qid, a colon and a whole number"),
        (b"1 1:1 qid:3", "line 1: 'qid:3' is not a whole index"),
        (b"1 3:1 2:1 3:4\n", "line 1: an index appears twice"),
        (b"1 1:2\n1 1:1 1:2\n", "line 2: an index appears twice"),
        (b"1 99999999999999999999999:2", "larger than n_features allows, 2147483647"),
        (b"1,2 1:2", "the label '1,2' is not a finite number"),
        (b"1 1:2\0", "is not a whole index"),
        (b"\xff\xfe", "the label"),
        (b"", "has no rows"),
        (b"# nothing\n\n", "has no rows"),
    ],
)
def test_faults_have_their_line(text, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        read(text)


def test_lines_are_counted_over_many_blocks(tmp_path):
    path = tmp_path / "long.svm"
    path.write_bytes(b"1 1:0.25 3:17 # fine\n" * 200_000 + b"1 1:x\n")
    for source in (path, path.open("rb")):
        with pytest.raises(InvalidInputError, match="line 200001: '1:x' is not"):
            read_libsvm(source)
        if source is not path:
            source.close()


def test_one_very_long_line():
    n = 400_000
    X, _ = read(b"1 " + b" ".join(b"%d:1" % k for k in range(1, n + 1)))
    assert X.shape == (1, n)
    assert X.sum() == n


def test_a_damaged_archive_gets_a_sentence(tmp_path):
    path = tmp_path / "rows.svm.gz"
    packed = gzip.compress(b"1 1:2\n" * 100_000)
    for damaged in (packed[:-20], b"no gzip", packed[:40] + b"\xff" * 40 + packed[80:]):
        path.write_bytes(damaged)
        with pytest.raises(InvalidInputError, match="cannot be decompressed"):
            read_libsvm(path)


def test_dense_rows_lose_their_zeros_only(tmp_path):
    X = np.array([[0.0, 1.5, 0.0], [0.0, 0.0, 0.0], [-2.0, 0.0, 1e-300]])
    write_libsvm(X, [1, 2, 3], tmp_path / "d.svm")
    assert (tmp_path / "d.svm").read_text() == "1 2:1.5\n2\n3 1:-2 3:1e-300\n"
    rows, _ = read_libsvm(tmp_path / "d.svm", n_features=3)
    np.testing.assert_array_equal(rows.toarray(), X)


def test_float32_rows_are_written_in_full(tmp_path):
    X = np.array([[0.1]], dtype=np.float32)
    write_libsvm(X, [1], tmp_path / "f.svm")
    assert read_libsvm(tmp_path / "f.svm")[0].toarray() == X.astype(np.float64)


@pytest.mark.parametrize(
    ("X", "y", "options", "sentence"),
    [
        ([[np.nan]], [1], {}, "X contains NaN"),
        ([[1.0]], [np.inf], {}, "y contains NaN or infinity"),
        ([[1.0]], [1, 2], {}, "y must hold one number per row, 1 in all"),
        ([[1.0]], ["a"], {}, "Encode other labels"),
        ([1.0], [1], {}, "X must hold rows of numbers"),
        ([["a"]], [1], {}, "X must hold rows of numbers"),
        ([[1.0]], [1], {"query_id": [-1]}, "query_id must hold"),
        ([[1.0]], [1], {"query_id": [0.5]}, "query_id must hold"),
        (sparse.csr_array((1, 2**40)), [1], {}, "counts only to"),
    ],
)
def test_what_the_format_does_not_have(X, y, options, sentence, tmp_path):
    with pytest.raises(InvalidInputError, match=sentence):
        write_libsvm(X, y, tmp_path / "m", **options)
    assert list(tmp_path.iterdir()) == []

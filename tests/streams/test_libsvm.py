"""Files in LIBSVM's format: what scikit-learn reads at once, in chunks; faults by line."""

import bz2
import gzip
import lzma
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from maxmargin.errors import InvalidInputError
from maxmargin.streams import LibsvmChunks, chunks


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A file of many blocks, with empty rows, and its data."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((30_000, 50), density=0.1, rng=rng, format="csr")
    X.data = rng.normal(size=X.nnz) * 10.0 ** rng.integers(-8, 8, X.nnz)
    y = rng.integers(-1, 3, 30_000)
    path = tmp_path_factory.mktemp("libsvm") / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    return path


def whole(stream):
    parts = list(stream)
    return sparse.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def same(left, right):
    np.testing.assert_array_equal(left.indptr, right.indptr)
    np.testing.assert_array_equal(left.indices, right.indices)
    np.testing.assert_array_equal(left.data, right.data)


def test_the_rows_are_those_that_scikit_learn_reads(file):
    X, y = whole(LibsvmChunks(file, size=777))
    expected, labels = load_svmlight_file(str(file), zero_based=False)
    same(X, expected)
    np.testing.assert_array_equal(y, labels)


def test_float32_rounds_each_value(file):
    X, _ = whole(chunks(file, dtype=np.float32, n_features=50))
    expected, _ = load_svmlight_file(str(file), zero_based=False)
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X.data, expected.data.astype(np.float32))


def test_every_chunk_but_the_last_has_its_size(file):
    sizes = [X.shape for X, _ in chunks(file, size=7000, n_features=60)]
    assert sizes == [(7000, 60)] * 4 + [(2000, 60)]


@pytest.mark.parametrize("size", [100, 10_000])
def test_a_shuffled_file_has_the_same_rows_in_another_order(file, size):
    expected, labels = load_svmlight_file(str(file), zero_based=False)
    stream = chunks(file, shuffle=True, random_state=3, size=size)
    X, y = whole(stream)
    assert not np.array_equal(y, labels)
    signature = np.random.default_rng(1).normal(size=50)

    def ranked(rows, targets):
        return np.sort(np.column_stack([rows @ signature, targets]), axis=0)

    np.testing.assert_array_equal(ranked(X, y), ranked(expected, labels))
    again, _ = whole(chunks(file, shuffle=True, random_state=3, size=size))
    same(X, again)
    second_pass, _ = whole(stream)
    assert not np.array_equal(X.data, second_pass.data)


@pytest.mark.parametrize(
    ("suffix", "opener"), [(".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)]
)
def test_a_compressed_file_is_read_like_any(file, tmp_path, suffix, opener):
    path = tmp_path / f"rows.svm{suffix}"
    text = b"".join(file.read_bytes().splitlines(keepends=True)[:500])
    with opener(path, "wb") as packed:
        packed.write(text)
    plain = tmp_path / "rows.svm"
    plain.write_bytes(text)
    same(whole(chunks(path, n_features=50))[0], whole(chunks(plain, n_features=50))[0])
    with pytest.raises(InvalidInputError, match="only from its start"):
        chunks(path, shuffle=True)


ODD = {
    "no newline at the end": (b"1 1:2\n-1 3:4", [[2, 0, 0], [0, 0, 4]], [1, -1]),
    "comments": (b"# all of it\n1 1:2 # 2:9\n\n-1 # nothing\n", [[2], [0]], [1, -1]),
    "Windows": (b"1 1:2\r\n-1 2:3\r\n", [[2, 0], [0, 3]], [1, -1]),
    "tabs and blanks": (b"  +1\t1:2   2:3 \n \n-1\n", [[2, 3], [0, 0]], [1, -1]),
    "exponents": (b"1.5e0 1:-2E-1 2:.5\n", [[-0.2, 0.5]], [1.5]),
    "indices out of order": (b"1 3:1 1:2\n", [[2, 0, 1]], [1]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_but_valid_files(tmp_path, name):
    text, rows, labels = ODD[name]
    path = tmp_path / "odd.svm"
    path.write_bytes(text)
    X, y = whole(chunks(path))
    np.testing.assert_array_equal(X.toarray(), rows)
    np.testing.assert_array_equal(y, labels)


def test_zero_based_indices(tmp_path):
    path = tmp_path / "zero.svm"
    path.write_text("1 0:5 2:6\n")
    X, _ = whole(chunks(path, zero_based=True))
    np.testing.assert_array_equal(X.toarray(), [[5, 0, 6]])


FAULTS = [
    ("spam 1:2", "the label 'spam'"),
    ("1,2 1:2", "the label '1,2'"),
    ("1:2 2:3", "the label '1:2'"),
    ("nan 1:2", "the label 'nan'"),
    ("1 2", "'2' is not a whole index"),
    ("1 2:", "'2:' is not"),
    ("1 :2", "':2' is not"),
    ("1 2:3:4", "'2:3:4' is not"),
    ("1 1.5:2", "'1.5:2' is not"),
    ("1 -1:2", "'-1:2' is not"),
    ("1 1:two", "'1:two' is not"),
    ("1 1:inf", "'1:inf' is not"),
    ("1 qid:x 1:2", "'qid:x' is not"),
    ("1 2:2 qid:3", "'qid:3' is not"),
    ("1 2:2 2:3", "an index appears twice"),
    ("1 0:2", "zero_based=True"),
    ("1 1-2:3 2:", "'1-2:3' is not"),
    ("1 1:1.2.3 :2", "'1:1.2.3' is not"),
    ("1 9:2", "the index 9 is larger than n_features allows, 5"),
]


@pytest.mark.parametrize(("line", "what"), FAULTS)
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("before", [0, 3, 40_000])
def test_a_fault_is_told_with_its_line(tmp_path, line, what, shuffle, before):
    path = tmp_path / "bad.svm"
    path.write_text("1 1:0.25 3:17 # fine\n" * before + line + "\n-1 2:1\n")
    with pytest.raises(InvalidInputError, match=what) as caught:
        list(chunks(path, n_features=5, shuffle=shuffle, random_state=0))
    assert f"bad.svm, line {before + 1}: " in str(caught.value)


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="nowhere"):
        list(chunks("nowhere.svm"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_features": 0}, "n_features must be"),
        ({"size": -1}, "size must be"),
        ({"dtype": np.int32}, "float64 or float32"),
    ],
)
def test_bad_options_get_a_sentence(options, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        chunks("rows.svm", **options)


@pytest.mark.parametrize("shuffle", [False, True])
def test_memory_does_not_depend_on_the_length_of_the_file(tmp_path, shuffle):
    line = b"1 1:0.5 2:0.25 3:0.125 4:1 5:2 6:3\n"
    peaks = []
    for n in (100_000, 400_000):
        path = tmp_path / f"{n}.svm"
        path.write_bytes(line * n)
        stream = chunks(path, n_features=6, size=5000, shuffle=shuffle, random_state=0)
        tracemalloc.start()
        assert sum(X.shape[0] for X, _ in stream) == n
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] + 10_000

"""Whatever the source, its chunks hold every row once, and no more than they should."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.streams import ArrayChunks, chunks

X = np.arange(60.0).reshape(20, 3)
Y = np.arange(20)


def whole(stream):
    parts = list(stream)
    rows = [part.toarray() if sparse.issparse(part) else np.asarray(part) for part, _ in parts]
    return np.concatenate(rows), np.concatenate([y for _, y in parts])


SOURCES = {
    "arrays": lambda: chunks(X, Y, size=7),
    "a pair": lambda: chunks((X, Y), size=7),
    "Fortran order": lambda: chunks(np.asfortranarray(X), Y, size=7),
    "a frame": lambda: chunks(pd.DataFrame(X), pd.Series(Y), size=7),
    "CSR": lambda: chunks(sparse.csr_array(X), Y, size=7),
    "CSC": lambda: chunks(sparse.csc_matrix(X), Y, size=7),
    "a list of chunks": lambda: chunks([(X[:9], Y[:9]), (X[9:], Y[9:])]),
    "a function": lambda: chunks(lambda: iter([(X[:9], Y[:9]), (X[9:], Y[9:])])),
    "a generator": lambda: chunks((X[i : i + 4], Y[i : i + 4]) for i in range(0, 20, 4)),
    "chunks": lambda: chunks(chunks(X, Y, size=3)),
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_chunks_are_the_data_in_order(source):
    rows, labels = whole(SOURCES[source]())
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labels, Y)


@pytest.mark.parametrize("source", [name for name in SOURCES if name != "a generator"])
def test_a_source_can_be_read_again(source):
    stream = SOURCES[source]()
    first, second = whole(stream), whole(stream)
    assert stream.rereadable
    np.testing.assert_array_equal(first[0], second[0])


def test_an_iterator_can_be_read_once():
    stream = SOURCES["a generator"]()
    assert not stream.rereadable
    list(stream)
    with pytest.raises(InvalidInputError, match="can be read once"):
        list(stream)


@pytest.mark.parametrize("size", [1, 2, 7, 16, 20, 50])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("n", [1, 19, 20, 333])
def test_every_chunk_but_the_last_has_its_size_and_every_row_comes_once(n, size, shuffle):
    data = np.arange(2.0 * n).reshape(n, 2)
    parts = list(ArrayChunks(data, np.arange(n), size=size, shuffle=shuffle, random_state=0))
    assert [len(y) for _, y in parts[:-1]] == [size] * (len(parts) - 1)
    assert 1 <= len(parts[-1][1]) <= size
    order = np.concatenate([y for _, y in parts])
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    np.testing.assert_array_equal(np.concatenate([rows for rows, _ in parts]), data[order])


def test_a_seed_fixes_the_order_and_each_pass_has_its_own():
    data = np.arange(1000.0)[:, None]
    one, other = (ArrayChunks(data, shuffle=True, random_state=5, size=100) for _ in range(2))
    first = [np.concatenate([rows for rows, _ in one]) for _ in range(2)]
    second = [np.concatenate([rows for rows, _ in other]) for _ in range(2)]
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first[0], first[1])


def test_a_shuffled_chunk_holds_rows_from_all_over_the_array():
    n = 100_000
    stream = ArrayChunks(np.zeros((n, 1)), np.arange(n), shuffle=True, random_state=0, size=5000)
    for _, rows in stream:
        assert abs(rows.mean() / n - 0.5) < 0.2


def test_the_chunks_of_an_array_are_views_of_it():
    assert all(np.shares_memory(rows, X) for rows, _ in chunks(X, Y, size=6))


def test_a_memory_map_is_never_read_as_a_whole(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.zeros((200_000, 10)))
    stream = chunks(np.load(path, mmap_mode="r"), size=1000, shuffle=True, random_state=0)
    tracemalloc.start()
    n_rows = sum(rows.shape[0] for rows, _ in stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_rows == 200_000
    assert peak < 1_000_000


WEIGHTED = {
    "arrays": lambda: chunks(X, Y, weight=2.0 * Y, size=7),
    "shuffled": lambda: chunks(X, Y, weight=2.0 * Y, size=7, shuffle=True, random_state=0),
    "a triple": lambda: chunks((X, Y, 2.0 * Y), size=7),
    "a list of chunks": lambda: chunks([(X[:9], Y[:9], 2.0 * Y[:9]), (X[9:], Y[9:], 2.0 * Y[9:])]),
}


@pytest.mark.parametrize("source", WEIGHTED)
def test_weights_stay_with_their_rows(source):
    parts = list(WEIGHTED[source]())
    rows, labels, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    np.testing.assert_array_equal(np.sort(labels), Y)
    np.testing.assert_array_equal(rows, X[labels])
    np.testing.assert_array_equal(weights, 2.0 * labels)


def test_rows_without_labels_have_none():
    assert all(y is None for _, y in chunks(X))
    assert all(y is None for _, y in chunks([X, X]))


BAD = [
    (lambda: chunks(3), "must be an array, a pair"),
    (lambda: chunks((X, Y, Y, Y)), "must be a pair"),
    (lambda: chunks((X, Y), Y), "y beside them"),
    (lambda: chunks("rows.svm", Y), "y must be None"),
    (lambda: chunks([(X, Y)], size=3), "leave out size"),
    (lambda: chunks([(X, Y)], Y), "leave out y"),
    (lambda: chunks(X[:, 0]), "two dimensions"),
    (lambda: chunks(X, Y[:4]), "one label per row"),
    (lambda: chunks(X, size=0), "size must be a whole number"),
    (lambda: chunks(X, size=2.5), "size must be a whole number"),
    (lambda: chunks(X, random_state="seed"), "random_state must be"),
    (lambda: chunks(X, Y, weight=Y[:4]), "one number per row"),
    (lambda: chunks(X, Y, weight=1.0), "one number per row"),
    (lambda: chunks([(X, Y)], weight=Y), "leave out weight"),
    (lambda: list(chunks([(X, Y, Y, Y)])), "a tuple of 4"),
]


@pytest.mark.parametrize(("make", "sentence"), BAD)
def test_bad_input_gets_a_sentence(make, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        make()

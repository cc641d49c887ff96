"""Parquet files, where pyarrow is installed; a sentence where it is not."""

import sys

import numpy as np
import pytest

from maxmargin.errors import InvalidInputError, MissingDependencyError
from maxmargin.streams import chunks


def test_a_missing_pyarrow_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'maxmargin\[parquet\]'"):
        list(chunks("rows.parquet", label="y"))


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return {"a": rng.normal(size=5000), "y": rng.integers(0, 3, 5000), "b": np.arange(5000)}


@pytest.fixture
def path(tmp_path, rows):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    place = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.table(rows), place, row_group_size=400)
    return place


def whole(stream):
    parts = list(stream)
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def test_the_features_are_all_columns_but_the_label(path, rows):
    X, y = whole(chunks(path, label="y", size=700))
    np.testing.assert_array_equal(X, np.column_stack([rows["a"], rows["b"]]))
    np.testing.assert_array_equal(y, rows["y"])
    assert [len(y) for _, y in chunks(path, label="y", size=700)] == [700] * 7 + [100]


def test_the_features_come_in_the_order_asked_for(path, rows):
    X, _ = whole(chunks(path, label="y", features=["b", "a"]))
    np.testing.assert_array_equal(X, np.column_stack([rows["b"], rows["a"]]))


def test_without_a_label_there_is_none(path):
    assert all(y is None for _, y in chunks(path, features=["a"]))


def test_shuffled_row_groups_hold_the_same_rows(path, rows):
    X, _ = whole(chunks(path, label="y", shuffle=True, random_state=0))
    assert not np.array_equal(X[:, 1], rows["b"])
    np.testing.assert_array_equal(np.sort(X[:, 1]), rows["b"])
    np.testing.assert_array_equal(X[:, 0], rows["a"][X[:, 1].astype(int)])


def test_float32_columns_stay_float32(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    place = tmp_path / "narrow.parquet"
    parquet.write_table(pyarrow.table({"a": np.ones(3, np.float32)}), place)
    assert next(iter(chunks(place)))[0].dtype == np.float32


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"label": "z"}, "no column 'z'; its columns are a, y, b"),
        ({"label": "y", "features": []}, "no column of features"),
    ],
)
def test_bad_columns_get_a_sentence(path, options, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        list(chunks(path, **options))


def test_text_is_no_feature(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    place = tmp_path / "text.parquet"
    parquet.write_table(pyarrow.table({"a": ["spam"], "y": [1]}), place)
    with pytest.raises(InvalidInputError, match="'a' must hold numbers"):
        list(chunks(place, label="y"))


def test_a_column_may_hold_the_weights(path, rows):
    parts = list(chunks(path, label="y", weight="b", size=700))
    X, y, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    np.testing.assert_array_equal(X, rows["a"][:, np.newaxis])
    np.testing.assert_array_equal(y, rows["y"])
    np.testing.assert_array_equal(weight, rows["b"])
    with pytest.raises(InvalidInputError, match="no column 'w'"):
        list(chunks(path, weight="w"))

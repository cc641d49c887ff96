"""Data from files of every format, and what is wrong with them."""

import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from maxmargin.cli.data import read_training
from maxmargin.cli.options import DataOptions
from maxmargin.errors import InvalidInputError


def read(path, **options):
    return read_training(DataOptions(path, **options))


def written(path, text):
    path.write_text(text)
    return str(path)


def test_the_last_column_is_the_target_unless_another_is_named(tmp_path):
    path = written(tmp_path / "a.csv", "a,b,c\n1,2,x\n3,4,y\n")
    last = read(path)
    assert last.names == ["a", "b"]
    assert last.y.tolist() == ["x", "y"]
    first = read(path, target="a", drop=("c",))
    assert first.names == ["b"]
    assert first.y.tolist() == [1, 3]
    by_number = read(path, target="0", drop=("2",))
    assert by_number.names == ["b"]
    from_the_end = read(path, target="-2", features=("a",))
    assert from_the_end.y.tolist() == [2, 4]


def test_numbers_are_read_to_the_last_digit(tmp_path, rng):
    X = rng.normal(size=(50, 3)) * 10.0 ** rng.integers(-200, 200, size=(50, 3))
    lines = [",".join(map(repr, row)) + ",0" for row in X.tolist()]
    path = written(tmp_path / "a.csv", "\n".join(["a,b,c,y", *lines]))
    np.testing.assert_array_equal(read(path).X.to_numpy(), X)


def test_tabs_and_other_separators(tmp_path):
    for path, separator in [("a.tsv", None), ("a.csv", ";")]:
        mark = "\t" if separator is None else separator
        file = written(tmp_path / path, f"a{mark}y\n1{mark}0\n2{mark}1\n")
        assert read(file, separator=separator).X["a"].tolist() == [1, 2]


def test_a_line_of_numbers_may_be_names_or_not(tmp_path):
    path = written(tmp_path / "a.csv", "1,2,0\n3,4,1\n")
    with pytest.raises(InvalidInputError, match="give --no-header if it is the first row"):
        read(path)
    plain = read(path, header=False)
    assert plain.names is None
    np.testing.assert_array_equal(plain.X, [[1, 2], [3, 4]])
    assert read(path, header=True).names == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a,y\n1,0\n,1\n", "has no value in row 2 of the column 'a'"),
        ("a,y\n1,0\nNA,1\n", "has no value in row 2 of the column 'a'"),
        ("a,y\n1,0\n2,\n", "has no value in row 2 of the column 'y'"),
        ("a,y\n1,0\ninf,1\n", "infinite value in row 2 of the column 'a'"),
        ("a,b,y\n1,2,0\n3,red,1\n", "text in the column 'b', such as 'red' in row 2"),
        ("a,b,y\n1,2,0\n3,2020-01-01,1\n", "--drop"),
        ("a,y\n1,0\n2,3,4\n", "has 3 cells in line 3, but 2 in its first line"),
        ("a,y\n1,0,5\n2,1,5\n", "has 3 cells in line 2, but 2 in its first line"),
        ("a,y\n1,0\n\n2\n3,1\n", "has 1 cell in line 4, but 2 in its first line"),
        ('a,b,y\n1,"x\ny",0\n2,"z",\n1,2\n', "has 2 cells in line 5, but 3 in its first"),
        ('a,y\n1,"0\n2,1\n3,0\n4,1\n', "cannot be read as CSV"),
        ('a,b,y\n1,"0\n2,1\n3,0\n4,1\n', "a quotation mark in line 2 that is not closed"),
        ("a;b;y\n1;2;0\n", "Its only column is 'a;b;y': give --separator"),
        ("a,y\n", "has no rows"),
        ("", "cannot be read as CSV"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path, text, what):
    with pytest.raises(InvalidInputError, match=what):
        read(written(tmp_path / "a.csv", text))


def test_unknown_columns_are_named(tmp_path):
    path = written(tmp_path / "a.csv", "a,b,y\n1,2,0\n")
    with pytest.raises(InvalidInputError, match=r"--target is 'z', but .* it has a, b, y"):
        read(path, target="z")
    with pytest.raises(InvalidInputError, match="--drop is '7'"):
        read(path, drop=("7",))


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,y\n\xff\xfe,0\n")
    with pytest.raises(InvalidInputError, match="cannot be read as CSV"):
        read(str(tmp_path / "a.csv"))


def test_libsvm_files_by_any_other_name(tmp_path, rng):
    X = sparse.random_array((40, 30), density=0.05, rng=rng, format="csr")
    y = np.arange(40) % 3
    dump_svmlight_file(X, y, str(tmp_path / "train.t"), zero_based=False)
    found = read(str(tmp_path / "train.t"))
    assert sparse.issparse(found.X)
    np.testing.assert_allclose(found.X.toarray(), X.toarray()[:, : found.X.shape[1]])
    assert found.y.dtype == np.int64
    assert not sparse.issparse(read(str(tmp_path / "train.t"), dense=True).X)


def test_libsvm_files_without_zeros_are_held_dense(tmp_path, rng):
    X = rng.normal(size=(20, 5))
    dump_svmlight_file(X, np.arange(20) % 2, str(tmp_path / "a.svm"), zero_based=False)
    found = read(str(tmp_path / "a.svm"))
    assert isinstance(found.X, np.ndarray)
    assert sparse.issparse(read(str(tmp_path / "a.svm"), dense=False).X)


def test_a_line_that_is_wrong_has_a_number(tmp_path):
    with pytest.raises(InvalidInputError, match="line 2"):
        read(written(tmp_path / "a.svm", "1 1:0.5\n-1 2:one\n"))


def test_arrays(tmp_path, rng):
    X, y = rng.normal(size=(10, 2)), np.array(["a", "b"] * 5)
    np.savez(tmp_path / "a.npz", X=X, y=y, other=np.arange(10.0) + 0.5)
    found = read(str(tmp_path / "a.npz"))
    np.testing.assert_array_equal(found.X, X)
    assert found.y.tolist() == y.tolist()
    assert read(str(tmp_path / "a.npz"), target="other").y[0] == 0.5
    with pytest.raises(InvalidInputError, match=r"--target is 'z', but .* holds X, other, y"):
        read(str(tmp_path / "a.npz"), target="z")


def test_sparse_arrays_in_parts(tmp_path, rng):
    X = sparse.random_array((20, 50), density=0.05, rng=rng, format="csr")
    sparse.save_npz(tmp_path / "a.npz", X)
    found = read(str(tmp_path / "a.npz"))
    np.testing.assert_array_equal(found.X.toarray(), X.toarray())
    assert found.y is None


@pytest.mark.parametrize(
    ("arrays", "what"),
    [
        ({"Z": np.eye(2)}, "no X"),
        ({"X": np.array([[1.0, np.nan]])}, "row 1, column 1"),
        ({"X": np.eye(2), "y": np.arange(3)}, "one value per row"),
        ({"X": np.array(["a"])}, "rows of numbers"),
        ({"X": np.array([{}], dtype=object)}, "cannot be read"),
    ],
)
def test_what_is_wrong_with_arrays_is_said(tmp_path, arrays, what):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(InvalidInputError, match=what):
        read(str(tmp_path / "a.npz"))


def test_a_file_that_is_no_archive(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"this is no archive")
    with pytest.raises(InvalidInputError, match="cannot be read as"):
        read(str(tmp_path / "a.npz"))


def test_parquet(tmp_path, iris):
    pytest.importorskip("pyarrow")
    iris.to_parquet(tmp_path / "iris.parquet")
    found = read(str(tmp_path / "iris.parquet"), target="species")
    np.testing.assert_array_equal(found.X, iris.drop(columns="species"))
    assert found.y.tolist() == iris["species"].tolist()


def test_standard_input_needs_a_format(run, tmp_path):
    said = run.error("train", "-", "-o", tmp_path / "m", stdin="a,y\n1,0\n")
    assert "give --format csv" in said


@pytest.mark.parametrize("module", ["pandas", "pyarrow"])
def test_a_missing_package_is_named(run, tmp_path, monkeypatch, module):
    monkeypatch.delitem(sys.modules, "maxmargin.cli.tables", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    name = "a.csv" if module == "pandas" else "a.parquet"
    (tmp_path / name).write_text("a,y\n1,0\n2,1\n")
    said = run.error("train", tmp_path / name, "-o", tmp_path / "m")
    assert "pip install 'maxmargin[cli]'" in said

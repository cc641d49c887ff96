"""Data from files of every format, and what is wrong with them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from maxmargin.cli.source import Source
from maxmargin.errors import InvalidInputError


def written(path, text):
    path.write_text(text)
    return str(path)


def test_the_last_column_is_the_target_unless_another_is_named(tmp_path):
    path = written(tmp_path / "a.csv", "a,b,c\n1,2,x\n3,4,y\n")
    last = Source(path).read()
    assert last.names == ["a", "b"]
    assert last.y.tolist() == ["x", "y"]
    first = Source(path, target="a", drop=("c",)).read()
    assert first.names == ["b"]
    assert first.y.tolist() == [1, 3]
    by_number = Source(path, target="0", drop=("2",)).read()
    assert by_number.names == ["b"]
    from_the_end = Source(path, target="-2", features=("a",)).read()
    assert from_the_end.y.tolist() == [2, 4]


def test_numbers_are_read_to_the_last_digit(tmp_path, rng):
    X = rng.normal(size=(50, 3)) * 10.0 ** rng.integers(-200, 200, size=(50, 3))
    lines = [",".join(map(repr, row)) + ",0" for row in X.tolist()]
    path = written(tmp_path / "a.csv", "\n".join(["a,b,c,y", *lines]))
    np.testing.assert_array_equal(Source(path).read().X.to_numpy(), X)


def test_tabs_and_other_separators(tmp_path):
    for path, separator in [("a.tsv", None), ("a.csv", ";")]:
        mark = "\t" if separator is None else separator
        file = written(tmp_path / path, f"a{mark}y\n1{mark}0\n2{mark}1\n")
        assert Source(file, separator=separator).read().X["a"].tolist() == [1, 2]


def test_a_line_of_numbers_may_be_names_or_not(tmp_path):
    path = written(tmp_path / "a.csv", "1,2,0\n3,4,1\n")
    with pytest.raises(InvalidInputError, match="give --no-header if it is the first row"):
        Source(path).read()
    plain = Source(path, header=False).read()
    assert plain.names is None
    np.testing.assert_array_equal(plain.X, [[1, 2], [3, 4]])
    assert Source(path, header=True).read().names == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a,y\n1,0\n,1\n", "has no value in row 2 of the column 'a'"),
        ("a,y\n1,0\nNA,1\n", "has no value in row 2 of the column 'a'"),
        ("a,y\n1,0\n2,\n", "has no value in row 2 of the column 'y'"),
        ("a,y\n1,0\ninf,1\n", "infinite value in row 2 of the column 'a'"),
        ("a,b,y\n1,2,0\n3,red,1\n", "text in the column 'b', such as 'red' in row 2"),
        ("a,b,y\n1,2,0\n3,2020-01-01,1\n", "--drop"),
        ("a,y\n1,0\n2,3,4\n", "cannot be read as CSV"),
        ("a,y\n1,0,5\n2,1,5\n", "cannot be read as CSV"),
        ("a,y\n", "has no rows"),
        ("", "cannot be read as CSV"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path, text, what):
    with pytest.raises(InvalidInputError, match=what):
        Source(written(tmp_path / "a.csv", text)).read()


def test_unknown_columns_are_named(tmp_path):
    path = written(tmp_path / "a.csv", "a,b,y\n1,2,0\n")
    with pytest.raises(InvalidInputError, match=r"--target is 'z', but .* it has a, b, y"):
        Source(path, target="z").read()
    with pytest.raises(InvalidInputError, match="--drop is '7'"):
        Source(path, drop=("7",)).read()


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,y\n\xff\xfe,0\n")
    with pytest.raises(InvalidInputError, match="cannot be read as CSV"):
        Source(str(tmp_path / "a.csv")).read()


def test_libsvm_files_by_any_other_name(tmp_path, rng):
    X = sparse.random_array((40, 30), density=0.05, rng=rng, format="csr")
    y = np.arange(40) % 3
    dump_svmlight_file(X, y, str(tmp_path / "train.t"), zero_based=False)
    found = Source(str(tmp_path / "train.t")).read()
    assert sparse.issparse(found.X)
    np.testing.assert_allclose(found.X.toarray(), X.toarray()[:, : found.X.shape[1]])
    assert found.y.dtype == np.int64
    assert not sparse.issparse(Source(str(tmp_path / "train.t"), dense=True).read().X)


def test_libsvm_files_without_zeros_are_held_dense(tmp_path, rng):
    X = rng.normal(size=(20, 5))
    dump_svmlight_file(X, np.arange(20) % 2, str(tmp_path / "a.svm"), zero_based=False)
    found = Source(str(tmp_path / "a.svm")).read()
    assert isinstance(found.X, np.ndarray)
    assert sparse.issparse(Source(str(tmp_path / "a.svm"), dense=False).read().X)


def test_a_line_that_is_wrong_has_a_number(tmp_path):
    with pytest.raises(InvalidInputError, match="line 2"):
        Source(written(tmp_path / "a.svm", "1 1:0.5\n-1 2:one\n")).read()


def test_arrays(tmp_path, rng):
    X, y = rng.normal(size=(10, 2)), np.array(["a", "b"] * 5)
    np.savez(tmp_path / "a.npz", X=X, y=y, other=np.arange(10.0) + 0.5)
    found = Source(str(tmp_path / "a.npz")).read()
    np.testing.assert_array_equal(found.X, X)
    assert found.y.tolist() == y.tolist()
    assert Source(str(tmp_path / "a.npz"), target="other").read().y[0] == 0.5
    with pytest.raises(InvalidInputError, match=r"--target is 'z', but .* holds X, other, y"):
        Source(str(tmp_path / "a.npz"), target="z").read()


def test_sparse_arrays_in_parts(tmp_path, rng):
    X = sparse.random_array((20, 50), density=0.05, rng=rng, format="csr")
    sparse.save_npz(tmp_path / "a.npz", X)
    found = Source(str(tmp_path / "a.npz")).read()
    np.testing.assert_array_equal(found.X.toarray(), X.toarray())
    assert found.y is None


@pytest.mark.parametrize(
    ("arrays", "what"),
    [
        ({"Z": np.eye(2)}, "no X"),
        ({"X": np.array([[1.0, np.nan]])}, "row 1 of the column 1"),
        ({"X": np.eye(2), "y": np.arange(3)}, "one a row"),
        ({"X": np.array(["a"])}, "rows of numbers"),
        ({"X": np.array([{}], dtype=object)}, "cannot be read"),
    ],
)
def test_what_is_wrong_with_arrays_is_said(tmp_path, arrays, what):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(InvalidInputError, match=what):
        Source(str(tmp_path / "a.npz")).read()


def test_a_file_that_is_no_archive(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"this is no archive")
    with pytest.raises(InvalidInputError, match="cannot be read as"):
        Source(str(tmp_path / "a.npz")).read()


def test_parquet(tmp_path, iris):
    pytest.importorskip("pyarrow")
    iris.to_parquet(tmp_path / "iris.parquet")
    found = Source(str(tmp_path / "iris.parquet"), target="species").read()
    np.testing.assert_array_equal(found.X, iris.drop(columns="species"))
    assert found.y.tolist() == iris["species"].tolist()


def test_standard_input_needs_a_format(run, tmp_path):
    said = run.error("train", "-", "-o", tmp_path / "m", stdin="a,y\n1,0\n")
    assert "give --format csv" in said


@pytest.mark.parametrize("module", ["pandas", "pyarrow"])
def test_a_missing_package_is_named(run, tmp_path, monkeypatch, module):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    name = "a.csv" if module == "pandas" else "a.parquet"
    (tmp_path / name).write_text("a,y\n1,0\n2,1\n")
    said = run.error("train", tmp_path / name, "-o", tmp_path / "m")
    assert "pip install 'maxmargin[cli]'" in said

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from maxmargin import SVC
from maxmargin.pages import report
from maxmargin.pages.page import environment
from maxmargin.pages.sections.data import contents_of
from maxmargin.pages.sections.grid import curve_parameter, varied


def test_holes_of_every_kind_are_missing():
    frame = pd.DataFrame(
        {
            "number": [1.0, np.nan, 3.0],
            "some": [1, pd.NA, "b"],
            "word": ["a", None, "a"],
            "empty": [np.nan, np.nan, np.nan],
            "flag": [True, False, True],
        }
    )
    held = contents_of(frame, list(frame.columns), similarities=False)
    number, some, word, empty, flag = held["columns"]
    assert (number["range"], number["n_missing"]) == ([1.0, 2.0, 3.0], 1)
    assert (some["n_different"], some["n_missing"]) == (2, 1)
    assert (word["n_different"], word["n_missing"]) == (1, 1)
    assert (empty["range"], empty["n_missing"]) == ([], 3)
    assert (flag["range"][0], flag["range"][2], flag["n_missing"]) == (0.0, 1.0, 0)
    assert held["n_missing"] == 6


def test_columns_of_one_name_are_different_columns():
    frame = pd.DataFrame([[1.0, 5.0], [2.0, 6.0]], columns=["a", "a"])
    held = contents_of(frame, ["a", "a"], similarities=False)
    assert [column["range"][2] for column in held["columns"]] == [2, 6]


def test_wide_data_are_described_in_part_and_counted_as_a_whole():
    X = np.zeros((3, 250))
    X[0, [5, 240]] = np.nan
    held = contents_of(X, [str(k) for k in range(250)], similarities=False)
    assert (len(held["columns"]), held["n_missing"]) == (200, 2)
    labels = np.arange(3) % 2
    words = report(SVC().fit(np.nan_to_num(X), labels), np.nan_to_num(X), labels).html
    assert "50 further columns are not listed." in words


def test_sparse_data_are_described_by_what_they_store():
    X = sparse.csr_array(np.array([[0.0, 2.0, 0.0], [0.0, -1.0, 0.0]]))
    facts = contents_of(X, ["a", "b", "c"], similarities=False)["facts"]
    assert facts == {
        "stored": "33.33% of the entries",
        "stored values": "-1 to 2",
        "empty columns": "2",
    }


def test_sequences_have_lengths():
    facts = contents_of(["a", "bcd", "ef"], [], similarities=False)["facts"]
    assert facts == {"lengths": "1 to 3, half of them up to 2"}


@pytest.mark.parametrize(
    ("points", "expected", "along"),
    [
        ([{"a__gamma": 1, "a__C": 1}, {"a__gamma": 2, "a__C": 2}], ["a__gamma", "a__C"], "a__C"),
        ([{"nu": 0.1, "gamma": 1}, {"nu": 0.2, "gamma": 2}], ["nu", "gamma"], "nu"),
        ([{"degree": 2}, {"degree": 3}], ["degree"], "degree"),
        ([{"gamma": "scale"}, {"gamma": 1.0}], [], None),
        ([{"C": 1.0}], [], None),
        ([{"shrinking": True}, {"shrinking": False}], [], None),
    ],
)
def test_what_varies(points, expected, along):
    assert varied(points) == expected
    assert curve_parameter(points) == along


LONG_TABLE = """{% from "blocks.html" import cell, table %}
{% call(k) table("Numbers", ["k"], range(n), what="numbers") %}{{ cell(k) }}{% endcall %}"""


def test_long_tables_unfold():
    template = environment().from_string(LONG_TABLE)
    first, _, rest = template.render(n=40).partition("<details>")
    assert first.count("<tr>") == 16
    assert rest.startswith("<summary>25 more numbers</summary>")
    assert rest.count("<tr>") == 26
    assert "<details>" not in template.render(n=18)

import pytest

from maxmargin.pages import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (words.counted(1, "row"), "1 row"),
        (words.counted(4000, "row"), "4,000 rows"),
        (words.counted(2, "class", "classes"), "2 classes"),
        (words.fraction(0.97), "97%"),
        (words.fraction(0.00123), "0.123%"),
        (words.small(-0.02), "-0.02"),
        (words.small(0.974), "0.97"),
        (words.rounded("RBF(gamma=0.1353352832366127)"), "RBF(gamma=0.1353)"),
        (words.rounded("RBF(gamma=1.23456e-07), 0.25"), "RBF(gamma=1.235e-07), 0.25"),
        (words.seconds(0.00123), "1.2 ms"),
        (words.seconds(0.234), "234 ms"),
        (words.seconds(12.34), "12.3 s"),
        (words.seconds(4000.0), "66.7 min"),
        (words.small(0.00012), "1.2e-04"),
        (words.small(-1e-17), "0"),
        (words.measured(1.23456), "1.235"),
        (words.measured(float("inf")), "none"),
        (words.params_text({"C": 0.1, "degree": 2}), "C = 0.1, degree = 2"),
        (words.params_text({}), "default parameters"),
    ],
)
def test_numbers_are_written_as_they_are_read(text, expected):
    assert text == expected

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, get_scorer, make_scorer

from maxmargin.metrics import make_dcf_scorer
from maxmargin.wording import name_of_scorer, number_text, score_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1000.0, "1000"),
        (1e5, "100000"),
        (10**1.5, "31.6"),
        (0.1, "0.1"),
        (10**-2.5, "0.00316"),
        (np.float64(1e-5), "10⁻⁵"),
        (10**-4.5, "3.16·10⁻⁵"),
        (-2e7, "-2·10⁷"),
        (0.0, "0"),
        (4, "4"),
        ("scale", "scale"),
        (float("inf"), "inf"),
    ],
)
def test_numbers_are_written_as_people_do(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("accuracy_score", "accuracy"),
        ("balanced_accuracy", "balanced accuracy"),
        ("neg_mean_absolute_error", "mean absolute error"),
        ("neg_min_dcf", "minDCF"),
        ("roc_auc_score", "area under the ROC"),
        ("r2", "R²"),
        ("score", "score"),
    ],
)
def test_scores_have_the_names_that_people_use(name, text):
    assert score_text(name) == text


def test_a_scorer_knows_its_metric():
    assert name_of_scorer(get_scorer("neg_log_loss")) == "neg_log_loss"
    assert name_of_scorer(make_scorer(accuracy_score)) == "accuracy_score"
    assert name_of_scorer(make_dcf_scorer("act_dcf")) == "neg_act_dcf"
    assert name_of_scorer(lambda model, X, y: 0.0) is None

"""Spam among 5574 text messages, by letters and by words.

Run `python -m benchmarks.sequences.spam`: one search over letters, one over words; five folds, F1
of spam.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import StratifiedGroupKFold

from benchmarks import datasets
from benchmarks.sequences.report import Clock, kernel_table, record
from maxmargin import SVC, SVMSearchCV
from maxmargin.kernels import Spectrum

LETTERS = [
    Spectrum(3, normalize=True),
    Spectrum(4, normalize=True),
    Spectrum(5, normalize=True),
    Spectrum(4, up_to=True, normalize=True),
    Spectrum(3, normalize=True) + Spectrum(5, normalize=True),
]
WORDS = [
    Spectrum(1, normalize=True),
    Spectrum(2, up_to=True, normalize=True),
    Spectrum(1, normalize=True) + Spectrum(2, normalize=True),
]
PENALTIES = [1.0, 3.0, 10.0, 30.0]
SCORE = make_scorer(f1_score, pos_label="spam")

# Words, numbers by their number of digits, and every other sign.
TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")


def words(message: str) -> list[str]:
    tokens = TOKEN.findall(message.lower())
    return [f"<{len(token)} digits>" if token.isdigit() else token for token in tokens]


def folds(messages: Any, y: Any) -> list[tuple[Any, Any]]:
    """Five folds with all copies of a message in one of them."""
    copies = np.unique(messages, return_inverse=True)[1]
    splitter = StratifiedGroupKFold(5, shuffle=True, random_state=0)
    return list(splitter.split(messages, y, groups=copies))


def search(X: Any, y: Any, kernels: list[Any], cv: Any) -> SVMSearchCV:
    """Search over kernels and C."""
    grid = {"kernel": kernels, "C": PENALTIES}
    return SVMSearchCV(SVC(), grid, scoring=SCORE, cv=cv, verbose=1).fit(X, y)


def main() -> None:
    clock = Clock()
    data = datasets.load("strings/sms_spam")
    messages, y = data["X"], data["y"]
    cv, n_spam = folds(messages, y), int((y == "spam").sum())
    by_letters = search(messages, y, LETTERS, cv)
    by_words = search([words(message) for message in messages], y, WORDS, cv)
    record(
        "Spam",
        [
            f"`python -m benchmarks.sequences.spam`: {len(messages)} messages, {n_spam} of them",
            "spam;",
            "F1 of spam in five folds, in which all copies of a message are together;",
            f"{clock}. Letters:",
        ],
        kernel_table(by_letters, "F1"),
        ["Words, with numbers replaced by how many digits they have:"],
        kernel_table(by_words, "F1"),
    )


if __name__ == "__main__":
    main()

"""Numbers and scores as pictures, pages and terminals name them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["name_of_scorer", "number_text", "score_text"]

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# Numbers in this range are written without a power of ten.
_LEAST, _LARGEST = 1e-4, 1e6

# Scores whose usual names are not their identifiers in plain words.
_SCORES = {
    "act_dcf": "actDCF",
    "cllr": "Cllr",
    "dcf": "DCF",
    "eer": "equal error rate",
    "f1": "F1",
    "min_cllr": "minimum Cllr",
    "min_dcf": "minDCF",
    "r2": "R²",
    "roc_auc": "area under the ROC",
}


def number_text(value: Any) -> str:
    """Return a number with three digits, as people write it: 1000, 0.00316, 3.16·10⁻⁵.

    Anything else than a float is returned as it prints.
    """
    if not isinstance(value, float | np.floating) or not np.isfinite(value):
        return str(value)
    number = float(f"{value:.3g}")
    if number == 0 or _LEAST <= abs(number) < _LARGEST:
        return np.format_float_positional(number, precision=3, fractional=False, trim="-")
    mantissa, _, exponent = f"{number:.2e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return {"1": power, "-1": f"-{power}"}.get(mantissa, f"{mantissa}·{power}")


def score_text(name: str) -> str:
    """Return what a score is called: 'accuracy_score' is accuracy, 'neg_min_dcf' is minDCF."""
    bare = name.removeprefix("neg_").removesuffix("_score")
    return _SCORES.get(bare, bare.replace("_", " "))


def name_of_scorer(scorer: Any) -> str | None:
    """Return the name of a scorer of scikit-learn or of this library, "neg_..." for a cost.

    None if it does not say which metric it computes.
    """
    metric = getattr(scorer, "_score_func", None)
    if metric is None:
        return None
    name: str = metric.__name__
    return name if getattr(scorer, "_sign", 1) > 0 else f"neg_{name}"

"""Write decision_costs.json: what another library says about scores of several kinds.

Run by hand where the reference is to be made anew::

    pip install --target reference --no-deps llreval==0.0.3
    PYTHONPATH=reference python tests/golden/make_decision_costs.py shared/data

The argument is the directory of the real data sets. The tests need neither. llreval, by way of
PYLLR a translation of BOSARIS, has no weights: here they are repetitions.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from llreval.bayes_error_rate import fast_Bayes_error_rate
from llreval.cllr import cllr, min_cllr
from llreval.pav_rocch import PAV, ROCCH
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

# No score of the sets below is equal to a threshold of these.
LOG_ODDS = np.linspace(-4.0123456, 4.0345678, 14)


def gaussian(seed, n_negative, n_positive, shift, digits):
    random = np.random.default_rng(seed)
    scores = np.concatenate([random.normal(size=n_negative), random.normal(shift, 1.5, n_positive)])
    return np.repeat([0, 1], [n_negative, n_positive]), np.round(scores, digits)


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    machine = make_pipeline(StandardScaler(), SVC(C=0.1)).fit(X[::2], y[::2])
    return y[1::2], np.round(machine.decision_function(X[1::2]), 4)


def fingerprint(directory):
    with np.load(directory / "mlpr" / "mlpr_fingerprint_spoofing.npz") as file:
        X, y = file["X"], file["y"]
    order = np.random.RandomState(0).permutation(6000)
    train, validate = order[:4000], order[4000:]
    machine = SVC(C=10**1.5, gamma=np.exp(-2)).fit(X[train], y[train])
    return y[validate], np.round(machine.decision_function(X[validate]), 3)


def reference(y, scores):
    pools = PAV(scores, y)
    hull = ROCCH(pools)
    return {
        "eer": float(hull.EER()),
        "cllr": float(cllr(scores[y == 1], scores[y == 0])),
        "min_cllr": float(min_cllr(pools)),
        "actual": fast_Bayes_error_rate(scores, y, LOG_ODDS).tolist(),
        "minimum": hull.Bayes_error_rate(LOG_ODDS).tolist(),
    }


def main(directory):
    sets = {
        "smooth": gaussian(0, 150, 100, 2.0, 4),
        "tied": gaussian(1, 120, 80, 1.0, 0),
        "rare": gaussian(2, 300, 7, 2.5, 2),
        "separated": gaussian(3, 20, 30, 12.0, 2),
        "reversed": gaussian(4, 40, 40, -1.5, 1),
        "breast cancer": breast_cancer(),
        "fingerprint": fingerprint(directory),
    }
    rows = []
    for name, (y, scores) in sets.items():
        rows.append({"name": name, "y": y.tolist(), "scores": scores.tolist()})
        rows[-1].update(reference(y, scores))
    y, scores = sets["tied"]
    weight = np.random.default_rng(5).integers(1, 6, len(y))
    rows.append({"name": "weighted", "y": y.tolist(), "scores": scores.tolist()})
    rows[-1]["weight"] = weight.tolist()
    rows[-1].update(reference(np.repeat(y, weight), np.repeat(scores, weight)))
    made = {"source": f"llreval {version('llreval')}", "log_odds": LOG_ODDS.tolist(), "sets": rows}
    text = json.dumps(made, separators=(",", ":")).replace('{"name"', '\n{"name"')
    Path(__file__).with_name("decision_costs.json").write_text(text + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

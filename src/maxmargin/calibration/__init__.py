"""Scores to probabilities and log-likelihood ratios, fitted to rows that were held out.

::

    calibrated     CalibratedSVC
    calibrators    one score to a log-likelihood ratio: Platt's sigmoid, logistic, isotonic
    columns        which classes each score of a classifier is about
    out_of_fold    scores of rows by machines that were not trained on them
    probabilities  from log-likelihood ratios to the probabilities of all classes
"""

from maxmargin.calibration.calibrated import CalibratedSVC
from maxmargin.calibration.calibrators import IsotonicCalibrator, LogisticCalibrator

__all__ = ["CalibratedSVC", "IsotonicCalibrator", "LogisticCalibrator"]

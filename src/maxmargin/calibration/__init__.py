"""From scores to probabilities and log-likelihood ratios, fitted to held-out rows.

::

    calibrated   CalibratedSVC
    calibrators  one score to a log-likelihood ratio: Platt's sigmoid, logistic, isotonic
    columns      the classes that each score compares, and the probabilities of all classes
    out_of_fold  scores of rows by machines that were not trained on them
"""

from maxmargin.calibration.calibrated import CalibratedSVC
from maxmargin.calibration.calibrators import IsotonicCalibrator, LogisticCalibrator

__all__ = ["CalibratedSVC", "IsotonicCalibrator", "LogisticCalibrator"]

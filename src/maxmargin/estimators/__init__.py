"""The scikit-learn face: estimators that replace those of `sklearn.svm` by the import alone.

::

    svc             SVC, NuSVC
    regressor       SVR, NuSVR
    outlier         OneClassSVM
    classifier      what both classifiers share
    single          what the others share
    base            what all share: checks, the run, prediction
    pairs           many classes by two-class machines
    programs        their dual programs
    run             one run of the engine, limits, warnings
    interrupts      Ctrl-C
    decision        values of all machines at once
    probability     sigmoids and coupling
    proof           the certificate, made when asked for
    progress        progress bar
    callbacks       scikit-learn's callbacks
    kernel_choice   from parameters to a kernel
    training        checked data
"""

from maxmargin.estimators.outlier import OneClassSVM
from maxmargin.estimators.proof import FitCertificate, MachineCertificate
from maxmargin.estimators.regressor import SVR, NuSVR
from maxmargin.estimators.svc import SVC, NuSVC

__all__ = ["SVC", "SVR", "FitCertificate", "MachineCertificate", "NuSVC", "NuSVR", "OneClassSVM"]

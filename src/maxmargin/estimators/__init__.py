"""The scikit-learn face: estimators that replace those of `sklearn.svm` by the import alone.

::

    svc             SVC, NuSVC
    regressor       SVR, NuSVR
    outlier         OneClassSVM
    linear_svc      LinearSVC
    linear_svr      LinearSVR
    linear_base     what both share
    linear_prediction  values from weights
    linear_proof    their certificates
    online          OnlineSVC
    online_outlier  OnlineOneClassSVM
    online_base     what both share
    classifier      what both classifiers share
    single          what the others share
    base            what all share: checks, the run, prediction
    pairs           many classes by two-class machines
    programs        their dual programs
    plan            the programs of a fit, and what it keeps
    run             one run of the engine, limits, warnings
    sweep           fits that differ in C, nu or epsilon alone
    interrupts      Ctrl-C
    decision        values of all machines at once
    probability     sigmoids and coupling
    logistic        the sigmoid's fit
    held_out        values at points that were not trained on
    cross_fit       a fit with such values for all rows
    proof           the certificate, made when asked for
    certified       the attributes that hold it
    threads         what n_jobs means
    progress        progress bar
    callbacks       scikit-learn's callbacks
    kernel_choice   from parameters to a kernel
    training        checked data
"""

from maxmargin.estimators.linear_svc import LinearSVC
from maxmargin.estimators.linear_svr import LinearSVR
from maxmargin.estimators.online import OnlineSVC
from maxmargin.estimators.online_outlier import OnlineOneClassSVM
from maxmargin.estimators.outlier import OneClassSVM
from maxmargin.estimators.proof import FitCertificate, MachineCertificate
from maxmargin.estimators.regressor import SVR, NuSVR
from maxmargin.estimators.svc import SVC, NuSVC

__all__ = [
    "SVC",
    "SVR",
    "FitCertificate",
    "LinearSVC",
    "LinearSVR",
    "MachineCertificate",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OnlineOneClassSVM",
    "OnlineSVC",
]

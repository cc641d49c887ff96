"""The scikit-learn face: estimators that replace those of `sklearn.svm` by the import alone.

::

    svc              SVC, NuSVC
    regressor        SVR, NuSVR
    outlier          OneClassSVM
    linear_svc       LinearSVC
    linear_svr       LinearSVR
    online           OnlineSVC
    online_outlier   OnlineOneClassSVM
    classifier       what both kernel classifiers share
    single           what the other kernel estimators share
    base             what all kernel estimators share
    linear_base      what both linear estimators share
    online_base      what both online estimators share
    online_streams   what those must know of a stream
"""

from maxmargin.estimators.linear_svc import LinearSVC
from maxmargin.estimators.linear_svr import LinearSVR
from maxmargin.estimators.online import OnlineSVC
from maxmargin.estimators.online_outlier import OnlineOneClassSVM
from maxmargin.estimators.outlier import OneClassSVM
from maxmargin.estimators.regressor import SVR, NuSVR
from maxmargin.estimators.svc import SVC, NuSVC

__all__ = [
    "SVC",
    "SVR",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OnlineOneClassSVM",
    "OnlineSVC",
]

"""What estimators, searches and calibrations share: the machines behind a model.

::

    machine      Machine: classes, problem, solution and certificate; which estimators hold them
    family       KernelFamily: an estimator that poses problems and is fitted by their solutions
    training     checked training data
    fitting      SolvesProblems: how an estimator solves its problems
    classes      labels, class weights, and the machines that tell classes apart
    folds        machines that leave points out, and their values there
    sweeps       fits that differ in C, nu or epsilon alone
    decision     values of all machines at once
    probability  sigmoids and coupling
    logistic     the sigmoid's fit
    refusals     what is wrong with data that scikit-learn's checks refuse
    scales       the warning if columns have very different ranges
    endings      the warning if a fit did not reach its tolerance
    progress     progress bars
    callbacks    scikit-learn's callbacks
    threads      the meaning of n_jobs
"""

from maxmargin.machines.machine import Machine

__all__ = ["Machine"]

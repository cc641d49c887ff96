"""
Stop at any time
================

A run that is interrupted, by a limit or by a callback, leaves a machine. Its duality gap says what
has been lost: no solution is better by more than that. An unfinished answer is then no longer a
guess. The estimators do the same with ``time_limit`` and at Ctrl-C.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import Stop, certify, plot, solve
from maxmargin.kernels import RBF
from maxmargin.problems import Regularised, SoftMargin

random = np.random.default_rng(0)
y = np.tile([-1.0, 1.0], 200)
X = random.normal(size=(400, 2)) + 0.8 * y[:, None]
problem = SoftMargin(X, y, C=10, kernel=RBF(0.5), bias=Regularised(1))
optimum = certify(problem, solve(problem)).primal

# %%
# The same run, ended ever later. What the certificate proves is never less than what is true.

limits = [300, 1000, 3000, 10_000]
stopped = [solve(problem, "smo", stop=Stop(iterations=limit)) for limit in limits]
proofs = [certify(problem, solution) for solution in stopped]
for solution, proof in zip(stopped, proofs, strict=True):
    print(
        f"{solution.iterations:5d} steps: at most {proof.gap:.4g} above the optimum, in truth "
        f"{proof.primal - optimum:.4g}"
    )

# %%
# Several solvers, each with its own kind of step, watched until they are done or a second is over:

runs = {
    name: solve(problem, name, trace=True, stop=Stop(gap=1e-8, seconds=1.0))
    for name in ("decomposition", "smo", "lbfgsb", "subgradient")
}
figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
plot.traces(runs, ax)
plt.show()

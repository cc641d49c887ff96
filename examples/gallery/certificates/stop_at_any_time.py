"""
Stop at any time
================

If a limit or a callback ends a run early, its solution is usable, and the duality gap bounds the
loss: no solution has an objective lower by more than the gap. Estimators have ``time_limit`` and
``callback``, and Ctrl-C has the same effect.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, Stop, plot, solve

random = np.random.default_rng(0)
y = np.tile([-1, 1], 200)
X = random.normal(size=(400, 2)) + 0.8 * y[:, None]
model = SVC(C=10, gamma=0.5, bias="regularised", tol=1e-8, trace=True).fit(X, y)
problem, optimum = model.machines_[0].problem, model.certificate_.primal

# %%
# The same problem, solved by SMO with increasing limits. The gap is at least the true excess.

limits = [300, 1000, 3000, 10_000]
stopped = [solve(problem, "smo", stop=Stop(max_iter=limit)) for limit in limits]
certificates = [solution.certificate for solution in stopped]
for solution, certificate in zip(stopped, certificates, strict=True):
    print(
        f"{solution.iterations:5d} steps: at most {certificate.gap:.4g} above the optimum, "
        f"in fact {certificate.primal - optimum:.4g}"
    )

# %%
# The traces of the model and of three other solvers, each with a limit of one second:

runs = {
    name: solve(problem, name, trace=True, stop=Stop(gap=1e-8, time_limit=1.0))
    for name in ("smo", "lbfgsb", "subgradient")
}
figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
plot.traces({"SVC": model, **runs}, ax)
plt.show()

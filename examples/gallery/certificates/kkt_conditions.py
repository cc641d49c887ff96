r"""
The KKT conditions in one picture
=================================

At the optimum each point is in one of three cases: beyond its margin with :math:`a = 0`, on it with
any :math:`a`, or short of it with :math:`a = C`. In a plot of multiplier against margin these are
the three segments of a path, and all points lie on it. If a run is stopped early, they do not.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, Stop, plot, solve

random = np.random.default_rng(0)
y = np.tile([-1, 1], 50)
X = random.normal(size=(100, 2)) + 0.8 * y[:, None]

# %%
# A fitted model knows its problem, so another solver can solve it, up to a limit.

model = SVC(C=2, gamma=0.5).fit(X, y)
stopped = solve(model.machines_[0].problem, "smo", stop=Stop(max_iter=60))
early, done = stopped.certificate, model.certificate_

figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), sharex=True, sharey=True, layout="constrained")
for ax, subject, certificate in zip(axes, (stopped, model), (early, done), strict=True):
    plot.kkt(subject, ax)
    violation, gap = certificate.kkt_violation, certificate.relative_gap
    ax.set_title(f"largest violation {violation:.1e}, relative gap {gap:.1e}")
    ax.label_outer()

# %%
# The table behind the picture, for the first five points:

for row in list(done.table())[:5]:
    print(f"a = {row.multiplier:.4f}, margin {row.margin:+.4f}, slack {row.slack:.4f}: {row.case}")
plt.show()

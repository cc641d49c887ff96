r"""
The tube of a regression
========================

Support vector regression ignores errors up to :math:`\varepsilon`: only points outside a tube
around the curve have a loss. Points strictly inside the tube have the coefficient zero and can be
removed without changing the curve. The wider the tube, the fewer support vectors there are.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVR, plot

random = np.random.default_rng(1)
x = np.sort(random.uniform(0, 6, size=60))
y = np.sin(x) + 0.25 * random.normal(size=60)
X = x[:, None]

widths = [0.05, 0.25, 0.6]
machines = [SVR(C=10, epsilon=width, gamma=0.5).fit(X, y) for width in widths]

figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), sharey=True, layout="constrained")
for ax, machine in zip(axes, machines, strict=True):
    plot.boundary(machine, ax, legend=False)
    count = f"{len(machine.support_)} of {len(y)} points are support vectors"
    ax.set_title(f"tube of ±{machine.epsilon:g}: {count}", fontsize="medium")
    ax.label_outer()
handles, labels = axes[1].get_legend_handles_labels()
labels = ["tube" if label.startswith("tube") else label for label in labels]
figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)

# %%
# Without the points inside the tube of the middle picture the curve stays the same:

middle = machines[1]
kept = middle.support_
again = SVR(C=10, epsilon=widths[1], gamma=0.5).fit(X[kept], y[kept])
line = np.linspace(0, 6, 200)[:, None]
difference = float(np.abs(middle.predict(line) - again.predict(line)).max())
print(f"{len(y)} points or {len(kept)}: the curves differ by at most {difference:.1e}")
plt.show()

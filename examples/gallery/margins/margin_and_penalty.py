r"""
The penalty on slack
====================

A soft margin minimises :math:`\frac12 \lVert w \rVert^2 + C \sum_i \xi_i`. With a small penalty
:math:`C` the margin is wide and many points lie inside; with a large penalty it is narrow and few
do. For any data, :math:`\lVert w \rVert` does not decrease as :math:`C` grows, and the sum of the
slacks does not increase.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, plot

random = np.random.default_rng(3)
y = np.repeat([-1, 1], 20)
X = random.normal(size=(40, 2)) + 1.1 * y[:, None]

# %%
# Three penalties on the same data. Ringed points lie on their margin, boxed ones short of it.
# Dotted lines show the slacks; their length is :math:`\xi_i / \lVert w \rVert`.

penalties = [0.02, 0.5, 50.0]
machines = [SVC(kernel="linear", C=C).fit(X, y) for C in penalties]

figure, axes = plt.subplots(1, 3, figsize=(11, 4.6), sharex=True, sharey=True, layout="constrained")
for ax, machine in zip(axes, machines, strict=True):
    plot.boundary(machine, ax, legend=False)
    ax.set_aspect("equal")
    ax.set_title(f"C = {machine.C:g}: margin {machine.margin_:.2f}")
    ax.label_outer()
handles, labels = axes[-1].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)

# %%
# The numbers behind the pictures, from the certificates:

norms = [float(np.linalg.norm(machine.coef_)) for machine in machines]
slacks = [float(machine.slack_.sum()) for machine in machines]
for machine, norm, slack in zip(machines, norms, slacks, strict=True):
    certificate = machine.certificate_
    print(
        f"C = {machine.C:5g}: |w| = {norm:.3f}, slack {slack:6.2f}, {certificate.n_free} free and "
        f"{certificate.n_bounded} bounded support vectors, certified: {certificate.holds(1e-6)}"
    )

plt.show()

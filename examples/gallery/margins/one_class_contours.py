r"""
One-class machines
==================

A one-class machine finds a region that contains most of the points: at most a fraction :math:`\nu`
of them lies outside, and at least a fraction :math:`\nu` are support vectors. With many points and
a smooth kernel both fractions approach :math:`\nu`.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import OneClassSVM, plot

random = np.random.default_rng(2)
angle = random.uniform(0, 1.4 * np.pi, size=150)
arc = 2 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.25 * random.normal(size=(150, 2))
X = np.vstack([arc, 0.3 * random.normal(size=(50, 2)) + [1.5, -1.5]])

nus = [0.05, 0.2, 0.5]
machines = [OneClassSVM(nu=nu, gamma=1.0).fit(X) for nu in nus]
outside, support = [], []

figure, axes = plt.subplots(1, 3, figsize=(12, 5.2), sharey=True, layout="constrained")
for ax, nu, machine in zip(axes, nus, machines, strict=True):
    plot.boundary(machine, ax, legend=False, padding=0.15)
    outside.append(float(np.mean(machine.slack_ > 1e-6 * machine.offset_)))
    support.append(len(machine.support_) / len(X))
    ax.set_aspect("equal")
    ax.set_title(f"nu = {nu:g}: {outside[-1]:.1%} outside")
    ax.label_outer()
handles, labels = axes[1].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)

for nu, out, carried, machine in zip(nus, outside, support, machines, strict=True):
    gap = machine.certificate_.relative_gap
    print(f"{out:.3f} <= nu = {nu:.3f} <= {carried:.3f}, relative gap {gap:.0e}")
plt.show()

r"""
What nu bounds
==============

The nu form has a fraction :math:`\nu` in place of the penalty :math:`C`. Its multipliers are at
most 1 and sum to :math:`\nu n`. Two bounds follow: at most :math:`\nu n` points are at the upper
bound, including all points short of their margin, and at least :math:`\nu n` points are support
vectors. The dashed diagonal therefore lies between the two curves, for any data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin import NuSVC
from maxmargin.certificates import analyse_support

X, y = make_moons(100, noise=0.3, random_state=0)

nus = np.arange(1, 20) / 20
machines = [NuSVC(nu=nu, gamma=1.0).fit(X, y) for nu in nus]
totals = [analyse_support(machine).total for machine in machines]
bounded = np.array([total.n_bounded for total in totals]) / len(y)
support = np.array([total.n_support for total in totals]) / len(y)
margin_errors = np.array([np.mean(machine.slack_ > 1e-6) for machine in machines])

figure, ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
ax.fill_between(nus, bounded, support, alpha=0.15, color="C0", label="free support vectors")
ax.plot(nus, support, marker="o", markersize=4, label="support vectors")
ax.plot(nus, nus, color="black", linestyle="--", label="nu")
ax.plot(nus, bounded, marker="s", markersize=4, label="bounded support vectors")
ax.set(xlabel="nu", ylabel="fraction of the points", xlim=(0, 1), ylim=(0, 1))
ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, ncols=2)

print("bounded <= nu <= support vectors:", bool(np.all((bounded <= nus) & (nus <= support))))
plt.show()

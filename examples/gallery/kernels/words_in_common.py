r"""
Common substrings of words
==========================

Entry :math:`(i, j)` of the suffix matrix of two words is the length of the longest common suffix of
the first :math:`i` letters of one and the first :math:`j` letters of the other. The largest entry
is the length of the longest common substring. The sum of all entries counts the pairs of
occurrences of common substrings and is a kernel, so machines can be trained on strings.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.kernels import (
    CommonSubstrings,
    is_positive_semidefinite,
    longest_common_substring,
    suffix_matrix,
)

one, other = "cane", "pane"
suffixes = suffix_matrix(one, other)
pairs = CommonSubstrings().block([one], [other])
print(f"{one} and {other} share {longest_common_substring(one, other)!r}; sum {suffixes.sum()}")
print(f"the kernel counts {pairs[0, 0]:g}: a, n, e, an, ne, ane")

# %%
# Division by :math:`\sqrt{k(x, x)\, k(z, z)}` makes words of different lengths comparable.

words = ["cane", "pane", "panini", "banana", "ananas", "bandana", "tango", "mango", "manga"]
gram = CommonSubstrings(normalize=True).block(words, words)
print(f"positive semidefinite: {is_positive_semidefinite(gram).holds}")

figure, axes = plt.subplots(1, 2, figsize=(11, 5), width_ratios=[2, 3], layout="constrained")
axes[0].imshow(suffixes, cmap="Blues", vmax=2 * suffixes.max())
for (i, j), length in np.ndenumerate(suffixes):
    axes[0].text(j, i, str(length), ha="center", va="center", fontsize="x-large")
axes[0].set_xticks(range(len(other)), list(other), fontsize="x-large")
axes[0].set_yticks(range(len(one)), list(one), fontsize="x-large")
axes[0].set_title("longest common suffixes")
image = axes[1].imshow(gram, cmap="Blues", vmin=0, vmax=1)
axes[1].set_xticks(range(len(words)), words, rotation=45, ha="right", rotation_mode="anchor")
axes[1].set_yticks(range(len(words)), words)
for (i, j), value in np.ndenumerate(gram):
    colour = "white" if value > 0.6 else "black"
    axes[1].text(j, i, f"{value:.2f}", ha="center", va="center", fontsize="small", color=colour)
axes[1].set_title("common substrings, normalised")
for ax in axes:
    ax.tick_params(length=0)
plt.show()

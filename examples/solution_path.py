"""Draw a whole path of machines in C: multipliers, margins, support vectors, validation error.

Usage: python examples/solution_path.py [folder]. solution_path.png is written to the folder, by
default demo/ in the repository.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import RBF, plot, svm_path

DEMO = Path(__file__).resolve().parent.parent / "demo"


def moons(n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two interleaving half circles with noise."""
    angle, y = np.pi * random.random(n), np.tile([-1.0, 1.0], n // 2)
    X = np.column_stack([np.cos(angle) + 0.5 * y, y * (0.3 - np.sin(angle))])
    return X + 0.25 * random.normal(size=X.shape), y


def main(folder: Path = DEMO) -> None:
    random = np.random.default_rng(0)
    X, y = moons(200, random)
    X_new, y_new = moons(2000, random)
    path = svm_path(X, y, kernel=RBF(1.0), C_max=1e3)
    Cs = np.geomspace(path.breakpoints[1], path.breakpoints[-1], 60)
    errors = [np.mean(np.sign(path.at(C).decision(X_new)) != y_new) for C in Cs]
    gap = max(path.certificate(C).relative_gap for C in Cs)
    print(f"{path!r}, {path.seconds:.2f} s")
    print(f"best of {len(Cs)} C: {Cs[np.argmin(errors)]:.3g}, error {min(errors):.3f}")
    print(f"largest relative gap among them: {gap:.1e}")

    figure = Figure(figsize=(11, 8.5), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True)
    some = np.arange(40)
    plot.path(path, axes[0, 0], points=some)
    plot.path(path, axes[0, 1], quantity="margins", points=some)
    axes[1, 0].plot(Cs, path.n_support(Cs), label="support vectors")
    axes[1, 0].plot(Cs, path.n_free(Cs), label="free support vectors")
    axes[1, 0].set(xlabel="C", ylabel="points", ylim=(0, None))
    axes[1, 0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
    axes[1, 1].plot(Cs, errors)
    axes[1, 1].set(xlabel="C", ylabel="share of errors on new points", ylim=(0, None))
    folder.mkdir(exist_ok=True)
    picture = folder / "solution_path.png"
    figure.savefig(picture, dpi=110)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))

"""Draw the picture of the README: the model of its first example."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import make_moons

from maxmargin import SVC, plot

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "_static" / "boundary.png"


def main() -> None:
    X, y = make_moons(200, noise=0.2, random_state=0)
    model = SVC(C=10, gamma=1).fit(X, y)
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    plot.boundary(model, figure.subplots())
    figure.savefig(PICTURE, dpi=100)


if __name__ == "__main__":
    main()

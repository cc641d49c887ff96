"""Draw the README's picture: two worked examples with margins, support vectors and slacks."""

from __future__ import annotations

from pathlib import Path

from demonstration.worked import load_examples
from matplotlib.figure import Figure

from maxmargin import certify, plot, solve

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "_static" / "margins.png"


def main() -> None:
    figure = Figure(figsize=(10, 5.2), layout="constrained")
    shown = [example for example in load_examples() if example.key in ("soft", "gaussian")]
    for ax, example in zip(figure.subplots(1, 2), shown, strict=True):
        solution = solve(example.problem)
        plot.boundary(solution, ax=ax)
        certificate = certify(example.problem, solution)
        values = f"primal {certificate.primal:.6f}, dual {certificate.dual:.6f}"
        ax.set_title(f"{example.title}: {values}", fontsize=11)
        handles, labels = ax.get_legend_handles_labels()
        ax.get_legend().remove()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(PICTURE, dpi=80)


if __name__ == "__main__":
    main()

"""Every figure of the demo, drawn twice: for light and for dark pages."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from demonstration.real_data import Fit
from demonstration.worked import Run
from maxmargin import Solution, plot

_DARK_INK = "#e4e6ea"
_DARK = {
    "text.color": _DARK_INK,
    "axes.labelcolor": _DARK_INK,
    "axes.edgecolor": "#7d838d",
    "xtick.color": _DARK_INK,
    "ytick.color": _DARK_INK,
    "figure.facecolor": "#16191e",
    "axes.facecolor": "#16191e",
    "legend.facecolor": "#16191e",
}
_THEMES: dict[str, dict[str, str]] = {"light": {}, "dark": _DARK}


@dataclass(frozen=True)
class Picture:
    """A figure as PNG bytes for each theme, with its caption and alternative text."""

    name: str
    alternative: str
    caption: str
    png: dict[str, bytes]
    width: int
    height: int

    def save(self, folder: Path) -> Path:
        path = folder / f"{self.name}.png"
        path.write_bytes(self.png["light"])
        return path

    def uri(self, theme: str) -> str:
        return "data:image/png;base64," + base64.b64encode(self.png[theme]).decode("ascii")


def worked_pictures(runs: list[Run]) -> list[Picture]:
    """Draw the first exact solution of each example that has its own data."""
    words = {
        "hard": "Hard margin, linear kernel: three support vectors determine the widest band.",
        "soft": "Soft margin, C = 10: one point inside the band and one outlier have slack.",
        "gaussian": "Soft margin, Gaussian kernel, C = 1, gamma = 1: a curved boundary and band.",
    }
    pictures = []
    for key, caption in words.items():
        run = next(run for run in runs if run.example.key == key)
        pictures.append(_on_plane(key, caption, run.solution))
    return pictures


def race_picture(solutions: dict[str, Solution]) -> Picture:
    caption = (
        f"{len(solutions)} solvers on one problem (breast cancer, linear kernel, C = 0.1, "
        "regularised bias): "
        "relative duality gap against time; each curve ends at the gap of its certificate. "
        "Dotted parts show the size of a negative gap, at an interior point that is infeasible."
    )

    def draw(ax: Axes) -> None:
        plot.traces(solutions, ax, legend=False)
        ax.grid(alpha=0.25)

    return _render("convergence", "Duality gap of the solvers over time", caption, draw, (5.6, 4.3))


def kkt_picture(name: str, title: str, fit: Fit) -> Picture:
    caption = f"{title}: {'certified' if fit.certified else 'refused'}."

    def draw(ax: Axes) -> None:
        plot.kkt(fit.subject, ax, legend=False)

    return _render(name, f"Multiplier against margin: {caption}", caption, draw, (5, 4.2))


def one_class_picture(fit: Fit) -> Picture:
    caption = (
        "One class: the sepals of 50 irises (setosa), Gaussian kernel, nu = 0.1. "
        "At most a tenth of the points lie outside."
    )

    def draw(ax: Axes) -> None:
        plot.boundary(fit.subject, ax, legend=False)
        ax.set(xlabel="sepal length (cm)", ylabel="sepal width (cm)")

    return _render("one-class", "A boundary around one class", caption, draw, (5, 5))


def regression_picture(fit: Fit) -> Picture:
    caption = (
        "Regression: disease progression against body mass index (every fourth patient of the "
        "diabetes data), Gaussian kernel, epsilon = 50. Points inside the tube have no loss."
    )

    def draw(ax: Axes) -> None:
        plot.boundary(fit.subject, ax, legend=False)
        ax.set(xlabel="body mass index (kg/m²)", ylabel="progression after a year (score)")

    return _render("regression", "A curve with its tube", caption, draw, (5, 5))


def _on_plane(name: str, caption: str, solution: Solution) -> Picture:
    def draw(ax: Axes) -> None:
        plot.boundary(solution, ax, legend=False)
        ax.set_aspect("equal")

    return _render(name, f"Decision boundary: {caption}", caption, draw, (5, 5.4))


def _render(
    name: str,
    alternative: str,
    caption: str,
    draw: Callable[[Axes], None],
    size: tuple[float, float],
) -> Picture:
    png = {}
    dpi = 144
    for theme, settings in _THEMES.items():
        with mpl.rc_context({"font.size": 10.0, **settings}):
            figure = Figure(figsize=size, dpi=dpi, layout="constrained")
            draw(figure.subplots())
            columns = 3 if size[0] > 5 else 2
            figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
            buffer = io.BytesIO()
            figure.savefig(buffer, format="png")
        png[theme] = buffer.getvalue()
    return Picture(name, alternative, caption, png, int(size[0] * dpi), int(size[1] * dpi))

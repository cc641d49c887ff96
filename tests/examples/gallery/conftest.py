import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.container import BarContainer

GALLERY = Path(__file__).parents[3] / "examples" / "gallery"


def is_drawn_on(figure):
    """Whether anything but its background is visible on a figure."""
    figure.canvas.draw()
    picture = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    return float(np.mean(np.any(picture != picture[0, 0], axis=-1))) > 0.02


def assert_legible(figure):
    """Check what can be checked of a careful reader's eye, when the figure is laid out."""
    for ax in figure.axes:
        legend = ax.get_legend()
        area = ax.get_window_extent()
        for shown in [*figure.legends, *([] if legend is None else [legend])]:
            box = shown.get_window_extent()
            apart = box.y1 <= area.y0 + 1 or box.y0 >= area.y1 - 1 or box.x0 >= area.x1 - 1
            assert apart, "A legend lies over the picture."
            texts = [text.get_text() for text in shown.get_texts()]
            assert len(texts) == len(set(texts))
        for bars in ax.containers:
            if isinstance(bars, BarContainer):
                assert ax.get_ylim()[0] == 0.0, "Bars do not start at zero."
        ticks = [*ax.get_xticklabels(), *ax.get_yticklabels()]
        assert not [text for text in ticks if "e+" in text.get_text()]


@pytest.fixture
def run(monkeypatch):
    """Run a script of the gallery as its reader would; returns its variables."""
    plt.switch_backend("Agg")
    monkeypatch.setattr(plt, "show", lambda: None)

    def run(name):
        found = runpy.run_path(str(GALLERY / f"{name}.py"), run_name="__main__")
        figures = [plt.figure(number) for number in plt.get_fignums()]
        assert figures
        assert all(map(is_drawn_on, figures))
        for figure in figures:
            assert_legible(figure)
        return SimpleNamespace(**found)

    yield run
    plt.close("all")

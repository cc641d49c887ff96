import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot as plt

GALLERY = Path(__file__).parents[3] / "examples" / "gallery"


def is_drawn_on(figure):
    """Whether anything but its background is visible on a figure."""
    figure.canvas.draw()
    picture = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    return float(np.mean(np.any(picture != picture[0, 0], axis=-1))) > 0.02


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
        return SimpleNamespace(**found)

    yield run
    plt.close("all")

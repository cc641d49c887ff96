"""Small data in files, and the command line in this process."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from maxmargin.cli import main

pd = pytest.importorskip("pandas")


class Run:
    """Runs the program, and says what came out."""

    def __call__(self, *arguments, stdin=None, code=0):
        result = CliRunner().invoke(main, [str(word) for word in arguments], input=stdin)
        assert result.exit_code == code, result.output
        return result

    def json(self, *arguments, **options):
        return json.loads(self(*arguments, "--json", **options).stdout)

    def error(self, *arguments, code=1, **options):
        """Return the one sentence that an error is."""
        found = self(*arguments, code=code, **options)
        assert found.stdout == ""
        lines = [line for line in found.stderr.splitlines() if line.startswith("Error: ")]
        assert len(lines) == 1
        assert "Traceback" not in found.stderr
        return lines[0].removeprefix("Error: ")


@pytest.fixture
def run():
    return Run()


@pytest.fixture(scope="session")
def iris():
    """Three classes with names."""
    found = load_iris(as_frame=True)
    frame = found.data.copy()
    frame.columns = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    frame["species"] = found.target_names[found.target]
    return frame


@pytest.fixture(scope="session")
def cancer():
    """Two classes, ten features."""
    found = load_breast_cancer(as_frame=True)
    frame = found.data.iloc[:, :10].copy()
    frame.columns = [name.replace(" ", "_") for name in frame.columns]
    frame["malignant"] = 1 - found.target
    return frame


@pytest.fixture(scope="session")
def diabetes():
    """Numbers to predict."""
    frame = load_diabetes(as_frame=True).frame
    return frame.assign(target=frame["target"] + 0.5)


@pytest.fixture(scope="session")
def folder(tmp_path_factory, iris, cancer, diabetes):
    """The same data in files, which nobody may change."""
    place = tmp_path_factory.mktemp("data")
    iris.to_csv(place / "iris.csv", index=False)
    cancer.to_csv(place / "cancer.csv", index=False)
    diabetes.to_csv(place / "diabetes.csv", index=False)
    return place


@pytest.fixture(scope="session")
def points(cancer):
    """X and y of the two classes."""
    return cancer.drop(columns="malignant"), cancer["malignant"].to_numpy()


@pytest.fixture
def model(run, folder, tmp_path):
    """A model of the two classes in a file."""
    path = tmp_path / "cancer.safetensors"
    run("train", folder / "cancer.csv", "-o", path, "--scale", "--C", 10)
    return path


def column(text):
    """Return lines of numbers."""
    return np.array([float(line) for line in text.splitlines()])


def files(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())

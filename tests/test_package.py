"""The package as a whole: documentation, examples that run, lazy imports, metadata."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import maxmargin


def module_names() -> list[str]:
    found = pkgutil.walk_packages(maxmargin.__path__, "maxmargin.")
    return sorted(m.name for m in found if not m.name.endswith("._native"))


def package_names() -> list[str]:
    found = pkgutil.walk_packages(maxmargin.__path__, "maxmargin.")
    return ["maxmargin", *sorted(m.name for m in found if m.ispkg)]


#: What needs matplotlib.
DRAWING = (
    "maxmargin.plot",
    "maxmargin.pages.pictures",
    "maxmargin.pages.sections",
)


def load(name: str) -> Any:
    if name.startswith(DRAWING):
        pytest.importorskip("matplotlib")
    return importlib.import_module(name)


PUBLIC_MODULES = [
    "maxmargin",
    "maxmargin.kernels",
    "maxmargin.problems",
    "maxmargin.solvers",
    "maxmargin.certificates",
    "maxmargin.machines",
    "maxmargin.estimators",
    "maxmargin.streams",
    "maxmargin.metrics",
    "maxmargin.calibration",
    "maxmargin.model_selection",
    "maxmargin.paths",
    "maxmargin.persist",
    "maxmargin.pages",
    "maxmargin.errors",
]

#: Extras that are not for users, and the one that has all others.
OTHERS = {"all", "docs", "test"}

#: Results and bases, which a user receives but does not make: they are shown where they come from.
SHOWN_ELSEWHERE = {"Bias", "Callback"}


def public_objects() -> list[tuple[str, str]]:
    return [
        (name, member)
        for name in PUBLIC_MODULES
        for member in importlib.import_module(name).__all__
    ]


def documented(module: str, member: str) -> Any:
    return getattr(importlib.import_module(module), member)


@pytest.mark.parametrize("name", module_names())
def test_every_module_says_what_it_is_and_what_it_offers(name: str) -> None:
    module = load(name)
    assert (module.__doc__ or "").strip()
    assert module.__all__
    for member in module.__all__:
        assert getattr(module, member) is not None


def modules_in(package: Any) -> set[str]:
    return {m.name for m in pkgutil.iter_modules(package.__path__)} - {"__main__", "_native"}


def listed_modules(docstring: str) -> list[str]:
    """Return the names before the descriptions in the list that follows the lonely "::"."""
    _, _, after = docstring.partition("\n::\n")
    rows = re.match(r"(\n|    .*\n?)*", after)
    assert rows is not None
    columns = [re.split(r"  +", row.strip())[0] for row in rows[0].split("\n") if row.strip()]
    return [name.strip().rstrip("/") for column in columns for name in column.split(",")]


@pytest.mark.parametrize("name", package_names())
def test_the_docstring_of_a_package_lists_its_modules(name: str) -> None:
    package = load(name)
    listed = listed_modules(package.__doc__)
    assert len(set(listed)) == len(listed)
    assert set(listed) == modules_in(package)


@pytest.mark.parametrize("name", package_names())
def test_no_module_is_hidden_by_a_function_of_its_name(name: str) -> None:
    package = load(name)
    for module in modules_in(package):
        assert inspect.ismodule(vars(package).get(module, load(f"{name}.{module}"))), module


@pytest.mark.parametrize(("module", "member"), public_objects())
def test_every_public_object_has_a_docstring(module: str, member: str) -> None:
    thing = documented(module, member)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        assert (thing.__doc__ or "").strip()
        if inspect.isclass(thing):
            for name, method in vars(thing).items():
                if not name.startswith("_") and inspect.isfunction(method):
                    assert (inspect.getdoc(method) or "").strip(), f"{member}.{name}"
    else:
        assert thing is not None


@pytest.mark.parametrize(("module", "member"), public_objects())
def test_every_object_that_a_user_makes_or_calls_has_an_example(module: str, member: str) -> None:
    thing = documented(module, member)
    callable_kind = inspect.isclass(thing) or inspect.isfunction(thing)
    is_error = inspect.isclass(thing) and issubclass(thing, Exception)
    needs_one = callable_kind and not is_error and member not in SHOWN_ELSEWHERE
    assert not needs_one or ">>> " in (thing.__doc__ or "")


def test_the_list_of_objects_without_an_example_is_up_to_date() -> None:
    with_example = {
        member
        for module, member in public_objects()
        if member in SHOWN_ELSEWHERE and ">>> " in (documented(module, member).__doc__ or "")
    }
    assert with_example == set()
    assert {member for _, member in public_objects()} >= SHOWN_ELSEWHERE


@pytest.mark.parametrize("name", ["maxmargin", *module_names()])
def test_the_examples_run(name: str) -> None:
    module = load(name)
    failures, _ = doctest.testmod(module)
    assert failures == 0


def test_there_are_examples_to_run() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    plain = [n for n in module_names() if not n.startswith(DRAWING)]
    modules = [importlib.import_module(n) for n in plain]
    examples = sum(len(t.examples) for module in modules for t in finder.find(module))
    assert examples > 80


@pytest.mark.parametrize("heavy", ["matplotlib", "pandas", "jinja2", "pyarrow", "sklearn", "rich"])
def test_the_import_does_not_bring_what_is_slow_or_optional(heavy: str) -> None:
    code = f"import sys, maxmargin; print({heavy!r} in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_solving_and_certifying_does_not_either() -> None:
    code = (
        "import sys; from maxmargin import certify, solve; "
        "from maxmargin.problems import HardMargin; "
        "p = HardMargin([[0.0], [1.0]], [-1, 1]); certify(p, solve(p)).table(); "
        "print('pandas' in sys.modules, 'matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("make", ["trace", "table"])
def test_a_missing_pandas_is_named(make: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from maxmargin.problems import HardMargin

    monkeypatch.setitem(sys.modules, "pandas", None)
    problem = HardMargin([[0.0], [1.0]], [-1, 1])
    solution = maxmargin.solve(problem)
    thing = solution.trace if make == "trace" else maxmargin.certify(problem, solution).table()
    with pytest.raises(maxmargin.MissingDependencyError, match="pip install pandas") as caught:
        thing.to_frame()
    assert isinstance(caught.value, ImportError)


def test_the_version_is_that_of_the_project(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert maxmargin.__version__ == project["version"]
    assert project["name"] == "maxmargin"


def test_the_extras_that_messages_name_exist_and_all_has_each(root: Path) -> None:
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    texts = [path.read_text() for path in (root / "src").rglob("*.py")]
    named = {name for text in texts for name in re.findall(r"maxmargin\[(\w+)\]", text)}
    assert named
    assert named <= set(extras)
    assert extras["all"] == [f"maxmargin[{','.join(n for n in extras if n not in OTHERS)}]"]


def test_the_package_is_typed() -> None:
    assert resources.files("maxmargin").joinpath("py.typed").is_file()


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_public_names_are_unique(module: str) -> None:
    names = importlib.import_module(module).__all__
    assert len(set(names)) == len(names)

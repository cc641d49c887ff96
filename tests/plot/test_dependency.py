import pkgutil
import subprocess
import sys

from maxmargin import plot


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_importing_the_library_does_not_import_matplotlib():
    code = "import sys, maxmargin; print(any(n.startswith('matplotlib') for n in sys.modules))"
    assert run(code).strip() == "False"


def test_importing_the_pictures_does_not_import_pyplot():
    code = "import sys, maxmargin.plot; print('matplotlib.pyplot' in sys.modules)"
    assert run(code).strip() == "False"


def test_without_matplotlib_the_message_says_how_to_install_it():
    code = """
import sys
sys.modules["matplotlib"] = None
from maxmargin import MissingDependencyError
try:
    import maxmargin.plot
except MissingDependencyError as error:
    print(error)
"""
    assert "pip install 'maxmargin[plot]'" in run(code)


def test_no_module_has_the_name_of_a_function():
    modules = {module.name for module in pkgutil.iter_modules(plot.__path__)}
    assert not modules & set(plot.__all__)
    assert modules == {line.split()[0] for line in plot.__doc__.splitlines() if line[:4] == "    "}

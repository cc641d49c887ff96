"""Print which Python files and functions of the library a fit passes through.

python tools/trace_fit.py            # SVC and LinearSVC, with and without their certificates
python tools/trace_fit.py --list     # and the names
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import maxmargin
from maxmargin import SVC, LinearSVC

_PACKAGE = Path(maxmargin.__file__).parent


def passed(action: Callable[[], Any]) -> dict[str, set[str]]:
    """Return the functions of the library that an action calls, by file."""
    found: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(_PACKAGE):
            name = str(path.relative_to(_PACKAGE))
            found.setdefault(name, set()).add(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return found


def roads() -> dict[str, Callable[[], Any]]:
    """Return what is traced, by its title."""
    data, target = load_breast_cancer(return_X_y=True)
    X, y = scale(data), target
    kernel_machine, linear_machine = SVC(), LinearSVC()
    # What happens once in a process (imports, caches) is not part of the road.
    for machine in (kernel_machine, linear_machine):
        assert machine.fit(X, y).certificate_ is not None
    return {
        "SVC.fit": lambda: kernel_machine.fit(X, y),
        "SVC.fit and certificate_": lambda: kernel_machine.fit(X, y).certificate_,
        "LinearSVC.fit": lambda: linear_machine.fit(X, y),
        "LinearSVC.fit and certificate_": lambda: linear_machine.fit(X, y).certificate_,
    }


def main() -> None:
    """Trace the fits and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the names too")
    names = parser.parse_args().list
    for title, action in roads().items():
        found = passed(action)
        n_functions = sum(map(len, found.values()))
        lines = [f"{title}: {len(found)} files, {n_functions} functions"]
        if names:
            lines += [
                f"  {file}: {', '.join(sorted(called))}" for file, called in sorted(found.items())
            ]
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

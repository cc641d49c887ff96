"""What every benchmark knows of a library."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version


@dataclass(frozen=True)
class Library:
    """name: on the command line; title: in the tables; package: whose version is reported."""

    name: str
    title: str
    package: str

    @property
    def is_ours(self) -> bool:
        return self.package == "maxmargin"

    @property
    def version(self) -> str:
        return version(self.package)


OURS = Library("maxmargin", "maxmargin", "maxmargin")
SCIKIT_LEARN = Library("sklearn", "scikit-learn", "scikit-learn")

"""Files that another library reads: its errors about a damaged file become one of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from maxmargin.errors import InvalidInputError, MaxMarginError

__all__ = ["refusing_damage"]


@contextmanager
def refusing_damage(name: str, kind: str) -> Iterator[None]:
    """Say that the file cannot be read as this kind, whatever its reader raises.

    Readers raise errors of many types on damaged files. A file that is absent or may not be read
    keeps the system's error, a package that is absent its own.

    Examples
    --------
    >>> from maxmargin.streams.damage import refusing_damage
    >>> with refusing_damage("a.npz", ".npz"):
    ...     raise KeyError("X")
    Traceback (most recent call last):
        ...
    maxmargin.errors.InvalidInputError: a.npz cannot be read as .npz: it is damaged ('X').
    """
    try:
        yield
    except (MaxMarginError, ImportError, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as error:
        cause = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
        raise InvalidInputError(
            f"{name} cannot be read as {kind}: it is damaged ({cause})."
        ) from None

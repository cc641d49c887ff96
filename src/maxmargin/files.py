"""Files that are replaced as a whole: a reader finds the old file or the new one."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from maxmargin.errors import InvalidInputError

__all__ = ["replacing", "require_folder"]


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """Give the path of a new file that replaces another one if the block succeeds.

    The new file lies in the same folder; at the end it and the folder have been written to disk.
    After an exception nothing of it is left. A process that is killed may leave it behind, named
    ``.maxmargin-*.tmp``, but never a part of it under the other name.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin.files import replacing
    >>> with TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "a.txt")) as new:
    ...         _ = new.write_text("all of it")
    ...     print([file.name for file in Path(folder).iterdir()])
    ['a.txt']
    """
    target = Path(os.path.realpath(path))
    require_folder(target)
    old = _mode_of(target)
    new = target.with_name(f".maxmargin-{secrets.token_hex(8)}.tmp")
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    mode = stat.S_IMODE(new.stat().st_mode) if old is None else old
    try:
        yield new
        # The writer may have put another file there.
        new.chmod(mode)
        _to_disk(new, os.O_RDWR)
        new.replace(target)
    except BaseException:
        with suppress(FileNotFoundError):
            new.unlink()
        raise
    if os.name == "posix":
        _to_disk(target.parent, os.O_RDONLY)


def require_folder(path: str | PathLike[str]) -> None:
    """Refuse a file in a folder that does not exist."""
    if not Path(path).absolute().parent.is_dir():
        raise InvalidInputError(
            f"{os.fspath(path)} cannot be written, because there is no folder "
            f"{Path(path).parent}: create it first."
        )


def _mode_of(target: Path) -> int | None:
    """Return the permissions of the file to be replaced, None if there is none."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInputError(
            f"{target} is not a file that can be replaced: give the path of a file."
        )
    return stat.S_IMODE(found.st_mode)


def _to_disk(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

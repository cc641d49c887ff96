"""A file is replaced as a whole or not at all."""

import os
import stat

import pytest

from maxmargin.errors import InvalidInputError
from maxmargin.files import replacing


def test_the_new_file_takes_the_place_of_the_old(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    with replacing(path) as new:
        new.write_text("new")
        assert path.read_text() == "old"
        assert new.parent == tmp_path
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_all_as_it_was(tmp_path, there, error):
    path = tmp_path / "a"
    if there:
        path.write_text("old")

    def fail():
        with replacing(path) as new:
            new.write_text("ne")
            raise error

    with pytest.raises(error):
        fail()
    assert [file.read_text() for file in tmp_path.iterdir()] == (["old"] if there else [])


def test_a_link_keeps_pointing_to_the_file(tmp_path):
    path, link = tmp_path / "a", tmp_path / "b"
    path.write_text("old")
    link.symlink_to(path)
    with replacing(link) as new:
        new.write_text("new")
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_permissions_are_those_of_the_old_file_or_the_usual_ones(tmp_path):
    path = tmp_path / "a"
    mask = os.umask(0o022)
    try:
        with replacing(path) as new:
            new.write_text("first")
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
        path.chmod(0o600)
        with replacing(path) as new:
            new.write_text("second")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(mask)


def test_only_files_are_replaced(tmp_path):
    with (
        pytest.raises(InvalidInputError, match="not a file that can be replaced"),
        replacing(tmp_path),
    ):
        pass
    with pytest.raises(InvalidInputError, match="not a file"), replacing("/dev/null"):
        pass
    with (
        pytest.raises(InvalidInputError, match=r"no folder .* create it"),
        replacing(tmp_path / "no" / "file"),
    ):
        pass


def test_the_file_and_its_folder_reach_the_disk_in_this_order(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace

    def kind(handle):
        return stat.S_IFMT(os.fstat(handle).st_mode)

    monkeypatch.setattr(os, "fsync", lambda handle: (done.append(kind(handle)), fsync(handle)))
    monkeypatch.setattr(os, "replace", lambda *paths: (done.append("replace"), replace(*paths)))
    with replacing(tmp_path / "a") as new:
        new.write_text("new")
    assert done == [stat.S_IFREG, "replace", stat.S_IFDIR]

"""Debian's packages are unpacked without Debian's tools, and only those that were meant."""

from __future__ import annotations

import hashlib
import io
import os
import runpy
import tarfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def tool(root: Path) -> dict:
    return runpy.run_path(str(root / "tools" / "fetch_programs.py"))


def package(name: str, content: bytes) -> bytes:
    """Return a Debian package of one program: an archive of ar's that holds one of tar's."""
    files = io.BytesIO()
    with tarfile.open(fileobj=files, mode="w:xz") as tar:
        entry = tarfile.TarInfo(f"./usr/bin/{name}")
        entry.size, entry.mode = len(content), 0o755
        tar.addfile(entry, io.BytesIO(content))
    made = b"!<arch>\n"
    for member, data in (("debian-binary", b"2.0"), ("data.tar.xz", files.getvalue())):
        made += f"{member:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data
        made += b"\n" * (len(data) % 2)
    return made


def test_programs_are_unpacked(tool, tmp_path) -> None:
    with tool["data_of"](package("svm-predict", b"#!/bin/sh\n")) as files:
        files.extractall(tmp_path, filter="data")
    assert (tmp_path / "usr" / "bin" / "svm-predict").read_bytes() == b"#!/bin/sh\n"
    assert os.access(tmp_path / "usr" / "bin" / "svm-predict", os.X_OK)


@pytest.mark.parametrize("content", [b"", b"<html>", b"!<arch>\n"])
def test_what_is_no_package_is_refused(tool, content) -> None:
    with pytest.raises(ValueError, match="package"):
        tool["data_of"](content)


def test_only_the_package_that_was_meant_is_taken(tool, tmp_path, monkeypatch) -> None:
    made = package("svm-predict", b"")
    (tmp_path / "a.deb").write_bytes(made)
    monkeypatch.setitem(tool["fetched"].__globals__, "MIRRORS", (tmp_path.as_uri() + "/",))
    assert tool["fetched"]("a.deb", hashlib.sha256(made).hexdigest()) == made
    with pytest.raises(OSError, match="not the file that was expected"):
        tool["fetched"]("a.deb", hashlib.sha256(b"").hexdigest())
    with pytest.raises(OSError, match="No such file"):
        tool["fetched"]("b.deb", "")

"""Fetch LIBSVM's and LIBLINEAR's own programs, which the tests run: Debian's packages, unpacked.

Usage: ``python tools/fetch_programs.py FOLDER``. Nothing is installed and no rights are needed. The
packages are for Linux on x86-64; their sums are fixed here. Where they cannot be had the tests that
need them are skipped and say so.
"""

from __future__ import annotations

import hashlib
import io
import os
import platform
import shutil
import sys
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

MIRRORS = ("http://deb.debian.org/debian/", "https://archive.debian.org/debian/")
SECONDS = 20

#: Of Debian 12: where each package lies, and its SHA-256.
PACKAGES = {
    "pool/main/libs/libsvm/libsvm-tools_3.24+ds-6_amd64.deb": (
        "87b59118c1867fe5ab784926625bd5645b53baeae7bbf7f89b5775ec2930ffe3"
    ),
    "pool/main/libs/libsvm/libsvm3_3.24+ds-6_amd64.deb": (
        "5c884d0d817f8296133939e9d850c10558c619b472fac4b637f26b0f0936602a"
    ),
    "pool/main/libl/liblinear/liblinear-tools_2.3.0+dfsg-5_amd64.deb": (
        "b1b7e46436b73dbca33011349a4f62ca5a950ad42eb8a120f5f5c0513517b3cf"
    ),
    "pool/main/libl/liblinear/liblinear4_2.3.0+dfsg-5_amd64.deb": (
        "0815a47bc0c99a80fbaf605dd3405d3c58721f4f8d96db098e063c892936f279"
    ),
    "pool/main/l/lapack/libblas3_3.11.0-2_amd64.deb": (
        "9aae8058b8d02b800bdafc5b340614df1442a2d2abbc2d351947c0fdd67aa08a"
    ),
}


def fetched(place: str, expected: str) -> bytes:
    """Return a package from the first mirror that has it."""
    reasons = []
    for mirror in MIRRORS:
        try:
            with urllib.request.urlopen(mirror + place, timeout=SECONDS) as answer:
                content: bytes = answer.read()
        except (OSError, urllib.error.URLError) as error:
            reasons.append(f"{mirror}: {error}")
            continue
        if hashlib.sha256(content).hexdigest() == expected:
            return content
        reasons.append(f"{mirror}: not the file that was expected")
    raise OSError("; ".join(reasons))


def data_of(package: bytes) -> tarfile.TarFile:
    """Return the files of a Debian package, which is an archive of ar's."""
    if not package.startswith(b"!<arch>\n"):
        raise ValueError("this is no Debian package")
    at = 8
    while at < len(package):
        header = package[at : at + 60]
        name, size = header[:16].decode().strip(), int(header[48:58])
        if name.startswith("data.tar"):
            return tarfile.open(fileobj=io.BytesIO(package[at + 60 : at + 60 + size]))
        at += 60 + size + size % 2
    raise ValueError("the package holds no files")


def main(folder: Path) -> int:
    """Unpack the programs and their libraries."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        sys.stderr.write("The programs are for Linux on x86-64.\n")
        return 1
    try:
        packages = [fetched(place, expected) for place, expected in PACKAGES.items()]
    except OSError as error:
        sys.stderr.write(f"LIBSVM's programs cannot be fetched: {error}\n")
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    for package in packages:
        with data_of(package) as files:
            files.extractall(folder, filter="data")
    os.utime(folder)  # else as old as the packages
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

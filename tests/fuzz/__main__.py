"""Damage files and open them, as often as asked: ``python -m fuzz model --count 200000``.

The process may allocate little more memory than it has, and no file may take long. A file that ends
in another way than it may is kept in the folder corpus, which the tests replay.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import resource
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from .targets import TARGETS

#: What once failed, a folder per kind of file.
CORPUS = Path(__file__).with_name("corpus")
#: Memory beyond what the process has when it begins, in bytes.
ROOM = 256 << 20
#: Time for one file.
SECONDS = 5.0
#: Seconds for one file, after which the process ends with a traceback.
HANG = 60.0


def _limit_memory() -> None:
    status = Path("/proc/self/status").read_text()
    in_use = next(line for line in status.splitlines() if line.startswith("VmSize"))
    most = int(in_use.split()[1]) * 1024 + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _keep(name: str, content: bytes) -> None:
    kept = CORPUS / name / sha256(content).hexdigest()[:12]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(content)
    sys.stderr.write(f"The file is kept as {kept}.\n")


def replay(name: str) -> Counter[str]:
    """Open the files of the corpus; count how that ended."""
    target = TARGETS[name]
    ends: Counter[str] = Counter()
    with TemporaryDirectory() as place:
        for file in sorted((CORPUS / name).glob("*")):
            try:
                target.use(Path(place, "damaged"), file.read_bytes())
                ends["opened"] += 1
            except target.error:
                ends["refused"] += 1
    return ends


def fuzz(name: str, count: int, seed: int) -> Counter[str]:
    """Open this many damaged files; count how that ended."""
    target = TARGETS[name]
    ends: Counter[str] = Counter()
    with TemporaryDirectory() as place:
        folder = Path(place)
        seeds = target.seeds(folder)
        for whole in seeds:
            target.use(folder / "whole", whole)
        _limit_memory()
        for k in range(count):
            chance = random.Random(f"{name} {seed} {k}")
            content = target.damage(chance.choice(seeds), chance)
            faulthandler.dump_traceback_later(HANG, exit=True)
            started = perf_counter()
            try:
                target.use(folder / "damaged", content)
                ends["opened"] += 1
            except target.error:
                ends["refused"] += 1
            except BaseException:
                _keep(name, content)
                raise
            if perf_counter() - started > SECONDS:
                _keep(name, content)
                raise AssertionError(f"{name} {seed} {k} took too long")
        faulthandler.cancel_dump_traceback_later()
    return ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    ends = fuzz(asked.target, asked.count, asked.seed)
    assert sum(ends.values()) == asked.count
    sys.stdout.write(f"{asked.target}: {ends['refused']} refused, {ends['opened']} opened\n")


if __name__ == "__main__":
    main()

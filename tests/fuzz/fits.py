"""Fit odd data: ``python -m fuzz.fits SVC --count 10000``; without names all estimators."""

from __future__ import annotations

import argparse
import faulthandler
import sys
from collections import Counter

from hypothesis import HealthCheck, Phase, given, settings

from .judge import judge
from .odd_fits import ESTIMATORS, Fit, fits

__all__ = ["fuzz_fits"]

#: Seconds for one call, after which the process ends with a traceback.
HANG = 120.0


def fuzz_fits(name: str, count: int, *, derandomize: bool = False) -> Counter[str]:
    """Make this many calls of fit, and count how they ended."""
    ends: Counter[str] = Counter()

    @settings(
        max_examples=count,
        derandomize=derandomize,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=not derandomize,
    )
    @given(fits(name))
    def every_call_ends_well(fit: Fit) -> None:
        faulthandler.dump_traceback_later(HANG, exit=True)
        ends[judge(fit)] += 1

    try:
        every_call_ends_well()
    finally:
        faulthandler.cancel_dump_traceback_later()
    return ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ESTIMATOR")
    parser.add_argument("--count", type=int, default=1000)
    asked = parser.parse_args()
    for name in asked.names or ESTIMATORS:
        ends = fuzz_fits(name, asked.count)
        sys.stdout.write(f"{name}: {ends['refused']} refused, {ends['fitted']} fitted\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

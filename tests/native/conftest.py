"""Fixtures of the native core's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from maxmargin.kernels import blocks


@pytest.fixture(params=blocks.simd_levels())
def simd_level(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the test once with each instruction set of this machine."""
    before = blocks.simd_level()
    blocks.use_simd_level(request.param)
    yield request.param
    blocks.use_simd_level(before)

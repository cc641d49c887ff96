"""How much memory kept rows may take."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxmargin.solvers.kernel import memory


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 8 GB available and no limit on its container."""
    info = tmp_path / "meminfo"
    info.write_text("MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n")
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1\n")
    monkeypatch.setattr(memory, "_MEMINFO", info)
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    return tmp_path


def test_what_is_told_is_taken(machine: Path) -> None:
    assert memory.row_budget(10, 0.5) == 1 << 19


def test_a_small_matrix_is_kept_whole(machine: Path) -> None:
    assert memory.row_budget(10_000, None) == 4 * 10_000**2


def test_a_large_one_up_to_a_quarter(machine: Path) -> None:
    assert memory.row_budget(1_000_000, None) == 2 << 30


def test_a_container_counts(machine: Path) -> None:
    (machine / "memory.max").write_text(f"{4 << 30}\n")
    (machine / "memory.current").write_text(f"{3 << 30}\n")
    assert memory.available_bytes() == 1 << 30
    (machine / "memory.current").write_text(f"{5 << 30}\n")
    assert memory.available_bytes() == 0


def test_a_machine_without_these_files_has_some(machine: Path) -> None:
    for file in machine.iterdir():
        file.unlink()
    assert memory.available_bytes() > 0

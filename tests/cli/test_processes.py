"""The program as a process: pipes, standard input, exit codes, Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from maxmargin import load

PROGRAM = [sys.executable, "-m", "maxmargin"]


def program(*arguments, **options):
    words = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=120, **options
    )


def test_a_pipe_from_one_to_the_other(folder, tmp_path, points):
    data = (folder / "cancer.csv").read_text()
    model = tmp_path / "m.safetensors"
    trained = program("train", "-", "--format", "csv", "-o", model, "--scale", input=data)
    assert trained.returncode == 0, trained.stderr
    assert "\x1b" not in trained.stdout + trained.stderr
    predicted = program("predict", model, "-", "--format", "csv", input=data)
    assert predicted.stdout.split() == [str(k) for k in load(model).predict(points[0])]
    assert predicted.stderr == ""


def test_exit_codes(folder, tmp_path):
    missing = tmp_path / "a.csv"
    missing.write_text("a,y\n,0\n1,1\n")
    wrong = program("train", missing, "-o", tmp_path / "m")
    assert wrong.returncode == 1
    assert wrong.stdout == ""
    assert wrong.stderr == (
        f"Error: {missing} has no value in row 1 of the column 'a': fill it in, or leave out the "
        "row, or the column with --drop.\n"
    )
    assert program("train", folder / "iris.csv").returncode == 2
    assert program("nonsense").returncode == 2


def test_a_reader_that_leaves_early_is_no_error(folder, tmp_path):
    program("train", folder / "iris.csv", "-o", tmp_path / "m")
    command = " ".join([*PROGRAM, "convert", str(folder / "cancer.csv"), "-", "--to", "csv"])
    done = subprocess.run(
        f"{command} | head -n 1", shell=True, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("mean_radius,")


@pytest.fixture
def hard(tmp_path, rng):
    """Noise, on which fits with a large C take long."""
    path = tmp_path / "noise.npz"
    np.savez(path, X=rng.normal(size=(3000, 10)), y=rng.integers(0, 2, 3000))
    return path


def wait_for_work(process, seconds):
    """Wait until a process has used so many seconds of a processor, however busy the machine."""
    stat, first = Path(f"/proc/{process.pid}/stat"), None
    deadline = time.monotonic() + (60 if stat.exists() else seconds)
    while time.monotonic() < deadline:
        time.sleep(0.01)
        if stat.exists():
            ticks = sum(map(int, stat.read_text().split()[13:15]))
            first = ticks if first is None else first
            if ticks - first >= seconds * os.sysconf("SC_CLK_TCK"):
                return


def interrupted(words, ready):
    """Run the program, interrupt it once it is at work, and return what it said."""
    running = subprocess.Popen(
        [*PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    first = ""
    while ready not in first:
        line = running.stderr.readline()
        assert line, "the program ended before it was interrupted"
        first += line
    wait_for_work(running, 1.0)
    os.kill(running.pid, signal.SIGINT)
    said, noted = running.communicate(timeout=120)
    return running.returncode, said, first + noted


def test_ctrl_c_saves_the_model_so_far(hard, tmp_path):
    options = ["--C", 1e6, "--tol", 1e-10, "--time-limit", 60, "--jobs", 1]
    code, said, noted = interrupted(
        ["train", hard, "-o", tmp_path / "m", *options], "3000 rows, 10 features"
    )
    assert code == 130
    assert "Interrupted: this is the model so far, with a relative gap of about" in noted
    assert "warm_start" not in noted
    assert f"Saved {tmp_path / 'm'}" in said
    assert load(tmp_path / "m").fit_status_ == 1


def test_ctrl_c_while_the_program_starts_is_one_sentence():
    code = (
        "import os, signal, sys\n"
        "from maxmargin.__main__ import main\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'maxmargin.cli.program': os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (130, "Error: Interrupted.\n")


def test_ctrl_c_ends_a_search_with_its_best(hard, tmp_path):
    options = ["--C", "0.1:1e4:12", "--gamma", "0.001:1:6", "--jobs", 1]
    code, said, noted = interrupted(
        ["tune", hard, "-o", tmp_path / "m", *options], "Searching 72 candidates"
    )
    assert code == 130
    assert "Traceback" not in noted
    if said:
        assert "The search ended early, because it was interrupted" in noted
        assert load(tmp_path / "m").predict(np.zeros((1, 10))).shape == (1,)
    else:
        # Not a single cell had ended.
        assert noted.splitlines()[-1] == "Error: Interrupted."


@pytest.mark.skipif(sys.platform == "win32", reason="no such terminals")
@pytest.mark.parametrize("command", ["train", "tune"])
def test_a_terminal_shows_a_bar(folder, tmp_path, command):
    import pty

    master, terminal = pty.openpty()
    words = [
        command,
        folder / "cancer.csv",
        "-o",
        tmp_path / "m",
        "--scale",
        "--C",
        1,
        "--gamma",
        1,
    ]
    done = subprocess.run(
        [*PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=terminal, check=True
    )
    os.close(terminal)
    shown = b""
    while part := _read(master):
        shown += part
    assert (b"SVMSearchCV" if command == "tune" else b"gap") in shown
    assert b"\x1b" in shown
    assert b"\x1b" not in done.stdout
    model = load(tmp_path / "m")
    assert not model[-1].verbose


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_importing_the_library_does_not_import_the_command_line():
    code = "import sys, maxmargin; print('click' in sys.modules, 'maxmargin.cli' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_help_does_not_import_what_is_slow():
    code = (
        "import sys\n"
        "from maxmargin.cli import main\n"
        "try: main(['train', '--help'])\n"
        "except SystemExit: pass\n"
        "print([n for n in ('sklearn', 'pandas', 'matplotlib') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"

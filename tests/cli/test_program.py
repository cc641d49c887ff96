"""The program around the commands."""

import pytest
from click.shell_completion import ShellComplete

from maxmargin import __version__
from maxmargin.cli import main

COMMANDS = [
    "convert",
    "demo",
    "evaluate",
    "inspect",
    "path",
    "predict",
    "report",
    "train",
    "tune",
]


def test_the_commands(run):
    assert sorted(main.commands) == COMMANDS
    text = run("--help").stdout
    assert "Exit codes: 0 all is well" in text
    for command in COMMANDS:
        assert command in text
        assert "--debug" in run(command, "--help").stdout


def test_the_version(run):
    assert run("--version").stdout == f"maxmargin, version {__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run, shell):
    assert "_MAXMARGIN_COMPLETE" in run("--completion", shell).stdout


def completions(words, incomplete):
    complete = ShellComplete(main, {}, "maxmargin", "_MAXMARGIN_COMPLETE")
    return [item.value for item in complete.get_completions(words, incomplete)]


def test_what_is_completed():
    assert completions([], "t") == ["train", "tune"]
    assert "--kernel" in completions(["train"], "--k")
    assert completions(["train", "--kernel"], "s") == [
        "sigmoid",
        "spectrum",
        "substrings",
        "subsequence",
    ]
    assert completions(["train", "--machine"], "linear") == ["linear-svc", "linear-svr"]


def test_debug_shows_where_an_error_comes_from(run, folder, tmp_path):
    (tmp_path / "a.csv").write_text("a,y\nred,0\nblue,1\n")
    quiet = run("train", tmp_path / "a.csv", "-o", tmp_path / "m", code=1)
    loud = run("train", tmp_path / "a.csv", "-o", tmp_path / "m", "--debug", code=1)
    assert "Traceback" not in quiet.stderr
    assert "Traceback" in loud.stderr
    assert loud.stderr.splitlines()[-1] == quiet.stderr.splitlines()[-1]


def test_a_file_that_is_not_there_is_a_usage_error(run, tmp_path):
    said = run.error("train", tmp_path / "none.csv", "-o", tmp_path / "m", code=2)
    assert "does not exist" in said


def test_a_folder_that_is_not_there(run, folder, tmp_path):
    said = run.error("convert", folder / "iris.csv", tmp_path / "none" / "a.csv")
    assert said.endswith(f"there is no folder {tmp_path / 'none'}: create it first.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train", "-o", "none/a.safetensors"], "there is no folder"),
        (["train", "-o", "a.pkl"], "ends in .pkl, which is not a format of models"),
        (["tune", "-o", "none/a.safetensors"], "there is no folder"),
        (["tune", "-o", "a.safetensors", "--report", "none/a.html"], "there is no folder"),
        (["tune", "-o", "a.safetensors", "--results", "none/a.csv"], "there is no folder"),
    ],
)
def test_where_nothing_can_be_saved_nothing_is_fitted(
    run, folder, tmp_path, monkeypatch, words, sentence
):
    monkeypatch.setattr("maxmargin.cli.data.read_data", None)
    monkeypatch.chdir(tmp_path)
    command, *options = words
    assert sentence in run.error(command, folder / "iris.csv", *options)


def test_what_should_not_happen_is_one_sentence_too(run, folder, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise KeyError("oops")

    monkeypatch.setattr("maxmargin.cli.commands.train.machine_name", broken)
    said = run.error("train", folder / "iris.csv", "-o", tmp_path / "m")
    assert said == "KeyError: 'oops' (this should not happen: --debug shows where)"


def test_one_class_only_is_said_by_the_machine(run, tmp_path):
    (tmp_path / "a.csv").write_text("a,y\n1,0\n2,0\n")
    said = run.error("train", tmp_path / "a.csv", "-o", tmp_path / "m")
    assert "The number of classes has to be greater than one" in said

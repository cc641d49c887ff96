"""Kernels on a column of text."""

import numpy as np
import pytest

from maxmargin import SVC, ModelFileError, load, save
from maxmargin.kernels import Spectrum


@pytest.fixture
def words(tmp_path, rng):
    """Strings of two languages that differ in their pairs of letters."""
    languages = [("ab", "ba"), ("aa", "bb")]
    rows = [
        ("".join(rng.choice(languages[k % 2], size=6)), ["mixed", "double"][k % 2])
        for k in range(60)
    ]
    path = tmp_path / "words.csv"
    path.write_text("word,kind\n" + "".join(f"{word},{kind}\n" for word, kind in rows))
    return path, [word for word, _ in rows], np.array([kind for _, kind in rows])


@pytest.fixture
def can_save(tmp_path):
    machine = SVC(kernel=Spectrum(2)).fit(["ab", "ba", "aa", "bb"], [0, 0, 1, 1])
    try:
        save(machine, tmp_path / "probe")
    except ModelFileError:
        pytest.skip("models on text are not saved by this version")


@pytest.mark.usefixtures("can_save")
def test_a_machine_on_strings(run, words, tmp_path):
    path, strings, labels = words
    model = tmp_path / "m.safetensors"
    run("train", path, "-o", model, "--kernel", "spectrum:k=2", "--C", 10)
    direct = SVC(kernel=Spectrum(2), C=10).fit(strings, labels)
    np.testing.assert_array_equal(load(model).predict(strings), direct.predict(strings))
    told = run("predict", model, path, "--target", "kind").stdout.split()
    assert told == direct.predict(strings).tolist()
    assert run.json("evaluate", model, path)["accuracy"] == direct.score(strings, labels)


def test_digits_are_letters_too(run, tmp_path):
    (tmp_path / "bits.csv").write_text("bits,y\n0011,a\n0110,a\n1010,b\n0101,b\n")
    found = run.json("path", tmp_path / "bits.csv", "--kernel", "spectrum:k=2", "--at", 1)
    as_text = SVC(kernel=Spectrum(2), tol=1e-9).fit(["0011", "0110", "1010", "0101"], list("aabb"))
    assert found["rows"][0]["primal"] == pytest.approx(as_text.certificate_.primal)


def test_several_columns_of_text_need_a_choice(run, tmp_path):
    (tmp_path / "a.csv").write_text("one,two,y\nab,ba,0\naa,bb,1\n")
    options = ["-o", tmp_path / "m", "--kernel", "spectrum"]
    assert "choose one with --features" in run.error("train", tmp_path / "a.csv", *options)


def test_text_is_not_scaled(run, words, tmp_path):
    options = ["-o", tmp_path / "m", "--kernel", "spectrum", "--scale"]
    assert "not about text" in run.error("train", words[0], *options, code=2)

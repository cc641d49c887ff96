"""The report is one valid page that loads nothing, and shows what the table holds."""

import re

import pytest

from maxmargin.pages import Section, study
from maxmargin.pages.page import environment

from ..reading import Page, assert_loads_nothing, assert_well_formed


@pytest.fixture(scope="module")
def text(result, tmp_path_factory):
    extra = Section("Of my own", ["0 < a & b"], ["what", "how much"], [["<i>gain</i>", "3"]])
    path = tmp_path_factory.mktemp("report") / "study.html"
    written = result.to_html(
        path, title="Fakes & others", introduction=["It begins."], sections=[extra]
    )
    assert written == path
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_every_element_is_closed_and_every_identity_is_unique(text):
    assert_well_formed(text)


def test_it_loads_nothing(text):
    assert_loads_nothing(text)


def test_it_has_every_machine_with_its_certificate(result, page):
    words = [word.strip() for word in page.words]
    for row in result.table:
        assert f"{row.min_dcf:.4f}" in words
        assert f"{row.calibrated_act_dcf:.4f}" in words
        assert str(row.n_support) in words
    assert words.count("certified") == len(result.table)
    assert words.count("certified ✓") == len(result.leaders)
    assert not any("!" in word or "✗" in word for word in words)
    assert any(result.best.claim in word for word in words)
    assert f"{result.best.primal:.8g}" in words


def test_pictures_take_the_colours_of_the_page(text):
    svgs = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    # Three curves, DET, one heat map, three of calibration.
    assert len(svgs) == 8
    for svg in svgs:
        assert "currentColor" in svg
        assert "#010203" not in svg
        assert 'role="img" aria-label="' in svg
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_text_is_escaped(text, page):
    assert "<title>Fakes &amp; others</title>" in text
    assert "0 &lt; a &amp; b" in text
    assert "&lt;i&gt;gain&lt;/i&gt;" in text
    assert "It begins." in page.words
    blocks = environment().get_template("blocks.html").module
    assert "<script>" not in blocks.warning("<script>") + blocks.tiles({"<script>": "<script>"})
    assert "<script>" not in blocks.bar("<script>", 0.5) + blocks.code("<script>", '"<script>"')


def test_writing_twice_gives_the_same_page(result, tmp_path):
    first = result.to_html(tmp_path / "a.html").read_bytes()
    assert first == result.to_html(tmp_path / "b.html").read_bytes()


def test_many_rows_unfold(folded, result, tmp_path):
    assert "<details>" not in result.to_html(tmp_path / "few.html").read_text()
    grid = {"C": [0.1 * k for k in range(1, 24)]}
    X = [[float(k), float(k * k % 7)] for k in range(60)]
    many = study(X, [k * k % 7 > 2 for k in range(60)], {"linear": grid}, cv=2)
    text = many.to_html(tmp_path / "many.html").read_text()
    assert "8 more machines" in text
    assert Page(text).open == []


def test_a_study_of_one_machine_has_a_page_too(data, tmp_path):
    one = study(*data, {"linear": {}}, pos_label="real")
    text = one.to_html(tmp_path / "one.html").read_text()
    assert Page(text).open == []
    assert "default parameters" in text


def test_classes_that_a_threshold_separates_have_a_page_too(tmp_path):
    X = [[k % 20 + 100.0 * (k >= 20)] for k in range(40)]
    apart = study(X, [k >= 20 for k in range(40)], {"linear": {"C": [10.0, 100.0]}}, cv=4)
    assert apart.best.min_dcf == 0.0
    text = apart.to_html(tmp_path / "apart.html").read_text()
    assert Page(text).open == []
    assert not re.search(r"\bnan\b|\binf\b", text)

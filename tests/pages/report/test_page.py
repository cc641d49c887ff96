"""The page of every kind of model is valid, loads nothing, and can be read by anybody."""

import re

import pytest

from maxmargin.pages import report

from ..reading import Numbers, assert_loads_nothing, assert_well_formed
from .models import fitted

ALWAYS = ["summary", "data", "certificate", "support", "parameters", "again"]
SECTIONS = {
    "SVC": ["classes", "costs"],
    "search": ["search", "classes", "costs"],
    "CalibratedSVC": ["classes", "costs"],
    "many classes": ["classes"],
    "SVR": ["residuals"],
    "OneClassSVM": ["novelty", "classes", "costs"],
    "OneClassSVM, no labels": ["novelty"],
}


@pytest.fixture(scope="module")
def texts():
    return {}


def text_of(found, texts):
    if found.name not in texts:
        texts[found.name] = report(found.model, *found.rows.test).html
    return texts[found.name]


def test_every_kind_of_model_has_a_page(any_model, texts):
    text = text_of(any_model, texts)
    page = assert_well_formed(text)
    assert_loads_nothing(text)
    assert set(ALWAYS) <= set(page.identities)
    assert page.tags.count("h1") == 1
    assert page.tags.count("section") == page.tags.count("h2") >= len(ALWAYS)


def test_pictures_have_words_and_the_colours_of_the_page(any_model, texts):
    text = text_of(any_model, texts)
    for svg in re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL):
        assert re.search(r'role="img" aria-label="[^"]+"', svg)
        assert "currentColor" in svg
        assert "#010203" not in svg
        # Black would vanish at night; the star on a heat map has an outline of it.
        outline = "stroke: #000000" in svg and "Heat map" in svg
        assert outline or not re.search(r"(fill|stroke): ?(#000000|black)", svg)
    assert text.count("<figcaption>") == text.count("<figure>")
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_numbers_are_numbers(any_model, texts):
    words = " ".join(assert_well_formed(text_of(any_model, texts)).words)
    assert not re.search(r"\bnan\b|\binf\b|\bNone\b.*certificate", words)


@pytest.mark.parametrize(("name", "expected"), SECTIONS.items(), ids=SECTIONS)
def test_the_sections_are_those_of_the_task(name, expected, texts):
    page = assert_well_formed(text_of(fitted(name), texts))
    shown = [identity for identity in page.identities if f"{identity}-title" in page.identities]
    assert shown == [*ALWAYS[:2], *expected, *ALWAYS[2:]]


def test_tables_scroll_and_name_their_rows(texts):
    text = text_of(fitted("many classes"), texts)
    assert text.count("<table>") == text.count('<div class="scroll" role="region" tabindex="0"')
    assert '<th scope="row"' in text
    assert '<th scope="col"' in text
    assert "overflow-x: auto" in text


def test_the_page_uses_the_width_of_a_desktop(texts):
    text = text_of(fitted("SVC"), texts)
    (width,) = re.findall(r"body \{[^}]*max-width: (\d+)rem", text)
    # A rem is 16 pixels: a screen of 1440 pixels is filled, and one of 1920 nearly.
    assert 16 * int(width) >= 1700
    assert text.count('<div class="tables">') >= 4


def test_titles_and_names_are_escaped():
    found = fitted("SVC")
    made = report(
        found.model,
        *found.rows.test,
        title="<b>&</b>",
        feature_names=["<i>", '"', "a&b", "d"],
        command="maxmargin report --title '<b>' && true",
    )
    assert made.title == "<b>&</b>"
    page = assert_well_formed(made.html)
    assert "<b>" not in made.html
    assert "<i>" not in made.html
    assert "maxmargin report --title '<b>' && true" in "".join(page.words)
    assert [row[0] for row in Numbers(made.html).tables["The columns"][1:]] == [
        "<i>",
        '"',
        "a&b",
        "d",
    ]

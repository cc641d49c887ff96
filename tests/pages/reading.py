"""A reader of HTML pages that notices what is not closed, not unique, or not in the page."""

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img"}


class Page(HTMLParser):
    """Checks that every element is closed, and collects identities, references and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.identities, self.references, self.words = [], [], [], []
        self.tags = []
        self.feed(text)
        self.close()

    def note(self, attributes):
        for name, value in attributes:
            if name == "id":
                self.identities.append(value)
            elif name in ("href", "src", "srcset"):
                self.references.append(value)
            self.references += re.findall(r"url\((.*?)\)", value or "")

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.note(attributes)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.note(attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def assert_well_formed(text):
    """Return the page, each of whose elements is closed and each of whose identities is unique."""
    page = Page(text)
    assert page.open == []
    assert len(page.identities) == len(set(page.identities))
    return page


def assert_loads_nothing(text):
    """Check that the page refers to itself and to images that it holds, and runs nothing."""
    assert not re.search(r"https?:|@import|<(script|link|iframe)|<[^>]*\son\w+=", text)
    page = Page(text)
    for reference in page.references:
        inside = reference.startswith("#") and reference[1:] in page.identities
        assert inside or reference.startswith("data:image/png;base64,"), reference


class Numbers(HTMLParser):
    """Collects tables by caption, rows of their cells without notes; and tiles by name."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tiles = {}, {}
        self._rows, self._text, self._name, self._in_note = [], None, "", False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("caption", "td", "th", "dt", "dd"):
            self._text = ""
        elif tag == "small":
            self._in_note = True

    def handle_endtag(self, tag):
        if tag == "caption":
            self.tables[self._text] = self._rows
        elif tag in ("td", "th"):
            self._rows[-1].append(self._text)
        elif tag == "dt":
            self._name = self._text
        elif tag == "dd":
            self.tiles.setdefault(self._name, self._text)
        elif tag == "small":
            self._in_note = False

    def handle_data(self, data):
        if self._text is not None and not self._in_note:
            self._text += data

import matplotlib as mpl

from maxmargin.pages.pictures import INK, page_style


def test_pictures_keep_the_settings_of_matplotlib_that_the_page_does_not_have():
    with mpl.rc_context({"lines.linewidth": 7.0, "text.color": "red"}):
        with page_style():
            assert mpl.rcParams["lines.linewidth"] == 7.0
            assert mpl.rcParams["text.color"] == INK
        assert mpl.rcParams["text.color"] == "red"

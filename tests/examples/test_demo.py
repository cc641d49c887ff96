import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import demo
import pytest
from demonstration import pictures, real_data, worked
from demonstration.report import page
from matplotlib.figure import Figure
from rich.console import Console

from maxmargin import solve
from maxmargin.solvers import SOLVERS


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The demo run once, with a short race: folder, terminal output and story."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(real_data, "_SECONDS_EACH", 0.3)
        output = io.StringIO()
        story = demo.tell(Console(file=output, width=120))
    folder = tmp_path_factory.mktemp("demo")
    demo.write(story, folder)
    return folder, output.getvalue(), story


@pytest.fixture(scope="module")
def report(told):
    return (told[0] / "report.html").read_text(encoding="utf-8")


class Page(HTMLParser):
    """Collects what a browser would load, and checks that every element is closed."""

    void = frozenset({"meta", "img", "source", "link", "br", "hr"})

    def __init__(self, text):
        super().__init__()
        self.loaded, self.identities, self.links, self.open = [], set(), [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in self.void:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("src", "srcset"):
                self.loaded.append(value)
            elif name == "href":
                self.links.append(value)
            elif name == "id":
                self.identities.add(value)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_exact_solvers_reproduce_the_known_solutions(told):
    exact = [run for run in told[2].runs if run.exact]
    assert all(run.certified for run in exact)
    assert demo.all_agree(told[2].runs)
    assert {run.example.key for run in exact if run.deviation is not None} == {
        "hard",
        "soft",
        "gaussian",
    }


def test_a_wrong_number_would_be_noticed():
    example = worked.load_examples()[0]
    example.expected["b"] += 0.01
    assert not demo.all_agree([r for r in worked.run_all([example]) if r.solver == "dual-qp"])


def test_the_certificate_refuses_the_early_stop_only(told):
    early, full = told[2].early
    assert not early.certified
    assert full.certified


def test_every_solver_is_in_the_terminal_and_in_the_report(told, report):
    # No example has a squared loss, an l1 penalty or several classes.
    named = {run.solver for run in told[2].runs}
    assert named == {
        "primal-qp",
        "dual-qp",
        "decomposition",
        "linear-interior-point",
        "coordinate-descent",
        "lbfgsb",
        "smo",
        "subgradient",
        "sgd",
        "online",
    }
    assert named < set(SOLVERS)
    for name in named:
        assert name in told[1]
        assert f">{name}</td>" in report


def test_the_approximate_solvers_are_those_without_exact_runs(told, report):
    words = " ".join(report.split())
    (named,) = re.findall(r"The others \((.*?)\) are approximate", words)
    assert set(named.split(", ")) == {run.solver for run in told[2].runs if not run.exact}


def test_the_caption_counts_the_solvers_that_are_drawn(monkeypatch):
    problem = worked.load_examples()[3].problem
    runs = {name: solve(problem, name, trace=True) for name in ("dual-qp", "smo", "lbfgsb")}
    drawn = Figure().subplots()
    monkeypatch.setattr(pictures, "_render", lambda *parts: parts[3](drawn) or parts)
    _, _, caption, *_ = pictures.race_picture(runs)
    assert caption.startswith("3 solvers on one problem")
    assert drawn.get_legend_handles_labels()[1] == list(runs)


def test_the_report_loads_nothing(report):
    page = Page(report)
    assert page.open == []
    assert page.loaded
    assert all(uri.startswith("data:image/png;base64,") for uri in page.loaded)
    assert all(link.removeprefix("#") in page.identities for link in page.links)
    assert not re.search(r"https?://|@import|url\(|<script|<link", report)


def test_the_report_has_every_picture_for_light_and_dark(told, report):
    story = told[2]
    for picture in story.pictures:
        assert picture.uri("light") in report
        assert picture.uri("dark") in report
        assert (told[0] / f"{picture.name}.png").read_bytes().startswith(b"\x89PNG")


def test_writing_twice_gives_the_same_files(told):
    folder, _, story = told
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    demo.write(story, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_text_is_escaped(told):
    story = told[2]
    picture = replace(story.race_picture, alternative='"alt"', caption="<b>")
    example = replace(story.runs[0].example, title="<script>")
    text = page(
        replace(story, race_picture=picture, runs=[replace(story.runs[0], example=example)])
    )
    assert 'alt="&#34;alt&#34;"' in text
    assert "<figcaption>&lt;b&gt;</figcaption>" in text
    assert "<script>" not in text


def test_the_folder_is_an_argument(tmp_path, monkeypatch, told, capsys):
    monkeypatch.setattr(demo, "tell", lambda console: told[2])
    assert demo.main([str(tmp_path / "new" / "folder")]) == 0
    assert (tmp_path / "new" / "folder" / "report.html").exists()
    assert "report.html" in capsys.readouterr().out.replace("\n", "")

import builtins
import re
import sys
import xml.etree.ElementTree as ET
from types import ModuleType

import pytest

from spaniel import Pipeline
from spaniel.errors import PipelineDrawingError
from tests.pipeline.paired_components import OURS

SVG = "{http://www.w3.org/2000/svg}"


def parsed(path):
    return ET.parse(path).getroot()  # noqa: S314 (the file was written by the test)


@pytest.fixture
def pipeline():
    pipeline = Pipeline().add_components({"add": OURS.Add(), "branch": OURS.Branch(), "first": OURS.First()})
    return pipeline.connect_many([("first", "add.value"), ("add", "branch"), ("branch.below", "first")])


def test_mermaid_shows_components_connections_inputs_and_outputs(pipeline, tmp_path):
    pipeline.draw(tmp_path / "p.mmd")
    lines = (tmp_path / "p.mmd").read_text(encoding="utf-8").splitlines()
    assert [line.strip() for line in lines] == [
        "flowchart TD",
        'c0["add<br>Add"]',
        'c1["branch<br>Branch"]',
        'c2["first<br>First"]',
        "output([output])",
        'c0 -->|"value: int"| c1',
        'c1 -->|"below → value: int"| c2',
        'c2 -->|"value: int"| c0',
        'c1 -->|"above: int"| output',
    ]


def test_mermaid_shows_mandatory_inputs_and_escapes_names(tmp_path):
    Pipeline().add_component('a"#<b>', OURS.Shout()).draw(tmp_path / "p.md")
    text = (tmp_path / "p.md").read_text(encoding="utf-8")
    assert text.startswith("```mermaid\nflowchart TD")
    assert text.endswith("```\n")
    assert 'c0["a&quot;&num;&lt;b&gt;<br>Shout"]' in text
    assert 'input -->|"text: str"| c0' in text


def test_mermaid_escapes_entities_once(tmp_path):
    Pipeline().add_component("it's", OURS.Shout()).draw(tmp_path / "p.mmd")
    assert "it&num;x27" not in (tmp_path / "p.mmd").read_text(encoding="utf-8")


def test_svg_has_a_box_per_component_and_an_arrow_per_connection(pipeline, tmp_path):
    pipeline.draw(tmp_path / "p.svg")
    picture = parsed(tmp_path / "p.svg")
    assert len(picture.findall(f"{SVG}rect")) == 3
    assert len(picture.findall(f"{SVG}path")) == 3
    texts = [text.text for text in picture.findall(f"{SVG}text")]
    assert {"add", "Add", "branch", "first", "value", "below → value"} <= set(texts)


def test_svg_boxes_do_not_overlap_and_are_inside_the_viewport(tmp_path):
    pipeline = Pipeline().add_components({name: OURS.Repeat(["x"]) for name in "abcde"})
    pipeline.connect_many([("a", "b"), ("a", "c"), ("c", "d"), ("b", "e")])
    pipeline.draw(tmp_path / "p.svg")
    picture = parsed(tmp_path / "p.svg")
    width, height = float(picture.get("width")), float(picture.get("height"))
    boxes = [[float(box.get(key)) for key in ("x", "y", "width", "height")] for box in picture.findall(f"{SVG}rect")]
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in boxes)
    for number, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[number + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_svg_places_components_below_their_senders(tmp_path):
    pipeline = Pipeline().add_components({"last": OURS.Words(), "one": OURS.Shout(), "two": OURS.Shout()})
    pipeline.connect("one", "two.text").connect("two", "last.text").draw(tmp_path / "p.svg")
    text = (tmp_path / "p.svg").read_text(encoding="utf-8")
    heights = {name: float(y) for y, name in re.findall(r'y="([\d.]+)">(one|two|last)<', text)}
    assert heights["one"] < heights["two"] < heights["last"]


def test_draws_empty_pipeline(tmp_path):
    Pipeline().draw(tmp_path / "p.svg")
    assert parsed(tmp_path / "p.svg").tag == f"{SVG}svg"


def test_rejects_unknown_suffix_and_lists_known_ones(pipeline, tmp_path):
    with pytest.raises(PipelineDrawingError, match=r"\['\.md', '\.mmd', '\.svg'\], got 'p\.png'"):
        pipeline.draw(tmp_path / "p.png")
    assert not (tmp_path / "p.png").exists()


def test_show_prints_text_outside_notebooks(pipeline, capsys):
    pipeline.show()
    assert capsys.readouterr().out.startswith("flowchart TD\n")


def test_show_displays_svg_in_notebooks(pipeline, monkeypatch):
    shown = []
    display = ModuleType("IPython.display")
    display.display, display.SVG = shown.append, str
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(builtins, "get_ipython", object, raising=False)
    pipeline.show()
    assert shown[0].startswith("<svg ")

import builtins
import re
import sys
import xml.etree.ElementTree as ET
from types import ModuleType

import pytest

from spaniel import Pipeline
from spaniel.errors import PipelineDrawingError
from tests.pipeline.twins import OURS

SVG = "{http://www.w3.org/2000/svg}"


def parsed(path):
    return ET.parse(path).getroot()  # noqa: S314 (the file was written by the test)


@pytest.fixture
def pipeline():
    pipeline = Pipeline().add_components({"add": OURS.Add(), "branch": OURS.Branch(), "first": OURS.First()})
    return pipeline.connect_many([("first", "add.value"), ("add", "branch"), ("branch.below", "first")])


def test_mermaid_text_shows_components_connections_inputs_and_outputs(pipeline, tmp_path):
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


def test_mandatory_inputs_come_from_outside_and_names_are_escaped(tmp_path):
    Pipeline().add_component('a"#<b>', OURS.Shout()).draw(tmp_path / "p.md")
    text = (tmp_path / "p.md").read_text(encoding="utf-8")
    assert text.startswith("```mermaid\nflowchart TD")
    assert text.endswith("```\n")
    assert 'c0["a&quot;&num;&lt;b&gt;<br>Shout"]' in text
    assert 'input -->|"text: str"| c0' in text


def test_an_entity_of_a_name_is_not_escaped_twice(tmp_path):
    Pipeline().add_component("it's", OURS.Shout()).draw(tmp_path / "p.mmd")
    assert "it&num;x27" not in (tmp_path / "p.mmd").read_text(encoding="utf-8")


def test_a_picture_has_a_box_for_each_component_and_an_arrow_for_each_connection(pipeline, tmp_path):
    pipeline.draw(tmp_path / "p.svg")
    picture = parsed(tmp_path / "p.svg")
    assert len(picture.findall(f"{SVG}rect")) == 3
    assert len(picture.findall(f"{SVG}path")) == 3
    texts = [text.text for text in picture.findall(f"{SVG}text")]
    assert {"add", "Add", "branch", "first", "value", "below → value"} <= set(texts)


def test_boxes_do_not_overlap_and_stand_inside_the_picture(tmp_path):
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


def test_a_component_stands_below_those_that_feed_it(tmp_path):
    pipeline = Pipeline().add_components({"last": OURS.Words(), "one": OURS.Shout(), "two": OURS.Shout()})
    pipeline.connect("one", "two.text").connect("two", "last.text").draw(tmp_path / "p.svg")
    text = (tmp_path / "p.svg").read_text(encoding="utf-8")
    heights = {name: float(y) for y, name in re.findall(r'y="([\d.]+)">(one|two|last)<', text)}
    assert heights["one"] < heights["two"] < heights["last"]


def test_an_empty_pipeline_can_be_drawn(tmp_path):
    Pipeline().draw(tmp_path / "p.svg")
    assert parsed(tmp_path / "p.svg").tag == f"{SVG}svg"


def test_another_ending_is_refused_with_those_there_are(pipeline, tmp_path):
    with pytest.raises(PipelineDrawingError, match=r"\['\.md', '\.mmd', '\.svg'\], not 'p\.png'"):
        pipeline.draw(tmp_path / "p.png")
    assert not (tmp_path / "p.png").exists()


def test_a_pipeline_is_shown_as_text_outside_of_notebooks(pipeline, capsys):
    pipeline.show()
    assert capsys.readouterr().out.startswith("flowchart TD\n")


def test_a_pipeline_is_shown_as_a_picture_in_a_notebook(pipeline, monkeypatch):
    shown = []
    display = ModuleType("IPython.display")
    display.display, display.SVG = shown.append, str
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(builtins, "get_ipython", object, raising=False)
    pipeline.show()
    assert shown[0].startswith("<svg ")

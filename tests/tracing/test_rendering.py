"""A trace as text."""

from spaniel import Document
from spaniel.tracing.rendering import make_label


def test_a_name_with_a_line_break_stays_on_its_line() -> None:
    assert make_label(Document(content="x", meta={"path": "a\nb.md", "section": ["C\nD"]})) == "a b.md > C D  'x'"

import pytest

from spaniel.components.converters import MarkdownToDocument
from spaniel.components.converters.files import convert_bytes
from spaniel.components.converters.markdown import convert_markdown
from spaniel.dataclasses import ByteStream


def links(converted):
    return [(converted.text[start:end], target) for start, end, target in converted.references]


def test_marks_are_removed():
    source = (
        "# *Big* `guide`\n\nA **bold** word, ~~gone~~ `code` and\nan ![image](x.png).\n\n> quoted\n\n***\n\nEnd\\*."
    )
    assert convert_markdown(source).text == ("Big guide\n\nA bold word, gone code and\nan image.\n\nquoted\n\nEnd*.")


def test_lists_keep_their_bullets_numbers_and_nesting():
    source = "* a\n* b\n  continued\n  1. one\n  2. two\n\n     more\n\n3. x\n4. y\n"
    assert convert_markdown(source).text.split("\n") == [
        *("- a", "- b", "  continued", "  1. one", "", "  2. two", "", "     more", "", "3. x", "4. y")
    ]


def test_code_is_unchanged():
    code = "def f():\n\n    # not a heading\n    return *x*"
    converted = convert_markdown(f"Run:\n\n```python\n{code}\n```\n\nDone.")
    assert converted.text == f"Run:\n\n{code}\n\nDone."
    assert [converted.text[start:end] for start, end in converted.code] == [code]
    assert converted.headings == []


def test_tables_are_rows_or_a_single_line():
    source = "| a | b |\n|---|---|\n| 1 | *2* |\n| 3 | |\n"
    assert convert_markdown(source).text.split("\n") == ["a | b", "1 | 2", "3 |"]
    assert convert_markdown(source, table_to_single_line=True).text == "a | b 1 | 2 3 |"


def test_links_of_every_kind_are_found():
    source = '[a](a.md "title") [b][ref] [c] <https://d.org> https://e.org/x. [f](<my file.md>) [![i](i.png)](g.md)\n\n[ref]: b.md#x\n[c]: c.md\n'
    assert links(convert_markdown(source)) == [
        *(("a", "a.md"), ("b", "b.md#x"), ("c", "c.md"), ("https://d.org", "https://d.org")),
        *(("https://e.org/x", "https://e.org/x"), ("f", "my file.md"), ("i", "g.md")),
    ]


def test_slugs_are_githubs_or_the_explicit_id_and_unique():
    source = "# What's *new*?\n\n## Usage\n\n## Usage\n\n## Set up {#setup}\n\nSetext\ntitle\n===\n"
    converted = convert_markdown(source)
    assert converted.slugs == ["whats-new", "usage", "usage-1", "setup", "setext-title"]
    assert [converted.text[start:].startswith(title) for _, title, start in converted.headings] == [True] * 5


def test_front_matter_is_the_title_and_not_text():
    converted = convert_markdown('---\ntitle: "npm install"\nsection: 1\n---\n\n### Synopsis\n\nText.\n')
    assert (converted.title, converted.text) == ("npm install", "npm install\n\nSynopsis\n\nText.")
    assert [heading[:2] for heading in converted.headings] == [(1, "npm install"), (3, "Synopsis")]


def test_a_front_matter_title_is_not_repeated_above_a_heading_of_the_first_level():
    converted = convert_markdown("---\ntitle: Short\n---\n# The long title\n")
    assert (converted.title, converted.text) == ("Short", "The long title")


def test_a_rule_at_the_top_is_not_front_matter():
    assert convert_markdown("---\n\nWords: here\n").text == "Words: here"


def test_html_tags_are_removed_and_links_headings_and_anchors_kept():
    source = (
        '<h1 align="center">Name &amp; co</h1>\n\n<p>See <a href="a.md">this\nfile</a>.</p>\n\n<!-- secret -->\n<script>bad()</script>\n\n'
        '<a name="old"></a>\n## New\n\nA<br>b <kbd>Ctrl</kbd> 1 <span id="here"></span>< 2\n'
    )
    converted = convert_markdown(source)
    assert converted.text == "Name & co\n\nSee this file.\n\nNew\n\nA\nb Ctrl 1 < 2"
    assert links(converted) == [("this file", "a.md")]
    assert converted.anchors == {"old": "new", "here": "new", "name--co": "name--co", "new": "new"}


def test_blocks_of_site_builders_keep_title_and_body():
    source = (
        '!!! warning "Mind the dog"\n    It *bites*, see [this](a.md).\n\n    ```\n    woof\n    ```\n\nAfter.\n\n'
        ':::note[Listen]\n\nBody.\n\n:::\n\n=== "Linux"\n\n    Penguins.\n'
    )
    converted = convert_markdown(source)
    assert (
        converted.text
        == "Mind the dog\n\nIt bites, see this.\n\nwoof\n\nAfter.\n\nListen\n\nBody.\n\nLinux\n\nPenguins."
    )
    assert links(converted) == [("this", "a.md")]


def test_myst_roles_and_labels_are_understood():
    converted = convert_markdown("(start)=\n# Start\n\nSee {doc}`the guide <guide>`, {class}`~a.B`.\n")
    assert converted.text == "Start\n\nSee the guide, a.B."
    assert converted.references[0].target == ":doc:guide"
    assert converted.aliases == {"start": "start"}


def test_deep_nesting_loses_no_text():
    assert convert_markdown("".join("  " * level + "- x\n" for level in range(60))).text.count("x") == 60


@pytest.mark.parametrize(
    "source", ["", "\n\n", "<!-- only a comment -->", "---\n---\n", "#", "[", "```", "<a", "[x]: y\n"]
)
def test_odd_sources_are_converted(source):
    assert convert_markdown(source).headings == []


def test_component_returns_a_document_per_source_with_its_structure():
    source = ByteStream.from_string(
        "# Guide\n\nSee [b](b.md), [out](../../x.md).", meta={"path": "docs/a.md", "team": "x"}
    )
    document = MarkdownToDocument().run([source], meta={"year": 2024})["documents"][0]
    assert document.meta == {
        "path": "docs/a.md",
        "team": "x",
        "year": 2024,
        "title": "Guide",
        "headings": [[1, "Guide", 0]],
        "heading_slugs": ["guide"],
        "references": [[11, 12, "docs/b.md", "link"], [14, 17, "../../x.md", "broken"]],
        "code_blocks": [],
        "source_lines": [[0, 1, 1, False], [7, 3, 3, False]],
    }


@pytest.mark.parametrize("block", ["> ", "- ", "> - "])
def test_text_nested_too_deep_for_the_parser_is_plain_text(block):
    source = block * 2000 + "word"
    assert convert_markdown(source).text == source


@pytest.mark.parametrize("block", ["> ", "1. "])
def test_no_text_is_lost_at_any_depth(block):
    for depth in range(60, 160):
        assert "word" in convert_markdown(block * depth + "word").text


def test_paragraphs_with_deep_brackets_are_plain_text():
    brackets = "[" * 200_000
    assert convert_markdown(f"# T\n\n{brackets}*word*\n\n*end*").text == f"T\n\n{brackets}*word*\n\nend"


def test_brackets_without_nesting_are_links():
    assert len(convert_markdown("[a](b.md) [c] " * 100).references) == 100
    assert len(convert_markdown("[ [a](b.md)\n\n" * 100).references) == 100


def test_words_beside_an_image_stay_apart():
    assert convert_markdown("a![b](c.png)d ![e](f.png).").text == "a b d e."


def test_unknown_html_declarations_are_comments():
    assert convert_markdown("<div>\na <![&x> b\n</div>").text == "a b"


def test_a_role_leads_to_a_label_of_the_file_itself():
    document = convert_bytes(b"(Some Label)=\n# Dogs\n\nSee {ref}`some label` and {ref}`other`.\n", "a.md")
    assert [(target, kind) for _, _, target, kind in document.meta["references"]] == [
        ("a.md#dogs", "link"),
        (":ref:other", "broken"),
    ]

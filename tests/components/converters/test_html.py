import pytest

from spaniel.components.converters import HTMLToDocument
from spaniel.components.converters._html_fragments import is_too_deep
from spaniel.components.converters.html import convert_html


def links(converted):
    return [(converted.text[start:end], target) for start, end, target in converted.references]


def test_text_flows_and_blocks_are_separate():
    page = "<title> The  page </title><h1>A <em>big</em>\n title</h1><p>One\n  two<br>three<p>Fo<b>ur</b> &amp; five&nbsp;six</p>"
    converted = convert_html(page)
    assert converted.text == "A big title\n\nOne two\nthree\n\nFour & five six"
    assert (converted.title, converted.headings) == ("The page", [(1, "A big title", 0)])


def test_scripts_forms_and_page_furniture_are_left_out():
    page = (
        "<head><style>x{}</style></head><body><header>Site</header><nav><a href='/'>Home</a></nav><h1>Title</h1><script>1</script>"
        "<p>Text <button>Buy</button><!-- no --></p><aside>More</aside><footer>(c)</footer></body>"
    )
    assert convert_html(page).text == "Title\n\nText"


def test_the_main_element_is_the_page():
    assert convert_html("<div>Menu</div><main><h1>T</h1><aside>Note</aside></main><div>End</div>").text == "T\n\nNote"


def test_a_page_of_navigation_only_is_kept():
    converted = convert_html("<body><nav><ul><li><a href='a.html'>A</a><li>B</ul></nav></body>")
    assert (converted.text, links(converted)) == ("- A\n- B", [("A", "a.html")])


def test_lists_and_tables_are_readable():
    page = "<ul><li>a<ul><li>b</ul><li>c</ul><ol start=3><li>x<li>y</ol><dl><dt>t<dd>d</dl><table><tr><th>A<th>B<tr><td>1<td><p>2</p><ul><li>3</ul></table>"
    assert convert_html(page).text.split("\n") == [
        *("- a", "  - b", "- c", "", "3. x", "4. y", "", "t", "   d", "", "A | B", "1 | 2 3")
    ]


def test_layout_tables_are_not_written_as_rows():
    assert convert_html("<table><tr><td>Menu<td><h1>T</h1><p>x</table>").text == "Menu\n\nT\n\nx"


def test_pre_is_unchanged_and_keeps_its_links():
    converted = convert_html("<p>Run:<pre>\n  a  &lt; b\n\n<a href='f.html'>f</a>(x)\n</pre>")
    assert converted.text == "Run:\n\n  a  < b\n\nf(x)"
    assert links(converted) == [("f", "f.html")]
    assert [converted.text[start:end] for start, end in converted.code] == ["  a  < b\n\nf(x)"]


def test_slugs_are_ids_of_headings_sections_or_anchors():
    page = (
        "<h1 id=one>1</h1><section id=two><span id=label></span><h2>2</h2><p id=para>x</p></section><a name=three></a><h2>3</h2>"
        "<h2><a id=four></a>4</h2><h2>Five &amp; six<a class=headerlink href='#f'>¶</a></h2><h2 id=one>1</h2>"
    )
    converted = convert_html(page)
    assert converted.slugs == ["one", "two", "three", "four", "five--six", "one-1"]
    assert converted.aliases["label"] == converted.aliases["para"] == "two"
    assert "¶" not in converted.text


@pytest.mark.parametrize(
    "page", ["", "<p", "</p></div>", "<!doctype html>", "<h1></h1>", "\x0c", "<table><td><td></table>"]
)
def test_malformed_pages_are_converted(page):
    assert convert_html(page).headings == []


def test_text_without_tags_is_a_page():
    assert convert_html("just words").text == "just words"


def test_deeply_nested_elements_do_not_exhaust_the_stack():
    assert convert_html("<div><b>" * 20_000 + "x").text == "x"


def test_rejects_options_of_trafilatura_by_name():
    with pytest.raises(ValueError, match="favor_precision"):
        HTMLToDocument(extraction_kwargs={"favor_precision": True})
    with pytest.raises(ValueError, match="favor_precision"):
        HTMLToDocument().run([], extraction_kwargs={"favor_precision": True})


def test_too_deep_pages_keep_text_links_and_headings():
    converted = convert_html("<script>1</script>" + "<div>" * 100_000 + '<h1>T</h1>word <a href="b.html">b</a>')
    assert converted.text.split() == ["T", "word", "b"]
    assert [heading.title for heading in converted.headings] == ["T"]
    assert links(converted) == [("b", "b.html")]


@pytest.mark.parametrize(
    "tags", ["<p>", "<li>", "<br>", "<a name=x>", "<div></div>", "<b>x</b>", "<svg><path /></svg>"]
)
def test_long_pages_are_not_too_deep(tags):
    assert not is_too_deep(tags * 3000)


@pytest.mark.parametrize("tags", ["<DIV>", "<b></i>", "<x/>", "<li><ul>", "<div class='a'>"])
def test_unclosed_elements_count_as_depth(tags):
    assert is_too_deep(tags * 1001)
    assert not is_too_deep(tags * 1000)


def test_unknown_declarations_are_comments():
    assert convert_html("<div>" * 1001 + "a <![&x> b").text == "a b"

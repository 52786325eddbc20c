import pytest

from spaniel.components.converters import HTMLToDocument
from spaniel.components.converters._html_writer import mark_insertion, write_html
from spaniel.components.converters.html import convert_html
from spaniel.text.source_lines import LineLookup
from spaniel.text.text_builder import TextBuilder


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


def test_a_fragment_is_written_between_other_text():
    builder = TextBuilder()
    builder.write("before")
    html = f"<div>a<b>b</b></div><table><tr><td>1<td>{mark_insertion(0)}</table><h2 id=x>T</h2>"
    write_html(html, builder, [lambda: builder.write("inserted")], has_headings=False)
    converted = builder.build()
    assert converted.text == "before\n\nab\n\n1 | inserted\n\nT"
    assert (converted.headings, converted.aliases) == ([], {"x": ""})


@pytest.mark.parametrize("name", ["anchor", "mark", "sidebar", "nav related"])
def test_no_heading_is_left_out_for_its_class(name):
    converted = convert_html(f'<h2 class="{name}" id=i>A</h2><div class="{name}"><h3>B</h3></div>')
    assert [title for _, title, _ in converted.headings] == ["A", "B"]


@pytest.mark.parametrize(
    "heading",
    [
        '<h2 id="x">X<a class="headerlink" href="#x" title="Link to this heading">¶</a></h2>',
        '<h2 id="x" tabindex="-1">X <a class="header-anchor" href="#x" aria-label="Permalink to &quot;X&quot;">\u200b</a></h2>',
        '<h2 id="x"><a class="doc-anchor" href="#x">§</a>X</h2>',
        '<h2 class="section" id="x"><span>X<a class="copiable-link" href="#x"> &para;</a></span></h2>',
        '<h2><a id="x" class="anchor" aria-hidden="true" href="#x"><svg><title>Link</title><path/></svg></a>X</h2>',
        '<h2 id="x"><a class="header" href="#x">X</a></h2>',
        '<h2 class="anchor" id="x">X<a href="#x" class="hash-link" aria-label="Direct link to X">\u200b</a></h2>',
        '<h2 id="x"><button>X</button></h2>',
        '<h2 id="x">X <button>Copy</button></h2>',
        '<h2 id="x"><span aria-hidden="true">🔗</span> X</h2>',
        '<div role="heading" aria-level="2" id="x">X</div>',
    ],
)
def test_titles_have_no_sign_that_links_to_them(heading):
    converted = convert_html(f"<p>a</p>{heading}<p>b</p>")
    assert (converted.headings, converted.slugs) == ([(2, "X", 3)], ["x"])
    assert converted.text == "a\n\nX\n\nb"


def test_blocks_have_the_lines_of_the_page():
    page = "<html>\n<nav>Menu\n</nav>\n<main>\n<h1\n id=t>Title\n</h1><p>One <b>two</b>\nthree\n<pre>\na\n\n<b>b</b> c</pre>\n<ul><li>x &amp; y<li>\nz</ul>"
    converted = convert_html(page)
    lines = LineLookup(converted.text, converted.source_lines)
    found = {
        word: lines.find(converted.text.index(word), converted.text.index(word) + len(word))
        for word in ("Title", "One", "three", "a\n\nb", "b c", "x & y", "z")
    }
    assert found == {
        "Title": (6, 6),
        "One": (7, 8),
        "three": (7, 8),
        "a\n\nb": (10, 12),
        "b c": (12, 12),
        "x & y": (13, 13),
        "z": (14, 14),
    }


@pytest.mark.parametrize(
    ("base", "href", "target"),
    [
        ("g/", "a.html#x", "g/a.html#x"),
        ("g/index.html", "a.html", "g/a.html"),
        ("../", "g/a.html", "../g/a.html"),
        ("/docs/", "a.html", "/docs/a.html"),
        ("g/", "/a.html", "/a.html"),
        ("g/", "#x", "g/#x"),
        ("g/", "mailto:a@b.c", "mailto:a@b.c"),
        ("https://e.org/d/", "a.html", "https://e.org/d/a.html"),
        ("https://e.org/d/", "/a.html", "https://e.org/a.html"),
        ("", "\n a.html\n", "a.html"),
    ],
)
def test_targets_are_relative_to_the_base(base, href, target):
    converted = convert_html(f'<head><base href="{base}"></head><p><a href="{href}">a</a>')
    assert links(converted) == [("a", target)]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<wbr>b&shy;c <span>d</span>e", "abc de"),
        ("<p>a<template>b</template><noscript>c</noscript><span hidden>d</span>e", "ae"),
        ("<div role=tabpanel hidden>a</div><div hidden=until-found>b</div>", "a\n\nb"),
        ("<p>a <math><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></math>", "a x^2"),
        ("<p><math alttext='y_1'><mi>y</mi></math> <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "y_1 1 2"),
        (
            "<span class=katex><span><math><annotation encoding='application/x-tex'>z</annotation></math></span><span aria-hidden=true>z</span></span>",
            "z",
        ),
        ("<p>a<svg><title>b</title><text>c</text><style>d</style></svg>e", "a b c e"),
        ("<p>a<img alt=b><img alt=c>d<img src=x>e", "a b c de"),
        ("<p>say<q>yes</q>", "say\u201cyes\u201d"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>", "漢字 (kanji)"),
        ("<p>word<sup><a href='#f'>1</a></sup> x<sup>2</sup>", "word 1 x2"),
        ("<details><summary>a</summary>b</details>", "a\n\nb"),
        ("<dl><dt><button>q?</button><dd>a", "q?\n   a"),
        ("<figure><img alt=a><figcaption>b</figcaption></figure>", "a\n\nb"),
        ("<ol start=3><li>a<li value=7>b<li>c", "3. a\n7. b\n8. c"),
        ("<table><caption>t</caption><tr><th rowspan=2>a<th>b<tr><td>c<br>d</table>", "t\n\na | b\n| c d"),
        ("<table><tr><td>a<table><tr><td>b<td>c</table></table>", "a\n\nb | c"),
        ("<table><tr><td><ul><li>a<li>b</ul><td>c</table>", "- a\n- b\n\nc"),
        ("<table><td class=linenos><pre>1\n2</pre><td><pre>a\nb</pre></table>", "a\nb"),
        ("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "a\nb"),
        ("<article><header>a</header><h2>T</h2><footer>b</footer></article>", "a\n\nT\n\nb"),
        ("<header><h1>T</h1>x</header><main><p>a</main>", "T\n\na"),
        ("<main><p>a</main><main><p>b</main>", "a\n\nb"),
    ],
)
def test_elements_are_written_as_browsers_show_them(html, text):
    assert convert_html(html).text == text


def test_ids_of_elements_that_are_left_out_are_anchors():
    converted = convert_html("<p id=a>x<h2 id=t>T</h2><nav id=b>n</nav><script id=c></script><a name=d></a>")
    assert converted.aliases == {"a": "", "t": "t", "b": "t", "c": "t", "d": "t"}

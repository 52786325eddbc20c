"""Rules of dialects: their markup is left out, and code is never touched."""

import pytest

from spaniel.components.converters.files import convert_bytes, labels_of
from spaniel.components.converters.markdown import convert_markdown, convert_mdx
from spaniel.text.link_resolver import LinkResolver

DIALECTS = [
    '!!! note "T"\n    words',
    "??? tip\n    words",
    '=== "Tab"\n    words',
    "::: tip T\nwords\n:::",
    "/// note | T\nwords\n///",
    "(label)=\nwords",
    "{: #own}\nwords",
    "{% raw %}words{% endraw %}",
    "{% include a.html %}\nwords",
    "{{< note >}}words{{< /note >}}",
    "[TOC]\n\nwords",
    "[[page|text]] words",
    "import words from 'a'",
    "export const words = 1",
    "<Card title='words' />",
    "{/* words */}",
    "$a_b$ words",
    "{ref}`words <a>`",
    "words^[note]",
    "[words]{.class}",
    "words\n: definition",
    "[words]({% link a.md %})",
    "https://a.org/words_",
]


def links(converted):
    return [(converted.text[start:end], target) for start, end, target in converted.references]


def indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


@pytest.mark.parametrize("source", DIALECTS)
@pytest.mark.parametrize("convert", [convert_markdown, convert_mdx])
def test_fenced_code_is_unchanged(source, convert):
    assert convert(f"Before.\n\n```\n{source}\n```\n\nAfter.").text == f"Before.\n\n{source}\n\nAfter."


@pytest.mark.parametrize("source", DIALECTS)
def test_indented_code_and_preformatted_text_are_unchanged(source):
    assert convert_markdown(f"Before.\n\n{indent(source)}\n\nAfter.").text == f"Before.\n\n{source}\n\nAfter."
    escaped = source.replace("<", "&lt;")
    if "\n\n" not in source:
        assert convert_markdown(f"<pre>{escaped}</pre>\n").text == source


@pytest.mark.parametrize("source", [source for source in DIALECTS if "\n" not in source and "`" not in source])
@pytest.mark.parametrize("convert", [convert_markdown, convert_mdx])
def test_code_in_a_line_is_unchanged(source, convert):
    assert convert(f"Write `{source}` there.").text == f"Write {source} there."


@pytest.mark.parametrize("source", [source for source in DIALECTS if "<Card" not in source])
def test_the_words_of_every_dialect_stay(source):
    assert "words" in convert_markdown(source).text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('!!! warning "Mind *it*"\n    a\n\n    - b\n\nc', "Mind it\n\na\n\n- b\n\nc"),
        ("??? tip inline end\n    a", "Tip\n\na"),
        ('!!! note ""\n    a', "a"),
        ("!!! Beware of the dog", "!!! Beware of the dog"),
        (":::note[Listen]{.wide}\na\n:::", "Listen\n\na"),
        (":::warning\na\n:::", "Warning\n\na"),
        ("::: details Click *me*\na\n:::", "Click me\n\na"),
        ('::: {.callout-note title="Hey"}\na\n:::', "Hey\n\na"),
        ("::: pkg.module.Class\n\na", "pkg.module.Class\n\na"),
        (":::{note} One\n:class: x\ntwo\n:::", "Note\n\nOne\n\ntwo"),
        ("```{admonition} Title\n:class: x\n\n*a*\n```", "Title\n\na"),
        ("```{python}\n*a*\n```", "*a*"),
        ("/// Adds one", "/// Adds one"),
        ("/// details | More\n    open: true\n\na\n///", "More\n\na"),
        ("{% highlight ruby %}\n*a*\n{% endhighlight %}", "*a*"),
        ("Ten {% of %} all", "Ten {% of %} all"),
        ("See {{ page.a_b_c }}", "See {{ page.a_b_c }}"),
        ("* TOC\n{:toc}\n\na", "- TOC\n\na"),
        ("a *b*{: .c} `d`{.e} ![f](g){width=3} {.h}", "a b d f {.h}"),
        ("Term\n: One *two*\n: Three", "Term\n   One two\n   Three"),
        ("Wet[^1].\n\n[^1]: Really.\n    Very.", "Wet[1].\n\n[1] Really.\nVery."),
        ("Wet^[really *so*], he said", "Wet (really so), he said"),
        ("$a_b$ and $x*y*z$ cost $5 and *$6*", "$a_b$ and $x*y*z$ cost $5 and $6"),
        ("$$\na_b\n$$", "$$\na_b\n$$"),
        ("- [ ] a\n- [x] b", "- [ ] a\n- [x] b"),
        ("<div markdown>\n**a**\n</div>", "a"),
        ("import tools from 'x'", "import tools from 'x'"),
        ("```x``` a\n\n*b*", "x a\n\nb"),
    ],
)
def test_dialects_become_text(source, text):
    assert convert_markdown(source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("import A from 'a'\nimport {\n  B,\n\n  C } from \"b\"\n\na", "a"),
        ("export const x = {\n  a: 1,\n\n  b: 2\n}\n\na", "a"),
        ("import taxes are high", "import taxes are high"),
        ("a {/* b */} {'c'} {d.e}", "a  c {d.e}"),
        ('<Tabs>\n  <TabItem value="a" label="Linux">\n\n    *b*\n\n  </TabItem>\n</Tabs>', "Linux\n\nb"),
        ("<A onClick={() => { if (a > b) { return '}' } }}>\n\nc\n\n</A>", "c"),
        ("<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>", "a | b"),
        ('<iframe src="a" />\n\nb', "b"),
        ("<style>{`a { b: c }`}</style>\n\nd", "d"),
        ("x < y and {open", "x < y and {open"),
        ("<!-- truncate -->\n\na", "a"),
    ],
)
def test_mdx_becomes_text(source, text):
    assert convert_mdx(source).text == text


def test_components_of_mdx_link():
    source = '<Card title="Start" href="/a" />\n\n<Link to="b.md">see *this*</Link>'
    assert links(convert_mdx(source)) == [("Start", "/a"), ("see this", "b.md")]


@pytest.mark.parametrize(
    ("source", "slug"),
    [
        ("# A {#own}", "own"),
        ("# A {.unnumbered}", "a"),
        ("# A {-}", "a"),
        ("# A\n{: #own}", "own"),
        ("# A {: .b #own }", "own"),
        ("# A {/* #own */}", "own"),
        ("A {#own}\n===", "own"),
        ("# A {b}", "a-b"),
    ],
)
def test_headings_have_the_ids_of_their_attributes(source, slug):
    converted = convert_markdown(source)
    assert (converted.slugs, converted.headings[0].title.startswith("A")) == ([slug], True)
    assert converted.headings[0].title in ("A", "A {b}")


def test_headings_in_quotes_and_lists_count_for_slugs_and_can_be_linked_to():
    converted = convert_markdown("# A\n\n> # Q\n\n- # Q\n\n# Q\n")
    assert [heading.title for heading in converted.headings] == ["A", "Q"]
    assert converted.anchors == {"a": "a", "q": "a", "q-1": "a", "q-2": "q-2"}


def test_labels_of_myst_lead_from_other_files():
    labels = labels_of("(my label)=\n\n# Target\n", "a.md")
    assert labels == {"my label": "a.md#target", "a.md#my label": "a.md#target"}
    resolver = LinkResolver({"a.md", "b.md"}, labels)
    document = convert_bytes(b"See {ref}`my label` and {ref}`here <My label>`.", "b.md", resolver)
    assert [target for _, _, target, _ in document.meta["references"]] == ["a.md#target"] * 2


def test_entries_of_a_toctree_are_links():
    assert links(convert_markdown("```{toctree}\n:maxdepth: 2\n\na/b\nTitle <c>\n```")) == [
        ("a/b", ":doc:a/b"),
        ("Title", ":doc:c"),
    ]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("[a]({{ site.baseurl }}/b.md)", "/b.md"),
        ("[a]({% link _c/b.md %}#d)", "/_c/b.md#d"),
        ('[a]({{< ref "b.md#c" >}})', "b.md#c"),
        ("[a]({{ '/b.md' | relative_url }})", "/b.md"),
    ],
)
def test_targets_that_templates_write_are_links(target, expected):
    assert links(convert_markdown(target)) == [("a", expected)]


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("[[Page]]", "notes/Page.md"),
        ("[[page#Some Title|text]]", "notes/Page.md#some-title"),
        ("[[notes/Page]]", "notes/Page.md"),
        ("![[pic.png]]", "img/pic.png"),
        ("[[#Own]]", "deep/er/x.md#own"),
    ],
)
def test_wiki_links_lead_to_the_page_of_that_name_wherever_it_is(link, target):
    resolver = LinkResolver({"notes/Page.md", "img/pic.png", "deep/er/x.md"})
    document = convert_bytes(f"# Own\n\n{link}".encode(), "deep/er/x.md", resolver)
    assert [found[2:] for found in document.meta["references"]] == [[target, "link"]]


def test_brackets_that_name_no_page_are_no_link():
    document = convert_bytes(b"[[nodiscard]] [[1]](u.md)", "x.md", LinkResolver({"x.md", "u.md"}))
    assert [found[2] for found in document.meta["references"]] == ["u.md"]


def test_reference_definitions_come_before_wiki_links():
    assert links(convert_markdown("[[a]]\n\n[a]: b.md")) == [("a", "b.md")]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<h1>\nTwo\nlines\n</h1>", "Two lines"),
        ("# a<br>b", "a b"),
        ("The <script> tag.\n\n# After\n\nkept", "The <script> tag.\n\nAfter\n\nkept"),
        ("| a |\n|---|\n| x<br>y |", "a\nx y"),
        ("<table><tr><td>Alpha</td><td>Beta</td></tr></table>", "Alpha | Beta"),
        ("<pre>\na\n  b\n</pre>", "a\n  b"),
        ("<table>\n<tr><td>\n\n- a\n\n</td><td>\n\n*b*\n\n</td></tr></table>", "a | b"),
        ('<div class="a\n\nb', '<div class="a\n\nb'),
        ("> <!-- a\n\nb", "b"),
        ("<svg>\n\na", "a"),
        ("<select><option>\n\na", "a"),
        ("<template>\n\na\n\n</template>", "a"),
        ("<script>\na\n</script>\n\nb", "b"),
    ],
)
def test_html_is_read_as_one_tree_and_hides_no_markdown(source, text):
    assert convert_markdown(source).text == text


def test_an_unclosed_html_heading_ends_before_the_next_block():
    converted = convert_markdown("# T\n\n<h2>A<h2>\n\n## N\n\nx\n\n<h3>O</h3>")
    assert [heading[:2] for heading in converted.headings] == [(1, "T"), (2, "A"), (2, "N"), (3, "O")]
    assert converted.text == "T\n\nA\n\nN\n\nx\n\nO"


def test_toml_front_matter_is_read():
    converted = convert_markdown('+++\ntitle = "Dogs"\ndate = 2024-05-01\n+++\n\nThey bark.')
    assert (converted.title, converted.meta["date"], converted.text) == ("Dogs", "2024-05-01", "Dogs\n\nThey bark.")

import gc
import re
import time

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from hypothesis import given
from hypothesis import strategies as st

from spaniel.components.converters.files import convert_bytes
from spaniel.components.converters.rst import RSTToDocument, convert_rst, find_labels
from spaniel.dataclasses import ByteStream
from spaniel.text.link_resolver import LinkResolver
from spaniel.text.source_lines import LineLookup


def links(converted):
    return [(converted.text[start:end], target) for start, end, target in converted.references]


def test_headings_keep_their_levels_and_the_text_its_words():
    source = "=====\nTitle\n=====\n\nSome *emphasis*, **strong** and ``code``.\n\nSub\n---\n\n- a\n- b\n\n  more\n\n1. x\n2. y\n\nOther\n-----\n"
    converted = convert_rst(source)
    assert converted.text == (
        "Title\n\nSome emphasis, strong and code.\n\nSub\n\n- a\n- b\n\n  more\n\n1. x\n2. y\n\nOther"
    )
    assert [heading[:2] for heading in converted.headings] == [(1, "Title"), (2, "Sub"), (2, "Other")]
    assert all(converted.text[start:].startswith(title) for _, title, start in converted.headings)


def test_sphinx_roles_keep_their_text_and_link_where_they_name_files():
    source = "See :class:`~a.b.C`, :func:`f <x.f>`, :ref:`the label <my-label>`, :doc:`/guide/start`, :pep:`8`, :unknown:`x`."
    converted = convert_rst(source)
    assert converted.text == "See a.b.C, f, the label, /guide/start, PEP 8, x."
    assert links(converted) == [
        ("a.b.C", ":obj:py:a.b.C|auto:a.b"),
        ("f", ":obj:py:x.f|auto:x"),
        ("the label", ":ref:my-label"),
        ("/guide/start", ":doc:/guide/start"),
        ("PEP 8", ":pep:8"),
        ("x", ":obj:unknown:x"),
    ]


def test_links_are_resolved_by_name():
    source = (
        "A_, `the b`_, `c <c.rst>`_, `d`__, `e`__, https://f.org, `Some title`_, inner_, lost_, alias_.\n\n"
        ".. _a: https://a.org\n.. _the b: b.html\n.. _alias: a_\n__ d.rst\n__ https://e.org\n\n.. _inner:\n\nSome title\n==========\n"
    )
    assert links(convert_rst(source)) == [
        *(("A", "https://a.org"), ("the b", "b.html"), ("c", "c.rst"), ("d", "d.rst"), ("e", "https://e.org")),
        *(
            ("https://f.org", "https://f.org"),
            ("Some title", "#some title"),
            ("inner", "#inner"),
            ("lost", ":ref:lost"),
        ),
        ("alias", "https://a.org"),
    ]


def test_bodies_of_unknown_directives_stay():
    source = (
        ".. py:function:: run(a, b)\n   :noindex:\n\n   Runs *it*.\n\n   .. versionadded:: 3.1\n      Yes.\n\n"
        ".. strange:: Argument\n   :option: x\n\n   - item\n\n.. note:: Mind.\n\n.. code-block:: python\n   :caption: C\n\n   def f():\n\n       pass\n"
    )
    converted = convert_rst(source)
    assert converted.text == (
        "run(a, b)\n\nRuns it.\n\nAdded in version 3.1 Yes.\n\nArgument\n\n- item\n\nNote\n\nMind.\n\nC\n\ndef f():\n\n    pass"
    )
    assert [converted.text[start:end] for start, end in converted.code] == ["def f():\n\n    pass"]


def test_a_toctree_links_its_files():
    converted = convert_rst(".. toctree::\n   :maxdepth: 2\n\n   usage/start\n   The API <api>\n   more/*\n")
    assert converted.text == "- usage/start\n- The API\n- more/*"
    assert links(converted) == [("usage/start", ":doc:usage/start"), ("The API", ":doc:api")]


def test_tables_definitions_footnotes_and_substitutions_are_readable():
    source = (
        "=====  =====\nA      B\n=====  =====\n1      x *y*\n=====  =====\n\nterm\n   Its\n   meaning.\n\n:field: value\n\n"
        "Version |version|, |none| [1]_.\n\n.. |version| replace:: 3.2\n.. [1] A note.\n"
    )
    assert convert_rst(source).text == (
        "A | B\n1 | x y\n\nterm\n   Its\n   meaning.\n\nfield: value\n\nVersion 3.2, |none| [1].\n\n[1] A note."
    )


@pytest.mark.parametrize(
    "directive",
    [
        "include:: {}",
        "literalinclude:: {}",
        "raw:: html\n   :file: {}",
        "csv-table:: T\n   :file: {}",
        "raw:: html\n\n   <script>secret</script>",
        "code-block::\n   :file: {}",
        "parsed-literal::\n   :file: {}",
    ],
)
def test_no_other_file_is_read_and_no_raw_output_taken_over(directive, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    text = convert_rst(f"Before.\n\n.. {directive.format(tmp_path / 'secret.txt')}\n\nAfter.\n").text
    assert "secret" not in text.replace("secret.txt", "")
    assert text.startswith("Before.")
    assert text.endswith("After.")


def test_docutils_own_registries_and_settings_do_not_change():
    from docutils.parsers.rst import directives, roles, states

    before = (dict(directives._directives), dict(roles._roles), list(states.RSTState.nested_sm_cache))
    convert_rst(".. role:: mine\n\n.. default-role:: math\n\n.. strange:: x\n\n   - :mine:`a` `b`\n")
    assert (directives._directives, roles._roles, states.RSTState.nested_sm_cache) == before


def test_nothing_is_printed_and_no_message_is_in_the_text(capfd):
    source = "Title\n==\n\n*open ``also :role:`x |y\n\n+---\n| bad\n\n.. note::\n\n  - a\n b\n"
    text = convert_rst(source).text
    assert capfd.readouterr() == ("", "")
    assert "System Message" not in text
    assert "WARNING" not in text
    assert all(word in text for word in ("Title", "open", "also", "bad", "a", "b"))


def test_a_file_with_levels_that_do_not_fit_keeps_all_its_words():
    source = "A\n=\n\nB\n-\n\nC\n~\n\nD\n^\n\n=\nE\n=\n\nlast\n\nF\n~\n\nend\n"
    assert all(word in convert_rst(source).text for word in "ABCDEF")


def test_a_slug_is_the_label_above_or_the_title():
    converted = convert_rst(
        ".. _my label:\n.. _other:\n\nOne 1.2\n=======\n\n.. a comment\n\nTwo\n---\n\nTwo\n---\n\n概要\n----\n"
    )
    assert converted.slugs == ["my-label", "two", "two-1", "概要"]
    assert converted.aliases["other"] == "my-label"


def test_the_title_of_a_pep_is_in_its_header():
    assert (
        convert_rst("PEP: 8\nTitle: Style Guide\nStatus: Active\n\nIntroduction\n============\n").title == "Style Guide"
    )


def test_settings_of_a_sphinx_file_are_not_text():
    assert convert_rst(":orphan:\n:tocdepth: 2\n\nTitle\n=====\n").text == "Title"


def test_a_very_long_line_is_kept():
    assert "x" * 50_000 in convert_rst("Title\n=====\n\n" + "x" * 50_000).text


PIECES = st.lists(
    st.sampled_from(
        [
            *("word", "x", " ", "\\ ", "\\s", "\\*", "\\\\", "\\<", "(", ")", ", ", "é"),
            *("*em*", "**bold**", "``lit\\ eral``", ":sup:`2`", ":emphasis:`a\\ b`", ":literal:`c\\`d`", "`title`"),
            *("`link <http://a.org/b\\_c>`_", "`e\\ f <g.html>`__", "http://a.org/h", "|sub|", "[1]_"),
        ]
    ),
    max_size=8,
).map("".join)
PLACES = [
    "{0}",
    "Title {0}\n====================================================\n\nText.",
    "- {0}\n- b",
    "Term {0}\n  Definition {0}",
    ":field {0}: Body {0}",
    "| Line {0}\n| other",
    ".. note:: Mind {0}",
    ".. topic:: Topic {0}\n\n   Body.",
    ".. list-table::\n\n   * - Cell {0}\n     - b",
    "=====  ==================================================\nA      B {0}\n=====  ==================================================",
    ".. [2] Note {0}",
    ".. image:: a.png\n   :alt: pic",
    ".. figure:: a.png\n\n   Caption {0}",
]


def words(text):
    """Return the letters and signs of a text, without the marks that each writer of text puts
    around blocks.
    """
    return re.sub(r"[\s|:\[\]*-]|Note|pic|#", "", text)


@given(place=st.sampled_from(PLACES), piece=PIECES)
def test_the_text_of_any_markup_is_that_of_docutils(place, piece):
    source = place.format(piece) + "\n\n.. |sub| replace:: S\\ T\\*\n\n.. [1] One"
    settings = {"report_level": 5, "halt_level": 6, "warning_stream": False, "_disable_config": True}
    tree = publish_doctree(source, settings_overrides=settings)
    for message in [*tree.findall(nodes.system_message), *tree.findall(nodes.substitution_definition)]:
        message.parent.remove(message)
    converted = convert_rst(source)
    assert "\x00" not in str(converted)
    assert words(converted.text) == words(tree.astext())


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        (":class:`Model`\\ s and :func:`f`\\s", "Models and fs", [("Model", ":obj:py:Model"), ("f", ":obj:py:f")]),
        ("See `a\\ b <c.html>`_\\ s.", "See abs.", [("ab", "c.html")]),
        (":doc:`the\\ guide </a\\_b>`", "theguide", [("theguide", ":doc:/a_b")]),
        (":ref:`a \\<b>`", "a <b>", [("a <b>", ":ref:a <b>")]),
        (".. function:: run(\\*args)", "run(*args)", []),
        (".. |s| replace:: A\\ B\n\nWith |s|\\ s.", "With ABs.", []),
        (".. _a\\ b:\n\nTo `a\\ b`_.", "To ab.", [("ab", "#ab")]),
    ],
)
def test_escapes_are_removed_from_texts_and_targets(source, text, found):
    converted = convert_rst(source)
    assert converted.text == text
    assert links(converted) == found


def test_a_title_with_an_escape_gives_a_heading_and_an_anchor_without_it():
    converted = convert_rst("All :class:`Model`\\ s\n==================\n\nText.")
    assert [heading[:2] for heading in converted.headings] == [(1, "All Models")]
    assert converted.slugs == ["all-models"]


LABELLED = """\
.. _top:

Title
=====

.. _Inside Label:

A paragraph.

.. _url: https://example.org/
.. _long url:
   https://example.org/

.. code-block:: rst

   .. _not a label:

.. index:: x

.. _one:
.. _two:

.. a comment

Sub
---

Title
=====
"""


def test_a_label_names_the_section_below_or_around_it():
    labels = {name: address for name, address in find_labels(LABELLED, "a.rst").items() if "#" not in name}
    assert labels == {"top": "a.rst#top", "inside label": "a.rst#top", "one": "a.rst#one", "two": "a.rst#one"}


def test_labels_agree_with_the_converter():
    converted = convert_rst(LABELLED)
    assert converted.slugs == ["top", "one", "title"]
    for name, address in find_labels(LABELLED, "a.rst").items():
        if "#" not in name:
            assert f"a.rst#{converted.aliases[name]}" == address


def test_ids_of_built_pages_lead_to_the_sections():
    assert find_labels(LABELLED, "a.rst")["a.rst#sub"] == "a.rst#one"


def test_a_label_before_the_first_heading_is_the_file():
    assert find_labels(".. _a:\n\nText.\n\nTitle\n=====\n", "x.rst")["a"] == "x.rst"


@pytest.mark.parametrize("title", ["All :class:`Model`\\ s", "Go", "A", "With *emphasis* and ``code``", "概要"])
def test_a_label_above_any_title_leads_to_its_section(title):
    source = f"Start\n=====\n\nSee :ref:`spot` and spot_.\n\n.. _spot:\n\n{title}\n{'=' * 40}\n\nText.\n"
    assert find_labels(source, "a.rst")["spot"] == "a.rst#spot"
    document = RSTToDocument().run([ByteStream.from_string(source, meta={"path": "a.rst"})])["documents"][0]
    assert [reference[2:] for reference in document.meta["references"]] == [["a.rst#spot", "link"]] * 2


OBJECTS = """\
Models
======

.. module:: shop.models

.. class:: Order(items)

   Has :meth:`total` and :attr:`.Order.date`.

   .. method:: total()

   .. attribute:: date

.. setting:: CURRENCY

.. option:: --all <x>, -a

.. glossary::

   basket
   cart
      Holds items.
"""


def test_objects_are_labels():
    assert {
        name for name in find_labels(OBJECTS, "m.rst") if ":" in name and not name.startswith(("py:.", "m.rst"))
    } == {
        *("py:shop.models", "py:shop.models.Order", "py:shop.models.Order.total", "py:shop.models.Order.date"),
        *("setting:CURRENCY", "option:--all", "option:-a", "term:basket", "term:cart"),
    }


@pytest.mark.parametrize(
    "role",
    [
        ":class:`shop.models.Order`",
        ":py:meth:`the sum <shop.models.Order.total>`",
        ":meth:`~.Order.total`",
        ":mod:`shop.models`",
        ":setting:`CURRENCY`",
        ":option:`--all`",
        ":term:`Cart`",
    ],
)
def test_roles_link_to_the_objects_of_other_files(role):
    resolver = LinkResolver({"m.rst", "a.rst"}, find_labels(OBJECTS, "m.rst"))
    document = convert_bytes(f"See {role}.".encode(), "a.rst", resolver)
    assert [reference[2:] for reference in document.meta["references"]] == [["m.rst#models", "link"]]


def test_objects_of_other_projects_are_no_broken_links():
    assert convert_bytes(b"See :class:`int` and :func:`os.stat`.", "a.rst").meta["references"] == []


def test_roles_in_a_class_find_its_members():
    converted = convert_rst(OBJECTS)
    assert links(converted) == [("total", "#models"), (".Order.date", "#models")]


def test_terms_of_a_glossary_may_share_a_definition():
    assert convert_rst(OBJECTS).text.endswith("basket\ncart\n   Holds items.")


def test_a_pattern_in_a_toctree_links_all_its_files():
    resolver = LinkResolver({"index.rst", "guide/a.rst", "guide/b.rst", "guide/deep/c.rst", "guide/d.md"})
    source = b".. toctree::\n   :glob:\n\n   guide/*\n"
    references = convert_bytes(source, "index.rst", resolver).meta["references"]
    assert [reference[2] for reference in references] == ["guide/a.rst", "guide/b.rst"]


def test_captions_and_bodies_of_conditions_stay_and_conditions_do_not():
    source = (
        ".. only:: html\n\n   Sub\n   ---\n\n   Words.\n\n.. code-block:: sh\n   :caption: The *command*\n\n   ls\n"
    )
    assert convert_rst(source).text == "Sub\n\nWords.\n\nThe command\n\nls"


def test_a_name_option_is_a_label():
    assert find_labels("T\n=\n\n.. code-block:: sh\n   :name: my code\n\n   ls\n", "a.rst")["my code"] == "a.rst#t"


def test_footnotes_are_numbered_as_by_docutils():
    assert convert_rst("A [#]_ b [#x]_ c [*]_\n\n.. [#] One\n.. [#x] Two\n.. [*] Star\n").text == (
        "A [1] b [2] c [*]\n\n[1] One\n\n[2] Two\n\n[*] Star"
    )


def test_nul_characters_of_the_source_are_replaced():
    assert convert_rst("a\0b\n").text == "a\ufffdb"


def test_each_line_of_text_stands_in_its_source_lines():
    source = LINES.replace("LONG", "x\n" * 40)
    converted, lines = convert_rst(source), source.split("\n")
    lookup = LineLookup(converted.text, converted.source_lines)
    for match in re.finditer(r"\S.*", converted.text):
        first, last = lookup.find(match.start(), match.end())
        there = "\n".join(lines[first - 1 : last])
        assert all(word in there for word in re.findall(r"[^\W\d]\w*", match.group())), (match.group(), first, last)


LINES = """\
=======
 Title
=======

LONG

One *two*
three [#]_.

- four

  - five
- six

seven
   eight

:nine: ten

=====  =====
ten    elf
=====  =====
zwei   drei
       fünf
=====  =====

+------+-------+
| vier | sechs |
| acht | neun  |
+------+-------+

.. function:: call(a)
   :noindex:

   Body words
   of two lines.

   ::

      code one

      code two

.. list-table:: Caption words

   * - cell one
     - cell two

.. figure:: a.png
   :alt: Some picture

   Figure words

.. glossary::

   term one
   term two
      meaning

.. [#] note words
   more
"""


@pytest.mark.parametrize(
    "make",
    [
        lambda count: "".join(f".. _l{number}:\n\n" for number in range(count)) + "T\n==\n",
        lambda count: "".join(f".. _l{number}: l{number + 1}_\n" for number in range(count)) + "\nsee l0_\n",
        lambda count: "".join(f"T{number}\n======\n\nx\n\n" for number in range(count)),
        lambda count: "*a\n" * count,
        lambda count: "`a\n" * count,
        lambda count: "[#]_\n" * count + "\n" + ".. [#] b\n" * count,
        lambda count: ".. class:: X\n\n   a\n\n" * count,
        lambda count: "=== ===\na   b\n=== ===\n" + "1   2\n" * count + "=== ===\n",
        lambda count: (
            ".. |a0| replace:: x\n" + "".join(f".. |a{n + 1}| replace:: |a{n}||a{n}|\n" for n in range(40)) + "\n|a40|"
        ),
        lambda count: "- a\n" * count,
        lambda count: "".join("  " * depth + "- a\n\n" for depth in range(count // 4)),
    ],
)
def test_time_grows_with_the_size(make):
    def seconds(count):
        source = make(count)
        gc.disable()  # a collection takes as long as all objects of the test run are many
        try:
            start = time.process_time()
            convert_rst(source)
            return time.process_time() - start
        finally:
            gc.enable()

    seconds(100)
    short = seconds(500)
    assert any(seconds(2000) < 10 * short + 0.5 for _ in range(3))  # one measurement may be disturbed


def test_members_that_sphinx_would_import_lead_to_their_class_or_module():
    source = "API\n===\n\n.. module:: shop\n\n.. autoclass:: Cart\n   :members:\n\nViews\n-----\n\n.. automodule:: shop.views\n"
    labels = find_labels(source, "api.rst")
    document = convert_bytes(
        b":class:`shop.Cart`, :meth:`shop.Cart.add`, :func:`shop.views.index`, :func:`other.views.index`.",
        "a.rst",
        LinkResolver({"a.rst", "api.rst"}, labels),
    )
    assert [reference[2] for reference in document.meta["references"]] == [
        "api.rst#api",
        "api.rst#api",
        "api.rst#views",
    ]


def test_directives_described_by_their_own_marks_are_objects():
    labels = find_labels(".. rst:directive:: .. code-block:: [language]\n\n   Shows code.\n", "a.rst")
    assert labels["dir:code-block"] == "a.rst"

from spaniel.components.converters.rst import convert_rst
from spaniel.text.rst_labels import rst_labels

SOURCE = """\
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
    labels = {name: address for name, address in rst_labels(SOURCE, "a.rst").items() if "#" not in name}
    assert labels == {"top": "a.rst#top", "inside label": "a.rst#top", "one": "a.rst#one", "two": "a.rst#one"}


def test_labels_agree_with_the_converter():
    converted = convert_rst(SOURCE)
    assert converted.slugs == ["top", "one", "title"]
    for name, address in rst_labels(SOURCE, "a.rst").items():
        if "#" not in name:
            assert f"a.rst#{converted.aliases[name]}" == address


def test_ids_of_built_pages_lead_to_the_sections():
    assert rst_labels(SOURCE, "a.rst")["a.rst#sub"] == "a.rst#one"


def test_a_label_before_the_first_heading_stands_for_the_file():
    assert rst_labels(".. _a:\n\nText.\n\nTitle\n=====\n", "x.rst")["a"] == "x.rst"

import json
import logging

import pytest
import yaml
from haystack.components.converters import MarkdownToDocument as TheirConverter
from hypothesis import given
from hypothesis import strategies as st

from spaniel.components.converters import MarkdownToDocument
from spaniel.components.converters.files import convert_bytes
from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import ByteStream
from spaniel.text.front_matter import read_front_matter

SOURCE = """---
title: Dogs
tags: [pets, animals]
date: 2024-05-01
updated: 2024-05-01 10:00:00+02:00
draft: false
weight: 3
author: {name: Ann}
---
They bark.
"""
FIELDS = {
    "title": "Dogs",
    "tags": ["pets", "animals"],
    "date": "2024-05-01",
    "updated": "2024-05-01T10:00:00+02:00",
    "draft": False,
    "weight": 3,
    "author": {"name": "Ann"},
}


def test_fields_are_data_that_json_holds_and_dates_are_iso():
    found = read_front_matter(SOURCE)
    assert (found.fields, SOURCE[found.end :], found.problem) == (FIELDS, "They bark.\n", "")


def test_every_section_of_a_file_has_them():
    document = convert_bytes((SOURCE + "\n# A\n\nx\n\n# B\n\ny\n").encode(), "dogs.md")
    assert "tags" not in (document.content or "")
    for node in SectionSplitter().run([document])["documents"]:
        assert {key: node.meta[key] for key in FIELDS} == FIELDS


def test_files_cannot_override_keys_of_converters_and_splitters():
    source = "---\npath: /etc\nheadings: [[1, x, 99]]\n__parent_id: x\nanchor: a\nlinks: [b]\nok: 1\n---\n# T\n"
    document = convert_bytes(source.encode(), "dogs.md")
    assert (document.meta["path"], document.meta["headings"]) == ("dogs.md", [[1, "T", 0]])
    assert "__parent_id" not in document.meta
    root = SectionSplitter().run([document])["documents"][0]
    assert (root.meta["anchor"], "links" in root.meta, root.meta["ok"]) == ("dogs.md", False, 1)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ("title: Dogs: a guide\ntags: [a", "mapping values are not allowed"),
        ("a: &x [1]\nb: *x", "it has an alias"),
        ("a: " + "[" * 30 + "]" * 30, "nested more than 20 levels"),
        ("a: " + "[" * 60_000, "the front matter is left out"),
        ("a: !!python/object/apply:os.system [echo]", "could not determine a constructor"),
        ("a: 2024-13-45", "month must be in 1..12"),
        ("a: " + "x" * 70_000, "more than 65,536 characters"),
    ],
)
def test_malformed_yaml_is_reported_without_an_error(fields, problem, caplog):
    with caplog.at_level(logging.WARNING):
        document = convert_bytes(f"---\n{fields}\n---\nText.\n".encode(), "sub/dogs.md")
    assert "sub/dogs.md: the front matter is left out: " in caplog.text
    assert problem in caplog.text
    assert (document.content or "").endswith("Text.")
    assert "a" not in document.meta


def test_malformed_yaml_still_yields_its_title():
    document = convert_bytes(b"---\ntitle: Dogs: a guide\n---\nText.\n", "dogs.md")
    assert (document.meta["title"], document.content) == ("Dogs: a guide", "Dogs: a guide\n\nText.")


@pytest.mark.parametrize("block", ["Words only", "- a\n- list", "[1, 2]"])
def test_a_block_without_fields_is_text(block, caplog):
    text = f"---\n{block}\n---\nMore.\n"
    assert read_front_matter(text) == ({}, 0, "")
    assert not caplog.records


def test_an_empty_front_matter_is_none():
    assert read_front_matter("---\n---\nText") == ({}, 8, "")
    assert read_front_matter("---\n# nothing\n---\nText") == ({}, 18, "")
    assert read_front_matter("Text\n---\na: 1\n---\n") == ({}, 0, "")


OURS = {"path", "headings", "heading_slugs", "references", "code_blocks"}  # a converter writes these itself


@given(st.dictionaries(st.text(min_size=1), st.none() | st.booleans() | st.integers() | st.text() | st.dates()))
def test_dumped_yaml_is_read_back(fields):
    text = f"---\n{yaml.safe_dump(fields)}---\nText"
    written = {key: value.isoformat() if hasattr(value, "isoformat") else value for key, value in fields.items()}
    found = read_front_matter(text)
    assert {
        key: value for key, value in written.items() if key not in OURS and not key.startswith("__")
    } == found.fields
    assert json.loads(json.dumps(found.fields)) == found.fields


@given(st.text("ab:-[]{}&*!|>#\n \"'%@,?", max_size=60))
def test_any_block_is_read_or_reported(block):
    found = read_front_matter(f"---\n{block}\n---\n")
    assert json.loads(json.dumps(found.fields)) == found.fields


@pytest.mark.parametrize("extract", [True, False])
def test_the_component_puts_them_into_the_metadata_as_haystack_does(extract):
    source = "---\ntitle: Dogs\ntags: [a]\ndate: 2024-05-01\n---\n# Dogs\n"
    ours = MarkdownToDocument(extract_frontmatter=extract).run([ByteStream(source.encode())])["documents"][0]
    theirs = object.__new__(TheirConverter)  # its constructor needs a package that only its text needs
    theirs.extract_frontmatter = extract
    _, expected = theirs._extract_frontmatter(source, "dogs.md")
    assert {key: ours.meta[key] for key in expected} == expected
    assert ("tags" in ours.meta) is extract
    assert (
        MarkdownToDocument(extract_frontmatter=extract).to_dict()["init_parameters"]["extract_frontmatter"] is extract
    )

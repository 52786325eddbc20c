"""Text with lone surrogates is split, cleaned, embedded and converted like any other text."""

import pytest

from spaniel import Document
from spaniel.components.converters import (
    CSVToDocument,
    HTMLToDocument,
    MarkdownToDocument,
    RSTToDocument,
    TextFileToDocument,
)
from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
from spaniel.components.preprocessors import (
    CSVDocumentCleaner,
    CSVDocumentSplitter,
    DocumentCleaner,
    DocumentPreprocessor,
    DocumentSplitter,
    EmbeddingBasedDocumentSplitter,
    HierarchicalDocumentSplitter,
    MarkdownHeaderSplitter,
    PythonCodeSplitter,
    RecursiveDocumentSplitter,
    SectionSplitter,
    TextCleaner,
)
from spaniel.components.preprocessors.tokens import make_encoding_bounds
from spaniel.components.retrievers import ContextBudget
from spaniel.dataclasses import ByteStream
from spaniel.document_stores.in_memory import InMemoryDocumentStore

TEXT = "Lone \ud800 here. Next\udfff one.\n\nPara \udc00\ud83d two. More\fpage \ud83d\ude00 " + "\ud800" * 600
UNITS = ["page", "passage", "period", "word", "line", "sentence", "token"]


def without_overlaps(chunks):
    return "".join(chunk.content for chunk in chunks)


@pytest.mark.parametrize("unit", UNITS)
def test_the_chunks_of_a_text_are_the_text(unit):
    splitter = DocumentSplitter(split_by=unit, split_length=3, split_overlap=0)
    splitter.warm_up()
    assert without_overlaps(splitter.run([Document(content=TEXT)])["documents"]) == TEXT


@pytest.mark.parametrize("unit", ["word", "char", "token"])
def test_recursive_chunks_of_a_text_are_the_text(unit):
    splitter = RecursiveDocumentSplitter(
        split_length=5, split_overlap=0, split_unit=unit, separators=["\n\n", "\n", " "]
    )
    splitter.warm_up()
    assert without_overlaps(splitter.run([Document(content=TEXT)])["documents"]) == TEXT


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_a_lone_surrogate_counts_as_a_replacement_character(name):
    bounds = make_encoding_bounds(name)
    assert bounds("a \ud800b \udfff") == bounds("a \ufffdb \ufffd")
    assert bounds("\ud83d\ude00" * 300) == bounds("\ufffd" * 600)


CODE = "class A:\n    def f(self):\n        '''Doc \udfff.'''\n        return '\ud800'\n\n    def g(self):  # \ud800\n        pass\n"
SPLITTERS = [
    *(HierarchicalDocumentSplitter({6, 3}, split_overlap=0, split_by=unit) for unit in UNITS),
    SectionSplitter(),
    *(
        MarkdownHeaderSplitter(secondary_split=unit, split_length=3)
        for unit in ("word", "token", "sentence", "passage")
    ),
    EmbeddingBasedDocumentSplitter(document_embedder=MockDocumentEmbedder(dimension=3)),
    DocumentPreprocessor(),
    DocumentCleaner(ascii_only=True, unicode_normalization="NFKC", remove_repeated_substrings=True),
    CSVDocumentSplitter(),
    CSVDocumentCleaner(),
    MockDocumentEmbedder(dimension=3, meta_fields_to_embed=["key"]),
    ContextBudget(InMemoryDocumentStore(), budget=3),
]


@pytest.mark.parametrize("component", SPLITTERS, ids=lambda component: type(component).__name__)
def test_a_component_takes_text_and_metadata_with_lone_surrogates(component):
    document = Document(content="# Title \ud800\n\n" + TEXT, meta={"key": "\ud800", "\udfff": "a"})
    assert "documents" in component.run(documents=[document])


@pytest.mark.parametrize("remove_docstrings", [False, True])
def test_code_with_lone_surrogates_is_split(remove_docstrings):
    splitter = PythonCodeSplitter(
        min_effective_lines=1,
        max_effective_lines=2,
        strip_docstrings=remove_docstrings,
        preserve_class_definition=False,
    )
    chunks = splitter.run([Document(content=CODE)])["documents"]
    expected = CODE.replace("        '''Doc \udfff.'''\n", "") if remove_docstrings else CODE
    assert "".join(chunk.content for chunk in chunks) == expected


def test_a_text_has_a_vector_and_is_cleaned():
    assert MockTextEmbedder(dimension=3).run("\ud800") != MockTextEmbedder(dimension=3).run("\ud801")
    cleaned = TextCleaner(convert_to_lowercase=True, remove_punctuation=True).run(["A\ud800."])
    assert cleaned["texts"] == ["a\ud800"]


@pytest.mark.parametrize(
    "converter", [TextFileToDocument, MarkdownToDocument, HTMLToDocument, RSTToDocument, CSVToDocument]
)
def test_a_file_with_bytes_of_surrogates_is_converted(converter):
    source = ByteStream("a \ud800 b".encode("utf-8", "surrogatepass"), meta={"file_path": "x\udcff.txt"})
    (document,) = converter().run(sources=[source], meta={"key": "\ud800"})["documents"]
    assert document.content.startswith("a ")
    assert document.meta["key"] == "\ud800"

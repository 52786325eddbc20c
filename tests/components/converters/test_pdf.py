import random
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import haystack
import pytest
from haystack.components.converters import PyPDFToDocument as TheirConverter
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject

from spaniel.components.converters import PyPDFToDocument
from spaniel.components.converters.files import convert_bytes
from spaniel.components.converters.pypdf import PyPDFExtractionMode, convert_pdf
from spaniel.components.converters.utils import LinkFormat
from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import ByteStream
from spaniel.errors import ConversionError
from tests.components.converters.binary_files import pdf, saved

GUIDE = pdf(
    [["A guide to dogs", "Contents"], ["1 Dogs", "They bark.", "1.1 FOOD", "Bones."], ["2 Cats", "They meow."]],
    outline=[(1, "1 Dogs", 1), (2, "1.1 Food", 1), (1, "2 Cats", 2)],
    links=[(1, 3, "https://example.org/bones"), (2, 1, "https://example.org/cats")],
    Title="The guide",
)


def test_pages_are_separated_by_form_feeds():
    assert convert_pdf(GUIDE).text.split("\f") == [
        "A guide to dogs\nContents",
        "1 Dogs\nThey bark.\n1.1 FOOD\nBones.",
        "2 Cats\nThey meow.",
    ]


def test_headings_are_the_outline_at_the_place_of_their_words():
    converted = convert_pdf(GUIDE)
    assert [(heading.level, heading.title) for heading in converted.headings] == [
        (1, "1 Dogs"),
        (2, "1.1 Food"),
        (1, "2 Cats"),
    ]
    assert [converted.text[start:].split("\n")[0] for _, _, start in converted.headings] == [
        "1 Dogs",
        "1.1 FOOD",
        "2 Cats",
    ]
    assert converted.slugs == ["1-dogs", "11-food", "2-cats"]


def test_a_link_is_the_line_under_it():
    converted = convert_pdf(GUIDE)
    assert [(converted.text[start:end], target) for start, end, target in converted.references] == [
        ("Bones.", "https://example.org/bones"),
        ("They meow.", "https://example.org/cats"),
    ]


def test_sections_know_their_page_and_links():
    document = convert_bytes(GUIDE, "guide.pdf")
    assert document.meta["title"] == "The guide"
    nodes = {node.meta.get("anchor"): node for node in SectionSplitter().run([document])["documents"]}
    cats = nodes["guide.pdf#2-cats"]
    assert (cats.content, cats.meta["page_number"], cats.meta["urls"]) == (
        "2 Cats\nThey meow.",
        3,
        ["https://example.org/cats"],
    )


def test_outline_entries_without_words_on_the_page_are_at_their_destination():
    converted = convert_pdf(pdf([["One", "Two"], ["Three"]], outline=[(1, "Another name", 1), (1, "Empty", 7)]))
    assert [(title, converted.text[start:]) for _, title, start in converted.headings] == [("Another name", "Three")]


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - draft.doc", "paper.tex", " "])
def test_generated_titles_are_ignored(title):
    assert convert_pdf(pdf([["text"]], Title=title)).title is None


def test_a_file_without_a_title_has_that_of_its_outline():
    document = convert_bytes(pdf([["One", "Two"]], outline=[(1, "Two", 0)]), "a.pdf")
    assert document.meta["title"] == "Two"


def test_pages_without_text_are_empty():
    assert convert_pdf(pdf([["one"], [], ["three"]])).text == "one\f\fthree"
    document = PyPDFToDocument().run([ByteStream(pdf([[]]), meta={"file_path": "scan.pdf"})])["documents"][0]
    assert document.content == ""


def test_a_scan_is_reported(caplog):
    PyPDFToDocument().run([ByteStream(pdf([[]]), meta={"file_path": "scan.pdf"})])
    assert "scan.pdf: it holds no text; it may be a scan." in caplog.text


def test_pypdf_warnings_are_reported_with_the_file_name(caplog, capsys):
    damaged = b"junk" + GUIDE
    PyPDFToDocument().run([ByteStream(damaged, meta={"file_path": "guide.pdf"})])
    assert "guide.pdf: pypdf: invalid pdf header: b'junk%'." in caplog.text
    assert {record.name.partition(".")[0] for record in caplog.records} == {"spaniel"}
    assert convert_bytes(damaged, "guide.pdf").content == convert_bytes(GUIDE, "guide.pdf").content
    assert capsys.readouterr().err == ""


def test_an_encrypted_file_is_named():
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    with pytest.raises(ConversionError, match=r"x\.pdf is encrypted"):
        convert_pdf(saved(writer), "x.pdf")


def test_streams_that_unpack_to_gigabytes_are_not_unpacked():
    writer = PdfWriter()
    page = writer.add_blank_page(100, 100)
    content = DecodedStreamObject()
    content.set_data(b"BT " + b" " * 200_000_000)
    page[NameObject("/Contents")] = writer._add_object(content.flate_encode())
    bomb = saved(writer)
    del writer, page, content
    assert len(bomb) < 1_000_000
    tracemalloc.start()
    try:
        assert convert_pdf(bomb, "bomb.pdf").text == ""
        assert tracemalloc.get_traced_memory()[1] < 190_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"no pdf at all", GUIDE[: len(GUIDE) // 2]])
def test_a_damaged_file_is_named(data):
    try:
        converted = convert_pdf(data, "x.pdf")
    except ConversionError as error:
        assert str(error).startswith("x.pdf can't be read as PDF: ")  # noqa: PT017 (or it is repaired)
    else:
        assert converted.text.startswith("A guide")


def test_any_damage_raises_a_conversion_error():
    draw = random.Random(7)
    for _ in range(150):
        data = bytearray(GUIDE)
        for _ in range(draw.randint(1, 30)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            converted = convert_pdf(bytes(data), "x.pdf")
        except ConversionError as error:
            assert "x.pdf" in str(error)  # noqa: PT017 (most damage is repaired)
            continue
        starts = [heading.start for heading in converted.headings]
        assert starts == sorted(set(starts))
        assert all(0 <= start <= end <= len(converted.text) for start, end, _ in converted.references)


@pytest.mark.parametrize("options", [{}, {"link_format": "markdown"}, {"extraction_mode": "layout"}])
def test_text_equals_haystacks(options, tmp_path):
    (tmp_path / "guide.pdf").write_bytes(GUIDE)
    source = ByteStream(GUIDE, meta={"k": "v", "file_path": "/a/guide.pdf"})
    their_source = haystack.dataclasses.ByteStream(GUIDE, meta={"k": "v", "file_path": "/a/guide.pdf"})
    ours = PyPDFToDocument(**options).run([tmp_path / "guide.pdf", source], {"m": 1})["documents"]
    theirs = TheirConverter(**options).run([tmp_path / "guide.pdf", their_source], {"m": 1})["documents"]
    assert [document.content for document in ours] == [document.content for document in theirs]
    for own, expected in zip(ours, theirs, strict=True):
        assert {key: own.meta[key] for key in expected.meta} == expected.meta


def test_serialised_form_equals_haystacks():
    data = PyPDFToDocument(extraction_mode="layout", link_format=LinkFormat.PLAIN).to_dict()
    expected = TheirConverter(extraction_mode="layout", link_format="plain").to_dict()
    assert data["init_parameters"] == expected["init_parameters"]
    assert data["type"] == expected["type"].replace("haystack", "spaniel")
    again = PyPDFToDocument.from_dict(data)
    assert (again.to_dict(), again.extraction_mode) == (data, PyPDFExtractionMode.LAYOUT)
    with pytest.raises(ValueError, match=r"PyPDFExtractionMode must be one of .*got 'x'"):
        PyPDFToDocument(extraction_mode="x")


def test_missing_extra_names_the_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(
        ConversionError, match=r"a/b\.pdf needs the package pypdfium2.*pip install 'spaniel\[convert\]'"
    ):
        convert_bytes(GUIDE, "a/b.pdf")
    with pytest.raises(ConversionError, match=r"pip install 'spaniel\[convert\]'"):
        PyPDFToDocument()


@pytest.mark.parametrize(
    ("lines", "titles", "starts"),
    [
        (["1 Intro", "words", "2 Method", "more"], ["Intro", "Method"], ["1 Intro", "2 Method"]),
        (["Chapter 3. Dogs", "A.1 Cats"], ["Dogs", "Cats"], ["Chapter 3. Dogs", "A.1 Cats"]),
        (["one", "two", "three"], ["No", "Such"], ["one", "two"]),
        (["In short", "see Intro", "Intro"], ["Intro"], ["Intro"]),
        (["Same", "Same"], ["Same", "Same"], ["Same", "Same"]),
    ],
)
def test_all_entries_of_an_outline_on_one_page_are_headings(lines, titles, starts):
    converted = convert_pdf(pdf([lines], outline=[(1, title, 0) for title in titles]))
    assert [heading.title for heading in converted.headings] == titles
    assert [converted.text[start:].split("\n")[0] for _, _, start in converted.headings] == starts


def test_divided_words_are_joined_and_parity_keeps_them():
    data = pdf([["The guide-", "lines are sent by e-", "mail."]])
    assert convert_pdf(data).text == "The guidelines are sent by e-mail."
    document = PyPDFToDocument().run([ByteStream(data)])["documents"][0]
    assert document.content == "The guide-\nlines are sent by e-\nmail."


def test_the_component_reads_a_file_that_pdfium_rejects(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    document = PyPDFToDocument().run([ByteStream(GUIDE)])["documents"][0]
    assert document.content.startswith("A guide to dogs")
    assert document.meta["headings"] == []


def test_files_are_read_in_several_threads():
    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(lambda _: convert_pdf(GUIDE).text, range(40)))
    assert set(texts) == {convert_pdf(GUIDE).text}


def test_passages_have_the_page_of_their_first_word():
    document = convert_bytes(pdf([["Alpha one"], [], ["Gamma three"]]), "x.pdf")
    nodes = SectionSplitter(max_words=2).run([document])["documents"]
    assert [(node.content.strip(), node.meta["page"]) for node in nodes[1:]] == [("Alpha one", 1), ("Gamma three", 3)]
    assert "line" not in nodes[1].meta

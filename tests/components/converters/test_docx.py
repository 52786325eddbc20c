import io
import random
import sys
import zipfile

import haystack
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from haystack.components.converters import DOCXToDocument as TheirConverter

from spaniel.components.converters import DOCXToDocument, docx
from spaniel.components.converters.docx import DOCXTableFormat, convert_docx
from spaniel.components.converters.files import convert_bytes
from spaniel.components.converters.utils import LinkFormat
from spaniel.dataclasses import ByteStream
from spaniel.errors import ConversionError
from spaniel.text.link_resolver import LinkResolver
from tests.components.converters.binary_files import add_bookmark, add_link, add_page_end, word, word_file, wrap


def guide():
    document = word(("Pets", "Title"), "All about them.", ("Dogs", "Heading 1"), "They bark.", ("Food", "Heading 2"))
    bones = document.add_paragraph("Eat ")
    add_link(bones, "bones", url="https://example.org/bones")
    bones.add_run(", see ")
    add_link(bones, "the start", bookmark="beginning")
    add_bookmark(document.paragraphs[0], "beginning")
    table = document.add_table(2, 2)
    for cell, text in zip(
        [*table.rows[0].cells, *table.rows[1].cells], ["Name", "Says", "Rex | R", "a,b\nc"], strict=True
    ):
        cell.text = text
    add_link(table.rows[1].cells[0].paragraphs[0], "!", url="https://example.org/rex")
    document.add_paragraph("The end.")
    return document


GUIDE = word_file(guide())


def test_styles_give_the_headings_and_the_title():
    converted = convert_docx(GUIDE)
    assert (converted.title, converted.slugs) == ("Pets", ["pets", "dogs", "food"])
    assert [heading[:2] for heading in converted.headings] == [(1, "Pets"), (2, "Dogs"), (3, "Food")]
    assert all(converted.text[start:].startswith(title) for _, title, start in converted.headings)


def test_headings_without_a_title_keep_their_levels_and_outline_levels_count():
    document = word(("One", "Heading 1"), "text", "Part")
    outline = document.paragraphs[2]._p.get_or_add_pPr().makeelement(qn("w:outlineLvl"), {qn("w:val"): "1"})
    document.paragraphs[2]._p.pPr.append(outline)
    converted = convert_docx(word_file(document))
    assert [heading[:2] for heading in converted.headings] == [(1, "One"), (2, "Part")]
    assert convert_bytes(word_file(document), "a.docx").meta["title"] == "One"


def test_links_lead_to_addresses_and_to_bookmarks():
    document = convert_bytes(GUIDE, "pets.docx", LinkResolver({"pets.docx"}))
    shown = [(document.content[start:end], target, kind) for start, end, target, kind in document.meta["references"]]
    assert shown[:2] == [("bones", "https://example.org/bones", "url"), ("the start", "pets.docx#pets", "link")]
    assert shown[2] == ("!", "https://example.org/rex", "url")


def test_page_breaks_of_word_are_form_feeds():
    document = word("one", "two")
    add_page_end(document.paragraphs[1])
    document.paragraphs[1].add_run(" three")
    assert convert_docx(word_file(document)).text == "one\ntwo\f three"


def test_reads_insertions_and_controls_but_not_tables_of_contents():
    document = word("inserted", "controlled", "contents")
    inserted, controlled, contents = document.paragraphs
    wrap(inserted, "w:ins")
    wrap(controlled, "w:sdt", "w:sdtContent")
    gallery = parse_xml(
        f'<w:sdt {nsdecls("w")}><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        "<w:sdtContent/></w:sdt>"
    )
    contents._p.addprevious(gallery)
    gallery[1].append(contents._p)
    assert convert_docx(word_file(document)).text == "inserted\ncontrolled"


@pytest.mark.parametrize("table_format", ["csv", "markdown"])
@pytest.mark.parametrize("link_format", ["none", "plain", "markdown"])
def test_text_and_properties_equal_haystacks(table_format, link_format, tmp_path):
    (tmp_path / "guide.docx").write_bytes(GUIDE)
    source = ByteStream(GUIDE, meta={"k": "v", "file_path": "/a/guide.docx"})
    their_source = haystack.dataclasses.ByteStream(GUIDE, meta={"k": "v", "file_path": "/a/guide.docx"})
    options = {"table_format": table_format, "link_format": link_format}
    ours = DOCXToDocument(**options).run([tmp_path / "guide.docx", source], {"m": 1})["documents"]
    theirs = TheirConverter(**options).run([tmp_path / "guide.docx", their_source], {"m": 1})["documents"]
    assert [document.content for document in ours] == [document.content for document in theirs]
    for own, expected in zip(ours, theirs, strict=True):
        assert {key: own.meta[key] for key in expected.meta} == expected.meta


def test_serialised_form_equals_haystacks():
    data = DOCXToDocument(table_format=DOCXTableFormat.MARKDOWN, link_format=LinkFormat.PLAIN).to_dict()
    expected = TheirConverter(table_format="markdown", link_format="plain").to_dict()
    assert data["init_parameters"] == expected["init_parameters"]
    assert data["type"] == expected["type"].replace("haystack", "spaniel")
    assert DOCXToDocument.from_dict(data).to_dict() == data
    with pytest.raises(ValueError, match=r"DOCXTableFormat must be one of .*got 'x'"):
        DOCXToDocument(table_format="x")
    with pytest.raises(ValueError, match=r"LinkFormat must be one of .*got 'x'"):
        DOCXToDocument(link_format="x")


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """Return a Word file with one of its parts replaced."""
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, content if entry.filename == name else old.read(entry))
    return output.getvalue()


def body(text: str, before: str = "") -> bytes:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return f'{before}<w:document xmlns:w="{space}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>'.encode()


def test_entities_are_not_resolved(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    outside = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    assert "SECRET" not in convert_docx(with_part(GUIDE, "word/document.xml", body("a&e;b", outside))).text
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    bomb = body("a&l11;b", f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>')
    try:
        assert len(convert_docx(with_part(GUIDE, "word/document.xml", bomb)).text) < 100
    except ConversionError as error:
        assert "can't be read as DOCX" in str(error)  # noqa: PT017 (a parser may refuse it)


def test_rejects_files_that_unpack_to_too_much(monkeypatch):
    monkeypatch.setattr(docx, "_MAX_UNPACKED", 3 * 1024 * 1024)
    bomb = with_part(GUIDE, "word/document.xml", body("x" * 4_000_000))
    assert len(bomb) < 100_000
    with pytest.raises(ConversionError, match=r"x\.docx unpacks to more than 3 MiB"):
        convert_docx(bomb, "x.docx")


def test_any_damage_raises_a_conversion_error():
    draw = random.Random(7)
    for _ in range(60):
        data = bytearray(GUIDE)
        for _ in range(draw.randint(1, 20)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            convert_docx(bytes(data), "x.docx")
        except ConversionError as error:
            assert "x.docx" in str(error)  # noqa: PT017 (some damage does not matter)


def test_damaged_files_are_reported_and_skipped(caplog):
    assert DOCXToDocument().run([ByteStream(b"PK no", meta={"file_path": "x.docx"})]) == {"documents": []}
    assert "x.docx can't be read as DOCX" in caplog.text


def test_missing_extra_names_the_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(ConversionError, match=r"a/b\.docx needs the package docx.*pip install 'spaniel\[convert\]'"):
        convert_bytes(GUIDE, "a/b.docx")
    with pytest.raises(ConversionError, match=r"pip install 'spaniel\[convert\]'"):
        DOCXToDocument()

"""Every container of text in a Word file."""

import io
import random
import re
import zipfile

import docx
import pytest
from docx.oxml import parse_xml
from lxml import etree

from spaniel.components.converters import DOCXToDocument
from spaniel.components.converters.docx import convert_docx
from spaniel.dataclasses import ByteStream
from tests.components.converters.binary_files import word, word_file

SPACES = " ".join(
    f'xmlns:{prefix}="http://schemas.openxmlformats.org/{address}"'
    for prefix, address in {
        "w": "wordprocessingml/2006/main",
        "m": "officeDocument/2006/math",
        "r": "officeDocument/2006/relationships",
        "mc": "markup-compatibility/2006",
        "wp": "drawingml/2006/wordprocessingDrawing",
        "a": "drawingml/2006/main",
    }.items()
)


def run(text):
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(content, properties=""):
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"


def file_of(*blocks):
    """Return a Word file of blocks in XML."""
    document = word()
    for block in blocks:
        element = parse_xml(re.sub(r"^<([\w:]+)", rf"<\1 {SPACES}", block))
        document.element.body.insert(len(document.element.body) - 1, element)
    return word_file(document)


def text_of(*blocks):
    return convert_docx(file_of(*blocks)).text


def two_forms(first, second):
    return (
        f"<mc:AlternateContent><mc:Choice>{first}</mc:Choice><mc:Fallback>{second}</mc:Fallback></mc:AlternateContent>"
    )


FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://a.org/x" </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r>{}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
BOX = "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (f'<w:fldSimple w:instr="AUTHOR">{run("Ann")}</w:fldSimple>', "Ann"),
        (f'<w:dir w:val="rtl">{run("right")}</w:dir>', "right"),
        (f'<w:bdo w:val="rtl">{run("left")}</w:bdo>', "left"),
        (f"<w:r><w:ruby><w:rt>{run('kan')}</w:rt><w:rubyBase>{run('Base')}</w:rubyBase></w:ruby></w:r>", "Base(kan)"),
        (FIELD.format(run("linked")), "linked"),
        (f'<w:ins w:id="1"><w:smartTag w:element="x">{run("in")}</w:smartTag></w:ins>', "in"),
        (f'<w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del>{run("left")}', "left"),
        (f'<w:moveFrom w:id="1">{run("gone")}</w:moveFrom><w:moveTo w:id="2">{run("moved")}</w:moveTo>', "moved"),
        (f"<w:sdt><w:sdtContent>{run('field')}</w:sdtContent></w:sdt>", "field"),
        (f'<w:customXml w:element="x">{run("custom")}</w:customXml>', "custom"),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:br/><w:t>d</w:t></w:r>", "a\tb-c\nd"),
        ("<w:r><w:t>docu</w:t><w:softHyphen/><w:t>ment</w:t></w:r>", "document"),
        ('<w:r><w:sym w:font="Symbol" w:char="F0B7"/><w:sym w:font="Arial" w:char="2192"/></w:r>', "\u2192"),
        (f"<w:r><w:pict>{BOX}</w:pict></w:r>", "\nboxed"),
        (
            f"<w:r>{two_forms(f'<w:drawing>{BOX}</w:drawing>', f'<w:pict>{BOX}</w:pict>')}</w:r>",
            "\nboxed",
        ),
        (
            f"<mc:AlternateContent><mc:Choice>{run('one')}</mc:Choice><mc:Fallback>{run('two')}</mc:Fallback></mc:AlternateContent>",
            "one",
        ),
        ('<w:r><w:drawing><wp:docPr id="1" name="Picture 1" descr="A dog"/></w:drawing></w:r>', " A dog "),
    ],
)
def test_text_in_every_container_of_a_paragraph_is_kept(content, text):
    assert text_of(paragraph(content)) == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<m:r><m:t>x+1</m:t></m:r>", "x+1"),
        ("<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>", "(a+b)/2"),
        ("<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>", "x^2"),
        ("<m:rad><m:deg/><m:e><m:r><m:t>y</m:t></m:r></m:e></m:rad>", "√y"),
        ("<m:d><m:e><m:r><m:t>z</m:t></m:r></m:e></m:d>", "(z)"),
        ("<m:acc><m:e><m:r><m:t>v</m:t></m:r></m:e></m:acc>", "v"),
    ],
)
def test_formulas_are_text(content, text):
    assert text_of(paragraph(f"<m:oMathPara><m:oMath>{content}</m:oMath></m:oMathPara>")) == text


def test_fields_and_simple_fields_with_an_address_are_links():
    simple = f'<w:fldSimple w:instr=" HYPERLINK \\l &quot;spot&quot; ">{run("there")}</w:fldSimple>'
    converted = convert_docx(
        file_of(paragraph(run("See ") + FIELD.format(run("lin") + run("ked")) + run(" and ") + simple))
    )
    assert converted.text == "See linked and there"
    assert [(converted.text[start:end], target) for start, end, target in converted.references] == [
        ("linked", "https://a.org/x"),
        ("there", "#spot"),
    ]


def cell(*blocks, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(blocks)}</w:tc>"


def table(*rows):
    return "<w:tbl>" + "".join(f"<w:tr>{''.join(cells)}</w:tr>" for cells in rows) + "</w:tbl>"


def test_a_table_is_a_line_a_row_with_tables_in_its_cells():
    inner = table([cell(paragraph(run("in"))), cell(paragraph(run("ner")))])
    outer = table(
        [cell(paragraph(run("Name")), paragraph(run("Full"))), cell(paragraph(run("Says")))],
        [cell(paragraph(run("Rex"))), cell(paragraph(run("Woof")), inner, paragraph(""))],
    )
    assert text_of(outer) == "Name Full | Says\nRex | Woof in | ner"


def test_cells_merged_down_are_repeated_and_deleted_rows_left_out():
    rows = (
        [cell(paragraph(run("Dogs")), properties='<w:vMerge w:val="restart"/>'), cell(paragraph(run("Rex")))],
        [cell(paragraph(""), properties="<w:vMerge/>"), cell(paragraph(run("Bob")))],
        ['<w:trPr><w:del w:id="1"/></w:trPr>', cell(paragraph(run("gone")))],
    )
    assert text_of(table(*rows)) == "Dogs | Rex\nDogs | Bob"


@pytest.mark.parametrize("table_format", ["csv", "markdown"])
def test_headings_in_cells_are_headings(table_format):
    heading = paragraph(run("Inside"), '<w:pStyle w:val="Heading1"/>')
    data = file_of(table([cell(paragraph(run("first"))), cell(heading, paragraph(run("words")))]))
    converted = convert_docx(data)
    assert converted.text == "first | Inside words"
    assert converted.headings == [(1, "Inside", 8)]
    document = DOCXToDocument(table_format=table_format).run([ByteStream(data)])["documents"][0]
    start = document.meta["headings"][0][2]
    assert document.content[start:].startswith("Inside")


def test_lists_have_their_numbers_and_marks():
    document = word(("one", "List Number"), ("two", "List Number"), ("dot", "List Bullet"), "plain")
    assert convert_docx(word_file(document)).text == "1. one\n2. two\n- dot\nplain"
    plain = DOCXToDocument().run([ByteStream(word_file(document))])["documents"][0]
    assert plain.content == "one\ntwo\ndot\nplain"  # as in Haystack


def with_parts(data, **parts):
    """Return a Word file with more parts, each related to the document."""
    output = io.BytesIO()
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(output, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            for name in parts:
                if entry.filename == "[Content_Types].xml":
                    override = f'<Override PartName="/word/{name}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.{name}+xml"/>'
                    content = content.replace(b"</Types>", override.encode() + b"</Types>")
                if entry.filename == "word/_rels/document.xml.rels":
                    related = f'<Relationship Id="rIdX{name}" Type="{kind}/{name}" Target="{name}.xml"/>'
                    content = content.replace(b"</Relationships>", related.encode() + b"</Relationships>")
            new.writestr(entry, content)
        for name, content in parts.items():
            new.writestr(f"word/{name}.xml", content)
    return output.getvalue()


def notes(kind, **texts):
    inner = "".join(
        f'<w:{kind} w:id="{id[1:]}" w:author="Ann">{paragraph(run(text))}</w:{kind}>' for id, text in texts.items()
    )
    return f"<w:{kind}s {SPACES}>{inner}</w:{kind}s>"


def test_notes_and_comments_follow_the_text():
    references = (
        '<w:r><w:footnoteReference w:id="7"/></w:r><w:r><w:endnoteReference w:id="2"/></w:r>'
        '<w:r><w:footnoteReference w:id="5"/></w:r><w:r><w:commentReference w:id="0"/></w:r>'
    )
    data = with_parts(
        file_of(paragraph(run("Text") + references)),
        footnotes=notes("footnote", i7="first", i5="second", i9="unused"),
        endnotes=notes("endnote", i2="last"),
        comments=notes("comment", i0="Really?"),
    )
    assert convert_docx(data).text.split("\n")[0] == "Text[1][i][2]"
    lines = convert_docx(data).text.split("\n")[1:]
    assert [re.sub(" by Ann", "", line) for line in lines] == [
        "[1] first",
        "[2] second",
        "[i] last",
        "[Comment] Really?",
    ]


def test_headers_and_footers_are_written_once_and_page_numbers_are_not():
    document = word("Text")
    section = document.sections[0]
    section.header.paragraphs[0].text = "Secret plan"
    section.footer.paragraphs[0].text = "12"
    document.add_section().header.is_linked_to_previous = True
    assert convert_docx(word_file(document)).text.split("\n")[-1] == "Secret plan"
    assert "12" not in convert_docx(word_file(document)).text
    assert DOCXToDocument().run([ByteStream(word_file(document))])["documents"][0].content.strip() == "Text"


class RandomFile:
    """Makes a file of nested containers whose words are numbered."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def word(self):
        self.count += 1
        return f"w{self.count}x"

    def inline(self, depth=0):
        pick = self.random.randrange(11 if depth < 3 else 1)
        if pick == 0:
            return run(f"{self.word()} ")
        inner = self.inline(depth + 1) + self.inline(depth + 1)
        return [
            "",
            f'<w:fldSimple w:instr="AUTHOR">{inner}</w:fldSimple>',
            f'<w:bdo w:val="rtl">{inner}</w:bdo>',
            f'<w:ins w:id="1">{inner}</w:ins>',
            f"<w:sdt><w:sdtContent>{inner}</w:sdtContent></w:sdt>",
            f'<w:smartTag w:element="x">{inner}</w:smartTag>',
            FIELD.format(inner),
            f'<w:hyperlink w:anchor="x">{inner}</w:hyperlink>',
            f"<w:r><w:pict><w:txbxContent>{self.block(depth + 2)}</w:txbxContent></w:pict></w:r>",
            f"<mc:AlternateContent><mc:Choice>{inner}</mc:Choice></mc:AlternateContent>",
            f"<m:oMath><m:r><m:t>{self.word()} </m:t></m:r></m:oMath>",
        ][pick]

    def block(self, depth=0):
        pick = self.random.randrange(6 if depth < 2 else 3)
        if pick == 3:
            return table(*([cell(self.block(depth + 1)) for _ in range(2)] for _ in range(2)))
        if pick == 4:
            return f"<w:sdt><w:sdtContent>{self.block(depth + 1)}</w:sdtContent></w:sdt>"
        if pick == 5:
            return paragraph(run(self.word()), f'<w:pStyle w:val="Heading{self.random.randint(1, 3)}"/>')
        return paragraph("".join(self.inline(depth) for _ in range(self.random.randint(1, 3))))


@pytest.mark.parametrize("seed", range(60))
def test_all_words_and_headings_of_random_files_are_kept_once(seed):
    maker = RandomFile(seed)
    data = file_of(*(maker.block() for _ in range(4)))
    root = docx.Document(io.BytesIO(data)).element.body
    expected = re.findall(r"w\d+x", etree.tostring(root, encoding="unicode", method="text"))
    converted = convert_docx(data)
    assert sorted(re.findall(r"w\d+x", converted.text)) == sorted(expected)
    assert len(re.findall(r"\bw\d+x\b", converted.text)) == len(expected)
    for _, title, start in converted.headings:
        assert converted.text[start:].startswith(title)
    styles = root.iter("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}pStyle")
    assert len(converted.headings) == len(list(styles))

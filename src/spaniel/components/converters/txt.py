"""Text files as documents."""

from spaniel.components.converters._file_converter import TextConverter
from spaniel.core.component import component
from spaniel.text.converted_text import ConvertedText
from spaniel.text.plain_text import convert_text

__all__ = ["TextFileToDocument", "convert_text"]


@component
class TextFileToDocument(TextConverter):
    r"""Converts text files to documents, with headings and links in the metadata.

    :param encoding: encoding of the files; the default detects it. ``meta["encoding"]`` of a source
        takes precedence.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.

    >>> from spaniel.dataclasses import ByteStream
    >>> document = TextFileToDocument().run([ByteStream.from_string("Guide\n=====\n")])["documents"][0]
    >>> document.content, document.meta["headings"]
    ('Guide\n=====\n', [[1, 'Guide', 0]])
    """

    def _convert_text(self, text: str) -> ConvertedText:
        return convert_text(text)

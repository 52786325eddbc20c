"""Cleans the text of documents."""

import logging
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import methodcaller
from typing import Literal, get_args

from spaniel.components.preprocessors.pages import PAGE_BREAK
from spaniel.components.preprocessors.text_splitter import validate_documents
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

logger = logging.getLogger(__name__)

UnicodeForm = Literal["NFC", "NFKC", "NFD", "NFKD"]

_WHITESPACE = re.compile(r"\s\s+")
_SEARCHED_LENGTH = 300  # characters at the top and at the bottom of a page
_MIN_WORDS, _MAX_WORDS = 3, 29

_CleaningStep = Callable[[str], str]


@component
class DocumentCleaner(Serializable):
    r"""Removes noise from the text of documents.

    The steps run in this order: normalise, ASCII, whitespace, empty lines, substrings, regular
    expression, replacements, repeated text, strip, minimum length. Page breaks are kept.

    :param remove_empty_lines: remove lines without text.
    :param remove_extra_whitespaces: collapse runs of whitespace to a space, and strip each page.
    :param remove_repeated_substrings: remove headers and footers: text on all pages but the first
        and the last. Form feeds end pages.
    :param keep_id: keep the ids; otherwise they are made of the new content.
    :param remove_substrings: texts to remove.
    :param remove_regex: a regular expression whose matches are removed; each page is stripped.
    :param unicode_normalization: ``NFC``, ``NFKC``, ``NFD`` or ``NFKD``.
    :param ascii_only: keep ASCII only; letters lose their accents.
    :param strip_whitespaces: remove whitespace at both ends of the text.
    :param replace_regexes: regular expressions and their replacements (``\1`` is the first group).
    :param min_content_length: omit documents whose stripped text has fewer characters.
    :raises ValueError: an unknown form, or a negative length.

    >>> cleaner = DocumentCleaner(remove_substrings=["(advertisement)"])
    >>> cleaner.run([Document(content="The   sun\n\n\nrose. (advertisement)")])["documents"][0].content
    'The sun rose. '
    """

    def __init__(
        self,
        remove_empty_lines: bool = True,
        remove_extra_whitespaces: bool = True,
        remove_repeated_substrings: bool = False,
        keep_id: bool = False,
        remove_substrings: list[str] | None = None,
        remove_regex: str | None = None,
        unicode_normalization: UnicodeForm | None = None,
        ascii_only: bool = False,
        strip_whitespaces: bool = False,
        replace_regexes: dict[str, str] | None = None,
        min_content_length: int = 0,
    ) -> None:
        if unicode_normalization and unicode_normalization not in get_args(UnicodeForm):
            raise ValueError(
                f"unicode_normalization must be one of 'NFC', 'NFKC', 'NFD', 'NFKD'. It is {unicode_normalization!r}."
            )
        if min_content_length < 0:
            raise ValueError(f"min_content_length must be greater than or equal to 0, got {min_content_length}.")
        self.remove_empty_lines = remove_empty_lines
        self.remove_extra_whitespaces = remove_extra_whitespaces
        self.remove_repeated_substrings = remove_repeated_substrings
        self.keep_id = keep_id
        self.remove_substrings = copy_value(remove_substrings)
        self.remove_regex = remove_regex
        self.unicode_normalization = unicode_normalization
        self.ascii_only = ascii_only
        self.strip_whitespaces = strip_whitespaces
        self.replace_regexes = copy_value(replace_regexes)
        self.min_content_length = min_content_length

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return cleaned copies of the documents, under ``documents``.

        :param documents: the documents. Those without text are copied, with a warning.
        :raises TypeError: the input is not a list of documents.
        """
        validate_documents(self, documents)
        steps = list(self._steps())
        cleaned = (self._clean(document, steps) for document in documents)
        return {"documents": [document for document in cleaned if document is not None]}

    def _clean(self, document: Document, steps: list[_CleaningStep]) -> Document | None:
        copied = document.independent_copy()
        if document.content is None:
            logger.warning(
                "DocumentCleaner only cleans text documents but document.content for document ID %s is None.",
                document.id,
            )
            return copied
        text = document.content
        for step in steps:
            text = step(text)
        if len(text.strip()) < self.min_content_length:
            return None
        return replace(copied, content=text, id=document.id if self.keep_id else "")

    def _steps(self) -> Iterator[_CleaningStep]:
        if self.unicode_normalization:
            yield partial(unicodedata.normalize, self.unicode_normalization)
        if self.ascii_only:
            yield _to_ascii
        if self.remove_extra_whitespaces:
            yield _per_page(lambda page: _WHITESPACE.sub(" ", page).strip())
        if self.remove_empty_lines:
            yield _per_page(lambda page: "\n".join(line for line in page.split("\n") if line.strip()))
        for substring in self.remove_substrings or []:
            yield methodcaller("replace", substring, "")
        if self.remove_regex:
            regex = re.compile(self.remove_regex)
            yield _per_page(lambda page: regex.sub("", page).strip())
        for pattern, replacement in (self.replace_regexes or {}).items():
            yield _per_page(partial(re.compile(pattern).sub, replacement))
        if self.remove_repeated_substrings:
            yield lambda text: PAGE_BREAK.join(remove_repeated_text(text.split(PAGE_BREAK)))
        if self.strip_whitespaces:
            yield str.strip


def _per_page(step: _CleaningStep) -> _CleaningStep:
    return lambda text: PAGE_BREAK.join(map(step, text.split(PAGE_BREAK)))


def _to_ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def remove_repeated_text(pages: list[str]) -> list[str]:
    """Return pages without headers and footers: text of 3 to 29 words on all inner pages.

    >>> remove_repeated_text(["Title", "My old book 1", "My old book 2", "The end"])
    ['Title', ' 1', ' 2', 'The end']
    """
    for is_top in (True, False):
        searched = [page[:_SEARCHED_LENGTH] if is_top else page[-_SEARCHED_LENGTH:] for page in pages[1:-1]]
        if repeated := _find_longest_common([part for part in searched if part]):
            pages = [page.replace(repeated, "") for page in pages]
    return pages


def _find_longest_common(texts: Sequence[str]) -> str:
    if len(texts) < 2:
        return ""
    common = dict.fromkeys(_word_runs(texts[0]))
    for text in texts[1:]:
        runs = set(_word_runs(text))
        common = {run: None for run in common if run in runs}
    longest = max(common, key=len, default="")
    return longest if longest.strip() else ""


def _word_runs(text: str) -> list[str]:
    """Return runs of words separated by spaces; tabs and line breaks belong to the next word."""
    words = text.replace("\n", " \n").replace("\t", " \t").split(" ")
    return [
        " ".join(words[first : first + length]).replace(" \n", "\n").replace(" \t", "\t")
        for length in range(_MIN_WORDS, _MAX_WORDS + 1)
        for first in range(len(words) - length + 1)
    ]

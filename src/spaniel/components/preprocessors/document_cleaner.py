"""Cleans the text of documents."""

import logging
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from spaniel.components.preprocessors.pages import PAGE_BREAK
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

logger = logging.getLogger(__name__)

_FORMS = ("NFC", "NFKC", "NFD", "NFKD")
_WHITE_SPACES = re.compile(r"\s\s+")

Step = Callable[[str], str]


@component
class DocumentCleaner(Serializable):
    r"""Removes from the text of documents what only gets in the way of finding them.

    The steps run in this order: normalise, ASCII, white space, empty lines, substrings, regular expression, replacements,
    repeated text, strip, minimal length. Pages stay apart.

    :param remove_empty_lines: remove lines without text.
    :param remove_extra_whitespaces: turn runs of white space into one space, and strip each page.
    :param remove_repeated_substrings: remove headers and footers: text that all pages but the first and the last have.
        Pages end with a form feed.
    :param keep_id: keep the ids; else they are made of the new content.
    :param remove_substrings: texts to remove.
    :param remove_regex: a regular expression; what it matches is removed, and each page is stripped.
    :param unicode_normalization: ``NFC``, ``NFKC``, ``NFD`` or ``NFKD``.
    :param ascii_only: keep ASCII alone; letters lose their accents.
    :param strip_whitespaces: remove white space at both ends of the text.
    :param replace_regexes: regular expressions, and what to put in their place (``\1`` is the first group).
    :param min_content_length: leave out documents with fewer characters, white space at both ends not counted.
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
        unicode_normalization: Literal["NFC", "NFKC", "NFD", "NFKD"] | None = None,
        ascii_only: bool = False,
        strip_whitespaces: bool = False,
        replace_regexes: dict[str, str] | None = None,
        min_content_length: int = 0,
    ) -> None:
        if unicode_normalization and unicode_normalization not in _FORMS:
            raise ValueError(
                f"unicode_normalization must be one of 'NFC', 'NFKC', 'NFD', 'NFKD'. It is {unicode_normalization!r}."
            )
        if min_content_length < 0:
            raise ValueError(f"min_content_length must be greater than or equal to 0. It is {min_content_length}.")
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

        :param documents: the documents; they are not changed. Those without text are copied, with a warning.
        :raises TypeError: the input is no list of documents.
        """
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise TypeError("DocumentCleaner expects a List of Documents as input.")
        steps = list(self._steps())
        cleaned = (self._clean(document, steps) for document in documents)
        return {"documents": [document for document in cleaned if document is not None]}

    def _clean(self, document: Document, steps: list[Step]) -> Document | None:
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

    def _steps(self) -> Iterator[Step]:
        if self.unicode_normalization:
            yield partial(unicodedata.normalize, self.unicode_normalization)
        if self.ascii_only:
            yield _ascii
        if self.remove_extra_whitespaces:
            yield _page_by_page(lambda page: _WHITE_SPACES.sub(" ", page).strip())
        if self.remove_empty_lines:
            yield _page_by_page(lambda page: "\n".join(line for line in page.split("\n") if line.strip()))
        for substring in self.remove_substrings or []:
            yield partial(_without, substring)
        if self.remove_regex:
            regex = re.compile(self.remove_regex)
            yield _page_by_page(lambda page: regex.sub("", page).strip())
        for pattern, replacement in (self.replace_regexes or {}).items():
            yield _page_by_page(partial(re.compile(pattern).sub, replacement))
        if self.remove_repeated_substrings:
            yield lambda text: PAGE_BREAK.join(without_repeated(text.split(PAGE_BREAK)))
        if self.strip_whitespaces:
            yield str.strip


def _page_by_page(step: Step) -> Step:
    return lambda text: PAGE_BREAK.join(map(step, text.split(PAGE_BREAK)))


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def _without(substring: str, text: str) -> str:
    return text.replace(substring, "")


_SEARCHED = 300  # characters from the top of a page, and from its bottom
_SHORTEST, _LONGEST = 3, 29  # words


def without_repeated(pages: list[str]) -> list[str]:
    """Return pages without the longest text that stands at the top of all, and without the one at the bottom.

    Whether it stands on the first and the last page does not count. It is looked for in the first and last 300
    characters of a page, and has 3 to 29 words. Of two that are equally long, the one that comes first counts.

    >>> without_repeated(["Title", "My old book 1", "My old book 2", "The end"])
    ['Title', ' 1', ' 2', 'The end']
    """
    for top in (True, False):
        searched = [page[:_SEARCHED] if top else page[-_SEARCHED:] for page in pages[1:-1]]
        if repeated := _longest_common([part for part in searched if part]):
            pages = [page.replace(repeated, "") for page in pages]
    return pages


def _longest_common(texts: Sequence[str]) -> str:
    if len(texts) < 2:
        return ""
    common = dict.fromkeys(_word_runs(texts[0]))
    for text in texts[1:]:
        runs = set(_word_runs(text))
        common = {run: None for run in common if run in runs}
    longest = max(common, key=len, default="")
    return longest if longest.strip() else ""


def _word_runs(text: str) -> list[str]:
    """Return the runs of words, which a space divides, and a tab or line break too, that belong to the word after them."""
    words = text.replace("\n", " \n").replace("\t", " \t").split(" ")
    return [
        " ".join(words[first : first + length]).replace(" \n", "\n").replace(" \t", "\t")
        for length in range(_SHORTEST, _LONGEST + 1)
        for first in range(len(words) - length + 1)
    ]

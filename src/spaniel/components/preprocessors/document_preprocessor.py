"""Splits documents, then cleans the chunks."""

from collections.abc import Callable

from spaniel.components.preprocessors.document_cleaner import DocumentCleaner, UnicodeForm
from spaniel.components.preprocessors.document_splitter import DocumentSplitter, SplitBy
from spaniel.components.preprocessors.sentence_tokenizer import Language
from spaniel.components.preprocessors.tokens import TokenizerEncoding
from spaniel.core.callables import CallableParameters
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value


@component
class DocumentPreprocessor(CallableParameters):
    """Splits documents with a `DocumentSplitter`, then cleans the chunks with a `DocumentCleaner`.

    :param split_by, split_length, split_overlap, split_threshold: see `DocumentSplitter`.
    :param splitting_function, respect_sentence_boundary, language: see `DocumentSplitter`.
    :param use_split_rules, extend_abbreviations, tokenizer_encoding: see `DocumentSplitter`.
    :param remove_empty_lines, remove_extra_whitespaces, keep_id: see `DocumentCleaner`.
    :param remove_repeated_substrings, remove_substrings, remove_regex: see `DocumentCleaner`.
    :param unicode_normalization, ascii_only: see `DocumentCleaner`.
    :raises ValueError: an invalid parameter.
    :raises ImportError: a mode requires a package that is not installed.

    >>> preprocessor = DocumentPreprocessor(split_length=3)
    >>> chunks = preprocessor.run([Document(content="The sun  rose early in the morning.")])["documents"]
    >>> [chunk.content for chunk in chunks]
    ['The sun', 'rose early in', 'the morning.']
    """

    _own_options = frozenset()
    _callable_parameters = ("splitting_function",)

    def __init__(
        self,
        *,
        split_by: SplitBy = "word",
        split_length: int = 250,
        split_overlap: int = 0,
        split_threshold: int = 0,
        splitting_function: Callable[[str], list[str]] | None = None,
        respect_sentence_boundary: bool = False,
        language: Language = "en",
        use_split_rules: bool = True,
        extend_abbreviations: bool = True,
        tokenizer_encoding: TokenizerEncoding = "o200k_base",
        remove_empty_lines: bool = True,
        remove_extra_whitespaces: bool = True,
        remove_repeated_substrings: bool = False,
        keep_id: bool = False,
        remove_substrings: list[str] | None = None,
        remove_regex: str | None = None,
        unicode_normalization: UnicodeForm | None = None,
        ascii_only: bool = False,
    ) -> None:
        self.split_by = split_by
        self.split_length = split_length
        self.split_overlap = split_overlap
        self.split_threshold = split_threshold
        self.splitting_function = splitting_function
        self.respect_sentence_boundary = respect_sentence_boundary
        self.language = language
        self.use_split_rules = use_split_rules
        self.extend_abbreviations = extend_abbreviations
        self.tokenizer_encoding = tokenizer_encoding
        self.remove_empty_lines = remove_empty_lines
        self.remove_extra_whitespaces = remove_extra_whitespaces
        self.remove_repeated_substrings = remove_repeated_substrings
        self.keep_id = keep_id
        self.remove_substrings = copy_value(remove_substrings)
        self.remove_regex = remove_regex
        self.unicode_normalization = unicode_normalization
        self.ascii_only = ascii_only
        self._splitter = DocumentSplitter(
            split_by,
            split_length,
            split_overlap,
            split_threshold,
            splitting_function,
            respect_sentence_boundary,
            language,
            use_split_rules,
            extend_abbreviations,
            tokenizer_encoding=tokenizer_encoding,
        )
        self._cleaner = DocumentCleaner(
            remove_empty_lines,
            remove_extra_whitespaces,
            remove_repeated_substrings,
            keep_id,
            remove_substrings,
            remove_regex,
            unicode_normalization,
            ascii_only,
        )

    def warm_up(self) -> None:
        """Load the resources of the splitter. `run` does so on its own."""
        self._splitter.warm_up()

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the cleaned chunks of each document, in order.

        :param documents: documents with text.
        :returns: ``{"documents": [...]}``. The chunks share nothing mutable with the input.
        :raises TypeError: the input is not a list of documents.
        :raises ValueError: a document's content is None.
        """
        chunks = self._splitter.run(documents)["documents"]
        return {"documents": self._cleaner.run(chunks)["documents"]}

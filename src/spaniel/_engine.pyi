"""The search engine, in Rust: tokens and scores of Haystack 3.4.1, except for case folding."""

# ruff: noqa: PYI021 - the stub is where the compiled module is documented for its readers

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, final

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")
_Cjk: TypeAlias = Literal["characters", "bigrams"]
_Slots: TypeAlias = Sequence[int] | memoryview | NDArray[np.uint64]  # fastest: array.array("Q") or numpy.uint64
_Word: TypeAlias = tuple[Sequence[tuple[str, float]], float, float, bool]
_QueryWord: TypeAlias = tuple[list[tuple[str, float]], float, float, bool]
_Values: TypeAlias = Sequence[int] | NDArray[np.uint32]  # fastest: array.array("I")

UNICODE_VERSION: str
"""The version of the Unicode tables behind the tokens."""

def tokenize(text: str, cjk: _Cjk = "characters") -> list[str]:
    """Return the tokens of a text: lower case, word runs, then case folding and Normalization Form
    C of each.

    :param cjk: a token per Chinese, Japanese or Korean character, or per pair of neighbours.
    :raises ValueError: for another `cjk`.
    """

def token_spans(text: str, cjk: _Cjk = "characters") -> list[tuple[str, int, int]]:
    """Return the tokens as (token, start, end); `text[start:end]` is the source of the token."""

def analyze(text: str, analyzer: str) -> list[str]:
    """Return the index terms of a text, in order.

    :param analyzer: "standard" for the tokens of `tokenize`; "auto" or one of `languages()` for
        words of all scripts, identifiers and numbers.
    :raises ValueError: for another `analyzer`.
    """

def word_spans(text: str) -> list[tuple[str, int, int]]:
    """Return the index terms of a text as (term, start, end), by the analyzers that are not
    "standard"; `text[start:end]` is the source of the term.
    """

@final
class QueryWord:
    """A word of a query."""

    term: str
    """The index term."""
    count: int
    """Number of occurrences in the query."""
    weight: float
    """Share of a whole word: below 1 for pieces of identifiers and for single CJK characters."""
    alternatives: list[tuple[str, float]]
    """Other index terms that stand for the word, each with its weight beside the 1 of `term`."""
    start: int
    """First code point of the first occurrence."""
    end: int
    """One past its last code point."""
    is_capitalised: bool
    """The word is in capitals, and the query is not."""

def word_sequence(text: str) -> list[str]:
    """Return the words of a text one after the other, for phrases: an identifier is one word, and
    so is each character of a script without spaces.
    """

def query_words(text: str, languages: Sequence[str]) -> list[QueryWord]:
    """Return the words of a query, each once, without stop words while another word is left.

    :param languages: languages whose stop words are left out; names of `languages()`.
    :raises ValueError: for an unknown language.
    """

def stem(word: str, language: str) -> str:
    """Return the stem of an index term (Snowball's, with accents folded by language).

    :raises ValueError: for an unknown language.
    """

def detect_language(text: str) -> str | None:
    """Return the language of a text, or None if it is not one of `languages()`."""

def languages() -> list[str]:
    """Return the names of all languages, and "cjk" and "code", which have no stems."""

def copy_value(value: Any) -> Any:
    """Return a deep copy of a value: dicts and lists fast, others by `copy.deepcopy`."""

def copy_objects(
    objects: list[_T],
    lazy: str | None,
    stored: str,
    flat: str,
    changes: dict[str, Any],
    each: tuple[str, list[Any]] | None = None,
) -> list[_T]:
    """Return copies of objects with a ``__dict__``, made without their class's methods. They share
    nothing mutable but:

    :param lazy: the attribute that is not copied. Copies have it under the name `stored`; their
        class is to copy it when it is asked for. All names are interned.
    :param stored: see `lazy`.
    :param flat: an attribute that, if it is a list, holds nothing mutable.
    :param changes: attributes that are set in every copy.
    :param each: the name of an attribute, and its value in each copy.
    """

@final
class Batch:
    """Documents ready to be added. Can be applied to several indexes."""

    def __len__(self) -> int: ...

@final
class Selection:
    """A set of slots, ready for any number of searches."""

    def __new__(cls, bitmap: bytes, first: int = 0) -> Selection:
        """Return a set from a bitmap.

        :param bitmap: a bit for each slot from `first` on, the lowest bit of a byte first
            (``numpy.packbits(mask, bitorder="little").tobytes()``).
        """

@final
class TermScore:
    """The contribution of one query term to the score of one document."""

    @property
    def term(self) -> str: ...
    @property
    def tf(self) -> int:
        """The term frequency in the document."""

    @property
    def df(self) -> int:
        """The document frequency of the term."""

    @property
    def idf(self) -> float: ...
    @property
    def length_norm(self) -> float:
        """1 - b + b * length / average length."""

    @property
    def score(self) -> float:
        """The contribution to the score of the document."""

    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment] # how typeshed marks an unhashable class

@final
class WordScore:
    """The contribution of one query word to the score of one document."""

    @property
    def word(self) -> int:
        """The place of the word in the query."""

    @property
    def df(self) -> int:
        """The number of documents that contain a form of the word."""

    @property
    def score(self) -> float:
        """The contribution to the score of the document, with that of the whole."""

    @property
    def whole(self) -> float:
        """The share of the whole document in it."""

    @property
    def terms(self) -> list[tuple[str, int, int, float, Literal["exact", "form", "near", "name"]]]:
        """The terms in the document: term, field, frequency, amount, relation to the word."""

@final
class Part:
    """An immutable file to be written."""

    @property
    def name(self) -> str:
        """A new, unique file name that ends in ``.segment`` or ``.terms``."""

    @property
    def size(self) -> int:
        """The number of bytes."""

    def chunks(self) -> Iterator[bytes]:
        """Return the bytes of the file in pieces of at most a MiB."""

@final
class Snapshot:
    """A pinned state of a keyword index. It holds the memory of its parts."""

    @property
    def parts(self) -> list[Part]:
        """The parts without a file."""

    @property
    def names(self) -> list[str]:
        """The names of all files that belong to this state, those of `parts` included."""

    def state(self) -> bytes:
        """Return the rest of the state: statistics, live documents, and checksums of the files."""

class _Statistics(TypedDict):
    documents: int
    tokens: int
    vocabulary: int

@final
class KeywordIndex:
    """A BM25 index in memory or in mapped files, for concurrent readers and one writer, without the
    GIL.

    A document has a slot: an ascending document id, which also orders ties. Documents without a
    token count in the statistics.

    Files are verified block by block at their first access. Every method of an index with files
    may therefore raise `DamagedIndexError`; nothing has changed then.
    """

    def __new__(cls, tokens: Literal["standard", "words"] = "standard", fields: int | None = None) -> KeywordIndex:
        """Return an empty index.

        :param tokens: those of texts: ``standard`` for Haystack's.
        :param fields: the number of text fields, at most 8, of an index for `search_words`; None:
            an index for `search`, with one field and without labels.
        """

    def prepare(
        self,
        slots: _Slots,
        texts: Sequence[str | Sequence[str]],
        *,
        others: Sequence[Sequence[str | Sequence[str]]] | None = None,
        names: Sequence[Sequence[str]] | None = None,
        roots: Sequence[str | None] | None = None,
        languages: Sequence[str | None] | None = None,
    ) -> Batch:
        """Tokenize and invert texts, without a lock and without a change of the index.

        :param texts: the text of each document, or its tokens, which are used as they are.
        :param others: for each further field, the same.
        :param names: for each further field, the names of each document in lines, such as its
            title.
        :param roots: the document that each document is a part of, if it is one.
        :param languages: the language of each document, if it is known.
        :raises ValueError: slots do not ascend, the lengths differ, or the index lacks the fields.
        """

    def apply(self, removed: _Slots, added: Batch | None = None, *, tidy: bool = True) -> None:
        """Remove and add documents, atomically for readers.

        :param tidy: merge segments at once. If False, `apply` is fast, and `tidy` must be called
            later.
        :raises KeyError: a removed slot is not in the index. Nothing has changed then.
        :raises ValueError: an added slot is not greater than all before it. Nothing has changed
            then.
        """

    def tidy(self, most: int = ...) -> bool:
        """Run due merges of at most `most` documents, and return True if a larger one is due.

        No result changes; readers and writers are not blocked. Threads may call it concurrently.
        """

    def join(self, least: int, most: int) -> bool:
        """Merge the last segments, of `least` to `most` documents, into one, to save space.

        A segment that is much larger than those after it is left, as are those before it.

        :returns: True if there were some.
        """

    def search(
        self,
        query: str | Sequence[str],
        *,
        variant: str,
        parameters: dict[str, Any] | None = None,
        top_k: int | None,
        allowed: _Slots | SlotSet | Selection | None = None,
        min_score: float | None = None,
    ) -> list[tuple[int, float]]:
        """Return the documents that contain a query term as (slot, score), best first, ties by
        slot.

        :param query: a text, or terms.
        :param variant: BM25Okapi, BM25L or BM25Plus.
        :param parameters: k1, b, delta, epsilon; names that the variant lacks are ignored.
        :param top_k: maximum number of documents; None for all.
        :param allowed: slots that may be returned; a `Selection` is fastest. The statistics are
            those of all documents.
        :param min_score: minimum score.
        :raises ValueError: the variant is unknown, or `top_k` negative.
        :raises TypeError: a parameter is not a number.
        """

    def explain(
        self,
        query: str | Sequence[str],
        slots: _Slots,
        *,
        variant: str,
        parameters: dict[str, Any] | None = None,
    ) -> list[list[TermScore]]:
        """Return, for each slot, the contribution of each query term that its document contains.

        :raises KeyError: a slot is not in the index.
        """

    def search_words(
        self,
        words: str | Sequence[_Word],
        *,
        parameters: dict[str, Any],
        languages: Sequence[str] | None,
        top_k: int | None,
        allowed: _Slots | SlotSet | Selection | None = None,
        min_score: float | None = None,
        repeat_share: float = 1.0,
    ) -> list[tuple[int, float]]:
        """Return the documents that contain a query word as (slot, score), best first, ties by
        slot.

        :param words: a text; or for each word its terms, each with the amount that an occurrence
            counts; the number of times that the query contains it; its weight; and if other forms
            of its stem count.
        :param parameters: k1, k3, whole, forms, near, names, and by field weights and b, of the
            formula in docs/scores.md.
        :param languages: of the stems; None: those that label a document.
        :param top_k: maximum number of documents; None for all.
        :param allowed: slots that may be returned. The statistics are those of all documents.
        :param min_score: minimum score.
        :param repeat_share: for its place, the share of its score that a document keeps for each
            better one with the same root.
        :raises ValueError: a language or a parameter is unknown, or `top_k` negative.
        """

    def explain_words(
        self,
        words: str | Sequence[_Word],
        slots: _Slots,
        *,
        parameters: dict[str, Any],
        languages: Sequence[str] | None,
    ) -> list[list[WordScore]]:
        """Return, for each slot, the contribution of each word that its document, or the whole that
        it is a part of, contains.

        :raises KeyError: a slot is not in the index.
        """

    def query_words(self, query: str, languages: Sequence[str] | None) -> list[_QueryWord]:
        """Return the words of a query without stop words, for `search_words`.

        :param languages: None for those that label a document.
        """

    def find_documents(
        self,
        words: str | Sequence[_Word],
        *,
        languages: Sequence[str] | None,
        least: int,
        field: int | None = None,
        near: bool = False,
    ) -> SlotSet:
        """Return the slots of the documents that contain at least `least` of some words.

        :param words: as for `search_words`.
        :param languages: of the stems; None: those that label a document.
        :param field: the only field in which a word counts.
        :param near: for a word of which the index has no form, the words that resemble it count.
        """

    def languages(self) -> list[str]:
        """Return the languages that label a document, and English if there is one without."""

    def words_with_prefix(self, prefix: str, limit: int | None = None) -> list[tuple[str, int]]:
        """Return the words that begin with a prefix as (word, documents), those in most documents
        first, ties in the order of words.

        A word of several fields has the number of documents of the field that has it most often.
        """

    def unknown_words(
        self, query: str, languages: Sequence[str] | None
    ) -> list[tuple[int, int, list[tuple[str, int, int]]]]:
        """Return the words of a query that the index has in no form, but has a respelling of, as
        (start, end, respellings).

        A respelling is (word, edits, documents): within one insertion, deletion, replacement or
        swap of neighbours, or two for a word of 6 letters or more with the same first letter; the
        nearest first, then those in most documents.

        :param languages: of the stems; None: those that label a document.
        """

    def terms(self, slot: int) -> list[tuple[str, int]]:
        """Return the distinct terms of a document with their frequencies, sorted.

        A term of a further field, and a label, begins with a mark.

        :raises KeyError: the slot is not in the index.
        """

    def fork(self) -> KeywordIndex:
        """Return an independent index with the current state, whose memory is shared."""

    def follow(self, other: KeywordIndex) -> None:
        """Take the state of the index that this one is a fork of."""

    def snapshot(self, languages: Sequence[str] | None = None) -> Snapshot:
        """Return a snapshot of the current state. Writers wait meanwhile, readers do not.

        :param languages: those of the stems that are stored, so that the first search after an
            `open` need not compute them.

        To save it, write and fsync a file for each of `parts`, replace the last state by
        `state()`, then call `adopt`. Files not in `names` may then be deleted, also while other
        processes read.
        """

    def adopt(self, folder: str | PathLike[str], snapshot: Snapshot) -> None:
        """Replace the parts of a snapshot by their files.

        Memory is freed when readers have ended and the snapshot is gone. Later writes and merges
        are kept.

        :param folder: folder of the files.
        :raises DamagedIndexError: a file is missing, or differs from the part.
        """

    @staticmethod
    def open(folder: str | PathLike[str], state: bytes) -> KeywordIndex:
        """Open the index of a serialized state. Its documents are read on demand.

        :param folder: folder of the files.
        :param state: the result of `Snapshot.state`.
        :raises DamagedIndexError: the state or one of its files is missing or damaged.
        :raises IndexVersionError: it has another format version, or other Unicode tables.
        :raises OSError: a file can't be read.
        """

    def statistics(self) -> _Statistics:
        """Return the number of documents, of all their tokens, and of distinct terms."""

    def __len__(self) -> int: ...
    def __contains__(self, slot: object) -> bool: ...

@final
class SlotSet:
    """An immutable set of slots."""

    def __new__(cls, slots: _Slots | None = None) -> SlotSet: ...
    def __or__(self, other: SlotSet) -> SlotSet: ...
    def __and__(self, other: SlotSet) -> SlotSet: ...
    def __sub__(self, other: SlotSet) -> SlotSet: ...
    def __len__(self) -> int: ...
    def __contains__(self, slot: object) -> bool: ...
    def tolist(self) -> list[int]:
        """Return the slots in ascending order."""

    def tobytes(self) -> bytes:
        """Return the ascending slots as native 64-bit integers: ``memoryview(...).cast("Q")``."""

@final
class Postings:
    """The slots of each value of a column. Values are numbered from 0, without gaps."""

    def __new__(cls) -> Postings: ...
    def add(self, values: _Values, slots: _Slots) -> None:
        """Add each slot to the value at the same position.

        :raises ValueError: the lengths differ, or a value's number is too high.
        """

    def remove(self, values: _Values, slots: _Slots) -> None:
        """Remove each slot from the value at the same position, if present."""

    def keep(self, values: _Values) -> None:
        """Keep these values, renumbered in this order, and drop the others."""

    def union(self, values: _Values) -> SlotSet:
        """Return the slots of any of the values."""

class SizesError(ValueError):
    """Eligible vectors differ in dimension from the query; `args[0]` has a slot of each dimension."""

@final
class VectorBatch:
    """Vectors prepared by an index, to be added to it once."""

@final
class VectorIndex:
    """Vectors by slot, for concurrent readers and one writer, without the GIL.

    Numbers are stored in 32 bits if that is lossless, else in 64. Scores are computed in 64 bits,
    with the same result on every processor.
    """

    def __new__(cls) -> VectorIndex: ...
    def prepare(self, slots: _Slots, vectors: Sequence[NDArray[np.float64]]) -> VectorBatch:
        """Prepare vectors for `apply`, without a lock and without a change of the index.

        :raises ValueError: a number is not finite, a vector is empty, or slots of a dimension do
            not ascend.
        """

    def apply(self, removed: _Slots, added: VectorBatch | None = None) -> None:
        """Remove and add vectors, atomically for readers. Unknown slots are ignored.

        :raises RuntimeError: the index has changed since the batch was prepared. Nothing has
            changed then.
        """

    def tidy(self) -> None:
        """Compact chunks with many deleted rows, without blocking readers."""

    def code(self) -> None:
        """Add the codes of approximate search to all vectors, present and future."""

    def fork(self) -> VectorIndex:
        """Return an independent index with the current state, whose memory is shared."""

    def nearest(
        self,
        query: NDArray[np.float64],
        *,
        cosine: bool,
        top_k: int,
        allowed: _Slots | SlotSet | None = None,
        approximate: bool = False,
    ) -> list[tuple[int, float]]:
        """Return the best vectors as (slot, score), best first, ties by slot.

        :param cosine: cosine similarity instead of the dot product; a zero vector scores 0.
        :param allowed: slots that may be returned; a `SlotSet` is fastest.
        :param approximate: a few of the best may be missed, if `code` was called. Scores are exact.
        :raises SizesError: the eligible vectors do not all have the dimension of the query.
        """

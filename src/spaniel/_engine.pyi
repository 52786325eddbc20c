"""The search engine: tokens and BM25, in Rust. Texts and scores are those of Haystack 3.4.1, but for case folding."""

# ruff: noqa: PYI021 - the stub is where the compiled module is documented for its readers

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, final

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")
_Cjk: TypeAlias = Literal["characters", "bigrams"]
_Slots: TypeAlias = Sequence[int] | memoryview | NDArray[np.uint64]  # fastest: array.array("Q") or numpy.uint64
_Values: TypeAlias = Sequence[int] | NDArray[np.uint32]  # fastest: array.array("I")

UNICODE_VERSION: str
"""The version of the Unicode tables behind the tokens."""

def tokenize(text: str, cjk: _Cjk = "characters") -> list[str]:
    """Return the tokens of a text: lower case, word runs, then case folding and Normalization Form C of each.

    :param cjk: what becomes of Chinese, Japanese and Korean characters: a token each, or each pair of neighbours.
    :raises ValueError: for another `cjk`.
    """

def token_spans(text: str, cjk: _Cjk = "characters") -> list[tuple[str, int, int]]:
    """Return the tokens as (token, start, end), so that `text[start:end]` is what the token came from."""

def copy_value(value: Any) -> Any:
    """Return a copy of a value that shares nothing mutable with it; dicts and lists fast, others by `copy.deepcopy`."""

def copy_objects(
    objects: list[_T],
    lazy: str | None,
    stored: str,
    flat: str,
    changes: dict[str, Any],
    each: tuple[str, list[Any]] | None = None,
) -> list[_T]:
    """Return copies of objects with a ``__dict__``, made without their class's methods. They share nothing mutable but:

    :param lazy: the attribute that is not copied. Copies have it under the name `stored`; their class is to copy it when
        it is asked for. All names are interned.
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
    """What one query term gives to one document."""

    @property
    def term(self) -> str: ...
    @property
    def tf(self) -> int:
        """How often the document holds the term."""

    @property
    def df(self) -> int:
        """In how many documents the term stands."""

    @property
    def idf(self) -> float: ...
    @property
    def length_norm(self) -> float:
        """1 - b + b * length / average length."""

    @property
    def score(self) -> float:
        """What is added to the score of the document."""

    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment] # how typeshed marks an unhashable class

@final
class Part:
    """A file that is to be written once and never changed."""

    @property
    def name(self) -> str:
        """A plain file name that was never used before, ending in ``.segment`` or ``.terms``."""

    @property
    def size(self) -> int:
        """The number of bytes."""

    def chunks(self) -> Iterator[bytes]:
        """Return the bytes of the file in pieces of at most a MiB."""

@final
class Snapshot:
    """One state of a keyword index, which stays as it is. It holds the memory of its parts as long as it lives."""

    @property
    def parts(self) -> list[Part]:
        """What is in no file yet."""

    @property
    def names(self) -> list[str]:
        """The names of all files that belong to this state, those of `parts` included."""

    def state(self) -> bytes:
        """Return all that is not in these files: statistics, living documents, and how to recognise the files."""

class _Statistics(TypedDict):
    documents: int
    tokens: int
    vocabulary: int

@final
class KeywordIndex:
    """A BM25 index in memory, or in mapped files. Any number of threads may read beside a writer; all of it runs without the GIL.

    A document is known by its slot, a number that grows with every document ever added: it is also the order of ties.
    Documents without a token count in the statistics.

    What is read from files is checked when it is first read. So every method of an index with files may raise
    `DamagedIndexError`; nothing has changed then.
    """

    def __new__(cls, cjk: _Cjk = "characters") -> KeywordIndex: ...
    def prepare(self, slots: _Slots, texts: Sequence[str]) -> Batch:
        """Return texts cut into tokens and inverted. The index is not touched, and no lock is held.

        :raises ValueError: if slots do not increase, or there is not one text for each.
        """

    def prepare_tokens(self, slots: _Slots, tokens: Sequence[Sequence[str]]) -> Batch:
        """Return documents of which the tokens are given, and used as they are."""

    def apply(self, removed: _Slots, added: Batch | None = None, *, tidy: bool = True) -> None:
        """Remove documents and add others, in one step for readers.

        :param tidy: whether to merge segments at once. Without it, `apply` is over soon, and `tidy` is to be called.
        :raises KeyError: if a slot to be removed is not in the index. Nothing has changed then.
        :raises ValueError: if a slot to be added is not greater than every slot ever added. Nothing has changed then.
        """

    def tidy(self, most: int = ...) -> bool:
        """Return whether a merge was left out because it moves more than `most` documents; merge what else is due.

        No result changes; readers and writers go on meanwhile. Any number of threads may call it.
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
        """Return the documents that hold a term of the query as (slot, score), best first, ties by slot.

        :param query: a text, or terms that are used as they are.
        :param variant: BM25Okapi, BM25L or BM25Plus.
        :param parameters: k1, b, delta, epsilon, as far as the variant has them; other names are ignored.
        :param top_k: the most documents to return; None for all.
        :param allowed: the slots that may be returned, others are ignored; a `Selection` is the fastest. The statistics are those of all documents.
        :param min_score: the lowest score to return.
        :raises ValueError: for an unknown variant or a negative `top_k`.
        :raises TypeError: for a parameter that is no number.
        """

    def explain(
        self,
        query: str | Sequence[str],
        slots: _Slots,
        *,
        variant: str,
        parameters: dict[str, Any] | None = None,
    ) -> list[list[TermScore]]:
        """Return, for each slot, what each query term that its document holds adds to the score.

        :raises KeyError: if a slot is not in the index.
        """

    def fork(self) -> KeywordIndex:
        """Return an index that is as this one is now, and shares its memory. What changes one does not change the other."""

    def follow(self, other: KeywordIndex) -> None:
        """Take the state of the index that this one is a fork of."""

    def snapshot(self) -> Snapshot:
        """Return one state of the index. Readers go on meanwhile, writers wait.

        To save it, write a file for each of `parts` and make all of them durable, then put `state()` in the place of the
        last one, then call `adopt`. Files that are not among `names` may be deleted, in other processes' sight too.
        """

    def adopt(self, folder: str | PathLike[str], snapshot: Snapshot) -> None:
        """Read the parts of a snapshot from the files that they were written to, and give back their memory.

        Memory is given back when readers have ended and the snapshot is gone. What was written or merged since stays.

        :param folder: where the files are.
        :raises DamagedIndexError: a file is missing, or is not what was to be written.
        """

    @staticmethod
    def open(folder: str | PathLike[str], state: bytes) -> KeywordIndex:
        """Return the index in a state whose files are in a folder. Its documents are not read yet.

        :param state: what `Snapshot.state` returned.
        :raises DamagedIndexError: the state, or a file that belongs to it, is missing, altered or something else.
        :raises IndexVersionError: another version wrote it, with another format or other Unicode tables.
        :raises OSError: the system can't read a file.
        """

    def statistics(self) -> _Statistics:
        """Return the number of documents, of all their tokens, and of distinct terms."""

    def __len__(self) -> int: ...
    def __contains__(self, slot: object) -> bool: ...

@final
class SlotSet:
    """A set of slots. It never changes."""

    def __new__(cls, slots: _Slots | None = None) -> SlotSet: ...
    def __or__(self, other: SlotSet) -> SlotSet: ...
    def __and__(self, other: SlotSet) -> SlotSet: ...
    def __sub__(self, other: SlotSet) -> SlotSet: ...
    def __len__(self) -> int: ...
    def __contains__(self, slot: object) -> bool: ...
    def tolist(self) -> list[int]:
        """Return the slots, rising."""

    def tobytes(self) -> bytes:
        """Return the slots, rising, as 64-bit integers of the machine: ``memoryview(...).cast("Q")``."""

@final
class Postings:
    """The slots of each value of a column. Values are known by numbers from 0, without gaps."""

    def __new__(cls) -> Postings: ...
    def add(self, values: _Values, slots: _Slots) -> None:
        """Add each slot to the value at its place.

        :raises ValueError: if there is not one value for each slot, or a value's number is too high.
        """

    def remove(self, values: _Values, slots: _Slots) -> None:
        """Take each slot from the value at its place, if it is there."""

    def keep(self, values: _Values) -> None:
        """Renumber some values in their order, and forget the others."""

    def union(self, values: _Values) -> SlotSet:
        """Return the slots of any of the values."""

class SizesError(ValueError):
    """The vectors that may be returned are not all as long as the query. `args[0]` has a slot of each of their sizes."""

@final
class VectorBatch:
    """Vectors ready to be added, once, to the index that prepared them."""

@final
class VectorIndex:
    """Vectors by slot. Any number of threads may read beside a writer; all of it runs without the GIL.

    Numbers are kept in 32 bits where that loses nothing, else in 64. Scores are computed in 64 bits, the same way on every
    processor.
    """

    def __new__(cls) -> VectorIndex: ...
    def prepare(self, slots: _Slots, vectors: Sequence[NDArray[np.float64]]) -> VectorBatch:
        """Return vectors made ready for `apply`. The index is not touched, and no lock is held.

        :raises ValueError: a number is not finite, a vector empty, or a slot not greater than those of its size before it.
        """

    def apply(self, removed: _Slots, added: VectorBatch | None = None) -> None:
        """Remove slots and add vectors, in one step for readers. Slots that are not there are passed over.

        :raises RuntimeError: the index has changed since the batch was prepared. Nothing has changed then.
        """

    def tidy(self) -> None:
        """Drop what is dead, where that is much. No exact result changes, and readers go on meanwhile."""

    def code(self) -> None:
        """Prepare all vectors for approximate search: those that are there and those that come."""

    def fork(self) -> VectorIndex:
        """Return an index that is as this one is now, and shares its memory. What changes one does not change the other."""

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
        :param allowed: the slots that may be returned; a `SlotSet` is the fastest.
        :param approximate: let a few of the best be missed, where that saves time and `code` was called. Scores are exact.
        :raises SizesError: the vectors that may be returned are of several sizes, or of another than the query.
        """

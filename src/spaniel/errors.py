"""Every error of Spaniel.

::

    SpanielError
    ├── FilterError                     a filter is malformed, or compares what can't be compared (ValueError)
    ├── DocumentStoreError              a store can't do what was asked
    │   ├── DuplicateDocumentError      an id is already in the store
    │   ├── MissingDocumentError        an id is not in the store
    │   ├── StoreFileError              a saved store can't be read
    │   │   ├── DamagedIndexError       an index file is missing, cut short or altered, or no index file at all
    │   │   └── IndexVersionError       an index file was written by another version
    │   ├── StoreLockedError            another process is writing to a store
    │   ├── StoreWriteError             a store can't be written: a full disk, an I/O error, a read-only folder
    │   ├── DocumentsRefusedError       a server did not take some of the documents; the others are written
    │   ├── StoreRequestError           a server refused a request
    │   ├── StoreUnavailableError       a server can't be reached, or has no room for a request now
    │   └── StoreUrlError               a URL names no store that can be opened (ValueError)
    ├── WrongStoreError                 a component was given another store than it needs (ValueError and TypeError)
    ├── ComponentError                  a component is declared or used wrongly
    ├── SerializationError              an object can't be written as data
    │   ├── DeserializationError        data can't be turned back into an object
    │   │   ├── MissingParameterError   an init parameter is missing (TypeError)
    │   │   └── UnknownTypeError        a named class is unknown, or not allowed (ImportError)
    │   │       └── ForeignTypeError    a named class is one of Haystack that Spaniel does not have
    │   ├── UnplainDataError            data holds more than plain values (TypeError)
    │   ├── UnknownComponentError       a pipeline names a component that is not known (also a PipelineError)
    │   └── SecretError                 a secret can't be written as data, or read from it (ValueError)
    ├── MigrationError                  a program can't be moved from Haystack
    ├── ConversionError                 a file can't be turned into documents
    ├── PipelineError                   a pipeline is wired or run wrongly
    │   ├── PipelineConnectError        two sockets don't fit
    │   ├── PipelineValidationError     something that is no component was added
    │   ├── InvalidMappingTypeError     a super component's mapping has another form (TypeError)
    │   ├── InvalidMappingValueError    a super component's mapping names what is not there (ValueError)
    │   ├── PipelineDrawingError        a pipeline can't be drawn as asked
    │   ├── PipelineMaxComponentRuns    a component of a loop ran too often
    │   └── PipelineRuntimeError        a component failed
    │       └── PipelineComponentsBlockedError    no component can start
    └── KnowledgeBaseError              a knowledge base can't be opened or asked
        └── CopyDiffersError            a copy is not equal to what was copied

Bad arguments raise the built-in ``ValueError`` and ``TypeError``, as in Haystack.
"""


class SpanielError(Exception):
    """Base of every error that Spaniel defines."""


class FilterError(SpanielError, ValueError):
    """A filter is malformed, or compares what can't be compared."""


class DocumentStoreError(SpanielError):
    """A document store can't do what was asked."""


class DuplicateDocumentError(DocumentStoreError):
    """A document with this id is already in the store, or twice in the batch."""


class MissingDocumentError(DocumentStoreError):
    """No document with this id is in the store."""


class StoreFileError(DocumentStoreError):
    """A saved store can't be read: it is damaged, or of another format."""


class DamagedIndexError(StoreFileError):
    """A file of an index is missing, cut short or altered, or is no such file: the index is to be built again."""


class IndexVersionError(StoreFileError):
    """A file of an index has another format or other Unicode tables: the index is to be built again."""


class StoreLockedError(DocumentStoreError):
    """Another process is writing to a store.

    :param holder: which one.
    """

    def __init__(self, message: str, holder: str = "another process") -> None:
        super().__init__(message)
        self.holder = holder


class StoreWriteError(DocumentStoreError):
    """A store can't be written: the disk is full or fails, or the folder is read-only. Nothing was written."""


class DocumentsRefusedError(DocumentStoreError):
    """A server did not take some of the documents that it was given; the others are written.

    :param refused: why not, by document id.
    :param written: how many are written.
    """

    def __init__(self, message: str, refused: dict[str, str], written: int) -> None:
        super().__init__(message)
        self.refused = refused
        self.written = written


class StoreRequestError(DocumentStoreError):
    """A server refused a request.

    :param status: the HTTP status.
    :param kind: what the server calls the error.
    """

    def __init__(self, message: str, status: int = 0, kind: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class StoreUnavailableError(DocumentStoreError):
    """A server can't be reached, or has no room for a request now.

    :param refused: whether it is certain that the request was not carried out.
    """

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


class StoreUrlError(DocumentStoreError, ValueError):
    """A URL names no store that can be opened: it is malformed, or of an unknown kind, or has a wrong option."""


class WrongStoreError(SpanielError, ValueError, TypeError):
    """A component was given a document store of another kind than it needs."""


class ComponentError(SpanielError):
    """A component is declared or used wrongly."""


class SerializationError(SpanielError):
    """An object can't be written as plain data."""


class DeserializationError(SerializationError):
    """Plain data can't be turned back into an object."""


class MissingParameterError(DeserializationError, TypeError):
    """Serialised data lacks a parameter that the constructor needs."""


class UnknownTypeError(DeserializationError, ImportError):
    """Serialised data names a class that does not exist, or that may not be loaded."""


class ForeignTypeError(UnknownTypeError):
    """Serialised data names a class of Haystack that Spaniel does not have, and that can't be taken from there."""


class UnplainDataError(SerializationError, TypeError):
    """Data that should be written as text holds more than plain values."""


class SecretError(SerializationError, ValueError):
    """A secret can't be written as plain data, or read from it."""


class MigrationError(SpanielError):
    """A program can't be moved from Haystack: it is no Python, or no text."""


class ConversionError(SpanielError):
    """A file can't be turned into documents."""


class PipelineError(SpanielError):
    """A pipeline is wired or run wrongly."""


class PipelineConnectError(PipelineError):
    """Two sockets of a pipeline don't fit together."""


class PipelineValidationError(PipelineError):
    """Something that is no component was added to a pipeline."""


class InvalidMappingTypeError(PipelineError, TypeError):
    """The mapping of a super component is no mapping of names, or joins sockets of types that no value fits."""


class InvalidMappingValueError(PipelineError, ValueError):
    """The mapping of a super component names a socket that is not there, or one name twice."""


class UnknownComponentError(DeserializationError, PipelineError):
    """A serialised pipeline names a component whose class does not exist, or that may not be loaded."""


class PipelineDrawingError(PipelineError):
    """A pipeline can't be drawn as asked."""


class PipelineMaxComponentRuns(PipelineError):  # noqa: N818 (Haystack's name)
    """A component of a loop has run as often as it may."""


class PipelineRuntimeError(PipelineError):
    """A component of a pipeline failed.

    :param component_name: its name in the pipeline, None where no single component is to blame.
    :param component_type: its class.
    :param message: what happened.
    """

    def __init__(self, component_name: str | None, component_type: type | None, message: str) -> None:
        super().__init__(message)
        self.component_name = component_name
        self.component_type = component_type


class PipelineComponentsBlockedError(PipelineRuntimeError):
    """No component of a pipeline can start."""


class KnowledgeBaseError(SpanielError):
    """A knowledge base can't be opened, or can't answer what was asked."""


class CopyDiffersError(KnowledgeBaseError):
    """A copy of a store is not equal to what was copied.

    :param ids: the documents that differ, are missing, or are too many; the first hundred.
    """

    def __init__(self, message: str, ids: list[str]) -> None:
        super().__init__(message)
        self.ids = ids

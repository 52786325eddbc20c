"""Every error of Spaniel.

::

    SpanielError
    ├── FilterError (ValueError)
    ├── DocumentStoreError
    │   ├── DuplicateDocumentError
    │   ├── MissingDocumentError
    │   ├── StoreFileError
    │   │   ├── DamagedIndexError
    │   │   └── IndexVersionError
    │   ├── StoreLockedError
    │   ├── StoreWriteError
    │   ├── DocumentsRefusedError
    │   ├── StoreRequestError
    │   ├── StoreUnavailableError
    │   └── StoreUrlError (ValueError)
    ├── WrongStoreError (ValueError, TypeError)
    ├── ComponentError
    ├── SerializationError
    │   ├── DeserializationError
    │   │   ├── MissingParameterError (TypeError)
    │   │   └── UnknownTypeError (ImportError)
    │   │       └── ForeignTypeError
    │   ├── UnplainDataError (TypeError)
    │   ├── UnknownComponentError (PipelineError)
    │   └── SecretError (ValueError)
    ├── MigrationError
    ├── ConversionError
    ├── ModelError
    │   └── ModelServerError
    ├── JudgedSetError
    ├── PipelineError
    │   ├── PipelineConnectError
    │   ├── PipelineValidationError
    │   ├── InvalidMappingTypeError (TypeError)
    │   ├── InvalidMappingValueError (ValueError)
    │   ├── PipelineDrawingError
    │   ├── PipelineMaxComponentRuns
    │   └── PipelineRuntimeError
    │       └── PipelineComponentsBlockedError
    └── KnowledgeBaseError
        └── CopyDiffersError

Invalid arguments raise the built-in ``ValueError`` and ``TypeError``, as in Haystack.
"""


class SpanielError(Exception):
    """Base of all errors of Spaniel."""


class FilterError(SpanielError, ValueError):
    """A filter is malformed, or has a value that can't be compared."""


class DocumentStoreError(SpanielError):
    """An operation of a document store failed."""


class DuplicateDocumentError(DocumentStoreError):
    """An id is already in the store, or twice in the batch."""


class MissingDocumentError(DocumentStoreError):
    """An id is not in the store."""


class StoreFileError(DocumentStoreError):
    """A saved store is damaged, or of another format."""


class DamagedIndexError(StoreFileError):
    """An index file is missing, truncated, altered, or of another kind; rebuild the index."""


class IndexVersionError(StoreFileError):
    """An index file has another format or other Unicode tables; rebuild the index."""


class StoreLockedError(DocumentStoreError):
    """Another process is writing to the store.

    :param holder: a description of that process.
    """

    def __init__(self, message: str, holder: str = "another process") -> None:
        super().__init__(message)
        self.holder = holder


class StoreWriteError(DocumentStoreError):
    """The disk is full or broken, or the folder is read-only; nothing was written."""


class DocumentsRefusedError(DocumentStoreError):
    """A server rejected some of the documents of a write; the others are written.

    :param refused: the reasons by document id.
    :param written: the number of written documents.
    """

    def __init__(self, message: str, refused: dict[str, str], written: int) -> None:
        super().__init__(message)
        self.refused = refused
        self.written = written


class StoreRequestError(DocumentStoreError):
    """A server rejected a request.

    :param status: the HTTP status.
    :param kind: the server's name for the error.
    """

    def __init__(self, message: str, status: int = 0, kind: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class StoreUnavailableError(DocumentStoreError):
    """A server can't be reached, or is overloaded.

    :param refused: True if the request was certainly not executed.
    """

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


class StoreUrlError(DocumentStoreError, ValueError):
    """A store URL is malformed, of an unknown scheme, or has an invalid option."""


class WrongStoreError(SpanielError, ValueError, TypeError):
    """A component got a document store of an unsupported kind."""


class ComponentError(SpanielError):
    """A component is declared or used incorrectly."""


class SerializationError(SpanielError):
    """An object can't be serialised as plain data."""


class DeserializationError(SerializationError):
    """An object can't be built from plain data."""


class MissingParameterError(DeserializationError, TypeError):
    """Serialised data lacks a parameter that the constructor requires."""


class UnknownTypeError(DeserializationError, ImportError):
    """Serialised data names a class that does not exist, or may not be loaded."""


class ForeignTypeError(UnknownTypeError):
    """Serialised data names a class of Haystack that Spaniel can't load."""


class UnplainDataError(SerializationError, TypeError):
    """Data has values that can't be serialised as text."""


class SecretError(SerializationError, ValueError):
    """A secret can't be serialised or deserialised."""


class MigrationError(SpanielError):
    """A program can't be migrated from Haystack, since it is not Python, or not text."""


class ConversionError(SpanielError):
    """A file can't be converted to documents."""


class PipelineError(SpanielError):
    """A pipeline is wired or run incorrectly."""


class PipelineConnectError(PipelineError):
    """Two sockets of a pipeline are incompatible."""


class PipelineValidationError(PipelineError):
    """An object added to a pipeline is not a component."""


class InvalidMappingTypeError(PipelineError, TypeError):
    """The mapping of a super component is malformed, or joins sockets of incompatible types."""


class InvalidMappingValueError(PipelineError, ValueError):
    """The mapping of a super component has an unknown socket, or the same name twice."""


class UnknownComponentError(DeserializationError, PipelineError):
    """A serialised pipeline has a component whose class does not exist, or may not be loaded."""


class PipelineDrawingError(PipelineError):
    """A pipeline can't be drawn with the given options."""


class PipelineMaxComponentRuns(PipelineError):  # noqa: N818 (Haystack's name)
    """A component of a loop exceeded its maximum number of runs."""


class PipelineRuntimeError(PipelineError):
    """A component of a pipeline failed.

    :param component_name: its name in the pipeline, None if no single component failed.
    :param component_type: its class.
    :param message: the description of the failure.
    """

    def __init__(self, component_name: str | None, component_type: type | None, message: str) -> None:
        super().__init__(message)
        self.component_name = component_name
        self.component_type = component_type


class PipelineComponentsBlockedError(PipelineRuntimeError):
    """No component of a pipeline can start."""


class ModelError(SpanielError):
    """A model is not on this machine, or its files are not those of a model."""


class ModelServerError(ModelError):
    """A server with models can't be reached, or refused a request."""


class JudgedSetError(SpanielError):
    """A file of a judged set is missing, or can't be read."""


class KnowledgeBaseError(SpanielError):
    """A knowledge base can't be opened, or an operation on it failed."""


class CopyDiffersError(KnowledgeBaseError):
    """A copy of a store differs from its source.

    :param ids: the first hundred ids that differ, are missing, or are additional.
    """

    def __init__(self, message: str, ids: list[str]) -> None:
        super().__init__(message)
        self.ids = ids

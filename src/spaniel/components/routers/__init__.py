"""Components that distribute items over several outputs."""

from spaniel.components.routers.document_length_router import DocumentLengthRouter
from spaniel.components.routers.document_type_router import DocumentTypeRouter
from spaniel.components.routers.file_type_router import FileTypeRouter
from spaniel.components.routers.metadata_router import MetadataRouter

__all__ = ["DocumentLengthRouter", "DocumentTypeRouter", "FileTypeRouter", "MetadataRouter"]

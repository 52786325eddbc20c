"""JSON files as documents."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from spaniel.components.converters._sources import UTF_8, each_source, whole_text
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError

logger = logging.getLogger(__name__)


@component
class JSONConverter(Serializable):
    """Makes documents of JSON files. For a file with one object a line, see `JSONLToDocument`.

    :param jq_schema: a filter of ``jq`` that gives the objects, or texts, in a file. It needs the package ``jq``. Without
        it a file is one object.
    :param content_key: the field of an object that is the text; without it the filter must give texts.
    :param extra_meta_fields: the fields that become metadata, None where one is missing; ``"*"`` means all.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.
    :raises ValueError: neither `jq_schema` nor `content_key` is given.
    :raises ImportError: `jq_schema` is given and ``jq`` is not installed.

    >>> from spaniel.dataclasses import ByteStream
    >>> source = ByteStream.from_string('{"says": "bark", "name": "Dog", "legs": 4}')
    >>> document = JSONConverter(content_key="says", extra_meta_fields={"legs"}).run([source])["documents"][0]
    >>> document.content, document.meta
    ('bark', {'legs': 4})
    """

    def __init__(
        self,
        jq_schema: str | None = None,
        content_key: str | None = None,
        extra_meta_fields: set[str] | Literal["*"] | None = None,
        store_full_path: bool = False,
    ) -> None:
        if not jq_schema and content_key is None:
            raise ValueError("No `jq_schema` nor `content_key` specified. Set either or both to extract data.")
        self.jq_schema = jq_schema
        self.content_key = content_key
        self.extra_meta_fields = copy_value(extra_meta_fields)
        self.store_full_path = store_full_path
        self._filter = _compiled(jq_schema) if jq_schema else None

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[str | Path | ByteStream], meta: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> dict[str, list[Document]]:
        """Return the documents of the sources that can be read; what can't be is reported as warnings.

        :param sources: paths, or contents of files.
        :param meta: metadata for all documents, or one dictionary a source; fields of an object win.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`.
        """
        documents = [
            Document(content=text, meta={**copy_value(own), **fields})
            for objects, _, own in each_source(sources, meta, self._objects, store_full_path=self.store_full_path)
            for text, fields in self._texts(objects)
        ]
        return {"documents": documents}

    def _objects(self, stream: ByteStream, shown: str) -> list[Any]:
        text = whole_text(stream, UTF_8, shown)
        try:
            objects = [json.loads(text)] if self._filter is None else list(self._filter.input_text(text))
            json.dumps(objects, ensure_ascii=False).encode()  # "\\ud83d" alone is JSON, but no text
        except (ValueError, RecursionError) as error:
            raise ConversionError(f"{shown} is no JSON that this converter reads: {error}") from error
        return objects

    def _texts(self, objects: list[Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
        for found in objects:
            if self.content_key is not None and not isinstance(found, dict):
                logger.warning("Expected a dictionary but got %.200r. Skipping it.", found)
            elif self.content_key is not None and self.content_key not in found:
                logger.warning("'%s' not found in %.200r. Skipping it.", self.content_key, found)
            else:
                text = found if self.content_key is None else found[self.content_key]
                if isinstance(text, (dict, list)):
                    logger.warning("Expected a scalar value but got %.200r. Skipping it.", found)
                else:
                    shown = text if text is None and self.content_key is not None else str(text)
                    yield shown, self._fields(found)

    def _fields(self, found: Any) -> dict[str, Any]:
        if self.content_key is None or not self.extra_meta_fields:
            return {}
        if self.extra_meta_fields == "*":
            return {key: value for key, value in found.items() if key != self.content_key}
        return {field: found.get(field) for field in sorted(self.extra_meta_fields)}


def _compiled(jq_schema: str) -> Any:
    import importlib

    try:
        jq = importlib.import_module("jq")
    except ImportError as error:
        raise ImportError("jq_schema needs the package jq. Run 'pip install jq'.") from error
    return jq.compile(jq_schema)

"""JSON files as documents."""

import json
import logging
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Literal

from spaniel.components.converters._file_converter import UTF_8, FileConverter, SourceFile
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.json_types import JsonObject, Meta

logger = logging.getLogger(__name__)


@component
class JSONConverter(FileConverter):
    """Converts JSON files to documents. For files of JSON lines, see `JSONLToDocument`.

    Fields of an object take precedence over metadata given to `run`.

    :param jq_schema: a ``jq`` filter that yields the objects, or texts, of a file. It requires the
        package ``jq``. Without it a file is a single object.
    :param content_key: the field of the text; without it the filter must yield texts.
    :param extra_meta_fields: the fields that become metadata, None for missing fields; ``"*"``
        selects all.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.
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
        self._filter = _compile_filter(jq_schema) if jq_schema else None

    def _convert(self, source: SourceFile) -> Iterable[Document]:
        text = source.read_text(UTF_8)
        try:
            items = [json.loads(text)] if self._filter is None else list(self._filter.input_text(text))
            json.dumps(items, ensure_ascii=False).encode()  # a lone surrogate is valid JSON, but not text
        except (ValueError, RecursionError) as error:
            raise ConversionError(f"{source.name} is not JSON that this converter reads: {error}") from error
        for item in items:
            if self.content_key is None:
                content, meta = item, {}
            elif not isinstance(item, dict):
                logger.warning("Expected a dictionary but got %.200r. Skipping it.", item)
                continue
            elif self.content_key not in item:
                logger.warning("'%s' not found in %.200r. Skipping it.", self.content_key, item)
                continue
            else:
                content, meta = item[self.content_key], self._select_meta(item)
            if isinstance(content, (dict, list)):
                logger.warning("Expected a scalar value but got %.200r. Skipping it.", item)
                continue
            kept = content is None and self.content_key is not None
            yield Document(content=None if kept else str(content), meta={**copy_value(source.meta), **meta})

    def _select_meta(self, item: JsonObject) -> Meta:
        if self.extra_meta_fields == "*":
            return {key: value for key, value in item.items() if key != self.content_key}
        return {field: item.get(field) for field in sorted(self.extra_meta_fields or ())}


def _compile_filter(jq_schema: str) -> Any:
    try:
        jq = import_module("jq")
    except ImportError as error:
        raise ImportError("jq_schema needs the package jq. Run 'pip install jq'.") from error
    return jq.compile(jq_schema)

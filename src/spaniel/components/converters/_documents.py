"""A converted text as a document."""

import logging
from pathlib import PurePosixPath
from typing import Any

from spaniel.dataclasses import Document
from spaniel.text.converted_text import ConvertedText
from spaniel.text.link_resolver import LinkResolver

logger = logging.getLogger(__name__)


def document_of(
    converted: ConvertedText,
    path: str | None,
    *,
    resolver: LinkResolver | None = None,
    meta: dict[str, Any] | None = None,
) -> Document:
    """Return the document of a whole file, ready for `SectionSplitter`.

    Its metadata: ``path``, ``title`` (the file's name where it has none), ``headings`` (``[level, title, start]``),
    ``heading_slugs`` beside them, ``references`` (``[start, end, target, kind]``, kind ``link``, ``url`` or ``broken``),
    ``code_blocks`` (``[start, end]``); below them what the file says about itself. Problems are reported as warnings.

    :param path: of the file in its folder; None where there is none.
    :param resolver: knows the folder's files; without it every relative target inside the folder counts as a link.
    :param meta: more metadata; it wins.
    """
    resolver = resolver or LinkResolver()
    own = meta or {}
    path = own.get("path", path)
    for problem in converted.problems:
        logger.warning("%s: %s.", path or "The file", problem)
    references = []
    for start, end, target in converted.references:
        link = resolver.resolve(target, path or "", converted.anchors)
        if link is not None and (path is not None or link.kind == "url"):
            references.append([start, end, link.target, link.kind])
    title = converted.title or (PurePosixPath(path).name if path else None)
    written = {
        **({} if path is None else {"path": path}),
        **({} if title is None else {"title": title}),
        "headings": [list(heading) for heading in converted.headings],
        "heading_slugs": list(converted.slugs),
        "references": references,
        "code_blocks": [list(span) for span in converted.code],
    }
    return Document(content=converted.text, meta={**converted.meta, **written, **own})

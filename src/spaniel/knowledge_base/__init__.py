"""Files and folders made searchable: `spaniel.open`."""

from spaniel.knowledge_base.copying import CopyProgress, CopyReport, copy
from spaniel.knowledge_base.knowledge_base import KnowledgeBase, open_knowledge_base
from spaniel.knowledge_base.report import IndexReport, Progress
from spaniel.knowledge_base.results import Result, SearchResults, matched_spans
from spaniel.knowledge_base.rows import BadRows
from spaniel.knowledge_base.search import SearchOptions, retriever_for
from spaniel.knowledge_base.statistics import Statistics

__all__ = [
    "BadRows",
    "CopyProgress",
    "CopyReport",
    "IndexReport",
    "KnowledgeBase",
    "Progress",
    "Result",
    "SearchOptions",
    "SearchResults",
    "Statistics",
    "copy",
    "matched_spans",
    "open_knowledge_base",
    "retriever_for",
]

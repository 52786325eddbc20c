"""Files and folders made searchable: `spaniel.open`."""

from spaniel.knowledge_base.file_listing import ListedFile
from spaniel.knowledge_base.index_report import BadRows, IndexReport, Progress
from spaniel.knowledge_base.knowledge_base import KnowledgeBase, open_knowledge_base
from spaniel.knowledge_base.link_listing import Link
from spaniel.knowledge_base.passage_search import retriever_for
from spaniel.knowledge_base.results import (
    FoldedPassage,
    Part,
    Result,
    SearchResults,
    Surrounding,
    find_term_spans,
)
from spaniel.knowledge_base.search_options import SearchOptions
from spaniel.knowledge_base.statistics import Statistics
from spaniel.knowledge_base.transfer import CopyProgress, CopyReport, copy

__all__ = [
    "BadRows",
    "CopyProgress",
    "CopyReport",
    "FoldedPassage",
    "IndexReport",
    "KnowledgeBase",
    "Link",
    "ListedFile",
    "Part",
    "Progress",
    "Result",
    "SearchOptions",
    "SearchResults",
    "Statistics",
    "Surrounding",
    "copy",
    "find_term_spans",
    "open_knowledge_base",
    "retriever_for",
]

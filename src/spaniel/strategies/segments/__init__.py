"""The best contiguous stretches of documents, from scored chunks. Read `best_segments` first."""

from spaniel.strategies.segments.best import best_segments

__all__ = ["best_segments"]

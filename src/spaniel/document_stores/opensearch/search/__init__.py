"""Ranked searches: BM25, vectors, both in one request, metadata."""

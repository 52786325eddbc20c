"""Ranked searches: BM25, vectors, both in a single request, metadata."""

"""Reads without ranking: documents by filter, id and key; metadata; the whole index."""

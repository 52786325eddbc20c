"""Stores for tests: one that counts, one that only answers async calls, one that offers the least a store can."""

from spaniel.testing.stores import AsyncOnlyStore, CountingStore, PlainStore

__all__ = ["AsyncOnlyStore", "CountingStore", "PlainStore"]

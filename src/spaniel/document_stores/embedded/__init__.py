"""The common part of the in-memory store and the local store."""

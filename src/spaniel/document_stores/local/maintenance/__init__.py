"""Checks, rebuilding, compaction, backup and export of a local store."""

"""Writes: bulk requests, deletions, changes by filter."""

"""Adapters for other packages, one folder per package, each behind an extra."""

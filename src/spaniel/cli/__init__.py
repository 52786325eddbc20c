"""The command line: ``spaniel``."""

from spaniel.cli.app import app, main

__all__ = ["app", "main"]

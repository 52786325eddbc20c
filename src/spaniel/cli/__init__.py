"""The command line: ``spaniel``."""

import sys

try:
    from spaniel.cli.app import app, main
except KeyboardInterrupt:  # at the start, before a command can handle it
    sys.exit(130)

__all__ = ["app", "main"]

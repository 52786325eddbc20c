"""``python -m spaniel``: the command line."""

from spaniel.cli import main

main()

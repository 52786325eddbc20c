"""``python -m spaniel.cli`` does what ``spaniel`` does."""

from spaniel.cli.app import main

main()

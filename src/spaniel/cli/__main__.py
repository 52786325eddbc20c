"""Runs the command line: ``python -m spaniel.cli``."""

from spaniel.cli.app import main

main()

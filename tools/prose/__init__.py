"""The prose check: the words of docs/glossary.md in docstrings, comments, messages, names and
pages.

`python -m tools.prose` checks the files that git tracks; `make lint` runs it.
"""

"""A real OpenSearch with k-NN for development and tests, from Maven Central artifacts: see README.md.

In reading order: `errors.py`, `components.py` (what it is made of), `jdk.py`, `folders.py`, `distribution.py` (fetched and laid out once),
`layout.py` (names, ports, the command of a node), `ask.py`, `processes.py`, `cluster.py` (start, kill, stop), `__main__.py`.
"""

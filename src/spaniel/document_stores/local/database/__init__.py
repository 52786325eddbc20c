"""The SQLite database of a local store: tables, rows, settings, connections, read snapshots."""

"""The SQLite database of a local store: its tables, rows, settings, connections and read snapshots."""

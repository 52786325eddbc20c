"""What the stores inside a process share: reading, searching, filters on columns, vectors, and their async methods."""

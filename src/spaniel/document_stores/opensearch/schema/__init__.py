"""The mapping of an index, its fields, and the stored form of documents."""

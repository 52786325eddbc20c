"""The indexes of a local store: built from the documents, saved to files, kept up to date."""

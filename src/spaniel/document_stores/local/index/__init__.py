"""The indexes over the documents of a local store: how they are built, saved and kept up to date."""

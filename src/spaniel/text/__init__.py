"""Pure functions on text: headings, slugs, links, encodings, chunks."""

"""Pure functions on text: headings, slugs, links, encodings, cutting into leaves."""

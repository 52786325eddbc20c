"""Filters as queries of the server, and as tests of fetched documents."""

"""The most score within a budget: hits, windows, sections or files; see `context_budget`."""

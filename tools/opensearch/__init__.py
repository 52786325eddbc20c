"""A real OpenSearch with k-NN for development and tests, from Maven Central artifacts (README.md)."""

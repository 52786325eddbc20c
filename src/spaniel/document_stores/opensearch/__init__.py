"""Documents in OpenSearch."""

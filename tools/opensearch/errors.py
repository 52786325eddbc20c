"""The one error of these tools."""


class OpenSearchNotStarted(Exception):  # noqa: N818 - it names the state
    """OpenSearch is missing or not in the expected state; the message has the reason and a remedy."""

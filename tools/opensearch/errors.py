"""The one error of these tools."""


class OpenSearchNotStarted(Exception):  # noqa: N818 - it says what is the case
    """There is no OpenSearch, or not in the state that was waited for; the message says why and what to do."""

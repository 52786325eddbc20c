"""One request to a node, with the standard library alone and past any proxy."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit


def ask(url: str, path: str, method: str = "GET", *, seconds: float = 5) -> Any:
    """Return the JSON of a node's answer.

    :raises OSError: if there is no answer in time, or its status is not below 400 (then the status
        and the body are its message).
    """
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=seconds)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        body = answer.read()
    except http.client.HTTPException as error:  # a node that is just being killed
        raise ConnectionError(f"{method} {url}{path}: {error!r}") from error
    finally:
        connection.close()
    if answer.status >= 400:
        raise ConnectionError(f"{method} {url}{path}: {answer.status} {body[:500]!r}")
    return json.loads(body)

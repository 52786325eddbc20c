"""JSON for the client: several times faster than the standard library's."""

from typing import Any

import orjson

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def dumped(data: Any) -> bytes:
    """Return data as JSON; arrays, dates and keys that are no texts are written too.

    :raises TypeError: something in it can't be written, such as a whole number of more than 64 bits.

    >>> dumped({"year": 2020})
    b'{"year":2020}'
    """
    return orjson.dumps(data, option=_OPTIONS)


class JsonBodies:
    """Writes and reads the bodies of requests; what ``opensearch-py`` takes as its ``serializer``."""

    mimetype = "application/json"

    def dumps(self, data: Any) -> str | bytes:
        """Return data as JSON; text and bytes are JSON already."""
        return data if isinstance(data, (str, bytes)) else dumped(data)

    def loads(self, s: str | bytes) -> Any:
        """Return the data of a JSON text.

        :raises SerializationError: it is none; the client's error, which is translated with the request at hand.
        """
        try:
            return orjson.loads(s)
        except orjson.JSONDecodeError as error:
            from opensearchpy.exceptions import SerializationError

            raise SerializationError(s, error) from error

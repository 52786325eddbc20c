import logging as standard_logging

import pytest

from spaniel import logging


def test_formats_named_values_if_the_level_is_enabled(caplog):
    class Costly:
        def __format__(self, _):
            raise AssertionError

    logger = logging.getLogger("spaniel.tests.logging")
    logger.setLevel(logging.INFO)
    logger.debug("never {made}", made=Costly())
    logger.warning("{count} of {total}", count=1, total=2)
    logger.info("{not a name}")
    assert [record.getMessage() for record in caplog.records] == ["1 of 2", "{not a name}"]
    assert caplog.records[0].filename == "test_logging.py"


def test_rejects_values_without_a_name():
    with pytest.raises(TypeError, match="given by name, unlike 3"):
        logging.getLogger("spaniel.tests.logging").warning("%s", 3)


def test_logs_exceptions(caplog):
    logger = logging.getLogger("spaniel.tests.logging")
    try:
        {}["lost"]
    except KeyError:
        logger.exception("{what} failed", what="it")
    assert caplog.records[0].exc_info[0] is KeyError
    assert caplog.records[0].levelno == standard_logging.ERROR

"""Common part of the stores inside a process: public methods, indexes of filters, search, and async methods."""

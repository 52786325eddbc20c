"""What every component stands on: the decorator, sockets, serialization."""

"""The foundation of components: decorator, sockets, serialisation, types, Haystack's names."""

"""The foundation of components: the decorator, sockets, serialisation, known types, Haystack's names."""

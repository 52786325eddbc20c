"""Components: thin classes with a ``run`` method, over the algorithms of `spaniel.strategies`."""

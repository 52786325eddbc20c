"""Windows: a hit with the chunks before and after it. The entry point is `widen`."""

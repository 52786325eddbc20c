"""Auto-merging: a parent replaces its hit children. The entry point is `merge_up`."""

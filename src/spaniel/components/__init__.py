"""The doors: thin classes with a run method."""

"""Components wired together."""

"""The package as a wheel, tested on each Python version of this machine (`make test-pythons`)."""
